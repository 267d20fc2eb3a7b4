"""A module whose mutants are known: what its tests see of it, and what they do not."""


def total(numbers):
    """The sum; counted down, so that a step that is lost never ends."""
    left, found = len(numbers), 0
    while left > 0:
        left -= 1
        found += numbers[left]
    return found


def limit():
    """It runs once, while this module is imported."""
    return 10


LIMIT = limit()


def clipped(number):
    """At most ten. No test asks about ten itself, where both ways give ten."""
    return LIMIT if number > LIMIT else number


def unasked(number):
    """No test calls it."""
    return number + 1
