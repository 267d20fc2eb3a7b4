"""The preflight of a run: what is known before anything is sent, in lines."""

from collections import Counter
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from endpoints.outlook import LongestPrompt, Outlook, idle_keys, kept_lines, longest_prompt
from endpoints.request import Request
from metrics.reasons import nouns
from runner.answer_source import AnswerSource
from runner.console import say
from runner.idle_keys import idle_warnings
from runner.settings import Settings
from tasks.benchmark import Benchmark
from tasks.names import TaskName

__all__ = ["Preflight"]


@dataclass(frozen=True, slots=True)
class Preflight:
    """Says what a run is about to send.

    Attributes:
        settings: of the run.
        benchmarks: by name.
        server: what answers.
        run_dir: the run's folder; None before it is made.
        write: writes one line.
    """

    settings: Settings
    benchmarks: Mapping[str, Benchmark]
    server: AnswerSource
    run_dir: Path | None = None
    write: Callable[[str], None] = say

    async def tell(self, outlook: Outlook) -> None:
        """Write the lines; warnings are added to the outlook's notes, for the table."""
        earlier = list(outlook.notes)
        warnings = await self._idle(outlook)
        self.write("preflight, before anything is sent:")
        for line in [*self._requests(outlook), *await self._sizes(outlook), *(f"note: {note}" for note in earlier)]:
            self.write(f"  {line}")
        for line in warnings:
            say(f"warning: {line}")
        outlook.notes.extend(warnings)

    def _requests(self, outlook: Outlook) -> Iterator[str]:
        sent = Counter(request.task for request in outlook.requests)
        answers = Counter(outlook.requests[place].task for place in self._answered(outlook))
        for task, count in sent.items():
            questions = len({request.sample_id for request in outlook.requests if request.task == task})
            of = f" ({nouns(questions, 'question')}, {self.settings.repeats} answers each)"
            judged = f", about {answers[task]} to the judge" if self._has_judge(task) else ""
            what = nouns(count, "request") if self.settings.responses is None else f"{nouns(count, 'answer')} to score"
            yield f"{task}: {what}{of if count != questions else ''}{judged}"
        if any(map(self._has_judge, sent)):
            yield "judge: one request an answer; none for an empty one, more where a reply cannot be read"
        rest = len(outlook.requests) - len(outlook.kept) - len(outlook.plan.rejected)
        may_end = self.settings.stop_when and not self.settings.past_stop and rest
        early = "; --stop-when may end the run earlier" if may_end else ""
        if self.settings.responses is not None:
            lacking = f"; {rest} have none and are not asked" if rest else ""
            yield f"at hand: {len(outlook.kept)} of {len(outlook.requests)} answers, saved{lacking}{early}"
        elif outlook.kept or len(sent) > 1 or early:
            kept = f"{len(outlook.kept)} of {len(outlook.requests)} answers are at hand; " if outlook.kept else ""
            yield f"{kept}{nouns(rest, 'request')} to send{early}"
        verdicts = self._kept_verdicts(sent)
        if verdicts:
            yield f"judgements.jsonl has replies about {verdicts} answers; what still applies is not asked again"

    def _answered(self, outlook: Outlook) -> Collection[int]:
        """Places of the requests that there may be an answer to."""
        if self._saved:
            return outlook.kept
        return [place for place in range(len(outlook.requests)) if place not in outlook.plan.rejected]

    @property
    def _saved(self) -> bool:
        """Whether no model is asked."""
        return self.settings.responses is not None or self.server.kept is not None

    def _has_judge(self, task: str) -> bool:
        return self.benchmarks[TaskName.read(task).benchmark].judging is not None

    def _kept_verdicts(self, tasks: Mapping[str, int]) -> int:
        if self.run_dir is None or not any(map(self._has_judge, tasks)):
            return 0
        lines = kept_lines(self.run_dir / "judgements.jsonl")
        return len({(line.task, line.sample_id, line.repeat) for line in lines if line.task in tasks})

    async def _sizes(self, outlook: Outlook) -> list[str]:
        if self._saved:
            return []
        return [self._cap(outlook.requests), self._window(outlook), *_longest(await longest_prompt(outlook), outlook)]

    def _cap(self, requests: Sequence[Request]) -> str:
        caps = sorted({request.max_tokens for request in requests})
        of = "--max-new-tokens" if self.settings.max_new_tokens else "the task's own"
        if not self.settings.max_new_tokens and self.server.default_cap:
            of = "the embedded model's own"
        return f"cap: {' to '.join(map(str, dict.fromkeys([*caps[:1], *caps[-1:]])))} new tokens an answer ({of})"

    def _window(self, outlook: Outlook) -> str:
        if outlook.window is None:
            unstarted = self.server.base_url is None
            later = "until the server is started" if unstarted else "yet; a refusal that names it will lower the caps"
            return f"the server's window: not known {later}"
        learnt = f", learnt from {self.server.window_source}" if self.server.window_source else ""
        return f"the server's window: {outlook.window} tokens{learnt}"

    async def _idle(self, outlook: Outlook) -> list[str]:
        """Warnings of variables of the chat template that change nothing."""
        if not self.settings.chat_template_kwargs or self._saved:
            return []
        option = "--chat-template-kwargs"
        chats = [request for request in outlook.requests if request.kind == "chat"]
        if not chats:
            return [f"{option} changes nothing: no request of this run goes through the chat template"]
        if outlook.tokenizer is None:
            return []
        idle = await idle_keys(chats[0], outlook.tokenizer)
        if idle is None:
            self.write(f"{option}: whether the template reads it cannot be told, the server does not say (/tokenize)")
        return idle_warnings(option, idle or [])


def _longest(longest: LongestPrompt | None, outlook: Outlook) -> list[str]:
    if longest is None:
        return []
    request = longest.request
    how = "counted by the server" if longest.counted else "estimated from its bytes"
    tokens = f"{longest.tokens} tokens" if longest.counted else f"about {longest.tokens} tokens"
    left = ""
    if outlook.window is not None:
        spare = outlook.window - longest.tokens
        left = f"; {spare} of the window are left for its answer" if spare > 0 else "; the window has no room for it"
    return [f"longest prompt: {tokens}, {how} ({request.task} {request.sample_id}){left}"]
