"""How many steps Python's backtracking search may take, found without searching.

Two bounds: one of a pattern and a length, which takes no time to find but is wide; one of a pattern and a text, which
counts every way that a search could take through it, place by place from the text's end.
"""

import functools
import math
import re
import re._compiler as compiler  # type: ignore[import-not-found]  # Python's own reading of patterns
import re._constants as codes  # type: ignore[import-not-found]
import re._parser as parser  # type: ignore[import-not-found]
from collections.abc import Callable
from typing import Any, Final, NamedTuple

from metrics.sobhard.targets.parsed import on_fresh_stack

__all__ = ["Count", "counted", "search_cost"]

_MAX_STATES: Final = 1_000
_MAX_CELLS: Final = 200_000  # states times places in the text
_ENOUGH: Final = 10**9  # steps; nobody asks how many more there are
_SINGLE: Final = (codes.LITERAL, codes.NOT_LITERAL, codes.ANY, codes.IN)
_REPEATS: Final = (codes.MAX_REPEAT, codes.MIN_REPEAT, codes.POSSESSIVE_REPEAT)


def search_cost(pattern: str, length: int) -> float:
    """An upper bound of the steps that a search of any string of a length may take; inf where none is known.

    Each open repetition may start and end anywhere, each alternative doubles; a repeated group has no bound here,
    nor has a back reference, nor a pattern with blanks and comments in it (the flag x).
    """
    opened, forks = _freedoms(pattern)
    exponent = (opened + 1) * math.log(length + 2) + forks * math.log(2)
    return math.exp(exponent) if exponent < 700 else math.inf


@functools.lru_cache(256)
def _freedoms(pattern: str) -> tuple[float, float]:
    """How many open repetitions and how many alternatives a pattern has."""
    bare = re.sub(r"\[\^?\]?(?:\\.|[^\]\\])*\]", "c", re.sub(r"\\[0-9]+|\(\?P=", "\\\\1", pattern), flags=re.DOTALL)
    if "\\1" in bare or re.search(r"\(\?[a-zA-Z]*x", bare):
        return math.inf, 0
    bare = re.sub(r"\\.", "c", bare, flags=re.DOTALL)
    if re.search(r"\)(?:[*+]|\{)", bare):
        return math.inf, 0
    bare = re.sub(r"\(\?[a-zA-Z:=!<>-]*", "(", bare)
    bare = re.sub(r"\{[0-9]{1,2}\}", "", bare)
    return len(re.findall(r"[*+]|\{", bare)), bare.count("?") + bare.count("|")


class Count(NamedTuple):
    """Steps of a search at most, and what counting them takes: states and places, in cells of about a microsecond."""

    steps: int
    cells: int


def counted(pattern: str, text: str) -> Count | None:
    """An upper bound of the steps that the search of a text may take.

    None where there is no count: for back references, looks backwards, groups that repeat though they may be empty,
    and for what would take too long to count.
    """
    net = _net(pattern)
    if net is None:
        return None
    cells = len(net.states) * (len(text) + 1)
    if cells > _MAX_CELLS:
        return None
    return Count(net.ways(text), cells + net.weight)


class _State(NamedTuple):
    """A place in a pattern: the next character must pass the test, if there is one, before it goes on."""

    test: Callable[[str], bool] | None
    after: list[int]
    at_start: bool = False


class _UncountableError(Exception):
    """The pattern has a part whose ways are not counted here."""


@functools.lru_cache(256)
def _net(pattern: str) -> "_Net | None":
    try:
        return on_fresh_stack(_Net, pattern)  # what is kept must not depend on the first caller's stack
    except (_UncountableError, RecursionError, OverflowError, re.error):
        return None


class _Net:
    """A pattern's states, each built after what follows it.

    Attributes:
        weight: cells that building it took.
    """

    def __init__(self, pattern: str) -> None:
        self._tree = parser.parse(pattern)
        self.states: list[_State] = []
        self._tests: dict[str, Callable[[str], bool]] = {}
        self._start = self._sequence(self._tree, self._state([]), self._tree.state.flags)
        self._order = self._sorted()
        self.weight = 10 * len(self.states) + 60 * len(self._tests)

    def ways(self, text: str) -> int:
        """Steps of all ways from all starts in a text."""
        total = 0
        later = [0] * len(self.states)
        for place in range(len(text), -1, -1):
            here = [0] * len(self.states)
            for number in self._order:
                test, after, at_start = self.states[number]
                if test is None:
                    steps = 1 if at_start and place else 1 + sum([here[following] for following in after])
                elif place < len(text) and test(text[place]):
                    steps = 1 + later[after[0]]
                else:
                    steps = 1
                here[number] = min(steps, _ENOUGH)
            total += here[self._start]
            later = here
        return min(total, _ENOUGH)

    def _sorted(self) -> list[int]:
        """The states, each after those that it goes on to without a character."""
        order: list[int] = []
        done: set[int] = set()
        stack = [(number, False) for number in range(len(self.states))]
        while stack:
            number, is_left = stack.pop()
            if is_left:
                order.append(number)
            elif number not in done:
                done.add(number)
                stack.append((number, True))
                if self.states[number].test is None:
                    stack.extend((following, False) for following in self.states[number].after)
        return order

    def _state(self, after: list[int], test: Callable[[str], bool] | None = None, at_start: bool = False) -> int:
        if len(self.states) >= _MAX_STATES:
            raise _UncountableError
        self.states.append(_State(test, after, at_start))
        return len(self.states) - 1

    def _sequence(self, parts: Any, following: int, flags: int) -> int:
        for operator, argument in reversed(list(parts)):
            following = self._part(operator, argument, following, flags)
        return following

    def _part(self, operator: Any, argument: Any, following: int, flags: int) -> int:
        if operator in _SINGLE:
            return self._state([following], self._test(operator, argument, flags))
        if operator in _REPEATS:
            least, most, inner = argument
            return self._repeat(least, most, inner, following, flags)
        if operator is codes.BRANCH:
            return self._state([self._sequence(branch, following, flags) for branch in argument[1]])
        if operator is codes.SUBPATTERN:
            _, added, removed, inner = argument
            return self._state([self._sequence(inner, following, (flags | added) & ~removed)])
        if operator is codes.ATOMIC_GROUP:
            return self._sequence(argument, following, flags)
        if operator in (codes.ASSERT, codes.ASSERT_NOT) and argument[0] > 0:
            return self._state([self._sequence(argument[1], self._state([]), flags), following])
        if operator is codes.AT:
            starts = argument is codes.AT_BEGINNING_STRING or (
                argument is codes.AT_BEGINNING and not flags & re.MULTILINE
            )
            return self._state([following], at_start=starts)
        raise _UncountableError

    def _repeat(self, least: int, most: int, inner: Any, following: int, flags: int) -> int:
        if most is codes.MAXREPEAT:
            if inner.getwidth()[0] == 0:
                raise _UncountableError
            again = self._state([])
            self.states[again].after.extend([self._sequence(inner, again, flags), following])
        else:
            again = following
            for _ in range(most - least):
                again = self._state([self._sequence(inner, again, flags), following])
        for _ in range(least):
            again = self._sequence(inner, again, flags)
        return again

    def _test(self, operator: Any, argument: Any, flags: int) -> Callable[[str], bool]:
        """Whether a character passes one part of the pattern, by Python's own word."""
        key = f"{flags} {operator} {argument}"
        if key not in self._tests:
            single = compiler.compile(parser.SubPattern(self._tree.state, [(operator, argument)]), flags)
            self._tests[key] = functools.cache(lambda character: single.match(character) is not None)
        return self._tests[key]
