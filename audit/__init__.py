"""Measures how often checkers are wrong: a panel of verdicts, a blind review of a sample, error rates with intervals.

The package may import ``metrics`` and ``endpoints``; nothing imports the package. ``python -m audit --help`` lists
its commands.
"""
