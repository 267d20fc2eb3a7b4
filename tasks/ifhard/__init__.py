"""IFHardBench: three to six machine-checkable requirements at once, in Russian."""
