"""Composing the lexical family: words demanded, forbidden, counted and put in their places."""

from collections.abc import Callable, Iterable
from typing import Final

from metrics.ifhard.text import CORE_STRIP, first_letter, fold, words_of
from tasks.ifhard.build.bank import Unit, measure
from tasks.ifhard.build.demands.handler import Handler
from tasks.ifhard.build.draft import Ask, Draft, Infeasible, Link, Rising, Sum

__all__ = ["ACROSTICS", "ALPHABET", "HANDLERS", "hits"]

ALPHABET: Final = "абвгдежзийклмнопрстуфхцчшщъыьэюя"
# Everyday words without «е», «ё», «й», «ъ», «ы», «ь»: nothing opens with the signs, and «ё = е» is no question.
ACROSTICS: Final[tuple[str, ...]] = (
    "закат", "город", "тропа", "книга", "волна", "мода", "парк", "сосна", "вода", "друг", "стол", "роща", "школа",
    "мост", "сад", "окно", "зонт", "чашка", "пирог", "торт", "сахар", "хлопок", "двор", "рама", "лампа", "рука",
    "диван", "кран", "почта", "рисунок", "голос", "урок", "слово", "право", "роза", "пион", "гроза",
    "запах", "звук", "краски", "план", "работа", "наука", "рынок", "касса", "сумка", "вишня", "слива", "груша", "соус",
    "вкус", "зима", "утро", "сон", "шорох", "просто", "вид", "дом", "дача", "ход", "мир", "нота", "танго",
)  # fmt: skip
_SMALL: Final = ("и", "в", "на", "с", "не", "а", "я", "мне", "это", "у", "по", "но", "как", "из", "за")
_BEGINNINGS: Final = ("по", "при", "пр", "вс", "мо", "до", "за", "не", "на", "от", "об", "со", "ка", "вы", "ст", "ко")
_PAIRS: Final = ("ст", "но", "ла", "ть", "пр", "ко", "то", "на", "по", "ра", "ни", "во", "ен", "ро", "го", "ет", "ли", "ва")
_CAPPED: Final = ("п", "с", "в", "н", "к", "по", "на", "пр", "о", "м", "д")


def hits(stem: str) -> Callable[[Unit], int]:
    """Weight: how many words of a unit start with the stem."""
    return lambda unit: unit.hits(stem)


def _holds(word: str) -> Callable[[Unit], int]:
    folded = fold(word)
    return lambda unit: unit.cores.count(folded)


def _forms(draft: Draft, count: int) -> list[str]:
    """Words in the very form some unit of the pool has, of five letters and more, that the task does not hold."""
    pool = draft.pool(draft.kind)
    task = set(measure(draft.task).cores)
    found: dict[str, int] = {}
    for unit in pool:
        for token in set(unit.text.lower().split()):
            word = token.strip(CORE_STRIP)
            if len(word) >= 5 and word.isalpha() and fold(word) not in task:
                found[word] = found.get(word, 0) + 1
    options = [word for word in sorted(found) if found[word] >= 2]
    if len(options) < count:
        raise Infeasible("too few word forms to demand")
    return draft.rng.sample(options, count)


def _include_shape(draft: Draft, ask: Ask) -> None:
    name, values = ask.variant.name, ask.values
    if name == "stem":
        (keyword,) = draft.keywords(1, draft.kind)
        values.update(word=keyword.word, stem=keyword.stem)
    elif name == "any":
        values["stems"] = [keyword.stem for keyword in draft.keywords(draft.rng.choice((3, 4)), draft.kind, 1)]
    else:
        (values["word"],) = _forms(draft, 1)


def _include_place(draft: Draft, ask: Ask) -> None:
    name, values = ask.variant.name, ask.values
    if name == "exact":
        draft.sums.append(Sum(_holds(values["word"]), 1, 9))
    else:
        stems = values.get("stems") or [values["stem"]]
        draft.sums.append(Sum(lambda unit: sum(map(unit.hits, stems)), 1, 9))


def _all_shape(draft: Draft, ask: Ask) -> None:
    count = draft.rng.choice((2, 2, 3))
    if ask.variant.name == "stems":
        ask.values["stems"] = [keyword.stem for keyword in draft.keywords(count, draft.kind)]
    else:
        ask.values["words"] = _forms(draft, count)


def _all_place(draft: Draft, ask: Ask) -> None:
    for stem in ask.values.get("stems", []):
        draft.sums.append(Sum(hits(stem), 1, 9))
    for word in ask.values.get("words", []):
        draft.sums.append(Sum(_holds(word), 1, 9))


def _draws(draft: Draft, options: Iterable[str], count: int, tries: int = 30) -> list[tuple[str, ...]]:
    """Random combinations of options none of which is the beginning of another, in their table order."""
    table = list(options)
    drawn = []
    for _ in range(tries):
        combination = tuple(sorted(draft.rng.sample(table, count), key=table.index))
        if not any(a != b and a.startswith(b) for a in combination for b in combination):
            drawn.append(combination)
    return drawn


def _exclude(draft: Draft, ask: Ask) -> None:
    # What no unit of the pool has any more (its letter is forbidden) would be an empty ban.
    pool = draft.pool(draft.kind)
    if ask.variant.name == "words":
        alive = [word for word in _SMALL if sum(map(_holds(word), pool)) >= len(pool) / 40]
        combinations = _draws(draft, alive, draft.rng.choice((2, 3))) if len(alive) >= 3 else []
        ask.values["words"] = list(
            draft.choose_kept(
                [c for c in combinations if {"и", "в", "на", "с"} & set(c)],
                lambda words: lambda unit: not set(words) & set(unit.cores),
                0.12,
                "too few units without the words",
            )
        )
    else:
        alive = [stem for stem in _BEGINNINGS if sum(map(hits(stem), pool)) >= len(pool) / 20]
        combinations = _draws(draft, alive, draft.rng.choice((2, 3))) if len(alive) >= 3 else []
        ask.values["stems"] = list(
            draft.choose_kept(
                combinations,
                lambda stems: lambda unit: not any(map(unit.hits, stems)),
                0.12,
                "too few units without the beginnings",
            )
        )


def _exclude_phrases(draft: Draft, ask: Ask) -> None:
    pool = draft.pool(draft.kind)
    alive = [pair for pair in _PAIRS if sum(pair in fold(unit.text) for unit in pool) >= len(pool) / 8]
    one = ask.variant.name == "anywhere_one"
    combinations = _draws(draft, alive, 1 if one else 2) if len(alive) >= 2 else []
    chosen = draft.choose_kept(
        combinations,
        lambda parts: lambda unit: not any(part in fold(unit.text) for part in parts),
        0.12,
        "too few units without the letter pairs",
    )
    if one:
        ask.values["part"] = chosen[0]
    else:
        ask.values["parts"] = list(chosen)


def _long_first(draft: Draft, ask: Ask) -> None:
    draft.at(0, lambda unit: unit.words >= 4)


def _long_last(draft: Draft, ask: Ask) -> None:
    draft.at(-1, lambda unit: unit.words >= 4)


def _edge(tokens: list[str], count: int) -> list[str]:
    """The first tokens that hold ``count`` words."""
    taken: list[str] = []
    for token in tokens:
        taken.append(token)
        if len(words_of(" ".join(taken))) == count:
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
    options = [place for place in range(1, min(len(found), 12)) if len(found[place]) >= 3 and found[place].isalpha()]
    if not options:
        raise Infeasible("no word for the place")
    place = draft.rng.choice(options)
    ask.values.update(n=place + 1, word=found[place])


def _acrostic_shape(draft: Draft, ask: Ask) -> None:
    pool = draft.pool(draft.kind)
    opened = {letter: sum(unit.initial == letter for unit in pool) for letter in ALPHABET}
    low, high = max(4, draft.n_low if draft.kind == "sentence" else 4), 6
    fitting = sorted(
        {
            word
            for word in (*ACROSTICS, *(keyword.word.lower() for keyword in draft.topic.keywords))
            if low <= len(word) <= max(high, low)
            and not set(word) & set("еёйъыь")
            and word.isalpha()
            and all(opened.get(letter, 0) >= 2 * word.count(letter) for letter in word)
        }
    )
    if not fitting:
        raise Infeasible("no word can be spelled by initials")
    ask.values["word"] = word = draft.rng.choice(fitting)
    draft.want_n = len(word)


def _acrostic_place(draft: Draft, ask: Ask) -> None:
    for slot, letter in enumerate(ask.values["word"]):
        draft.at(slot, lambda unit, wanted=letter: unit.initial == wanted)  # type: ignore[misc]


def _exact_count_shape(draft: Draft, ask: Ask) -> None:
    count = draft.rng.choice((2, 2, 3))
    (keyword,) = draft.keywords(1, draft.kind, count + 1)
    ask.values.update(word=keyword.word, stem=keyword.stem, count=count)
    draft.n_low = max(draft.n_low, min(count, draft.n_high))


def _exact_count_place(draft: Draft, ask: Ask) -> None:
    draft.sums.append(Sum(hits(ask.values["stem"]), ask.values["count"], ask.values["count"]))


def _cap_shape(draft: Draft, ask: Ask) -> None:
    pool = draft.pool(draft.kind)
    options = [letters for letters in _CAPPED if sum(map(hits(letters), pool)) >= len(pool) / 5]
    if not options:
        raise Infeasible("no beginning is frequent enough to be capped")
    letters = draft.rng.choice(options)
    ask.values.update(letters=letters, cap=1 if len(letters) == 2 else draft.rng.choice((1, 2)))


def _cap_place(draft: Draft, ask: Ask) -> None:
    draft.sums.append(Sum(hits(ask.values["letters"]), 0, ask.values["cap"]))


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
        raise Infeasible("no two sentences share the word")
    return draft.rng.choice(words)


def _ring(draft: Draft, ask: Ask) -> None:
    word = _shared(draft, 0, draft.n - 1, lambda unit, key: unit.last == key, lambda unit: unit.first)
    draft.at(0, lambda unit: unit.first == word)
    draft.at(-1, lambda unit: unit.last == word)


def _echo_shape(draft: Draft, ask: Ask) -> None:
    draft.want_paragraphs = draft.want_paragraphs or (3, 4)


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
    left, right = sorted(draft.rng.sample(range(draft.n), 2))
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


def _quote_fix(draft: Draft, ask: Ask) -> None:
    draft.head = ask.values["task"] = draft.task


def _anadiplosis_shape(draft: Draft, ask: Ask) -> None:
    draft.n_low = min(draft.n_low, 3)
    draft.between(3, 5)


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
        draft.n_low = min(draft.n_low, 3)
        draft.between(3, 5)
    else:
        draft.want_paragraphs = draft.want_paragraphs or (3, 4)


def _epiphora(draft: Draft, ask: Ask) -> None:
    if ask.variant.name == "items":
        slots = list(range(draft.n))
    else:
        slots = [sum(draft.paragraphs[: number + 1]) - 1 for number in range(len(draft.paragraphs))]
    lasts = [unit.last for unit in draft.pool(draft.kind)]
    options = sorted({last for last in lasts if lasts.count(last) >= len(slots)})
    if not options:
        raise Infeasible("no last word is shared by enough units")
    word = draft.rng.choice(options)
    for slot in slots:
        draft.at(slot, lambda unit: unit.last == word)


HANDLERS: Final[dict[str, Handler]] = {
    "lexical:include_keyword": Handler(shape=_include_shape, place=_include_place),
    "lexical:include_all": Handler(shape=_all_shape, place=_all_place),
    "lexical:exclude_word": Handler(narrow=_exclude),
    "lexical:exclude_phrases": Handler(narrow=_exclude_phrases),
    "lexical:starts_with": Handler(place=_long_first, settle=_starts_settle),
    "lexical:ends_with": Handler(place=_long_last, settle=_ends_settle),
    "lexical:nth_word": Handler(settle=_nth_settle),
    "lexical:nth_word_from_end": Handler(settle=_nth_settle),
    "lexical:acrostic": Handler(shape=_acrostic_shape, place=_acrostic_place),
    "lexical:sentence_acrostic": Handler(shape=_acrostic_shape, place=_acrostic_place),
    "lexical:word_exact_count": Handler(shape=_exact_count_shape, place=_exact_count_place),
    "lexical:word_cap": Handler(shape=_cap_shape, place=_cap_place),
    "lexical:ring_word": Handler(place=_ring),
    "lexical:paragraph_echo": Handler(shape=_echo_shape, place=_echo),
    "lexical:item_chain": Handler(shape=_chain_shape, place=_item_chain),
    "lexical:order_words": Handler(shape=_order_shape, place=_order_place),
    "lexical:alpha_items": Handler(shape=_alpha_shape, place=_alpha_place),
    "lexical:quote_task": Handler(fix=_quote_fix),
    "lexical:anadiplosis": Handler(shape=_anadiplosis_shape, place=_anadiplosis),
    "lexical:epiphora": Handler(shape=_epiphora_shape, place=_epiphora),
}
