"""Reasoning behind known marks: found, cut, and no ordinary answer touched."""

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from endpoints.model_config import config_from_environment
from endpoints.outcome import Outcome
from endpoints.reasoning_marks import MARKS, mark_of, marks_named, without_marks

THOUGHT, ANSWER = "Сначала подумаю: 2 < 3.\n\nГотово.", "**Ответ**\n- да\n- нет"
WRAPPED = {
    "openai_gptoss": [
        "<|channel|>analysis<|message|>{t}<|end|><|start|>assistant<|channel|>final<|message|>{a}<|return|>",
        "<|start|>assistant<|channel|>analysis<|message|>{t}<|end|><|start|>assistant<|channel|>final<|message|>{a}",
        "<|channel|>analysis<|message|>{t}<|end|><|channel|>final <|constrain|>json<|message|>{a}",
        "analysis{t}assistantfinal{a}",
    ],
    "mistral": ["[THINK]{t}[/THINK]{a}", "\n[THINK]\n{t}\n[/THINK]\n\n{a}</s>"],
    "gemma4": ["<|channel>thought\n{t}<channel|>{a}<turn|>", "thought\n{t}\n<channel|>\n{a}"],
    "granite": [
        "Here is my thought process: {t} Here is my response: {a}",
        "Here's my thought process:\n{t}\nHere's my response:\n{a}",
    ],
    "seed_oss": ["<seed:think>{t}</seed:think>{a}", "<seed:think>\n{t}\n</seed:think>\n\n{a}<seed:eos>"],
    "cohere_command3": [
        "<|START_THINKING|>{t}<|END_THINKING|><|START_RESPONSE|>{a}<|END_RESPONSE|>",
        "<|START_THINKING|>{t}<|END_THINKING|>\n<|START_TEXT|>{a}<|END_TEXT|><|END_OF_TURN_TOKEN|>",
        "<|START_THINKING|>{t}<|END_THINKING|>{a}",
    ],
    "ernie45": ["<think>\n{t}\n</think>\n\n<response>\n{a}\n</response>\n", "{t}</think><response>{a}</response>"],
    "hunyuan_a13b": ["<think>\n{t}\n</think>\n<answer>\n{a}\n</answer>"],
    "hy_v4": ["<think:6124c78e>{t}</think:6124c78e>{a}"],
    "kimi_k3": [
        "<|open|>think<|sep|>{t}<|close|>think<|sep|><|open|>response<|sep|>{a}"
        "<|close|>response<|sep|><|close|>message<|sep|>",
        "<|open|> think <|sep|>{t}<|close|> think <|sep|> <|open|> response <|sep|>{a}<|close|> response <|sep|>",
    ],
    "k2_horizon": ["<ifm|think>{t}</ifm|think>{a}", "<ifm|think_faster>{t}</ifm|think_faster>\n{a}"],
    "minimax_m3": ["<mm:think>{t}</mm:think>{a}"],
    "inkling": ["<|content_thinking|>{t}<|content_text|>{a}<|end_message|><|content_model_end_sampling|>"],
    "plamo3": ["<|plamo:begin_think:plamo|>{t}<|plamo:end_think:plamo|>{a}"],
    "muse_glimmer": ["to=self<|message|>{t}to=user<|message|>{a}<|eot|>"],
    "kimi_vl": ["◁think▷{t}◁/think▷{a}"],
    "exaone_deep": ["<thought>\n{t}\n</thought>\n{a}"],
    "openthinker": [
        "<|begin_of_thought|>\n{t}\n<|end_of_thought|>\n<|begin_of_solution|>\n{a}\n<|end_of_solution|>",
    ],
    "apertus": ["<|inner_prefix|>{t}<|inner_suffix|>{a}"],
    "longcat": ["<longcat_think>\n{t}\n</longcat_think>\n{a}"],
    "thinking": ["<thinking>{t}</thinking>{a}"],
}
CASES = [(name, form) for name, forms in WRAPPED.items() for form in forms]


def test_every_row_has_a_case_and_a_source():
    """A parser of vLLM, or where else the marks are written down."""
    assert set(WRAPPED) == set(MARKS)
    for row in MARKS.values():
        assert row.source
        assert (row.parser is None) != ("vLLM" in row.source)


@pytest.mark.parametrize(("name", "form"), CASES)
def test_reasoning_in_marks_is_found_and_cut(name, form):
    """The answer is left whole; the reasoning is stored without the marks around it, behind what the server gave."""
    text = form.format(t=THOUGHT, a=ANSWER)
    found = mark_of(text)
    assert found is not None
    assert found.name == name
    cut = without_marks(Outcome(status="answered", text=text), name)
    assert (cut.text, cut.reasoning) == (ANSWER, THOUGHT)
    assert mark_of(cut.text) is None
    assert without_marks(cut, name) == cut
    assert (
        without_marks(Outcome(status="answered", text=text, reasoning="раньше"), name).reasoning == f"раньше\n{THOUGHT}"
    )


@pytest.mark.parametrize(("name", "form"), CASES)
def test_reasoning_without_an_end_stays_in_the_text(name, form):
    """As with ``<think>``: the text is scored as it stands, and where an opening mark shows it, it is counted."""
    opening = form.partition("{t}")[0]
    outcome = Outcome(status="answered", text=opening + THOUGHT, finish_reason="length")
    assert without_marks(outcome, name) == outcome
    if name not in ("ernie45", "hunyuan_a13b"):  # up to here these are plain <think>
        assert (mark_of(outcome.text) or outcome) == MARKS[name]


@pytest.mark.parametrize("name", [name for name, row in MARKS.items() if row.distinct])
def test_reasoning_that_the_template_began_is_cut(name):
    """The opening mark is in the prompt then, and only the closing one in the text."""
    text = WRAPPED[name][0].format(t=THOUGHT, a=ANSWER)
    started = text[text.index(THOUGHT) :]
    found = mark_of(started)
    assert found is not None
    assert found.name == name
    cut = without_marks(Outcome(status="answered", text=started), name)
    assert (cut.text, cut.reasoning) == (ANSWER, THOUGHT)


@pytest.mark.parametrize(
    "text",
    [
        "",
        " \n",
        "Ответ: да.",
        "<think>\nхм\n</think>\n\nда",
        "<think>без конца",
        "analysis of the text: да",
        "analysis\n\nда",
        "Analysis\nassistantfinal",
        "Here is my response: да",
        "thought experiment",
        "<answer>да</answer>",
        "<response>да</response>",
        "Тег </thought> закрывает мысль.",
        "[THINKING] да",
        "```xml\n<thinking>да</thinking>\n```",
    ],
)
@pytest.mark.parametrize("name", MARKS)
def test_ordinary_answers_are_left_alone(text, name):
    """The contract's own tags too: the package cuts those itself."""
    outcome = Outcome(status="answered", text=text, reasoning="хм")
    assert mark_of(text) is None
    assert without_marks(outcome, name) is outcome


def test_other_marks_and_blocked_replies_are_left_alone():
    """Only the marks that were named are cut, and only off answers."""
    text = "[THINK]хм[/THINK]да"
    for outcome, name in (
        (Outcome(status="answered", text=text), "seed_oss"),
        (Outcome(status="answered", text=text), None),
        (Outcome(status="blocked", text=text), "mistral"),
    ):
        assert without_marks(outcome, name) is outcome


@given(st.text(st.sampled_from("<>|[]/ \nTHINKaд"), max_size=40), st.sampled_from(sorted(MARKS)))
def test_no_text_is_lost(text, name):
    """Whatever the text: nothing raises, and answer and reasoning are parts of it in this order."""
    cut = without_marks(Outcome(status="answered", text=text), name)
    parts = [re.escape(part) for part in (cut.reasoning or "", cut.text)]
    assert re.search(".*".join(parts), text, re.DOTALL)


@pytest.mark.timeout(60)
@pytest.mark.parametrize(
    "unit", ["</think> ", "\n", "analysis", "[THINK]", "</s>", "<|channel|>", "to=user<|message|>"]
)
def test_a_million_characters_are_looked_at_once(unit):
    """Marks over and over, and white space without end."""
    text = unit * (1_000_000 // len(unit))
    for start in ("", "[THINK]", "analysis"):
        mark_of(start + text)
        for row in MARKS.values():
            row.split(start + text)


@pytest.mark.parametrize(
    ("given_name", "name"),
    [
        *((name, name) for name in MARKS),
        ("gpt-oss", "openai_gptoss"),
        ("Harmony", "openai_gptoss"),
        ("[THINK]", "mistral"),
        ("Command-A", "cohere_command3"),
        ("seed-oss", "seed_oss"),
        ("ERNIE-4.5", "ernie45"),
    ],
)
def test_names_and_other_names(given_name, name):
    """Case and hyphens do not matter."""
    assert marks_named(given_name) == name
    assert config_from_environment("m", {"ENDPOINT_REASONING_MARKS": given_name}).reasoning_marks == name


@pytest.mark.parametrize("name", ["", "qwen", "think", "</think>", "*"])
def test_an_unknown_name_lists_the_known_ones(name):
    """``</think>`` is nobody's: it is always cut."""
    with pytest.raises(ValueError, match=r"openai_gptoss, mistral, gemma4"):
        marks_named(name)
