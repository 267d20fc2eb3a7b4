"""Gets answers from OpenAI-compatible servers: the client, the journal, LightEval's model class, local servers."""
