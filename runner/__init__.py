"""What ``run_lighteval.py`` does: arguments, one run, its results folder and its table."""
