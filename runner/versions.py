"""What a run stands on: versions of packages, commit of the checkout."""

import importlib.metadata
import platform
import subprocess
from pathlib import Path

from endpoints.defaults import APP_NAME

__all__ = ["versions"]

_PACKAGES = ("lighteval", "openai", "datasets", "transformers", "torch", "numpy", "huggingface_hub")


def versions() -> dict[str, str | None]:
    """Versions of Python, of this package and of what it stands on; None for a package that is absent."""
    found: dict[str, str | None] = {"python": platform.python_version(), "commit": _commit()}
    for name in (APP_NAME, *_PACKAGES):
        try:
            found[name] = importlib.metadata.version(name)
        except importlib.metadata.PackageNotFoundError:
            found[name] = None
    return found


def _commit() -> str | None:
    """Commit of the checkout with a mark for uncommitted changes; None outside one."""
    here = Path(__file__).resolve().parent.parent
    try:
        return subprocess.run(
            ["git", "describe", "--always", "--dirty", "--abbrev=12", "--exclude=*"],
            cwd=here, capture_output=True, text=True, timeout=10, check=True,
        ).stdout.strip()  # fmt: skip
    except (OSError, subprocess.SubprocessError):
        return None
