"""Mutants of a module: mutmut's changes of one expression or operator each, in the bodies of functions.

mutmut's own runner copies the project and skips decorated functions; here its operators are used as a library. Not
mutated: annotations, decorators, defaults of arguments and the module's own level, which run once at import, calls of
``len`` and ``isinstance`` (as mutmut does it), and triple-quoted texts.
"""

import difflib
import hashlib
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Final

import libcst as cst
from libcst.metadata import CodeRange, MetadataWrapper, ParentNodeProvider, PositionProvider
from mutmut.mutation.mutators import mutation_operators

from proofs.mutation.rooms import TOP

LEFT_ALONE: Final = {"len", "isinstance"}


@dataclass(frozen=True)
class Mutant:
    """One change.

    Attributes:
        module: file from the checkout's top.
        function: names of the classes and of the outermost function that holds it, with dots.
        before: the code that is replaced.
        after: what replaces it.
        count: how many mutants of the same four facts come before it in the function.
        lines: first and last line of the statement, or of a compound statement's head.
    """

    module: str
    function: str
    before: str
    after: str
    count: int
    lines: tuple[int, int] = field(compare=False)
    _tree: cst.Module = field(compare=False, repr=False)
    _old: cst.CSTNode = field(compare=False, repr=False)
    _new: cst.CSTNode = field(compare=False, repr=False)

    @property
    def key(self) -> str:
        """Tells it from all others, wherever its lines move."""
        return "|".join((self.module, self.function, self.before, self.after, str(self.count)))

    def source(self) -> str:
        """The module with the change."""
        changed = self._tree.deep_replace(self._old, self._new)
        assert isinstance(changed, cst.Module)
        return changed.code

    def change(self) -> tuple[str, str]:
        """Lines before and after, without the spaces around them: what the list of equivalent mutants names."""
        lines = list(difflib.unified_diff(self._tree.code.splitlines(), self.source().splitlines(), n=0))[2:]
        old, new = ([line[1:].strip() for line in lines if line.startswith(sign)] for sign in "-+")
        return " ".join(old), " ".join(new)

    def rank(self, seed: int) -> str:
        """Its place in the random order of a seed. It stays when other code changes."""
        return hashlib.sha256(f"{seed}|{self.key}".encode()).hexdigest()


class _Finder(cst.CSTVisitor):
    """Collects (function, node, new node)."""

    def __init__(self) -> None:
        super().__init__()
        self.found: list[tuple[str, cst.CSTNode, cst.CSTNode]] = []
        self._names: list[str] = []
        self._function = ""

    def on_visit(self, node: cst.CSTNode) -> bool:
        if isinstance(node, (cst.ClassDef, cst.FunctionDef)):
            self._names.append(node.name.value)
            if isinstance(node, cst.FunctionDef) and not self._function:
                self._function = ".".join(self._names)
            return True
        if isinstance(node, (cst.Annotation, cst.Decorator, cst.Parameters)):
            return False
        if isinstance(node, cst.Call) and isinstance(node.func, cst.Name) and node.func.value in LEFT_ALONE:
            return False
        if self._function:
            for kind, operator in mutation_operators:
                if isinstance(node, kind):
                    self.found += [(self._function, node, new) for new in operator(node)]
        return True

    def on_leave(self, original_node: cst.CSTNode) -> None:
        if isinstance(original_node, (cst.ClassDef, cst.FunctionDef)):
            if self._function == ".".join(self._names):
                self._function = ""
            self._names.pop()


def mutants_of(module: str, source: str | None = None) -> list[Mutant]:
    """All mutants of a module, in the order of its text.

    Args:
        module: file from the checkout's top.
        source: its text, where it is not the file's.
    """
    wrapper = MetadataWrapper(cst.parse_module((TOP / module).read_text("utf-8") if source is None else source))
    finder = _Finder()
    wrapper.visit(finder)
    positions, parents = wrapper.resolve(PositionProvider), wrapper.resolve(ParentNodeProvider)
    tree, counts = wrapper.module, Counter[tuple[str, str, str]]()

    def above(node: cst.CSTNode) -> Iterator[cst.CSTNode]:
        while True:
            yield node
            if node not in parents:
                return
            node = parents[node]

    def lines(node: cst.CSTNode) -> tuple[int, int]:
        chain = list(above(node))
        statement = next((one for one in chain if isinstance(one, cst.SimpleStatementLine)), None)
        found: CodeRange = positions[statement or next(one for one in chain if one in positions)]
        return found.start.line, found.end.line

    mutants = []
    for function, old, new in finder.found:
        before, after = tree.code_for_node(old).strip(), tree.code_for_node(new).strip()
        if before == after:
            continue
        count = counts[function, before, after]
        counts[function, before, after] += 1
        mutants.append(Mutant(module, function, before, after, count, lines(old), tree, old, new))
    return mutants


def sample(mutants: list[Mutant], size: int, seed: int) -> list[Mutant]:
    """A random sample in which each module has its share, by largest remainders; all of them where they are fewer."""
    if size >= len(mutants):
        return list(mutants)
    counts = Counter(mutant.module for mutant in mutants)
    shares = {module: size * count / len(mutants) for module, count in counts.items()}
    taken = {module: int(share) for module, share in shares.items()}
    by_remainder = sorted(counts, key=lambda module: (taken[module] - shares[module], module))
    for module in by_remainder[: size - sum(taken.values())]:
        taken[module] += 1
    drawn: list[Mutant] = []
    for module in sorted(counts):
        ranked = sorted((one for one in mutants if one.module == module), key=lambda one: one.rank(seed))
        drawn += ranked[: taken[module]]
    return drawn
