"""How many slots an answer has and how they fall into paragraphs, once the stack has said what it needs."""

from random import Random

from builders.ifhard.draft import Draft, InfeasibleError
from builders.ifhard.frames import LISTS

__all__ = ["lay_out"]


def _sizes(total: int, parts: int, rng: Random) -> list[int]:
    """Split ``total`` sentences into ``parts`` paragraphs of nearly equal sizes, the odd ones placed at random."""
    sizes = [total // parts + (place < total % parts) for place in range(parts)]
    rng.shuffle(sizes)
    return sizes


def _divisions(draft: Draft) -> list[tuple[int, int]]:
    """Numbers of paragraphs and of sentences that go together."""
    options = draft.paragraph_options or ([(2, 3, 4)] if draft.per_paragraph else [(1,)])
    parts = [count for count in options[0] if all(count in other for other in options)]
    if draft.per_paragraph is None:
        return [(count, 0) for count in parts if draft.want_n is None or count <= draft.want_n]
    pairs = [(count, count * draft.per_paragraph) for count in parts]
    return [
        (count, total)
        for count, total in pairs
        if max(draft.n_low, 1) <= total <= draft.n_high and draft.want_n in (None, total)
    ]


def _prose(draft: Draft) -> None:
    divisions = _divisions(draft)
    if not divisions:
        raise InfeasibleError("the numbers of paragraphs and sentences do not fit together")
    parts, total = draft.rng.choice(divisions)
    if draft.per_paragraph is None:
        total = draft.count(parts)
    draft.paragraphs = _sizes(total, parts, draft.rng)
    draft.kinds = ["sentence"] * total


def lay_out(draft: Draft) -> None:
    """Fix the number of slots, their kinds and the paragraphs.

    Raises:
        InfeasibleError: the numbers the stack wants do not fit together.
    """
    if draft.frame == "prose":
        _prose(draft)
    elif draft.frame in LISTS:
        draft.wishes.append((3, 6))
        total = draft.count(2)
        draft.kinds = [draft.kind] * total
    else:
        assert draft.want_n is not None, f"{draft.frame}: a fixed shape says how many slots it has"
        draft.kinds = ["phrase"] * draft.want_n
        if draft.frame == "parts":
            draft.kinds[-1] = "sentence"
