"""The card of a dataset folder: its config is named after the content, so no cache can mistake one set for another."""

import datasets
import pytest

from tasks.folders import config_name
from tasks.ifhard.dataset import BUILTIN, IFHardLoader


def put(folder, value):
    """A folder with one row."""
    folder.mkdir(exist_ok=True)
    splits = {"test": f'{{"a": {value}}}\n', "shots": '{"a": 0}\n'}
    for split, text in splits.items():
        (folder / f"{split}.jsonl").write_text(text, encoding="utf-8", newline="\n")
    (folder / "README.md").write_text(IFHardLoader.card(splits), encoding="utf-8", newline="\n")
    return folder


def test_the_shipped_card_belongs_to_the_shipped_files():
    """Rebuilt data with an old card would be answered from a cache."""
    splits = {split: (BUILTIN / f"{split}.jsonl").read_text(encoding="utf-8") for split in ("test", "shots")}
    assert (BUILTIN / "README.md").read_text(encoding="utf-8") == IFHardLoader.card(splits)


def test_changed_rows_are_read_again(tmp_path, monkeypatch):
    """Same folder name, same cache, other content: the new rows; also from another parent folder."""
    monkeypatch.setattr(datasets.config, "HF_DATASETS_CACHE", tmp_path / "cache")
    for parent, value in (("x", 1), ("x", 2), ("y", 3), ("x", 1)):
        (tmp_path / parent).mkdir(exist_ok=True)
        folder = put(tmp_path / parent / "data", value)
        loaded = datasets.load_dataset(str(folder), config_name(folder), cache_dir=str(tmp_path / "cache"))
        assert loaded["test"][0] == {"a": value}
        assert loaded["shots"][0] == {"a": 0}


def test_a_folder_without_shots_declares_none(tmp_path):
    """An empty split has no file and no entry."""
    text = IFHardLoader.card({"test": "{}\n", "shots": ""})
    assert "shots" not in text.split("---\n")[1]


def test_a_folder_without_a_card_is_an_error(tmp_path):
    """Never a guess."""
    with pytest.raises(FileNotFoundError):
        config_name(tmp_path)
