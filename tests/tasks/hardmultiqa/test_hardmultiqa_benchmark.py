"""HardMultiQA as the runner sees it: names, parts, options."""

import pytest

from judges.hardmultiqa import judging
from metrics.record import Answer, Sample
from tasks import registry
from tasks.benchmark import Options
from tasks.hardmultiqa.benchmark import BENCHMARK
from tasks.hardmultiqa.names import TASK_VALUES, TYPES, type_of
from tasks.names import TaskName, TaskNameError, split_task_list
from tasks.registry import parse_task, run_as, smoke_samples


@pytest.fixture(autouse=True)
def registered(monkeypatch):
    monkeypatch.setattr(registry, "BENCHMARK_NAMES", ("hardmultiqa",))


SPELLINGS = {
    "hardmultiqa": "hardmultiqa:all:pretrain",
    "hardmultiqa:all:alignment": "hardmultiqa:all:alignment",
    "hardmultiqa:one option, many options:pretrain": "hardmultiqa:one-option-many-options:pretrain",
    "hardmultiqa:one-option-many-options:pretrain": "hardmultiqa:one-option-many-options:pretrain",
    "hardmultiqa:one-option, many-options:alignment": "hardmultiqa:one-option-many-options:alignment",
    "hardmultiqa:One Option, Many Options:alignment": "hardmultiqa:one-option-many-options:alignment",
    "hardmultiqa:strict list:pretrain": "hardmultiqa:strict-list:pretrain",
    "hardmultiqa:not strict list:pretrain": "hardmultiqa:not-strict-list:pretrain",
    "hardmultiqa:not-strict-list:pretrain": "hardmultiqa:not-strict-list:pretrain",
    "hardmultiqa:open:pretrain": "hardmultiqa:open:pretrain",
    "hardmultiqa:mistakes:alignment": "hardmultiqa:mistakes:alignment",
}


@pytest.mark.parametrize(("written", "meant"), SPELLINGS.items())
@pytest.mark.parametrize("fewshot", [0, 5])
def test_task_names(written, meant, fewshot):
    """Types with hyphens, spaces or commas; the bare name means all."""
    assert str(parse_task(f"{written}|{fewshot}")) == f"{meant}|{fewshot}"


def test_a_comma_inside_a_name_does_not_split_a_list():
    """One of the types has one."""
    text = "hardmultiqa:one option, many options:pretrain|5, hardmultiqa:open:alignment|0"
    assert split_task_list(text) == [
        "hardmultiqa:one option, many options:pretrain|5",
        "hardmultiqa:open:alignment|0",
    ]


@pytest.mark.parametrize(
    "name",
    ["hardmultiqa:open", "hardmultiqa:open:chat|0", "hardmultiqa:closed:pretrain|0", "hardmultiqa:open:pretrain|3"],
)
def test_names_that_do_not_exist(name):
    """Legal ones are named."""
    with pytest.raises(TaskNameError, match=r"nearest|legal|write hardmultiqa:open:pretrain"):
        parse_task(name)


def test_all_is_run_as_the_five_types():
    """With two samples each in a smoke run; a single type has ten."""
    whole, alone = (TaskName("hardmultiqa", subset, "pretrain", 5) for subset in ("all", "open"))
    parts = [TaskName("hardmultiqa", kind, "pretrain", 5) for kind in TYPES]
    assert run_as([whole]) == run_as([whole, alone]) == parts
    assert smoke_samples([whole]) == dict.fromkeys(parts, 2)
    assert smoke_samples([alone]) == {alone: 10}
    assert smoke_samples([whole, alone]) == smoke_samples([alone, whole]) == dict.fromkeys(parts, 2) | {alone: 10}


@pytest.mark.parametrize("kind", TYPES)
def test_values_of_the_field_task(kind):
    """The dataset's own spelling and ours; nothing else."""
    assert type_of(TASK_VALUES[kind]) == kind
    assert type_of(kind) == kind
    for other in (TASK_VALUES[kind].upper(), f" {kind}", "", None, 3, ["open"]):
        with pytest.raises(ValueError, match="must be one of: one option, many options; open; strict list"):
            type_of(other)


def test_judge_prompts_are_chosen_before_anything_runs(tmp_path):
    """What is in use is recorded; an unusable folder is a usage error and changes nothing."""
    own = judging().identity
    configured, said = BENCHMARK.configure(BENCHMARK, Options())
    assert said == {"judge_prompts": own}
    assert configured.judging.identity == own
    with pytest.raises(ValueError, match=r"open|prompt"):
        BENCHMARK.configure(BENCHMARK, Options(judge_prompts=str(tmp_path)))
    assert BENCHMARK.judging.identity == own


def test_an_answer_is_never_scored_without_a_judge():
    """Neither right nor wrong."""
    sample = Sample("x", 0, '{"type": "open", "question": "Кто?", "reference": ["он"]}', "{}")
    record = BENCHMARK.score(sample, Answer("он"), None)
    assert (record["outcome"], record["scores"]["hardmultiqa_judge"]) == ("unjudged", None)


def test_bounds_are_for_metrics_where_higher_is_better():
    """Of ``--fail-under``; the first is the headline."""
    assert BENCHMARK.metric_names == ("hardmultiqa_judge", "judge_coverage")
