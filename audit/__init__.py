"""Measuring checkers: a panel of verdicts, blinded review of a sample, error rates with intervals.

May import ``metrics`` and ``endpoints``; nothing imports it. The commands: ``python -m audit --help``.
"""
