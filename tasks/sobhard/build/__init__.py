"""The documented commands of SOBHard's builder, which lives in ``builders/sobhard``."""
