"""Further HTTP headers of every request; their values come from the environment and are shown nowhere."""

import re
from collections.abc import Mapping, Sequence
from typing import Final

__all__ = ["HeaderError", "header_variables", "read_headers"]

_TOKEN: Final = re.compile(r"[!#$%&'*+\-.^_`|~0-9A-Za-z]*")  # RFC 9110, 5.6.2
_VARIABLE: Final = re.compile(r"[A-Za-z_][A-Za-z0-9_]*")
# They say how the body is framed or packed, which is the HTTP client's own matter.
_OF_THE_CLIENT: Final = frozenset(
    {
        *("accept-encoding", "connection", "content-encoding", "content-length", "content-type", "expect", "host"),
        *("keep-alive", "te", "trailer", "transfer-encoding", "upgrade"),
    }
)


class HeaderError(ValueError):
    """A header cannot be sent; the message names the header, never its value."""


def header_variables(texts: Sequence[str]) -> dict[str, str]:
    """Read arguments ``NAME=VARIABLE``.

    Returns:
        The name of the environment variable that holds the value, by the name of the header.

    Raises:
        HeaderError: an argument has another form, the name is none or is the HTTP client's own, or it is given twice.
            The message repeats nothing that might be a value given by mistake.
    """
    variables: dict[str, str] = {}
    for text in texts:
        name, _, variable = text.partition("=")
        start = _TOKEN.match(name)
        shown = start[0] if start else ""
        if shown != name or not name:
            raise HeaderError(f"{shown or 'the argument'}: expected NAME=ENV_VARIABLE with the name of an HTTP header")
        if not _VARIABLE.fullmatch(variable):
            raise HeaderError(
                f"{name}: what follows = must name an environment variable; the variable holds the header's value"
            )
        if name.lower() in _OF_THE_CLIENT:
            raise HeaderError(f"{name}: the HTTP client sets this header by itself")
        if name.lower() in map(str.lower, variables):
            raise HeaderError(f"{name}: the header is given twice")
        variables[name] = variable
    return variables


def read_headers(variables: Mapping[str, str], environment: Mapping[str, str]) -> dict[str, str]:
    """The values of headers, by name; white space around a value is cut off.

    Args:
        variables: names of environment variables, by the names of the headers.
        environment: the environment.

    Raises:
        HeaderError: a variable is not set or is empty, or its value holds characters that no header can carry.
    """
    values = {name: environment.get(variable, "").strip() for name, variable in variables.items()}
    for name, value in values.items():
        if not value:
            raise HeaderError(f"{name}: the environment variable {variables[name]} is not set")
        if not value.isascii() or not value.isprintable():
            raise HeaderError(f"{name}: the value in {variables[name]} holds characters that no HTTP header can carry")
    return values
