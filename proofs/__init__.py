"""Scripts that prove something at length: mutants, fuzz, second readings, killed runs; the tests run a small share."""
