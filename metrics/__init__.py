"""Pure verifiers and the metrics built on them, one folder a benchmark."""
