"""The small committed set of SOBHard questions: documents and recipes in YAML, and what makes rows of them."""
