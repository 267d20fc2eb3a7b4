"""Runs held against each other: compared, gated, checked for steadiness.

``pairing.py`` their answers to the same questions, or why not; ``changes.py`` how far one metric moved;
``comparing.py`` all of them, questions won and lost, groups; ``gating.py`` a gate, and its JUnit file; ``repeats.py``
the repeat check; ``planning.py`` how large a run must be; ``forms.py`` the JSON; ``wording.py`` the lines.
"""
