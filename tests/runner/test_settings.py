"""Settings in ``run.json``: runs of an earlier version go on, those of a later one are refused."""

import dataclasses

import pytest

from runner.exits import UsageError
from runner.settings import Settings
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
