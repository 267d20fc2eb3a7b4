"""The hand-written bank: tasks, backgrounds and the sentences that witnesses are made of.

Everything the composer needs to know of a sentence is measured here, once, with the primitives of the
scorer, so that the two can never disagree about what a word or a first letter is.
"""

import functools
import re
from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from types import MappingProxyType
from typing import Any

import yaml

from builders.ifhard.habits import HABITS
from metrics.ifhard.text import cores_of, first_letter, fold, sentences_of

__all__ = [
    "BANK",
    "TOPICS",
    "BankError",
    "Context",
    "Keyword",
    "Probe",
    "Topic",
    "Unit",
    "load_bank",
    "load_topic",
    "measure",
]

BANK = Path(__file__).with_name("texts")
TOPICS: tuple[str, ...] = ("home", "food", "nature", "hobby", "city", "work", "rest", "friends", "shopping")


class BankError(ValueError):
    """A bank file that cannot be used as it is; the message names file and entry."""


@dataclass(frozen=True)
class Unit:
    """One bank sentence or phrase with everything the composer asks about it.

    Attributes:
        text: as it stands in the bank.
        cores: cores of its words, in order (IFHardBench contract, 4.7).
        initial: first letter, folded; empty when there is none (4.11).
        words, chars, commas: counts; chars are code points.
        end: the last character if it is a sentence terminator, else empty.
        longest: letters of its longest word, counted as ``style:max_word_length`` does.
    """

    text: str
    cores: tuple[str, ...]
    initial: str
    words: int
    chars: int
    commas: int
    end: str
    longest: int

    @property
    def first(self) -> str:
        """Core of the first word."""
        return self.cores[0]

    @property
    def last(self) -> str:
        """Core of the last word."""
        return self.cores[-1]

    @functools.cached_property
    def letters(self) -> frozenset[str]:
        """Characters of the text, in lower case."""
        return frozenset(self.text.lower())

    @functools.cached_property
    def _spaced(self) -> str:
        return "".join(f" {core}" for core in self.cores)

    def hits(self, stem: str) -> int:
        """Number of words whose core starts with the folded stem (4.12), which holds no white space."""
        return self._spaced.count(f" {fold(stem)}")


@functools.cache
def measure(text: str) -> Unit:
    """Measure a text that holds at least one word."""
    cores = tuple(cores_of(text))
    return Unit(
        text=text,
        cores=cores,
        initial=first_letter(text) or "",
        words=len(cores),
        chars=len(text),
        commas=text.count(","),
        end=text[-1:] if text[-1:] in {".", "!", "?", "…"} else "",
        longest=max((sum(map(str.isalpha, core)) for core in cores), default=0),
    )


@dataclass(frozen=True)
class Context:
    """A background paragraph; ``habit`` names the formatting habit a decoy describes, empty otherwise."""

    text: str
    decoy: bool
    habit: str


@dataclass(frozen=True)
class Keyword:
    """A noun and the beginning that all its forms share."""

    word: str
    stem: str


@dataclass(frozen=True)
class Probe:
    """A thing that some contexts mention: the stem that finds it and the clause that names it."""

    stem: str
    word: str
    mention: str


@dataclass(frozen=True)
class Topic:
    """One topic of the bank, measured.

    Attributes:
        keys: task -> what a JSON object may say of it, two to five words; the last one suits a list.
        common: words (cores) that many topics use.
    """

    id: str
    title: str
    keys: Mapping[str, tuple[str, ...]]
    contexts: tuple[Context, ...]
    probes: tuple[Probe, ...]
    keywords: tuple[Keyword, ...]
    sentences: tuple[Unit, ...]
    phrases: tuple[Unit, ...]
    common: frozenset[str] = frozenset()

    @property
    def tasks(self) -> tuple[str, ...]:
        """The task lines."""
        return tuple(self.keys)

    @property
    def plain(self) -> tuple[Context, ...]:
        """The contexts that are no decoys."""
        return tuple(context for context in self.contexts if not context.decoy)

    def mentions(self, context: Context, probe: Probe) -> bool:
        """Whether the context mentions the probe's thing: some word starts with its stem."""
        return measure(context.text).hits(probe.stem) > 0


def _context(entry: Mapping[str, Any]) -> Context:
    if not entry["decoy"]:
        return Context(entry["text"], False, "")
    if entry["habit"] not in HABITS:
        raise KeyError(f"unknown habit {entry['habit']!r}")
    return Context(entry["text"], True, entry["habit"])


def load_topic(topic: str, folder: Path = BANK) -> Topic:
    """Read and check one topic.

    Args:
        topic: one of TOPICS.
        folder: folder of ``<topic>.yaml`` files.

    Raises:
        BankError: a part is missing, a sentence is not exactly one sentence, or a text occurs twice.
    """
    path = folder / f"{topic}.yaml"
    data = yaml.safe_load(path.read_text(encoding="utf-8"))
    try:
        loaded = Topic(
            id=data["topic"],
            title=data["title"],
            keys={task: tuple(keys.split()) for task, keys in data["tasks"].items()},
            contexts=tuple(map(_context, data["contexts"])),
            probes=tuple(Probe(**probe) for probe in data["probes"]),
            keywords=tuple(Keyword(**keyword) for keyword in data["keywords"]),
            sentences=tuple(measure(text) for text in data["sentences"]),
            phrases=tuple(measure(text) for text in data["phrases"]),
        )
    except (AttributeError, KeyError, TypeError) as error:
        raise BankError(f"{path.name}: {error}") from error
    for unit in loaded.sentences:
        # Twice in a row shows whether the stop still ends the sentence when another one follows.
        if sentences_of(f"{unit.text} {unit.text}") != [unit.text] * 2 or not unit.end or not unit.cores:
            raise BankError(f"{path.name}: not exactly one sentence: {unit.text!r}")
    for unit in loaded.phrases:
        if not unit.cores or unit.end:
            raise BankError(f"{path.name}: not a phrase: {unit.text!r}")
    for task, keys in loaded.keys.items():
        # «ё» is left out: a key written with «е» in its place would be another key.
        if not 2 <= len(set(keys)) == len(keys) <= 5 or not all(re.fullmatch("[а-я]+", key) for key in keys):
            raise BankError(f"{path.name}: not two to five different keys, each a word without «ё»: {task!r}")
    texts = [*loaded.tasks, *(unit.text for unit in (*loaded.sentences, *loaded.phrases))]
    repeated = sorted({text for text in texts if texts.count(text) > 1})
    if repeated:
        raise BankError(f"{path.name}: occurs twice: {repeated[0]!r}")
    return loaded


_COMMON: int = 3
"""Topics that use a word before it counts as common."""


@functools.cache
def load_bank(folder: Path = BANK) -> Mapping[str, Topic]:
    """All topics by name, each told which words are common to many of them; a folder is read once.

    Raises:
        BankError: a topic cannot be used.
    """
    topics = {topic: load_topic(topic, folder) for topic in TOPICS}
    spread = Counter(
        core
        for topic in topics.values()
        for core in {core for unit in (*topic.sentences, *topic.phrases) for core in unit.cores}
    )
    common = frozenset(core for core, count in spread.items() if count >= _COMMON)
    return MappingProxyType({name: replace(topic, common=common) for name, topic in topics.items()})
