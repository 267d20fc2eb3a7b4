"""The documented commands of IFHardBench's generator, which lives in ``builders/ifhard``."""
