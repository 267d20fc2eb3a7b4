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

import jsonschema
import referencing
import yaml

from metrics.sobhard.schema_validation import SchemaError, accepts
from metrics.sobhard.targets import TARGETS, parse

SUITES = Path(__file__).resolve().parents[4] / "shared" / "suites"
REFUSED = ("refused",)  # what stands for the value of a refused document
FREE = ("free",)  # what the suite leaves open


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
        return REFUSED
    parsed = parse(TARGETS[target], text)
    return REFUSED if parsed.value is None else parsed.value


def attempted(read, text):
    """What a library makes of a text; any error is a refusal."""
    try:
        return REFUSED if text is None else read(text)
    except Exception:
        return REFUSED


def same(a, b, strict=True):
    """Equal in values, types and the order of keys; nan is itself.

    Not strict: the order is free, and a whole number may be an integer or a float, as JSON has it.
    """
    stack = [(a, b)]
    while stack:
        a, b = stack.pop()
        if type(a) is not type(b) and (strict or {type(a), type(b)} != {int, float}):
            return False
        if isinstance(a, dict):
            if a.keys() != b.keys() or (strict and list(a) != list(b)):
                return False
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
        wanted = {"y": library, "n": REFUSED}.get(file[0], FREE) if folder == "test_parsing" else FREE
        if file[0] == "y" and folder == "test_parsing":
            assert library is not REFUSED
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
            wanted = REFUSED
            if name.startswith("valid/"):
                wanted = untagged(json.loads(files[f"tests/{name.removesuffix('.toml')}.json"]))
            yield name, ours("toml", text), wanted, attempted(lambda body: tomllib.loads(body.strip()), text)


# YAML -----------------------------------------------------------------------------------------------------------------


def pure_loader(text):
    """The official scorer's reader; null is a refusal there (contract, section 4), as is what cannot be hashed."""
    value = yaml.load(text.strip(), Loader=yaml.SafeLoader)
    return REFUSED if value is None else value


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
            wanted = REFUSED
        elif f"{case}/in.json" in files:
            documents = json_documents(files[f"{case}/in.json"].decode())
            wanted = documents[0] if len(documents) == 1 else (REFUSED if not documents else ("several", documents))
        else:
            wanted = FREE if found is not REFUSED else ("valid",)
        yield case, found, wanted, attempted(pure_loader, text)


# JSON Schema ----------------------------------------------------------------------------------------------------------


def judged(schema, value):
    try:
        return accepts(schema, value)
    except SchemaError as error:
        return error.code


def by_library(schema, value):
    """jsonschema as the official scorer runs it, kept from the network: any error is a no."""
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            jsonschema.Draft202012Validator.check_schema(schema)
            return jsonschema.Draft202012Validator(schema, registry=referencing.Registry()).is_valid(value)
    except Exception:
        return False
    except BaseException as error:
        # Where its stack ends, what the library calls in Rust panics.
        if type(error).__name__ != "PanicException":
            raise
        return False


def schema_cases():
    """(case, ours, what the suite says, jsonschema); a refusal is its code, which as a verdict is a no."""
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
                yield case, judged(schema, test["data"]), test["valid"], by_library(schema, test["data"])


CASES = {
    "JSONTestSuite": json_cases,
    "toml-test": toml_cases,
    "yaml-test-suite": yaml_cases,
    "JSON-Schema-Test-Suite": schema_cases,
}


def differences(suite):
    """(number of cases, {(whom from, case): ours}) of a suite."""
    found, count = {}, 0
    for case, value, wanted, library in CASES[suite]():
        count += 1
        if wanted is not FREE and not same(value, wanted, strict=suite == "JSON-Schema-Test-Suite"):
            found["suite", case] = value
        verdict = value if suite != "JSON-Schema-Test-Suite" or isinstance(value, bool) else False
        if not same(verdict, library):
            found["library", case] = value
    return count, found
