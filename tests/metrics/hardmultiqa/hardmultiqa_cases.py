"""Cases of tests/metrics/hardmultiqa/cases, and a scripted judge that replies with what a case says."""

import asyncio
import json
from fractions import Fraction
from pathlib import Path

import yaml

from judges.hardmultiqa.judging import judge
from judges.judgement import JudgeReply
from metrics.hardmultiqa.records import score
from metrics.record import Answer, Sample

FOLDER = Path(__file__).with_name("cases")


def load_cases():
    cases = []
    for path in sorted(FOLDER.glob("*.yaml")):
        group = yaml.safe_load(path.read_text(encoding="utf-8"))
        cases += [{"type": group["type"], "question": group["question"], "cut": [], **case} for case in group["cases"]]
    return cases


def replies_of(case):
    """The judge's replies, one an attempt; the last is repeated."""
    if "reply" in case:
        return [case["reply"]] if isinstance(case["reply"], str) else case["reply"]
    names = ("quote", "correction") if case["type"] == "mistakes" else ("quote",)
    elements = [
        {"i": i, **dict(zip(names, [entry] if isinstance(entry, str) else entry, strict=True))}
        for i, entry in enumerate(case["elements"], 1)
    ]
    matches = [{"element": element, "reference": reference} for element, reference in case["matches"]]
    return [json.dumps({"elements": elements, "matches": matches}, ensure_ascii=False)]


def wanted_score(case):
    return None if case["score"] is None else float(Fraction(str(case["score"])))


def sample_of(case):
    scoring = {name: case[name] for name in ("type", "question", "reference", "cut")}
    labels = json.dumps({"type": case["type"], "topic": ""})
    return Sample(case["id"], 0, json.dumps(scoring, ensure_ascii=False), labels)


def run_case(case):
    """(judgement, record, calls) of a case."""
    replies = replies_of(case)
    calls = []

    async def ask(call):
        calls.append(call)
        return JudgeReply(replies[min(len(calls), len(replies)) - 1], 100, 10)

    sample, answer = sample_of(case), Answer(case["answer"])
    judgement = asyncio.run(judge(sample, answer, ask))
    return judgement, score(sample, answer, judgement), calls
