"""Statistics of a choice between runs: paired differences, power, and evidence that holds at every look.

``docs/statistics.md`` says in plain words which of them answers which question; ``simulations/`` shows what is claimed.
"""
