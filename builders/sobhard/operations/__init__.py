"""The builder's own execution of what questions ask for, written apart from the scorer's.

    patched({"a": [1]}, [{"op": "insert", "path": "a[0]", "value": 0}])    -> {"a": [0, 1]}
    difference({"a": 1}, {"a": 2})                                         -> {..., "changed": {"a": {...}}}
    run_program([{"n": "7"}], [{"rule": "numbers_from_strings"}])          -> [{"n": 7}]

Stricter than the contract: what it leaves open, or what two readers of a prompt could do in two ways, is refused with
the reason. ``builders.sobhard.reconciled`` holds every answer against the scorer's.
"""

from builders.sobhard.operations.changes import NEW, OLD, applied, difference, patched
from builders.sobhard.operations.paths import ABSENT, OperationRefused, addressable, resolve
from builders.sobhard.operations.records import join
from builders.sobhard.operations.rules import EXECUTED, ORDERING, results, run_program
from builders.sobhard.operations.schemas import SCHEMA_KINDS, schema
from builders.sobhard.operations.templates import filled, slots

__all__ = [
    "ABSENT",
    "EXECUTED",
    "NEW",
    "OLD",
    "ORDERING",
    "SCHEMA_KINDS",
    "OperationRefused",
    "addressable",
    "applied",
    "difference",
    "filled",
    "join",
    "patched",
    "resolve",
    "results",
    "run_program",
    "schema",
    "slots",
]
