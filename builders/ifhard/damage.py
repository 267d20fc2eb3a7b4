"""Break a recorded share of a dataset's witnesses, so that a whole scoring run has a known right result.

``python -m tasks.ifhard.build.damage --dataset DIR --share 0.3 --seed N --out FILE`` reads ``test.jsonl`` and
``witnesses.jsonl`` and writes answers for ``--responses`` to FILE and the expectation to ``FILE.expected.json``:
which requirement of which question was broken, and the rates that follow.
"""

import argparse
import json
import sys
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from random import Random
from typing import Any

from builders.ifhard.corrupt import corrupt
from endpoints.terminal import speak_utf8, survive_closed_pipes
from metrics.ifhard import verify

__all__ = ["Damaged", "damage", "expectation"]


@dataclass(frozen=True)
class Damaged:
    """A witness after the damage run.

    Attributes:
        base_id: the question.
        response: the witness, corrupted or as it was.
        broken: category of the requirement that was broken, None if none was.
        verdicts: ``(category, passed)`` of every requirement, in stack order; the broken one is False by rule, and
            what else the corruption happens to break is as the verifiers say.
    """

    base_id: str
    response: str
    broken: str | None
    verdicts: tuple[tuple[str, bool], ...]


def _constraints(row: Mapping[str, Any]) -> list[Mapping[str, Any]]:
    parsed: list[Mapping[str, Any]] = json.loads(row["meta"]["constraints"])
    return parsed


def damage(rows: Sequence[Mapping[str, Any]], witnesses: Mapping[str, str], share: float, seed: int) -> list[Damaged]:
    """Break one requirement in ``round(share * n)`` of the questions, drawn by the seed.

    Args:
        rows: dataset rows.
        witnesses: base id to passing answer.
        share: 0..1.
        seed: draws the questions and the requirement broken in each.
    """
    rng = Random(f"{seed}/damage")
    chosen = set(rng.sample(range(len(rows)), round(share * len(rows))))
    done = []
    for number, row in enumerate(rows):
        base_id, constraints = row["meta"]["base_id"], _constraints(row)
        response, broken = witnesses[base_id], None
        if number in chosen:
            broken = rng.randrange(len(constraints))
            target = constraints[broken]
            response = corrupt(target["category"], target["params"], response)
        verdicts = tuple(
            (item["category"], place != broken and verify(item["category"], item["params"], response).passed)
            for place, item in enumerate(constraints)
        )
        name = None if broken is None else str(constraints[broken]["category"])
        done.append(Damaged(base_id, response, name, verdicts))
    return done


def expectation(damaged: Sequence[Damaged]) -> dict[str, Any]:
    """The rates that a scorer has to find.

    ``sample_pass_rate`` follows from the rule alone: one minus the share of broken questions.
    """
    broken = sum(item.broken is not None for item in damaged)
    shares = [sum(passed for _, passed in item.verdicts) / len(item.verdicts) for item in damaged]
    return {
        "questions": len(damaged),
        "broken": broken,
        "sample_pass_rate": 1 - broken / len(damaged),
        "constraint_pass_rate": sum(shares) / len(shares),
        "broken_requirements": {item.base_id: item.broken for item in damaged if item.broken is not None},
    }


def _read(path: Path) -> list[dict[str, Any]]:
    return [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines() if line]


def main(argv: Sequence[str] | None = None) -> int:
    """Run from the command line; 0 on success."""
    parser = argparse.ArgumentParser(prog="python -m tasks.ifhard.build.damage", description="Damage witnesses.")
    parser.add_argument("--dataset", type=Path, required=True, help="folder of test.jsonl and witnesses.jsonl")
    parser.add_argument("--share", type=float, required=True, help="share of questions to break, 0 to 1")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--out", type=Path, required=True, help="answers; the expectation goes to OUT.expected.json")
    options = parser.parse_args(argv)
    if not 0 <= options.share <= 1:
        parser.error(f"--share must be from 0 to 1, got {options.share}")
    for name in ("test.jsonl", "witnesses.jsonl"):
        if not (options.dataset / name).is_file():
            parser.error(f"--dataset {options.dataset}: there is no {name} in it")
    answers = _read(options.dataset / "witnesses.jsonl")
    witnesses = {answer["id"]: answer["response"] for answer in answers}
    damaged = damage(_read(options.dataset / "test.jsonl"), witnesses, options.share, options.seed)
    lines = [{"task": answers[0]["task"], "id": item.base_id, "response": item.response} for item in damaged]
    text = "".join(json.dumps(line, ensure_ascii=False) + "\n" for line in lines)
    options.out.write_text(text, encoding="utf-8", newline="\n")
    expected = json.dumps(expectation(damaged), ensure_ascii=False, indent=2) + "\n"
    beside = options.out.with_name(options.out.name + ".expected.json")
    beside.write_text(expected, encoding="utf-8", newline="\n")
    sys.stderr.write(f"{len(damaged)} answers in {options.out.absolute()}, what to expect of them in {beside.name}\n")
    return 0


if __name__ == "__main__":
    speak_utf8()
    survive_closed_pipes()
    sys.exit(main())
