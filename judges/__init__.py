"""Judge prompts and the parsers of their replies."""
