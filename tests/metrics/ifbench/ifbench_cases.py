"""Reading the fixtures, and making arguments and texts that reach more than the first line of a checker."""

import json
from pathlib import Path
from typing import Any

from hypothesis import strategies as st

from metrics.ifbench import CHECKERS
from metrics.ifbench.arguments import COUNT, PERCENT, PLACE, TEXT
from metrics.ifbench.words import visible

ROOT = Path(__file__).parents[3]
FIXTURES = ROOT / "tasks" / "ifbench" / "fixtures"
# The labelled cases and the public sample stand beside the checkout, where they exist at all.
SHARED = ROOT.parent / "shared"
VECTORS = SHARED / "vectors" / "ifbench_public.jsonl"

# Contested among careful readers (IFBench notes, section 9): no failure either way.
CONTESTED = frozenset({"repeat-c3147ccbe0a2", "repeat-eef13c72fede"})


def rows(path: Path) -> list[dict[str, Any]]:
    """The rows of a JSON Lines file."""
    return [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]


def own_fixtures() -> list[dict[str, Any]]:
    """Every fixture of the project, family by family."""
    return [row for path in sorted(FIXTURES.glob("*.jsonl")) for row in rows(path)]


def expected(row: dict[str, Any], grader: str) -> bool:
    """The label of a fixture under a grader: the note says where the proposed reading differs."""
    label = row["expected"]
    note = row["note"] or ""
    if grader == "proposed" and "[proposed: " in note:
        label = note.split("[proposed: ")[1].split("]")[0]
    assert label in ("pass", "fail")
    return bool(label == "pass")


_PIECES = """
. ! ? … , ; : ?! ‽ ( ) [ ] { } "  ' “ ” ‘ ’ — – - * ** *** _ ` ``` # ## > + = -- --- • / & <i> </i> <em> </EM> <b> <br>
cat Cats DOG dogs the and or So I'm don’t he'll one no another racecar level 12321 42 3.5 1,200 -7 10:30 U.S. e.g. Dr.
naïve e\u0301lan ﬁn İ ß 日本 ﾈｺ 🌞 🇫🇷 1️⃣ 👩\u200d👩\u200d👧 \u200d \ufe0f \u00ad \ud800 \x00 Question Question: A) b. (c)
eagle bald elgae dlab Zimbabwe Chad 14 21, 28 1805-12-02 ID,Country,City,Year,Count
My Answer: My Conclusion: Future Outlook: SEPARATOR !?!? yes b) Emma LIAM
Run Water Well-known fixed-up the: 2nd H2O
"""
FRAGMENTS = (*_PIECES.split(), " ", "  ", "\n", "\n\n", "\n \n", "\r\n", "\r", "\t", "\x0b", "\u2028", "\xa0", "\ufeff")


def texts() -> st.SearchStrategy[str]:
    """Any string at all, lone surrogates included, and strings of pieces that matter."""
    anything = st.text(st.characters(codec=None, categories=None), max_size=60)
    pieces = st.lists(st.sampled_from(FRAGMENTS), max_size=25)
    return anything | pieces.map("".join) | pieces.map(" ".join)


_VALUES = {
    COUNT: st.integers(0, 6),
    PLACE: st.integers(1, 4),
    PERCENT: st.integers(0, 100),
    TEXT: (st.sampled_from(FRAGMENTS) | st.text(min_size=1, max_size=12)).filter(lambda text: visible(text).strip()),
}


def arguments(instruction_id: str) -> st.SearchStrategy[dict[str, Any]]:
    """Arguments that an instruction takes."""
    return st.fixed_dictionaries({name: _VALUES[kind] for name, kind in CHECKERS[instruction_id].kinds.items()})


def by_instruction(found: list[dict[str, Any]]) -> list[tuple[str, list[dict[str, Any]]]]:
    """The rows of each instruction, in the order of the table."""
    return [(name, [row for row in found if row["instruction_id"] == name]) for name in CHECKERS]


_REGISTRY = """
class Checker:
    def __init__(self, instruction_id):
        pass

    def build_description(self, **kwargs):
        pass

    def get_instruction_args(self):
        return None

    def check_following(self, text):
        {check}


class Everything(dict):
    def __contains__(self, _):
        return True

    def __getitem__(self, _):
        return Checker


INSTRUCTION_DICT = {table}
"""
# Checkers of another project whose verdict on a program is what it leaves in ``passes``.
RUNS_ITS_TEXT = _REGISTRY.format(
    check='found = {}; exec(text, found); return found.get("passes", True)', table='{"format:list": Checker}'
)


def write_checkers(folder: Path, passes: str) -> None:
    """Checkers of another project for every instruction; ``passes`` says in Python what ``text`` they accept."""
    registry = _REGISTRY.format(check=f"return {passes}", table="Everything()")
    (folder / "instructions_registry.py").write_text(registry, encoding="utf-8")
