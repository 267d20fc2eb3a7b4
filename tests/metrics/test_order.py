"""A summary does not depend on the order in which records come."""

import random

import pytest

from metrics.record import Answer, Sample
from metrics.summary import in_order
from tasks.registry import BENCHMARK_NAMES, benchmark


@pytest.fixture(scope="module")
def records():
    """Forty IFHardBench records, some of them repeats, of alternating worth."""
    found = []
    scoring = (
        '[{"category": "structure:word_count", "family": "structure", "params": {"op": "eq", "value": 2}, '
        '"is_terminal": false}]'
    )
    for number in range(40):
        sample = Sample(f"q{number // 2:02d}", number % 2, scoring, '{"tier": "easy"}')
        text = "два слова" if number % 3 else "одно"
        found.append(benchmark("ifhard").score(sample, Answer(text), None))
    return found


def test_values_and_intervals_are_the_same_in_any_order(records):
    """Headline by headline, interval included."""
    summarise = benchmark("ifhard").summarise
    wanted = summarise(records)
    for seed in range(5):
        shuffled = random.Random(seed).sample(records, len(records))
        assert summarise(shuffled).headlines == wanted.headlines
        assert in_order(shuffled) == records


@pytest.mark.parametrize("name", BENCHMARK_NAMES)
def test_every_benchmark_summarises_samples_without_an_answer_in_any_order(name):
    """Failed samples only: undefined values, the same notes and bounds."""
    scoring = {
        "ifhard": '[{"category": "style:no_commas", "family": "style", "params": {}}]',
        "sobhard": "{}",
        "hardmultiqa": '{"type": "open", "question": "?", "reference": ["a"]}',
        "ifbench": '{"prompt": "?", "constraints": [{"id": "count:numbers", "kwargs": {"N": 1}}]}',
    }[name]
    labels = '{"tier": "easy", "family": "convert", "difficulty": "easy", "type": "open"}'
    found = benchmark(name)
    made = [found.unanswered(Sample(f"q{number}", 0, scoring, labels), "failed", "HTTP 500") for number in range(6)]
    assert found.summarise(made).headlines == found.summarise(made[::-1]).headlines
    assert found.summarise(made).headlines[0].value is None
