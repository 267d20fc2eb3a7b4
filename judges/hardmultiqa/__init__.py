"""The HardMultiQA judge: one prompt a question type, strict reading of the replies.

Policy: an empty answer has a fixed verdict and costs no call; an unreadable reply is asked for again, three attempts
in all, and then the answer is unjudged, never 0 or 1; an endpoint that gives no reply leaves the answer unjudged too,
with the endpoint's words. ``judges`` imports ``metrics`` (scoring keys, the normalisation, the rule for options) and
nothing the other way round.
"""

from judges.hardmultiqa.judging import judge, judging
from judges.hardmultiqa.prompt_files import PROMPTS_VERSION, PromptsError, builtin_prompts, load_prompts

__all__ = ["PROMPTS_VERSION", "PromptsError", "builtin_prompts", "judge", "judging", "load_prompts"]
