"""A finished run in the forms that others read.

``exporting.py`` the command's work; ``files.py`` equal bytes, never over another run's; ``hub.py``, ``mera.py`` and
``eee.py`` a form each, the last with ``eee_model.py`` and ``eee_samples.py``.
"""

from typing import Final

__all__ = ["FORMS"]

FORMS: Final = ("hub", "eee", "mera")
