"""Moved to metrics.reasons; kept until the last caller has followed."""

from metrics.reasons import MAX_QUOTE, clip, failed, nouns, passed, quoted

__all__ = ["MAX_QUOTE", "clip", "failed", "nouns", "passed", "quoted"]
