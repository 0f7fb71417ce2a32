"""Which revision of the catalog a page shows: the choice in the header, and the banner of an earlier one."""

from collections.abc import Mapping, Sequence
from typing import Any, Final, NamedTuple

from space.components.html import Markup, join, tag
from space.components.shell import banner
from space.queries.view import View, address

MAX_LATER: Final = 10


class Dated(NamedTuple):
    """One revision of the catalog and when it was made, ISO 8601."""

    number: int
    created_at: str
    commit: str


def as_of(view: View, shown: int, dated: Sequence[Dated]) -> Markup:
    """Return the choice of revisions, newest first; `shown` is the one that this page shows."""
    when = next((each.created_at[:10] for each in dated if each.number == shown), "")
    entries = [
        tag("li", _entry(view, each, is_newest=place == 0, is_shown=each.number == shown)) for place, each in enumerate(dated)
    ]
    if len(dated) == 1:
        entries.append(tag("li", "There is no earlier revision.", class_="muted"))
    said = f"As of {when}" if when else f"As of revision {shown}"
    return tag("details", tag("summary", said), tag("ul", *entries), class_="as-of")


def earlier_banner(view: View, shown: int, later: Sequence[Mapping[str, Any]]) -> Markup:
    """Return what stands over a page of an earlier revision; `later` is what the catalog said of its cells since."""
    said = [_later(record) for record in later[:MAX_LATER]]
    more = len(later) - len(said)
    return banner(
        "stale",
        tag("strong", f"Revision {shown}: "),
        "numbers, ranks and editions as they were published then. ",
        tag("a", "The same view today", href=_today(view)),
        tag("ul", *(tag("li", each) for each in said), tag("li", f"and {more} more") if more > 0 else None) if said else None,
    )


def loading_banner(view: View) -> Markup:
    """Return what stands over a page of an earlier revision that is not there."""
    asked = view.number("revision")
    return banner("note", f"Asked for revision {asked}. ", tag("a", "The same view today", href=_today(view)))


def _entry(view: View, each: Dated, *, is_newest: bool, is_shown: bool) -> Markup:
    link = _today(view) if is_newest else address(view.with_values(revision=each.number))
    text = join(f"{_minute(each)} ", tag("span", f"revision {each.number}", class_="muted"))
    commit = tag("code", each.commit[:10], class_="digest") if each.commit else None
    return join(tag("a", text, href=link, aria_current="true" if is_shown else None), commit)


def _later(record: Mapping[str, Any]) -> Markup:
    cell = tag("a", record["cell_id"], href=address(View("cell", {"cell_id": record["cell_id"]})))
    reason = f": {record['reason']}" if record["reason"] else ""
    return join("later ", str(record["record"]), f" on {str(record['recorded_at'])[:10]}, ", cell, reason)


def _today(view: View) -> str:
    return address(view.with_values(revision=0))


def _minute(each: Dated) -> str:
    return each.created_at[:16].replace("T", " ")
