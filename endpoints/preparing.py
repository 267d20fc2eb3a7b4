"""Makes the requests of a run ready: fitted to the server's window, with the answers that are at hand told apart."""

from collections.abc import Callable, Container, Sequence

from lighteval.tasks.requests import Doc

from endpoints.client import Endpoint
from endpoints.model_config import EndpointModelConfig
from endpoints.outcome import Outcome
from endpoints.outlook import Outlook
from endpoints.planning import Plan, plan_requests
from endpoints.request import Request
from endpoints.saved import SavedResponses

__all__ = ["find_saved", "prepare"]

_WithCap = Callable[[Doc, int | None], Request]


async def prepare(
    docs: Sequence[Doc],
    requests: Sequence[Request],
    config: EndpointModelConfig,
    with_cap: _WithCap,
    endpoint: Endpoint,
    kept: Container[str],
) -> Outlook:
    """The requests for documents, before they are sent to a server.

    Args:
        docs: in the order in which they are asked.
        requests: for each of them, with the cap that is asked for now.
        config: of the model.
        with_cap: makes the request for a document with a cap in tokens, None for the task's own.
        endpoint: the server.
        kept: keys of requests whose answers are at hand.

    Raises:
        EndpointError: the server cannot be reached, or does not serve the model.
    """
    server = await endpoint.describe(config.request_model, must_be_listed=config.access.listed)
    window = config.window or server.max_model_len
    plan = await plan_requests(requests, window, endpoint)
    earlier = await _keep_earlier(plan, docs, config, with_cap, endpoint, kept)
    notes = plan.notes(requests, window)
    if earlier:
        notes.insert(0, f"{earlier} answers are kept from before the cap was lowered: theirs was higher")
    places = [i for i, request in enumerate(plan.requests) if request is not None and request.key() in kept]
    return Outlook(requests, plan, window, places, endpoint.tokenizer, notes)


async def _keep_earlier(
    plan: Plan,
    docs: Sequence[Doc],
    config: EndpointModelConfig,
    with_cap: _WithCap,
    endpoint: Endpoint,
    kept: Container[str],
) -> int:
    """Put back into the plan each request that was answered under a cap or window of an earlier session.

    Returns:
        How many.
    """
    found = 0
    for most, window in config.earlier_limits:
        open_places = [i for i, request in enumerate(plan.requests) if request is None or request.key() not in kept]
        earlier = await plan_requests([with_cap(docs[i], most) for i in open_places], window, endpoint)
        for place, request in zip(open_places, earlier.requests, strict=True):
            if request is not None and request.key() in kept:
                plan.requests[place] = request
                plan.rejected.pop(place, None)
                found += 1
    return found


def find_saved(requests: Sequence[Request], saved: SavedResponses) -> tuple[list[Outcome], Outlook]:
    """The saved answer to each request, in the same order, and what is known of them before they are scored."""
    outcomes = [saved.outcome(request.task, request.sample_id, request.repeat) for request in requests]
    kept = [place for place, outcome in enumerate(outcomes) if outcome.status != "not_asked"]
    outlook = Outlook.unserved(requests, None, kept)
    if saved.unused:
        outlook.notes.append(f"{saved.unused} of {len(saved)} saved answers belong to no sample of this run")
    silent = sum(outcome.status == "answered" and outcome.finish_reason is None for outcome in outcomes)
    if silent:
        outlook.notes.append(f"{silent} saved answers do not say how they ended: they count as not truncated")
    return outcomes, outlook
