"""Reads finished runs: compares them, gates on them, checks how steady they are. ``python -m report --help``."""
