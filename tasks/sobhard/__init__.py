"""SOBHard: LightEval tasks, datasets and prompts."""
