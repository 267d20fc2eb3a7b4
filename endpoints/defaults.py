"""Names and default values that several modules share. The module imports and reads nothing."""

from typing import Final

__all__ = ["APP_NAME", "ATTEMPT_S", "BASE_URL", "CONCURRENCY", "JUDGE_BASE_URL", "MOST_AUTO"]

APP_NAME: Final = "lighteval-hard"  # distribution, and folder in the user's cache
BASE_URL: Final = "http://127.0.0.1:8001/v1"
JUDGE_BASE_URL: Final = "http://127.0.0.1:8002/v1"
CONCURRENCY: Final = 64  # requests in flight, to begin with or for good
MOST_AUTO: Final = 2048  # requests in flight that a server's own figures may lead to
ATTEMPT_S: Final = 1800.0  # seconds that one attempt at a request may take
