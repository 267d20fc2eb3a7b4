"""A finished run in the forms that others read."""

from typing import Final

__all__ = ["FORMS"]

FORMS: Final = ("hub", "eee", "mera")
