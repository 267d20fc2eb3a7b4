"""OpenAI-compatible endpoints: client, journal, LightEval model class, local servers."""
