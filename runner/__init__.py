"""Carries out ``run_lighteval.py``: reads the arguments, makes one run, writes its folder and prints its table."""
