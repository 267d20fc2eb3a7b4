"""Judge prompts: ours and others', their identity, and the framing of what is judged."""

import hashlib
import json
import re
import shutil

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from judges.hardmultiqa import PROMPTS_VERSION, PromptsError, judging
from judges.hardmultiqa.framing import compose, mark_of
from judges.hardmultiqa.prompt_files import BUILTIN, builtin_prompts, load_prompts
from metrics.hardmultiqa import TYPES, parse_key


def key_of(kind="open", question="Кто?", reference=("Пушкин",)):
    return parse_key(json.dumps({"type": kind, "question": question, "reference": list(reference)}))


@pytest.fixture
def folder(tmp_path):
    """A copy of our prompts that a test may spoil."""
    copy = tmp_path / "prompts"
    shutil.copytree(BUILTIN, copy)
    return copy


def test_one_prompt_a_type():
    """Named after the types, nothing else in the folder, in Russian letters."""
    assert {path.name for path in BUILTIN.iterdir()} == {f"{kind}.txt" for kind in (*TYPES, "open-json")}
    for text in (*builtin_prompts().templates.values(), builtin_prompts().open_json):
        words = re.findall(r"\w+", text)
        assert not [word for word in words if re.search("[а-яё]", word, re.I) and re.search("[a-z]", word, re.I)]


@pytest.mark.parametrize("kind", TYPES)
def test_instructions_stand_after_the_answer(kind):
    """Question, reference and answer first, each once; the reply's form is described behind them."""
    text = builtin_prompts().templates[kind]
    places = [text.index(slot) for slot in ("{question}", "{reference}", "{answer}", "ЗАДАНИЕ", "Формат:")]
    assert places == sorted(places)


def test_the_identity_names_version_and_content():
    """A change of any prompt shows: the digest is over names and texts of all six."""
    digest = hashlib.sha256()
    for kind in (*TYPES, "open-json"):
        digest.update(f"{kind}\0{(BUILTIN / f'{kind}.txt').read_text(encoding='utf-8')}\0".encode())
    assert builtin_prompts().sha256 == digest.hexdigest()
    assert judging().identity == f"prompts {PROMPTS_VERSION} sha256 {digest.hexdigest()[:12]} (this project's)"


def test_other_prompts_are_named_as_such(folder):
    """The path as it was given, another digest; ours are as they were."""
    ours = builtin_prompts().sha256
    with (folder / "open.txt").open("a", encoding="utf-8", newline="\n") as file:
        file.write("Ещё одно правило.\n")
    others = load_prompts(folder, str(folder))
    assert judging(others).identity == f"prompts from {folder} sha256 {others.sha256[:12]}"
    assert others.sha256 != ours
    assert builtin_prompts().sha256 == ours
    assert judging().identity.endswith("(this project's)")


def test_the_contracts_prompt_stays_and_differs_in_its_form_alone(folder):
    """``open.txt`` asks for the line; by ``open-json.txt`` only the form differs. A folder of five files has none."""
    ours = builtin_prompts()
    plain = ours.templates["open"]
    assert plain.rstrip().splitlines()[-4:-1] == ["Оценка: 1", "Оценка: -1", "Оценка: 0"]
    assert ours.open_json.partition("Формат:")[0] == plain.partition("Формат:")[0]
    assert '"grade"' in ours.open_json
    assert "Оценка: 1" not in ours.open_json
    (folder / "open-json.txt").unlink()
    five = load_prompts(folder, None)
    assert five.open_json is None
    assert five.templates == ours.templates
    assert five.sha256 != ours.sha256


@pytest.mark.parametrize(
    ("edited", "added", "kept"),
    [
        ("open.txt", "Ещё одно правило.\n", False),
        ("open-json.txt", "Ещё одно правило.\n", True),
    ],
)
def test_what_was_written_into_a_copied_folder_is_what_is_asked(tmp_path, edited, added, kept):
    """A change of the part that the shipped JSON form would replace is not lost: the line is asked for."""
    folder = shutil.copytree(BUILTIN, tmp_path / "prompts")
    with (folder / edited).open("a", encoding="utf-8", newline="\n") as file:
        file.write(added)
    prompts = load_prompts(folder, str(folder))
    assert (prompts.open_json is not None) is kept
    assert added in (prompts.open_json or prompts.templates["open"])


@pytest.mark.parametrize(
    ("name", "text", "message"),
    [
        ("open-json.txt", " \n", "the form of the reply in words"),
        ("open-json.txt", "Формат: {answer}", "without placeholders"),
        ("open.txt", "{question}{reference}{answer}\nОтветь.", "one line must begin with 'Формат:'"),
        ("open.txt", "{question}{reference}{answer}\nФормат: a\nФормат: b", "one line must begin with 'Формат:'"),
    ],
)
def test_a_form_that_cannot_replace_another_is_refused(folder, name, text, message):
    """Before anything is asked."""
    (folder / name).write_text(text, encoding="utf-8", newline="\n")
    with pytest.raises(PromptsError, match=message):
        load_prompts(folder, str(folder))


def test_line_ends_do_not_change_the_identity(folder):
    """A checkout with CRLF and a byte order mark holds the same prompts."""
    for path in folder.iterdir():
        path.write_bytes(b"\xef\xbb\xbf" + path.read_bytes().replace(b"\n", b"\r\n"))
    assert load_prompts(folder, None).sha256 == builtin_prompts().sha256


SPOILED = [
    ("no question", lambda text: text.replace("{question}", ""), r"\{question\} must occur once, found 0"),
    ("no reference", lambda text: text.replace("{reference}", ""), r"\{reference\} must occur once, found 0"),
    ("no answer", lambda text: text.replace("{answer}", ""), r"\{answer\} must occur once, found 0"),
    ("answer twice", lambda text: text + "{answer}", r"\{answer\} must occur once, found 2"),
    ("misspelt", lambda text: text + "{refrence}", r"unknown placeholders \{refrence\}"),
    ("nothing after the answer", lambda text: text.partition("{answer}")[0] + "{answer}\n", "must follow"),
    ("answer before the reference",
     lambda text: text.replace("{answer}", "{x}").replace("{reference}", "{answer}").replace("{x}", "{reference}"),
     "must stand after"),
]  # fmt: skip


@pytest.mark.parametrize(("spoil", "message"), [row[1:] for row in SPOILED], ids=[row[0] for row in SPOILED])
def test_prompts_that_cannot_work_are_refused(folder, spoil, message):
    """Before anything is asked, with the file named."""
    path = folder / "mistakes.txt"
    path.write_text(spoil(path.read_text(encoding="utf-8")), encoding="utf-8", newline="\n")
    with pytest.raises(PromptsError, match=message) as caught:
        load_prompts(folder, str(folder))
    assert "mistakes.txt" in str(caught.value)


def test_a_missing_or_unreadable_file_is_refused(folder):
    """A folder without all five, a file that is no UTF-8, and no folder at all."""
    (folder / "open.txt").write_bytes(b"\xff")
    with pytest.raises(PromptsError, match=r"open\.txt"):
        load_prompts(folder, str(folder))
    (folder / "open.txt").unlink()
    with pytest.raises(PromptsError, match=r"open\.txt is missing; a folder of judge prompts holds"):
        load_prompts(folder, str(folder))
    with pytest.raises(PromptsError, match="is missing"):
        load_prompts(folder / "nowhere", "nowhere")


def test_a_message_to_the_letter():
    """Blocks with borders, then the instructions; a placeholder inside a block stays text."""
    template = 'Метка {mark}.\n{question}\n{reference}\n{answer}\nЗадание: {иное} {"a": 1}'
    key = key_of("strict-list", "Что {answer}?", ["а\n б", "в"])
    (turn,) = compose(template, key, "это {reference}", "f" * 16)
    mark = "f" * 16
    assert turn == {
        "role": "user",
        "content": (
            f"Метка {mark}.\n"
            f"<<<ВОПРОС {mark}>>>\nЧто {{answer}}?\n<<<КОНЕЦ ВОПРОСА {mark}>>>\n"
            f"<<<ЭТАЛОН {mark}>>>\n1. а б\n2. в\n<<<КОНЕЦ ЭТАЛОНА {mark}>>>\n"
            f"<<<ОТВЕТ МОДЕЛИ {mark}>>>\nэто {{reference}}\n<<<КОНЕЦ ОТВЕТА МОДЕЛИ {mark}>>>\n"
            'Задание: {иное} {"a": 1}'
        ),
    }


def test_references_by_type():
    """Numbers on one line for options, one accepted answer a line for open, numbered elements for lists."""
    template = "{question}{reference}{answer}"
    shown = {}
    for kind in TYPES:
        content = compose(template, key_of(kind, "Кто?", ["3", "1"]), "x", "m")[0]["content"]
        shown[kind] = content.split("<<<ЭТАЛОН m>>>\n")[1].split("\n<<<КОНЕЦ ЭТАЛОНА")[0]
    assert shown["one-option-many-options"] == "3, 1"
    assert shown["open"] == "3\n1"
    assert shown["strict-list"] == shown["not-strict-list"] == shown["mistakes"] == "1. 3\n2. 1"


@settings(deadline=None)
@given(st.text(), st.text(min_size=1).filter(str.strip))
def test_no_text_holds_its_own_mark(answer, question):
    """And the mark is the same each time, of sixteen hex digits."""
    key = key_of("open", question)
    mark = mark_of(key, answer)
    assert re.fullmatch("[0-9a-f]{16}", mark)
    assert mark not in answer
    assert mark not in question
    assert mark == mark_of(key, answer)


def test_a_mark_in_the_answer_is_passed_over(monkeypatch):
    """Should an answer hold the first mark after all, the counter goes on."""
    key = key_of()
    answer = "раз"
    seen = []
    real = hashlib.sha256

    def spied(data):
        seen.append(data)
        # As if the first digest began with the answer's own letters.
        return real(data) if len(seen) > 1 else type("D", (), {"hexdigest": lambda self: "ab" * 32})()

    monkeypatch.setattr("judges.hardmultiqa.framing.hashlib.sha256", spied)
    assert mark_of(key, "ABABABABABABABAB") != "ab" * 8
    assert len(seen) == 2
    assert mark_of(key, answer) != "ab" * 8
