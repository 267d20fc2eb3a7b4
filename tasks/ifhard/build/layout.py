"""How many slots an answer has and how they fall into paragraphs, once the stack has said what it needs."""

from random import Random

from tasks.ifhard.build.draft import Draft, Infeasible
from tasks.ifhard.build.frames import LISTS

__all__ = ["lay_out"]


def _sizes(total: int, parts: int, rng: Random) -> list[int]:
    """Split ``total`` sentences into ``parts`` paragraphs of nearly equal sizes, the odd ones placed at random."""
    sizes = [total // parts + (place < total % parts) for place in range(parts)]
    rng.shuffle(sizes)
    return sizes


def _prose(draft: Draft) -> None:
    rng = draft.rng
    low, high = draft.want_paragraphs or (1, 1)
    if draft.per_paragraph is not None:
        if draft.want_paragraphs is None:
            low, high = 2, 4
        parts = rng.randint(low, high)
        if draft.per_paragraph * parts > 12:
            parts = low
        total = draft.per_paragraph * parts
        if draft.want_n is not None:
            if draft.want_n % draft.per_paragraph or not low <= draft.want_n // draft.per_paragraph <= max(high, 6):
                raise Infeasible("sentences do not divide into paragraphs")
            total, parts = draft.want_n, draft.want_n // draft.per_paragraph
        draft.paragraphs = [draft.per_paragraph] * parts
    else:
        parts = rng.randint(low, high)
        if draft.want_n is None and draft.n_high < parts:
            draft.n_low, draft.n_high = parts, parts + 3
        total = draft.want_n if draft.want_n is not None else rng.randint(max(draft.n_low, parts), draft.n_high)
        if total < parts:
            raise Infeasible("more paragraphs than sentences")
        draft.paragraphs = _sizes(total, parts, rng)
    draft.kinds = ["sentence"] * total


def lay_out(draft: Draft) -> None:
    """Fix the number of slots, their kinds and the paragraphs.

    Raises:
        Infeasible: the numbers the stack wants do not fit together.
    """
    if draft.frame == "prose":
        _prose(draft)
    elif draft.frame in LISTS:
        total = draft.want_n or draft.rng.randint(max(draft.n_low, 3), min(draft.n_high, 7))
        draft.kinds = [draft.kind] * total
    else:
        assert draft.want_n is not None, f"{draft.frame}: a fixed shape says how many slots it has"
        draft.kinds = ["phrase"] * draft.want_n
        if draft.frame == "parts":
            draft.kinds[-1] = "sentence"
