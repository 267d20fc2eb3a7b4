"""Documents of SOBHard tasks as LightEval makes them, and damaged answers."""

import json
import re
from pathlib import Path

from lighteval.tasks.lighteval_task import LightevalTask
from lighteval.tasks.prompt_manager import PromptManager

from tasks.sobhard.dataset import BUILTIN_SMALL
from tasks.sobhard.task import make_tasks


def split_rows(split, folder=BUILTIN_SMALL):
    """Rows of a dataset folder."""
    return [json.loads(line) for line in (folder / f"{split}.jsonl").read_text(encoding="utf-8").splitlines()]


def write_rows(folder, test, shots=None):
    """A dataset folder."""
    folder.mkdir(parents=True, exist_ok=True)
    for split, rows in (("test", test), ("shots", shots)):
        if rows is not None:
            text = "".join(json.dumps(row, ensure_ascii=False) + "\n" for row in rows)
            (folder / f"{split}.jsonl").write_text(text, encoding="utf-8", newline="\n")
    return folder


def docs_of(folder: Path, subset: str, fewshot: int, max_samples=None):
    """What LightEval's own task class makes of a folder, in its order."""
    config = next(config for config in make_tasks(folder) if config.name == f"sobhard:{subset}")
    config.num_fewshots, config.full_name = fewshot, f"{config.name}|{fewshot}"
    task = LightevalTask(config)
    LightevalTask.load_datasets({config.full_name: task})
    return task.get_docs(max_samples)


def messages_of(doc, system_prompt=None):
    """The messages that a backend sends."""
    return PromptManager(use_chat_template=True, tokenizer=None, system_prompt=system_prompt).prepare_prompt_api(doc)


def blanked(row):
    """A row as the public copy has it."""
    empty = dict.fromkeys(("base_id", "fence_tag", "reference", "reference_sha256", "task_meta", "checks"), "")
    meta = {**row["meta"], **empty, "categories": dict.fromkeys(row["meta"]["categories"], "")}
    return {**row, "outputs": "", "meta": meta}


def witnesses():
    """Right answers by id."""
    lines = (BUILTIN_SMALL / "witnesses.jsonl").read_text(encoding="utf-8").splitlines()
    return {entry["id"]: entry["response"] for entry in map(json.loads, lines)}


def value_damaged(answer):
    """One letter or digit of the document's last word is another: still parses, no longer right."""
    head, body, tail = re.fullmatch(r"(```\w+\n)(.*)(\n```)", answer, re.DOTALL).groups()
    places = [found.end() - 1 for found in re.finditer(r"(?:[а-яё]{2,}|\d{2,})", body, re.IGNORECASE)]
    at = places[-1] if places else max(found.end() - 1 for found in re.finditer(r"[a-z]{2,}|\d", body))
    other = "ы" if body[at] in "абвгдеёжзийклмнопрстуфхцчшщъьэюя" else "7" if body[at] != "7" else "8"
    return head + body[:at] + other + body[at + 1 :] + tail
