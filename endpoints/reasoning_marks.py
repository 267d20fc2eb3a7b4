"""Reasoning that stands in an answer behind marks which nobody cut: the known marks, finding them, cutting them.

``</think>`` is none of them: the package itself cuts everything through it (``metrics/reasoning.py``). A server that is
started with the right ``--reasoning-parser`` returns reasoning apart; without it, the marks below stay in the text.
Each row names the parser of vLLM 0.32 that removes its marks, and was read off that parser's source; where vLLM has
none, the row says where the marks are written down.
"""

import re
from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Final

from endpoints.outcome import Outcome

__all__ = ["MARKS", "Marks", "mark_of", "marks_named", "without_marks"]

_TAILS: Final = 4  # marks at the end of an answer, one after another
_LONGEST_TAIL: Final = 64  # characters


@dataclass(frozen=True, slots=True)
class Marks:
    """How one family of models marks its reasoning.

    Attributes:
        name: what ``--reasoning-marks`` calls it: vLLM's name of the parser where there is one.
        parser: the ``--reasoning-parser`` that removes them; None where vLLM has none.
        source: where the marks are written down.
        opening: matches at the start of an answer, behind white space.
        closing: its first match ends the reasoning.
        tail: marks that may end the answer; None for none.
        distinct: whether no ordinary text holds ``closing``: the opening mark may then be missing, as where a template
            has begun the reasoning in the prompt.
        aliases: other names of it, in lower case with underscores.
    """

    name: str
    parser: str | None
    source: str
    opening: re.Pattern[str]
    closing: re.Pattern[str]
    tail: re.Pattern[str] | None = None
    distinct: bool = True
    aliases: tuple[str, ...] = ()

    def opens(self, text: str) -> bool:
        """Whether the answer begins with a mark, or holds the end of a reasoning that the prompt began."""
        return self.opening.match(text) is not None or (self.distinct and self.closing.search(text) is not None)

    def split(self, text: str) -> tuple[str, str] | None:
        """The answer and the reasoning; None if the text has no such reasoning, or it has no end."""
        close = self.closing.search(text) if self.opens(text) else None
        if close is None:
            return None
        begin = self.opening.match(text)
        start = min(begin.end(), close.start()) if begin is not None else 0
        return self._without_tail(text[close.end() :].lstrip()), text[start : close.start()].strip()

    def _without_tail(self, answer: str) -> str:
        for _ in range(_TAILS if self.tail is not None else 0):
            kept = answer.rstrip()
            end = self.tail.search(kept, max(len(kept) - _LONGEST_TAIL, 0)) if self.tail is not None else None
            if end is None:
                break
            answer = kept[: end.start()].rstrip()
        return answer


def _row(
    name: str,
    opening: str,
    closing: str,
    *,
    source: str = "",
    tail: str = "",
    distinct: bool = True,
    aliases: tuple[str, ...] = (),
) -> Marks:
    return Marks(
        name,
        None if source else name,
        source or f"vLLM 0.32, --reasoning-parser {name}",
        re.compile(rf"\s*+(?:{opening})"),
        re.compile(closing),
        re.compile(rf"(?:{tail})\Z") if tail else None,
        distinct,
        aliases,
    )


_ROWS: Final = (
    # Harmony channels; a server that skips special tokens leaves their names alone: "analysisWe ... assistantfinalYes".
    _row(
        "openai_gptoss",
        r"(?:<\|start\|>assistant)?<\|channel\|>\s*(?:(?:analysis|commentary)\b(?:[^<]{0,80}<\|message\|>)?|final\b)"
        r"|(?:analysis|commentary)(?=[^\W\d_a-z]|(?s:.*?)assistantfinal)",
        r"(?:<\|end\|>\s*)?(?:<\|start\|>assistant)?"
        r"<\|channel\|>\s*final\b[^<]{0,80}(?:<\|constrain\|>[^<]{0,80})?<\|message\|>|assistantfinal",
        tail=r"<\|(?:return|end|call)\|>",
        distinct=False,
        aliases=("gptoss", "harmony"),
    ),
    _row("mistral", r"\[THINK\]", r"\[/THINK\]", tail="</s>", aliases=("magistral", "[think]")),
    # A server that skips special tokens leaves the channel's name, and no end.
    _row(
        "gemma4",
        r"<\|channel>(?:\s*thought\b)?|thought\n",
        r"<channel\|>",
        tail=r"<turn\|>|<eos>|<end_of_turn>",
        aliases=("gemma",),
    ),
    _row("granite", r"Here(?:'s| is) my thought process:", r"Here(?:'s| is) my response:", distinct=False),
    _row("seed_oss", r"<seed:think>", r"</seed:think>", tail=r"<seed:eos>", aliases=("seed",)),
    _row(
        "cohere_command3",
        r"<\|START_(?:THINKING|RESPONSE|TEXT)\|>",
        r"<\|END_THINKING\|>(?:\s*<\|START_(?:RESPONSE|TEXT)\|>)?|<\|START_(?:RESPONSE|TEXT)\|>",
        tail=r"<\|END_(?:RESPONSE|TEXT|OF_TURN_TOKEN)\|>",
        aliases=("command_a", "cohere", "cohere_command4"),
    ),
    # The package cuts the reasoning of these; their answers are wrapped once more, as those of Granite 3.3 and GLM-Z1.
    _row(
        "ernie45",
        r"<think>(?=(?s:.*?)</think>\s*<response>)",
        r"</think>\s*<response>",
        tail="</response>",
        aliases=("ernie",),
    ),
    _row(
        "hunyuan_a13b",
        r"<think>(?=(?s:.*?)</think>\s*<answer>)",
        r"</think>\s*<answer>",
        tail="</answer>",
        aliases=("hunyuan",),
    ),
    # The marks have a suffix that differs from checkpoint to checkpoint.
    _row("hy_v4", r"<think:[^\s>]{1,40}>", r"</think:[^\s>]{1,40}>", aliases=("hy_v3",)),
    _row(
        "kimi_k3",
        r"<\|open\|>\s*(?:think|response)\s*<\|sep\|>",
        r"<\|close\|>\s*think\s*<\|sep\|>(?:\s*<\|open\|>\s*response\s*<\|sep\|>)?|<\|open\|>\s*response\s*<\|sep\|>",
        tail=r"<\|close\|>\s*(?:response|message)\s*<\|sep\|>",
    ),
    _row("k2_horizon", r"<ifm\|think(?:_fast(?:er)?)?>", r"</ifm\|think(?:_fast(?:er)?)?>"),
    _row("minimax_m3", r"<mm:think>", r"</mm:think>", aliases=("minimax",)),
    _row(
        "inkling",
        r"(?:<\|message_model\|>)?<\|content_(?:thinking|text)\|>",
        r"<\|content_text\|>",
        tail=r"<\|(?:end_message|content_model_end_sampling)\|>",
    ),
    _row("plamo3", r"<\|plamo:begin_think:plamo\|>", r"<\|plamo:end_think:plamo\|>"),
    _row(
        "muse_glimmer",
        r"(?:<\|start\|>assistant\s*)?to=(?:self|user)<\|message\|>",
        r"to=user<\|message\|>",
        tail=r"<\|eo[mt]\|>",
    ),
    _row("kimi_vl", r"◁think▷", r"◁/think▷", source="SGLang, --reasoning-parser kimi", aliases=("kimi",)),
    _row(
        "exaone_deep",
        r"<thought>",
        r"</thought>",
        source="model card of LGAI-EXAONE/EXAONE-Deep-7.8B",
        distinct=False,
        aliases=("exaone", "thought"),
    ),
    _row(
        "openthinker",
        r"<\|begin_of_thought\|>",
        r"<\|end_of_thought\|>(?:\s*<\|begin_of_solution\|>)?",
        source="model card of open-thoughts/OpenThinker-7B",
        tail=r"<\|end_of_solution\|>",
    ),
    _row(
        "apertus",
        r"<\|inner_prefix\|>",
        r"<\|inner_suffix\|>",
        source="chat template of swiss-ai/Apertus-8B-Instruct-2509",
    ),
    _row(
        "longcat",
        r"<longcat_think>",
        r"</longcat_think>",
        source="chat template of meituan-longcat/LongCat-Flash-Thinking",
    ),
    _row(
        "thinking",
        r"<thinking>",
        r"</thinking>",
        source="a common prompt, and Reflection-Llama-3.1-70B's model card",
        tail="</output>",
        distinct=False,
    ),
)
MARKS: Final[Mapping[str, Marks]] = {row.name: row for row in _ROWS}


def marks_named(name: str) -> str:
    """The name in ``MARKS`` of the marks with that name or alias; case and hyphens do not matter.

    Raises:
        ValueError: there are none; the message lists the names.
    """
    folded = re.sub(r"\W+", "_", name.casefold()).strip("_")
    wanted = {name.casefold(), folded, folded.replace("_", "")}
    for row in _ROWS:
        if wanted & {row.name, row.name.replace("_", ""), *row.aliases}:
            return row.name
    raise ValueError(f"no marks are called {name!r}; there are {', '.join(MARKS)}")


def mark_of(text: str) -> Marks | None:
    """The known marks that an answer begins with, or whose reasoning it ends; None if there are none."""
    return next((row for row in _ROWS if row.opens(text)), None)


def without_marks(outcome: Outcome, name: str | None) -> Outcome:
    """The outcome with what stands behind marks moved from the text to the reasoning.

    An answer whose reasoning has no end stays as it is, as one that opens ``<think>`` and never closes it does.

    Args:
        outcome: as the server gave it.
        name: of the marks, a key of ``MARKS``; None cuts nothing.
    """
    parted = MARKS[name].split(outcome.text) if name is not None and outcome.status == "answered" else None
    if parted is None:
        return outcome
    answer, trace = parted
    return replace(outcome, text=answer, reasoning="\n".join(filter(None, (outcome.reasoning, trace))) or None)
