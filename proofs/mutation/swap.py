"""A mutant is put into living functions: their code is exchanged, wherever tables or other modules hold them."""

import functools
import gc
from collections.abc import Iterator
from pathlib import Path
from types import CodeType, FunctionType

from proofs.mutation.mutants import Mutant
from proofs.mutation.rooms import TOP


class NotAppliedError(Exception):
    """No living function has this code, or its closure does not fit."""


def _inside(code: CodeType) -> list[CodeType]:
    return [constant for constant in code.co_consts if isinstance(constant, CodeType)]


def _outermost(module: CodeType, function: str) -> list[CodeType]:
    """The code objects of a name with dots: several where a class defines a getter and a setter."""
    found = [module]
    for name in function.split("."):
        found = [inner for code in found for inner in _inside(code) if inner.co_name == name]
    return found


def _pairs(old: CodeType, new: CodeType) -> Iterator[tuple[CodeType, CodeType]]:
    """Codes of a function and of those inside it; what is inside is paired only where nothing was added or removed."""
    yield old, new
    olds, news = _inside(old), _inside(new)
    if [code.co_name for code in olds] == [code.co_name for code in news]:
        for one, other in zip(olds, news, strict=True):
            yield from _pairs(one, other)


class Living:
    """The functions and caches of a process, found once: a search through all its objects takes a second."""

    def __init__(self) -> None:
        self._functions: dict[tuple[str, CodeType], list[FunctionType]] = {}
        self._caches: list[functools._lru_cache_wrapper[object]] = []
        for one in gc.get_objects():
            if type(one) is FunctionType:  # isinstance asks the object, and some answer with a warning
                if one.__code__.co_filename.startswith(str(TOP)):
                    self._functions.setdefault((one.__code__.co_filename, one.__code__), []).append(one)
            elif type(one) is functools._lru_cache_wrapper and _ours(one):
                self._caches.append(one)

    def apply(self, mutant: Mutant) -> int:
        """Number of functions whose code was exchanged. Caches are emptied: their values came from the code as it was.

        Raises:
            NotAppliedError: none was.
        """
        path = str(TOP / mutant.module)
        before = compile(Path(path).read_bytes(), path, "exec", dont_inherit=True)
        after = compile(mutant.source().encode(), path, "exec", dont_inherit=True)
        outermost = zip(_outermost(before, mutant.function), _outermost(after, mutant.function), strict=True)
        done = 0
        for old, new in (pair for codes in outermost for pair in _pairs(*codes)):
            for function in self._functions.get((path, old), []) if old != new else []:
                try:
                    function.__code__ = new
                except ValueError as error:
                    raise NotAppliedError(str(error)) from error
                done += 1
        for cache in self._caches:
            cache.cache_clear()
        if not done:
            raise NotAppliedError("no living function has this code")
        return done


def _ours(cache: "functools._lru_cache_wrapper[object]") -> bool:
    code = getattr(cache.__wrapped__, "__code__", None)
    return code is not None and code.co_filename.startswith(str(TOP))
