"""Replies of a server that knows every right answer of the small dataset."""

import re

from fault_server import answer, prompt_of
from mini import right


def number_of(text):
    """The number of the question in a prompt."""
    return int(re.findall(r"вещь номер (\d+)\.", text)[-1])


async def know_all(server, request):
    """A good answer to any question of the small dataset."""
    return await answer(right(number_of(prompt_of(await request.json()))))(server, request)
