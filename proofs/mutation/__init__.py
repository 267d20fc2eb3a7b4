"""Faults put into the code one at a time: do the tests see them?"""
