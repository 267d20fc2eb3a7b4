"""Audited IFBench: fixtures of its checkers."""
