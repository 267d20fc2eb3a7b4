"""The lexical family, second half: words and letters in given places and in given orders."""

from collections.abc import Callable
from typing import Final

from builders.ifhard.bank import Unit
from builders.ifhard.draft import Ask, Draft, InfeasibleError, Link, Rising
from builders.ifhard.edits import filler, replace, starts, swap
from builders.ifhard.requirements.lexical import hits
from builders.ifhard.requirements.row import LIST, PROSE, TEXT, Demand, Params, Type, rule
from builders.ifhard.requirements.spoil import closed, one_sentence, opened
from metrics.ifhard.text import CORE_STRIP, first_letter, fold, items_of, words_of

__all__ = ["ACROSTICS", "ALPHABET", "TYPES"]

ALPHABET: Final = "абвгдежзийклмнопрстуфхцчшщъыьэюя"
# Everyday words without «е», «ё», «й», «ъ», «ы», «ь»: nothing opens with the signs, and «ё = е» is no question.
ACROSTICS: Final[tuple[str, ...]] = (
    "закат", "город", "тропа", "книга", "волна", "мода", "парк", "сосна", "вода", "друг", "стол", "роща", "школа",
    "мост", "сад", "окно", "зонт", "чашка", "пирог", "торт", "сахар", "хлопок", "двор", "рама", "лампа", "рука",
    "диван", "кран", "почта", "рисунок", "голос", "урок", "слово", "право", "роза", "пион", "гроза",
    "запах", "звук", "краски", "план", "работа", "наука", "рынок", "касса", "сумка", "вишня", "слива", "груша", "соус",
    "вкус", "зима", "утро", "сон", "шорох", "просто", "вид", "дом", "дача", "ход", "мир", "нота", "танго",
)  # fmt: skip


def _long_first(draft: Draft, ask: Ask) -> None:
    draft.at(0, lambda unit: unit.words >= 4)


def _long_last(draft: Draft, ask: Ask) -> None:
    draft.at(-1, lambda unit: unit.words >= 4)


def _edge(tokens: list[str], count: int) -> list[str]:
    """The first tokens that hold ``count`` words, and one more if they would break off at a preposition."""
    taken: list[str] = []
    for token in tokens:
        taken.append(token)
        if len(words_of(" ".join(taken))) >= count and len(token.strip(CORE_STRIP)) > 2:
            break
    return taken


def _starts_settle(draft: Draft, ask: Ask) -> None:
    tokens = _edge(draft.texts[0].split(" "), draft.rng.choice((2, 2, 3)))
    ask.values["phrase"] = " ".join(tokens).rstrip(CORE_STRIP)


def _ends_settle(draft: Draft, ask: Ask) -> None:
    tokens = _edge(draft.texts[-1].split(" ")[::-1], draft.rng.choice((2, 2, 3)))[::-1]
    ask.values["phrase"] = " ".join(tokens).strip(CORE_STRIP)


def _nth_settle(draft: Draft, ask: Ask) -> None:
    found = [word.strip(CORE_STRIP).lower() for text in draft.texts for word in words_of(text)]
    from_end = ask.variant.category.endswith("from_end")
    if from_end:
        found = found[::-1]
    # A word that another requirement demands already would say little here.
    taken = {fold(word) for other in draft.asks for value in other.values.values() for word in _strings(value)}
    options = [
        place
        for place in range(1, min(len(found), 12))
        if len(found[place]) >= 3 and found[place].isalpha() and not fold(found[place]).startswith(tuple(taken))
    ]
    if not options:
        raise InfeasibleError("no word for the place")
    place = draft.rng.choice(options)
    ask.values.update(n=place + 1, word=found[place])


def _strings(value: object) -> list[str]:
    """The words of a slot value; single letters are none."""
    values = value if isinstance(value, list) else [value]
    return [text for text in values if isinstance(text, str) and len(text) > 2]


def _acrostic_shape(draft: Draft, ask: Ask) -> None:
    pool = draft.pool(draft.kind)
    opened = {letter: sum(unit.initial == letter for unit in pool) for letter in ALPHABET}
    low, high = max(4, draft.n_low), min(6, draft.n_high)
    fitting = sorted(
        {
            word
            for word in (*ACROSTICS, *(keyword.word.lower() for keyword in draft.topic.keywords))
            if low <= len(word) <= high
            and not set(word) & set("еёйъыь")
            and word.isalpha()
            and all(opened.get(letter, 0) >= 2 * word.count(letter) for letter in word)
        }
    )
    if not fitting:
        raise InfeasibleError("no word can be spelled by initials")
    ask.values["word"] = word = draft.rng.choice(fitting)
    draft.want_n = len(word)


def _acrostic_place(draft: Draft, ask: Ask) -> None:
    for slot, letter in enumerate(ask.values["word"]):
        draft.at(slot, lambda unit, wanted=letter: unit.initial == wanted)  # type: ignore[misc]


def _shared(draft: Draft, left: int, right: int, match: Callable[[Unit, str], bool], key: Callable[[Unit], str]) -> str:
    """A word that some unit of the left slot has as its key and another unit of the right slot matches."""
    rights = draft.candidates(right)
    words = sorted(
        {
            key(unit)
            for unit in draft.candidates(left)
            if len(key(unit)) >= 3 and any(other != unit and match(other, key(unit)) for other in rights)
        }
    )
    if not words:
        raise InfeasibleError("no two sentences share the word")
    return draft.rng.choice(words)


def _ring(draft: Draft, ask: Ask) -> None:
    word = _shared(draft, 0, draft.n - 1, lambda unit, key: unit.last == key, lambda unit: unit.first)
    draft.at(0, lambda unit: unit.first == word)
    draft.at(-1, lambda unit: unit.last == word)


def _echo_shape(draft: Draft, ask: Ask) -> None:
    draft.paragraph_options.append((2, 3, 4, 5))


def _echo(draft: Draft, ask: Ask) -> None:
    left = draft.paragraphs[0] - 1
    right = draft.rng.randrange(draft.n - draft.paragraphs[-1], draft.n)
    word = _shared(draft, left, right, lambda unit, key: key in unit.cores, lambda unit: unit.last)
    draft.at(left, lambda unit: unit.last == word)
    draft.at(right, lambda unit: word in unit.cores)


def _chain_shape(draft: Draft, ask: Ask) -> None:
    draft.between(4, 6)


def _item_chain(draft: Draft, ask: Ask) -> None:
    draft.relations.append(
        Link(lambda unit: first_letter(unit.last) or "-", lambda unit: first_letter(unit.first) or "+")
    )


def _order_shape(draft: Draft, ask: Ask) -> None:
    a, b = draft.keywords(2, draft.kind)
    ask.values.update(word_a=a.word, stem_a=a.stem, word_b=b.word, stem_b=b.stem)


def _order_place(draft: Draft, ask: Ask) -> None:
    first, second = hits(ask.values["stem_a"]), hits(ask.values["stem_b"])
    lefts = [any(first(unit) and not second(unit) for unit in draft.candidates(slot)) for slot in range(draft.n)]
    rights = [any(map(second, draft.candidates(slot))) for slot in range(draft.n)]
    pairs = [(a, b) for a in range(draft.n) for b in range(a + 1, draft.n) if lefts[a] and rights[b]]
    if not pairs:
        raise InfeasibleError("no two places for the words in order")
    left, right = draft.rng.choice(pairs)
    for slot in range(right):
        draft.at(slot, lambda unit: not second(unit))
    draft.at(left, lambda unit: first(unit) > 0)
    draft.at(right, lambda unit: second(unit) > 0)


def _alpha_shape(draft: Draft, ask: Ask) -> None:
    draft.between(4, 6)


def _alpha_place(draft: Draft, ask: Ask) -> None:
    for slot in range(draft.n):
        draft.at(slot, lambda unit: unit.initial in ALPHABET)
    draft.relations.append(Rising(lambda unit: ALPHABET.find(unit.initial)))


def _anadiplosis_shape(draft: Draft, ask: Ask) -> None:
    draft.between(3, 4)


def _anadiplosis(draft: Draft, ask: Ask) -> None:
    pool = draft.pool("sentence")
    firsts, lasts = {unit.first for unit in pool}, {unit.last for unit in pool}
    for slot in range(draft.n):
        if slot < draft.n - 1:
            draft.at(slot, lambda unit: unit.last in firsts)
        if slot:
            draft.at(slot, lambda unit: unit.first in lasts)
    draft.relations.append(Link(lambda unit: unit.last, lambda unit: unit.first))


def _epiphora_shape(draft: Draft, ask: Ask) -> None:
    if ask.variant.name == "items":
        draft.between(3, 5)
    else:
        draft.paragraph_options.append((2, 3, 4, 5))


def _epiphora(draft: Draft, ask: Ask) -> None:
    if ask.variant.name == "items":
        slots = list(range(draft.n))
    else:
        slots = [sum(draft.paragraphs[: number + 1]) - 1 for number in range(len(draft.paragraphs))]
    lasts = [unit.last for unit in draft.pool(draft.kind)]
    options = sorted({last for last in lasts if lasts.count(last) >= len(slots)})
    if not options:
        raise InfeasibleError("no last word is shared by enough units")
    word = draft.rng.choice(options)
    for slot in slots:
        draft.at(slot, lambda unit: unit.last == word)


# What spoils a passing answer.


def _swapped_nth(text: str, params: Params) -> str:
    place = int(params["n"])
    return swap(text, place - 1)


def _swapped_from_end(text: str, params: Params) -> str:
    return swap(text, len(words_of(text)) - int(params["n"]))


def _first_item_again(text: str, params: Params) -> str:
    first = next(line for line in text.splitlines() if items_of(line))
    return f"{text}\n{first}"


def _echo_lost(text: str, params: Params) -> str:
    return text.replace("\n\n", f" {filler(text)}\n\n", 1)


def _chain_broken(text: str, params: Params) -> str:
    lines = text.splitlines()
    _, payload = items_of(lines[1])[0]
    other = filler(text, not_letter=first_letter(payload) or "")
    return "\n".join([f"{lines[0]} {other}", *lines[1:]])


def _order_lost(text: str, params: Params) -> str:
    return replace(text, starts(params["stem_a"]))


def _lines_reversed(text: str, params: Params) -> str:
    return "\n".join(reversed(text.splitlines()))


TYPES: Final[dict[str, Type]] = {
    "lexical:starts_with": Type(
        share=110,
        rules={"plain": rule(PROSE, 0.93, "opening first-words", bars="task first-line")},
        demand=Demand(place=_long_first, settle=_starts_settle),
        corrupt=opened,
    ),
    "lexical:ends_with": Type(
        share=100,
        rules={"plain": rule(PROSE, 0.88, "closing last-words")},
        demand=Demand(place=_long_last, settle=_ends_settle),
        corrupt=closed,
    ),
    "lexical:nth_word": Type(
        share=90,
        rules={"plain": rule(PROSE, 0.45, "nth first-words", bars="task first-line")},
        demand=Demand(settle=_nth_settle),
        corrupt=_swapped_nth,
    ),
    "lexical:nth_word_from_end": Type(
        share=70,
        rules={"plain": rule(PROSE, 0.35, "closing nth last-words")},
        demand=Demand(settle=_nth_settle),
        corrupt=_swapped_from_end,
        said_numbers=frozenset({1}),
    ),
    "lexical:acrostic": Type(
        share=60,
        rules={
            "plain": rule(
                LIST,
                0.55,
                "items order",
                pins=True,
                brings="items",
                bars="line task",
                tells="items",
                sentence_items=True,
            )
        },
        demand=Demand(shape=_acrostic_shape, place=_acrostic_place),
        turn=5,
        corrupt=_first_item_again,
    ),
    "lexical:sentence_acrostic": Type(
        share=50,
        rules={
            "plain": rule(
                PROSE,
                0.5,
                "sentences initials paragraphs-sentences opening",
                pins=True,
                bars="line task lines",
                tells="sentences stops",
            )
        },
        demand=Demand(shape=_acrostic_shape, place=_acrostic_place),
        turn=6,
        corrupt=one_sentence,
    ),
    "lexical:ring_word": Type(
        share=50,
        rules={"plain": rule(PROSE, 0.5, "opening closing", bars="task first-line line")},
        demand=Demand(place=_ring),
        turn=11,
        corrupt=closed,
    ),
    "lexical:paragraph_echo": Type(
        share=60,
        rules={"plain": rule(PROSE, 0.55, "paragraph-words", brings="paragraphs", bars="line task lines")},
        demand=Demand(shape=_echo_shape, place=_echo),
        turn=12,
        corrupt=_echo_lost,
    ),
    "lexical:item_chain": Type(
        share=40,
        rules={"plain": rule(LIST, 0.3, "order", brings="items", bars="line task", sentence_items=True)},
        demand=Demand(shape=_chain_shape, place=_item_chain),
        corrupt=_chain_broken,
    ),
    "lexical:order_words": Type(
        share=110,
        rules={"plain": rule(TEXT, 0.93, "order-words", brings="rare", sentence_items=True)},
        demand=Demand(shape=_order_shape, place=_order_place),
        corrupt=_order_lost,
    ),
    "lexical:alpha_items": Type(
        share=60,
        rules={"plain": rule(LIST, 0.7, "order", brings="items", bars="line task")},
        demand=Demand(shape=_alpha_shape, place=_alpha_place),
        corrupt=_lines_reversed,
    ),
    "lexical:anadiplosis": Type(
        share=30,
        rules={
            "plain": rule(
                PROSE,
                0.3,
                "initials unit-words opening",
                bars="line task filter rare",
                tells="stops",
            )
        },
        left_out=(
            "a topic has some 20 chains of three sentences and 4 to 10 of five; one stack in seven that held "
            "it had a witness (0.14; 0.29 in the easiest company), the lowest share of all types, and the "
            "witnesses were alike"
        ),
        demand=Demand(shape=_anadiplosis_shape, place=_anadiplosis),
        turn=7,
        corrupt=one_sentence,
    ),
    "lexical:epiphora": Type(
        share=40,
        rules={
            "items": rule(LIST, 0.55, "order", brings="items", bars="line task", sentence_items=True),
            "paragraphs": rule(
                PROSE, 0.5, "paragraph-words", brings="paragraphs", bars="line task lines", sentence_items=True
            ),
        },
        demand=Demand(shape=_epiphora_shape, place=_epiphora),
        turn=8,
        corrupt=closed,
    ),
}
