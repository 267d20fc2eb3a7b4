"""Cutting reasoning off a generation, and taking a fenced block out of one."""

from random import Random
from typing import Final

from endpoints.outcome import Outcome
from endpoints.reasoning_marks import MARKS, mark_of, without_marks
from metrics.ifbench import reasoning as ifbench_reasoning
from metrics.ifhard import reasoning as ifhard_reasoning
from metrics.reasoning import cut_reasoning
from metrics.sobhard.extraction import unpack, unwrap
from proofs.fuzz.group import TextGroup
from proofs.fuzz.mutation import edited, long_run
from proofs.fuzz.prose import sentence

__all__ = ["TEXTS"]

_TAGS: Final = (
    *(
        "<think>",
        "</think>",
        "<THINK>",
        "</Thin\u212a>",
        "<thin\u212a>",
        "<think",
        "/think>",
        "< think>",
        "<thinking>",
        "</thinking>",
    ),
    *(
        "<reason>",
        "</reason>",
        "<scratchpad>",
        "</SCRATCHPAD>",
        "```",
        "```json\n",
        "\n```\n",
        "~~~\n",
        "\n~~~\n",
        " ````a\n",
        "\n",
    ),
    *(
        "<|channel|>analysis<|message|>",
        "<|end|><|start|>assistant<|channel|>final<|message|>",
        "<|return|>",
        "assistantfinal",
    ),
    *(
        "analysis",
        "commentary to=x<|message|>",
        "<|channel|>final<|constrain|>json<|message|>",
        "[THINK]",
        "[/THINK]",
        "</s>",
    ),
    *(
        "<|channel>thought\n",
        "thought\n",
        "<channel|>",
        "<turn|>",
        "<end_of_turn>",
        "Here's my thought process:",
        "Here is my response:",
    ),
    *(
        "<seed:think>",
        "</seed:think>",
        "<seed:eos>",
        "<|START_THINKING|>",
        "<|END_THINKING|>",
        "<|START_RESPONSE|>",
        "<|END_TEXT|>",
    ),
    *(
        "<response>",
        "</response>",
        "<answer>",
        "</answer>",
        "<think:a1>",
        "</think:a1>",
        "<|open|>think<|sep|>",
        "<|close|>think<|sep|>",
    ),
    *(
        "<|open|> response <|sep|>",
        "<ifm|think_fast>",
        "</ifm|think_faster>",
        "<mm:think>",
        "</mm:think>",
        "<|content_thinking|>",
    ),
    *(
        "<|content_text|>",
        "<|end_message|>",
        "<|plamo:begin_think:plamo|>",
        "<|plamo:end_think:plamo|>",
        "to=self<|message|>",
    ),
    *(
        "to=user<|message|>",
        "<|eom|>",
        "◁think▷",
        "◁/think▷",
        "<thought>",
        "</thought>",
        "<|begin_of_thought|>",
        "<|end_of_thought|>",
    ),
    *(
        "<|begin_of_solution|>",
        "<|end_of_solution|>",
        "<|inner_prefix|>",
        "<|inner_suffix|>",
        "<longcat_think>",
        "</longcat_think>",
        "</output>",
    ),
)


def _tagged(source: Random) -> str:
    """Tags and sentences by turns; one in five edited, now and then a tag stands there thousands of times."""
    parts = [source.choice(_TAGS) if source.random() < 0.6 else sentence(source) for _ in range(source.randrange(1, 9))]
    if source.random() < 0.002:
        parts.append(
            source.choice(_TAGS) * source.choice((300, 3_000, 20_000)) if source.random() < 0.7 else long_run(source)
        )
    text = source.choice(("", "", " ", "\n")).join(parts)
    return edited(source, text) if source.random() < 0.2 else text


def _ifhard(text: str) -> str:
    found = ifhard_reasoning.split_reasoning(text)
    if found.answer != found.answer.strip():
        raise AssertionError("an answer that is not trimmed")
    return f"{bool(found.answer)} {bool(found.trace)} {found.unclosed}"


def _ifbench(text: str) -> str:
    found = ifbench_reasoning.split_reasoning(text)
    return f"{found.extraction} {bool(found.trace)} {found.unclosed} {found.first_tag == found.answer}"


def _package(text: str) -> str:
    found = cut_reasoning(text)
    if not text.endswith(found.answer):
        raise AssertionError("an answer that does not end the text")
    return f"{bool(found.trace)} {found.unclosed}"


def _marks(text: str) -> str:
    """Every family of marks is cut, whichever the text has."""
    outcome = Outcome(
        status="answered",
        text=text,
        reasoning=None,
        finish_reason="stop",
        prompt_tokens=None,
        completion_tokens=None,
        attempts=1,
    )
    first = mark_of(text)
    cut = [name for name in MARKS if without_marks(outcome, name) is not outcome]
    return f"{first.name if first else None} {' '.join(cut)}"


def _extraction(text: str) -> str:
    found = unpack(text, "json")
    inside = unwrap(text)
    if found.outside_at is not None and found.line(found.outside_at) < 1:
        raise AssertionError("text outside of a block before the first line")
    return f"{min(len(found.blocks), 3)} {found.unclosed is None} {bool(found.outside)} {inside == text.strip()}"


TEXTS: Final = TextGroup(
    "texts",
    {
        "ifhard.reasoning": _ifhard,
        "ifbench.reasoning": _ifbench,
        "metrics.reasoning": _package,
        "endpoints.reasoning_marks": _marks,
        "sobhard.extraction": _extraction,
    },
    _tagged,
)
