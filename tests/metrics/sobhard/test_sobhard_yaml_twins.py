"""The fast YAML path against PyYAML's pure safe loader: equal values, equal refusals, on mutated documents."""

import random

import pytest
import yaml

from metrics.sobhard.extraction import unwrap
from metrics.sobhard.targets import TARGETS, parse, yaml_text

DOCUMENTS = [
    "- id: 53\n  name: да-null-53\n  score: -95.527\n  tags:\n  - path/to\n  - 😀\n  geo: {lat: 35.08, zone: d}\n",
    "a: &x\n  b: 1\nc: *x\n",
    "a: |\n  text\n  more\nb: >-\n  folded\n  text\n\n  x\n",
    "- \"q\\u0041\\n\"\n- 'it''s'\n- plain: {a: 1, b: [1,2]}\n",
    "? k\n: v\n? [a]\n: b\n",
    "base: &b {key: 1}\nc:\n  <<: *b\n  d: 2\n",
    "x: !!str 5\ny: !!set {a, b}\nz: !!omap [a: 1]\n",
    "- 2024-01-01\n- 12:30:45\n- 010\n- 1e5\n- 1.5e+3\n- .inf\n- ~\n- yes\n",
    "%YAML 1.1\n---\na: 1\n...\n",
    "---\na: b # comment\n# more\nc:\n- d\n-   e\n",
    "\"a b\": \"x\n  y\"\n'c': 'd\n\n  e'\nf: g\n  h\n",
    '{"a": 1, "b": [true, null, 1.5], "c": {"d": "\\u00e9"}}',
    'a: "x\ty"\nb:\t1\n',
    "key: |2\n   x\n  y\n",
    "k: >+\n  a\n\n\nz: 1",
    '[a, b: c, "d": e, ? f : g, {h, i: }]',
    "- - - a\n    - b\n  - c\n- {x: {y: {z: }}}\n",
    "added:\n  '[0].new': 1\nchanged:\n  host:\n    было: a\n    стало: b\n",
]
INSERTIONS = [
    *"\n \t:-?,[]{}#&*!|>'\"%@`~=<\\.019abcxАБ",
    *"\x85\u2028\ufeff\xa0\x0c\x07\u200b",
    "\n  ", "\n- ", ": ", "- ", " #", "&a ", "*a", "!!int ", "!!str ", "!x ", "|\n", ">-\n  ", "\\u0041",
    "\\ud83d\\ude00",
    "\\x41", "---\n", "...\n", "\t\n", "😀", "null", "yes", "2024-01-02", "1:2", "0x1F", "? ", "a:b", '"a":1', "\ud800",
    "\x00",
]  # fmt: skip


def mutated(source):
    """A document with one to five random edits."""
    text = source.choice(DOCUMENTS)
    for _ in range(source.choice((1, 1, 2, 3, 5))):
        at = source.randrange(len(text) + 1)
        kind = source.random()
        if kind < 0.55:
            text = text[:at] + source.choice(INSERTIONS) + text[at:]
        elif kind < 0.8:
            text = text[:at] + text[at + source.choice((1, 1, 2, 5)) :]
        else:
            end = min(len(text), at + source.randrange(30))
            text = text[:end] + text[at:end] + text[end:]
    return text


def same(a, b):
    """Equal with the same types and key order; values may contain themselves."""
    seen, stack = set(), [(a, b)]
    while stack:
        x, y = stack.pop()
        if type(x) is not type(y):
            return False
        if isinstance(x, dict | list | tuple):
            if (id(x), id(y)) in seen:
                continue
            seen.add((id(x), id(y)))
            if len(x) != len(y):
                return False
        if isinstance(x, dict):
            if [repr(key) for key in x] != [repr(key) for key in y]:
                return False
            stack += zip(x.values(), y.values(), strict=True)
        elif isinstance(x, list | tuple):
            stack += zip(x, y, strict=True)
        elif isinstance(x, float):
            if repr(x) != repr(y):
                return False
        elif x != y:
            return False
    return True


def pure(text):
    """What PyYAML's pure safe loader makes of a text; None for anything it refuses."""
    try:
        return yaml.load(unwrap(text), yaml.SafeLoader)
    except Exception:
        return None


@pytest.mark.parametrize("seed", range(8))
def test_equal_verdicts(seed):
    """1,000 mutated documents a seed; merge keys with several sources or odd tags are the listed exception."""
    source = random.Random(seed)
    for _ in range(1_000):
        text = mutated(source)
        found = parse(TARGETS["yaml"], text)
        wanted = pure(text)
        if text.count("<<") and ("!" in text or text.count("<<") > 1):
            continue
        assert same(found.value, wanted), (text, found, wanted)


@pytest.mark.parametrize("text", DOCUMENTS, ids=range(len(DOCUMENTS)))
def test_without_libyaml(text, monkeypatch):
    """The pure path alone gives the same value, where the C parser is not built in."""
    fast = parse(TARGETS["yaml"], text)
    monkeypatch.setattr(yaml_text, "_parser", None)
    slow = parse(TARGETS["yaml"], text)
    assert fast.code == slow.code
    assert same(fast.value, slow.value)
