"""The commit that ``run.json`` names: our own checkout's, or none at all."""

import os
import shutil
import subprocess
from pathlib import Path

import pytest

from runner.versions import commit_of, versions

ROOT = Path(__file__).resolve().parents[2]
OURS = ("run_lighteval.py", "pyproject.toml")
IDENTITY = ("-c", "user.name=Tester", "-c", "user.email=tester@example.org", "-c", "protocol.file.allow=always")


def git(folder, *arguments):
    """Run git in a folder and return what it prints."""
    plain = {name: value for name, value in os.environ.items() if not name.startswith("GIT_")}
    done = subprocess.run(
        ["git", *IDENTITY, *arguments], cwd=folder, env=plain, capture_output=True, text=True, check=True
    )
    return done.stdout.strip()


def our_files(folder):
    """A folder with the files that mark a tree of this package."""
    folder.mkdir(parents=True, exist_ok=True)
    for name in OURS:
        shutil.copy(ROOT / name, folder)
    return folder


def repository(folder, *, empty=False):
    """A git repository whose one commit holds every file of the folder."""
    folder.mkdir(parents=True, exist_ok=True)
    git(folder, "init", "--quiet")
    git(folder, "add", "--all")
    git(folder, "commit", "--quiet", "--message", "a commit", *(["--allow-empty"] if empty else []))
    return folder


def head(folder):
    """The commit of a repository, as ``run.json`` abbreviates it."""
    return git(folder, "rev-parse", "--short=12", "HEAD")


@pytest.fixture
def checkout(tmp_path):
    """A repository of this package."""
    return repository(our_files(tmp_path / "checkout"))


def test_the_commit_of_a_checkout(checkout):
    """It is recorded; changes that are not committed are marked."""
    assert commit_of(checkout) == head(checkout)
    (checkout / "run_lighteval.py").write_text("changed\n", encoding="utf-8")
    assert commit_of(checkout) == head(checkout) + "-dirty"


def test_a_tag_does_not_replace_the_commit(checkout):
    """Names of tags may move; the hash is what identifies the code."""
    git(checkout, "tag", "v9")
    assert commit_of(checkout) == head(checkout)


def test_a_worktree_of_a_checkout(checkout, tmp_path):
    """Its own commit, not that of the repository it belongs to."""
    git(checkout, "worktree", "add", "--quiet", "-b", "other", str(tmp_path / "worktree"))
    (tmp_path / "worktree" / "more.txt").write_text("more\n", encoding="utf-8")
    git(tmp_path / "worktree", "add", "--all")
    git(tmp_path / "worktree", "commit", "--quiet", "--message", "another commit")
    assert commit_of(tmp_path / "worktree") == head(tmp_path / "worktree") != head(checkout)


def test_a_submodule_of_another_repository(checkout, tmp_path):
    """The submodule's own commit, not that of the repository around it."""
    outer = repository(tmp_path / "outer", empty=True)
    git(outer, "submodule", "--quiet", "add", str(checkout), "ours")
    git(outer, "commit", "--quiet", "--message", "with a submodule")
    assert commit_of(outer / "ours") == head(checkout) != head(outer)


def test_an_installed_package_inside_another_repository(tmp_path):
    """An environment often lies inside the user's project: that project's commit says nothing of our code."""
    outer = repository(tmp_path / "project", empty=True)
    assert commit_of(our_files(outer / ".venv" / "lib" / "site-packages")) is None


def test_a_copy_without_its_own_git_folder(tmp_path):
    """Inside another repository, tracked there or not; its history is the other repository's."""
    copy = our_files(tmp_path / "project" / "vendor" / "copy")
    repository(tmp_path / "project")
    assert commit_of(copy) is None


def test_untracked_files_at_the_root_of_another_repository(tmp_path):
    """A copy laid into a repository's root, or an environment made there, is not committed in it."""
    outer = repository(tmp_path / "project", empty=True)
    assert commit_of(our_files(outer)) is None


def test_a_project_that_tracks_installed_files_at_its_root(tmp_path):
    """Its pyproject.toml is another project's."""
    outer = our_files(tmp_path / "project")
    (outer / "pyproject.toml").write_text('[project]\nname = "another"\n', encoding="utf-8")
    repository(outer)
    assert commit_of(outer) is None


@pytest.mark.parametrize("text", ["", "not TOML", "project = 3\n"])
def test_a_project_file_that_cannot_be_read_as_ours(tmp_path, text):
    """No commit, no exception."""
    outer = our_files(tmp_path / "project")
    (outer / "pyproject.toml").write_text(text, encoding="utf-8")
    assert commit_of(repository(outer)) is None


def test_no_repository_at_all(tmp_path):
    """A tree unpacked from an archive."""
    assert commit_of(our_files(tmp_path / "unpacked")) is None


def test_a_repository_without_a_commit(tmp_path):
    """There is nothing to name yet."""
    fresh = our_files(tmp_path / "fresh")
    git(fresh, "init", "--quiet")
    git(fresh, "add", "--all")
    assert commit_of(fresh) is None


def test_a_git_folder_that_is_none(tmp_path):
    """Git looks further up then, and finds another repository."""
    outer = repository(tmp_path / "project", empty=True)
    copy = our_files(outer / "copy")
    (copy / ".git").mkdir()
    assert commit_of(copy) is None


def test_a_repository_of_another_owner(checkout, monkeypatch):
    """Git refuses it ("dubious ownership")."""
    monkeypatch.setenv("GIT_TEST_ASSUME_DIFFERENT_OWNER", "1")
    monkeypatch.setenv("GIT_CONFIG_SYSTEM", os.devnull)
    monkeypatch.setenv("GIT_CONFIG_GLOBAL", os.devnull)
    refused = subprocess.run(["git", "status"], cwd=checkout, capture_output=True, text=True)
    assert "dubious ownership" in refused.stderr
    assert commit_of(checkout) is None


@pytest.mark.parametrize("name", ["GIT_DIR", "GIT_WORK_TREE", "GIT_INDEX_FILE", "GIT_OBJECT_DIRECTORY"])
def test_variables_that_name_another_repository(checkout, tmp_path, monkeypatch, name):
    """Git sets them for its hooks: a run started by one must not record the hook's repository."""
    other = our_files(tmp_path / "other")
    (other / "more.txt").write_text("more\n", encoding="utf-8")
    repository(other)
    places = {
        "GIT_DIR": other / ".git",
        "GIT_WORK_TREE": other,
        "GIT_INDEX_FILE": other / ".git" / "next-index-1.lock",  # such a file is gone when its hook has ended
        "GIT_OBJECT_DIRECTORY": other / ".git" / "objects",
    }
    monkeypatch.setenv(name, str(places[name]))
    assert commit_of(checkout) == head(checkout) != head(other)


def test_no_git_program(checkout, monkeypatch, tmp_path):
    """A machine that only runs the package may have none."""
    monkeypatch.setenv("PATH", str(tmp_path))
    assert commit_of(checkout) is None


def test_a_run_records_the_commit_of_this_tree():
    """With the versions of what it stands on."""
    found = versions()
    assert found["commit"] == commit_of(ROOT)
    assert found["lighteval"] == "0.13.0"
