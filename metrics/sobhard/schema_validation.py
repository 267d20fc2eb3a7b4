"""Whether a schema answer accepts a document, by the ``jsonschema`` library (SOBHard contract, constraint 28 and 11.4).

The library decides, under draft 2020-12 as the official scorer runs it; what stands here keeps its work bounded and
says in one code why a schema is refused. Nothing is fetched: the library knows the answer and the metaschemas alone.
"""

import warnings
from typing import Any, Final

from metrics.sobhard.schema_costs import MAX_STEPS, SchemaError, Survey
from metrics.sobhard.shapes import of_each_shape, sees_shapes_alone
from metrics.sobhard.targets.parsed import on_empty_stack
from metrics.sobhard.values import MAX_CHARACTERS, Size, measure, walk
from metrics.sobhard.wording import clip

__all__ = ["SchemaError", "accepts"]

_MAX_NODES: Final = 50_000  # values of a schema, each alias written out


def accepts(schema: Any, instance: Any, reduced: Any = None) -> bool:
    """Whether a schema accepts a JSON value.

    Args:
        schema: the answer.
        instance: the value.
        reduced: ``shapes.of_each_shape(instance)`` if it is known; None has it worked out.

    Raises:
        SchemaError: the schema cannot be used.
    """
    size = measure(schema)
    if size is None:
        raise SchemaError("too-costly", "the schema contains itself")
    if size.nodes > _MAX_NODES:
        raise SchemaError("too-costly", f"the schema has {size.nodes} values, more than {_MAX_NODES}")
    if _characters(schema, size) > MAX_CHARACTERS:
        raise SchemaError("too-costly", f"the schema has more than {MAX_CHARACTERS} characters")
    survey = Survey.of(schema)
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # what Python and the library think of an answer's patterns and keywords
            return on_empty_stack(lambda judged: _judge(judged, instance, reduced, survey), schema)
    except SchemaError:
        raise
    except RecursionError:
        raise SchemaError("too-costly", "a value in the schema nests too deeply to be compared") from None
    except Exception as error:  # the contract's rule: any error of the library fails
        reason = f"the schema cannot be applied: {type(error).__name__}: {clip(str(error))}"
        raise SchemaError("invalid-schema", reason) from None


def _characters(schema: Any, size: Size) -> int:
    """What the library may write into a message: a size counts eight characters for a number and none for a key."""
    digits = longest = 0
    for node in walk(schema):
        if type(node) is int:
            digits = max(digits, node.bit_length() // 3)
        elif type(node) is dict:
            longest = max(longest, max((len(key) for key in node if isinstance(key, str)), default=0))
    # Keys are seldom all as long as the longest.
    return max(size.characters, size.leaves * digits, size.nodes * longest // 10)


def _judge(schema: Any, instance: Any, reduced: Any, survey: Survey) -> bool:
    # Imported late: only schema answers need the library, and it takes as long as all of SOBHard.
    from metrics.sobhard import schema_library

    schema_library.check(schema, MAX_STEPS)
    if sees_shapes_alone(schema, schema_library.keywords()):
        instance = of_each_shape(instance) if reduced is None else reduced
    return schema_library.is_valid(schema, instance, survey, MAX_STEPS)
