"""LightEval task modules, one folder a benchmark."""
