"""Settings in ``run.json``: runs of an earlier version go on, those of a later one are refused."""

import dataclasses
from pathlib import Path

import pytest

from runner.exits import UsageError
from runner.settings import Settings, merge_resumed
from tasks.names import TaskName

WHOLE = Settings(tasks=(TaskName("ifhard", "all"),), model="m", temperature=0.5, graders=("a=b",))
OPTIONAL = [field.name for field in dataclasses.fields(Settings) if field.name not in ("tasks", "model")]


def test_what_is_written_is_read():
    """Every field."""
    assert Settings.from_json(WHOLE.to_json()) == WHOLE


@pytest.mark.parametrize("name", OPTIONAL)
def test_an_option_that_the_run_did_not_know_has_its_default(name):
    """A run folder of a version without the option."""
    written = WHOLE.to_json()
    del written[name]
    read = Settings.from_json(written)
    assert getattr(read, name) == getattr(Settings(tasks=WHOLE.tasks, model="m"), name)
    assert dataclasses.replace(read, **{name: getattr(WHOLE, name)}) == WHOLE


@pytest.mark.parametrize("name", ["tasks", "model"])
def test_what_has_no_default_must_be_there(name):
    """By name."""
    written = WHOLE.to_json()
    del written[name]
    with pytest.raises(UsageError, match=f"settings differ in {name}"):
        Settings.from_json(written)


def test_an_option_of_a_later_version_is_refused():
    """It may have changed the answers."""
    with pytest.raises(UsageError, match=r"another version.*settings differ in brand_new"):
        Settings.from_json({**WHOLE.to_json(), "brand_new": 1})


@pytest.mark.parametrize(("before", "now"), [(False, 0), (1, True), (20, 20.0)])
@pytest.mark.parametrize("name", ["chat_template_kwargs", "extra_body"])
def test_values_that_only_python_takes_for_equal_are_refused_on_a_resume(name, before, now):
    """A server tells them apart; were they passed over, the run would go on with the old one."""
    recorded = dataclasses.replace(WHOLE, **{name: {"x": before}})
    with pytest.raises(UsageError, match="cannot resume"):
        merge_resumed(recorded, {name: {"x": now}}, Path("run"), 10)
    assert merge_resumed(recorded, {name: {"x": before}}, Path("run"), 10) == recorded


def test_the_order_of_keys_is_no_difference():
    """A resume may repeat an option in another order."""
    recorded = dataclasses.replace(WHOLE, extra_body={"a": 1, "b": {"c": 2, "d": 3}})
    assert merge_resumed(recorded, {"extra_body": {"b": {"d": 3, "c": 2}, "a": 1}}, Path("run"), 10) == recorded
