"""A small dataset in the benchmark's schema, whose right answers are known by construction.

Question ``q007`` wants seven words, no comma and no digits... what exactly is in ``constraints``;
``right(7)`` meets all of it, ``wrong(7)`` breaks the word count alone.
"""

import json
from pathlib import Path

TIERS = ("easy", "medium", "hard", "expert")
TEMPLATE = "Требования к ответу:\n{constraints}\n\nЗадание:\n{question}"


def row(number: int, split: str = "test") -> dict:
    words = 2 + number % 9
    constraints = [
        {
            "category": "structure:word_count",
            "family": "structure",
            "params": {"op": "eq", "value": words},
            "is_terminal": False,
        },
        {"category": "style:no_commas", "family": "style", "params": {}, "is_terminal": False},
        {"category": "style:end_punctuation", "family": "style", "params": {"char": "."}, "is_terminal": False},
    ]
    return {
        "instruction": TEMPLATE,
        "inputs": {
            "question": f"Опиши вещь номер {number}.",
            "constraints": f"- Ровно {words} слов.\n- Без запятых.\n- В конце точка.",
            "context": "",
        },
        "outputs": right(number) if split == "shots" else "",
        "meta": {
            "id": number,
            "base_id": f"{split[0]}{number:03d}",
            "constraints": json.dumps(constraints, ensure_ascii=False),
            "categories": {
                "language": "ru", "tier": TIERS[number % 4], "length_tier": "short", "n_constraints": 3,
                "constraint_families": "structure,style", "prompt_style": "spec", "topic": "home", "stratum": "core",
            },
            "annotation": {"is_solvable": None, "language_correctness": None},
        },
    }  # fmt: skip


def right(number: int) -> str:
    return " ".join(["слово"] * (2 + number % 9)) + "."


def wrong(number: int) -> str:
    return "лишнее " + right(number)


def write_dataset(folder: Path, count: int = 40) -> Path:
    folder.mkdir(parents=True, exist_ok=True)
    for split, numbers in (("test", range(count)), ("shots", range(900, 905))):
        lines = [json.dumps(row(number, split), ensure_ascii=False) + "\n" for number in numbers]
        (folder / f"{split}.jsonl").write_text("".join(lines), encoding="utf-8", newline="\n")
    return folder


def write_responses(path: Path, answers: dict[int, str | None], task: str = "ifhard:all") -> Path:
    lines = [
        json.dumps({"task": task, "id": f"t{number:03d}", "response": text}) + "\n" for number, text in answers.items()
    ]
    path.write_text("".join(lines), encoding="utf-8", newline="\n")
    return path
