"""Templates: a line of labelled places for every record."""

from typing import Any, Final

from builders.sobhard.samplers.draw import Choice, Draw, after
from builders.sobhard.samplers.facts import places, records_of
from builders.sobhard.samplers.programs import Unsuitable

__all__ = ["template"]

_PHRASES: Final = (
    "{label}: {slot}",
    "{label} — {slot}",
    "{label}={slot}",
    "[{label}] {slot}",
    "{label} «{slot}»",
    "{slot} ({label})",
)
_JOINTS: Final = ("; ", ", ", " | ", " / ", " · ", "\t")
# Rules whose work lines of a template show: which records there are, in which order, under which names.
_RULES_OF_LINES: Final = (
    *("filter_records", "sort_records", "dedup_records", "top_n_per_group", "renumber", "camel_keys"),
)


def template(draw: Draw) -> Choice:
    """A line of labelled places; with an escape where the slot says so."""
    rng, value = draw.rng, draw.document.value
    recipe = draw.program(value, last=False, allowed=_RULES_OF_LINES)
    records = records_of(after(value, recipe))
    if len(records) < 3:
        raise Unsuitable("no records for a template")
    paths = [place.path for place in places(records[0]) if not isinstance(place.value, dict | list)]
    usable = [path for path in paths if _plain_everywhere(records, path)]
    wanted = min(draw.count("placeholders"), len(usable))
    if wanted < 2:
        raise Unsuitable("too few fields for a template")
    chosen = rng.sample(usable, wanted)
    # A number that a rule has written must be seen.
    written = [step["params"]["field"] for step in recipe.get("program", ()) if step["rule"] == "renumber"]
    chosen = [*chosen[: wanted - len(written)], *written] if not set(written) & set(chosen) else chosen
    joint = rng.choice(_JOINTS)
    parts = [rng.choice(_PHRASES).format(label=path.rpartition(".")[2], slot=f"${{{path}}}") for path in chosen]
    if draw.slot.escape:
        parts.insert(rng.randrange(len(parts) + 1), f"$${{{rng.choice(chosen)}}}")
    return {**recipe, "template": joint.join(parts)}, {}


def _plain_everywhere(records: list[dict[str, Any]], path: str) -> bool:
    """Whether a path leads to no container and to no text that looks like a place in any record."""
    for record in records:
        found = {place.path: place.value for place in places(record)}.get(path)
        if isinstance(found, dict | list) or (isinstance(found, str) and ("${" in found or "\n" in found)):
            return False
    return True
