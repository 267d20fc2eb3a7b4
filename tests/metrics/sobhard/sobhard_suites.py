"""Public conformance suites, read from their archives; for each, where SOBHard's reading parts from others'.

A difference is (suite, whom from, case): ``suite`` is what the suite's authors say, ``library`` what PyYAML, tomllib,
json or jsonschema makes of the same case.
"""

import datetime
import json
import tarfile
import tomllib
import warnings
from pathlib import Path
from typing import NamedTuple

import jsonschema
import referencing
import yaml

from metrics.sobhard.schema_validation import SchemaError, accepts
from metrics.sobhard.targets import TARGETS, parse

SUITES = Path(__file__).resolve().parents[4] / "shared" / "suites"
FREE = ("free",)  # what the suite leaves open


class Refusal(NamedTuple):
    """What stands for the value of a refused document: our code, or the library's words."""

    words: str = ""


def archive(name):
    """The files of a suite by their paths below its folder."""
    with tarfile.open(SUITES / f"{name}.tar.gz") as tar:
        files = [member for member in tar.getmembers() if member.isfile()]
        return {member.name.partition("/")[2]: tar.extractfile(member).read() for member in files}


def text_of(data):
    """An answer is text; bytes that are no UTF-8 have none."""
    try:
        return data.decode()
    except UnicodeDecodeError:
        return None


def ours(target, text):
    if text is None:
        return Refusal("no-text")
    parsed = parse(TARGETS[target], text)
    return Refusal(parsed.code) if parsed.value is None else parsed.value


def attempted(read, text):
    """What a library makes of a text; any error is a refusal."""
    try:
        return Refusal() if text is None else read(text)
    except Exception as error:
        return Refusal(" ".join(str(error).split()))


def same(a, b, strict=True):
    """Equal in values, types (those of keys, too) and the order of keys; nan is itself, and all refusals are the same.

    Not strict: the order is free, and a whole number may be an integer or a float, as JSON has it.
    """
    stack = [(a, b)]
    while stack:
        a, b = stack.pop()
        if type(a) is type(b) is Refusal:
            continue
        if type(a) is not type(b) and (strict or {type(a), type(b)} != {int, float}):
            return False
        if isinstance(a, dict):
            if a.keys() != b.keys():
                return False
            if strict:
                stack.append((list(a), list(b)))
            stack.extend((a[key], b[key]) for key in a)
        elif isinstance(a, list | tuple):
            if len(a) != len(b):
                return False
            stack.extend(zip(a, b, strict=True))
        elif not (a == b or (a != a and b != b)):
            return False
    return True


# JSON -----------------------------------------------------------------------------------------------------------------


def json_cases():
    """(case, ours, what the suite says, Python's json)."""
    for name, data in sorted(archive("JSONTestSuite").items()):
        folder, _, file = name.partition("/")
        if folder not in ("test_parsing", "test_transform") or not file.endswith(".json"):
            continue
        text = text_of(data)
        found, library = ours("json", text), attempted(json.loads, text)
        wanted = {"y": library, "n": Refusal()}.get(file[0], FREE) if folder == "test_parsing" else FREE
        if file[0] == "y" and folder == "test_parsing":
            assert not isinstance(library, Refusal)
        yield name, found, wanted, library


# TOML -----------------------------------------------------------------------------------------------------------------

TIMES = {
    "datetime": datetime.datetime.fromisoformat,
    "datetime-local": datetime.datetime.fromisoformat,
    "date-local": datetime.date.fromisoformat,
    "time-local": datetime.time.fromisoformat,
}


def untagged(value):
    """The value of toml-test's tagged JSON."""
    if isinstance(value, list):
        return [untagged(item) for item in value]
    if set(value) == {"type", "value"} and isinstance(value["type"], str):
        kind, text = value["type"], value["value"]
        if kind in TIMES:
            return TIMES[kind](text)
        return {"string": str, "integer": int, "float": float, "bool": lambda word: word == "true"}[kind](text)
    return {key: untagged(entry) for key, entry in value.items()}


def toml_cases():
    """(case, ours, what the suite says, tomllib)."""
    files = archive("toml-test")
    for name in files["tests/files-toml-1.0.0"].decode().split():
        if name.endswith(".toml"):
            text = text_of(files[f"tests/{name}"])
            wanted = Refusal()
            if name.startswith("valid/"):
                wanted = untagged(json.loads(files[f"tests/{name.removesuffix('.toml')}.json"]))
            yield name, ours("toml", text), wanted, attempted(lambda body: tomllib.loads(body.strip()), text)


# YAML -----------------------------------------------------------------------------------------------------------------


def pure_loader(text):
    """The official scorer's reader; null is a refusal there (contract, section 4), as is what cannot be hashed."""
    value = yaml.load(text.strip(), Loader=yaml.SafeLoader)
    return Refusal("null") if value is None else value


def json_documents(text):
    decoder, documents, at = json.JSONDecoder(), [], 0
    text = text.strip()
    while at < len(text):
        value, at = decoder.raw_decode(text, at)
        documents.append(value)
        while at < len(text) and text[at].isspace():
            at += 1
    return documents


def yaml_cases():
    """(case, ours, what the suite says, PyYAML's pure safe loader)."""
    files = archive("yaml-test-suite")
    for name in sorted(files):
        case, _, file = name.rpartition("/")
        if file != "in.yaml":
            continue
        text = text_of(files[name])
        found = ours("yaml", text)
        if f"{case}/error" in files:
            wanted = Refusal()
        elif f"{case}/in.json" in files:
            documents = json_documents(files[f"{case}/in.json"].decode())
            wanted = documents[0] if len(documents) == 1 else (Refusal() if not documents else ("several", documents))
        else:
            wanted = ("valid",) if isinstance(found, Refusal) else FREE
        yield case, found, wanted, attempted(pure_loader, text)


# JSON Schema ----------------------------------------------------------------------------------------------------------


def judged(schema, value):
    try:
        return accepts(schema, value)
    except SchemaError as error:
        return error.code


def by_library(schema, value):
    """jsonschema as the official scorer runs it, kept from the network: a verdict, or a refusal, which is a no."""
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            jsonschema.Draft202012Validator.check_schema(schema)
            return jsonschema.Draft202012Validator(schema, registry=referencing.Registry()).is_valid(value)
    except BaseException as error:
        # Where its stack ends, what the library calls in Rust panics.
        if not isinstance(error, Exception) and type(error).__name__ != "PanicException":
            raise
        return Refusal(" ".join(str(error).split()))


def schema_cases():
    """(case, ours, what the suite says, jsonschema); a refusal is as a verdict a no."""
    for name, data in sorted(archive("JSON-Schema-Test-Suite").items()):
        folder, _, file = name.rpartition("/")
        if folder != "tests/draft2020-12":
            continue
        for group in json.loads(data):
            schema = group["schema"]
            if isinstance(schema, dict):  # as for every answer: the root $schema goes before anything is judged
                schema = {key: entry for key, entry in schema.items() if key != "$schema"}
            for test in group["tests"]:
                case = f"{file.removesuffix('.json')}: {group['description']}: {test['description']}"
                found = judged(schema, test["data"])
                found = found if isinstance(found, bool) else Refusal(found)
                yield case, found, test["valid"], by_library(schema, test["data"])


CASES = {
    "JSONTestSuite": json_cases,
    "toml-test": toml_cases,
    "yaml-test-suite": yaml_cases,
    "JSON-Schema-Test-Suite": schema_cases,
}


class Difference(NamedTuple):
    """Our verdict's code, ok for a value, and the words with which the library refuses, if it does."""

    ours: str
    library: str


def differences(suite):
    """(number of cases, {(whom from, case): Difference}) of a suite."""
    found, count = {}, 0
    schemas = suite == "JSON-Schema-Test-Suite"
    for case, value, wanted, library in CASES[suite]():
        count += 1
        refused = isinstance(value, Refusal)
        difference = Difference(value.words if refused else "ok", library.words if isinstance(library, Refusal) else "")
        if wanted is not FREE and not same(value, wanted, strict=schemas):
            found["suite", case] = difference
        verdicts = [False if schemas and isinstance(one, Refusal) else one for one in (value, library)]
        if not same(*verdicts):
            found["library", case] = difference
    return count, found
