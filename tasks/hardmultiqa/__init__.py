"""HardMultiQA: factual questions in Russian, five types of answer, judged by another model."""
