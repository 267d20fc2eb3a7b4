"""Notices a judge whose replies are all unreadable in one way, so that a run says so in place of asking on."""

from collections.abc import Callable, Mapping
from typing import Final

__all__ = ["IN_A_ROW", "WINDOW_ADVICE", "ReplyWatch"]

WINDOW_ADVICE: Final = (
    "serve the judge with a larger window (vLLM: --max-model-len), or name another one by --judge-model"
)
IN_A_ROW: Final = 10  # unreadable replies of one kind
_ADVICE: Final[Mapping[str, str]] = {
    "thinking": (
        "hold reasoning and no text. The judge thinks until its cap is used up, or its server files the reply under "
        "reasoning. Switch thinking off with --judge-chat-template-kwargs (the key is the model's own, such as "
        '{"enable_thinking": false}), or raise the cap with --judge-max-tokens'
    ),
    "marks": (
        "hold reasoning in marks that nobody cut, such as <think>. Serve the judge with its --reasoning-parser, or "
        "switch thinking off with --judge-chat-template-kwargs (the key is the model's own, such as "
        '{"enable_thinking": false})'
    ),
    "cap": (
        "end at their token cap. Raise it with --judge-max-tokens, or switch thinking off with "
        "--judge-chat-template-kwargs if the judge thinks in its replies"
    ),
    "window": f"are cut at the end of the judge's window. {WINDOW_ADVICE[0].upper()}{WINDOW_ADVICE[1:]}",
    "form": (
        "do not have the form that was asked for (prose, fences or other keys around the verdict). Its server does not "
        "apply response_format, or the judge is too weak for these prompts; --judge-model names another one"
    ),
}
_OTHER: Final = "hold no verdict: {code}. judgements.jsonl has them; --judge-model names another judge"


class ReplyWatch:
    """Counts a judge's unreadable replies in a row, of one kind.

    Args:
        say: writes one line for the user; called once for each kind.

    Attributes:
        hopeless: whether the last ``IN_A_ROW`` replies were all unreadable in one way: repairs are not worth a call.
    """

    def __init__(self, say: Callable[[str], None]) -> None:
        self.hopeless = False
        self._say = say
        self._kind = ""
        self._count = 0
        self._said: set[str] = set()

    def readable(self) -> None:
        """Count a reply that holds a verdict."""
        self._kind, self._count, self.hopeless = "", 0, False

    def unreadable(self, kind: str) -> None:
        """Count one that holds none.

        Args:
            kind: ``thinking``, ``marks``, ``cap``, ``window``, ``form``, or a code of the reader's own.
        """
        self._count = self._count + 1 if kind == self._kind else 1
        self._kind = kind
        self.hopeless = self._count >= IN_A_ROW
        if self.hopeless and kind not in self._said:
            self._said.add(kind)
            advice = _ADVICE.get(kind, _OTHER.replace("{code}", kind))
            self._say(
                f"the judge: its last {IN_A_ROW} replies {advice}. Until one can be read, each answer is asked about "
                "once; --resume asks again."
            )
