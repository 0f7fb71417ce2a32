"""What `/model` and `/agent` share: the list with counts, and one name with all its cells, edition by edition, never averaged."""

from collections.abc import Mapping, Sequence
from itertools import groupby
from typing import Any, Final, Literal

from shared.plural import counted
from space.components.choosing.cells import cells_table
from space.components.choosing.history import trend
from space.components.choosing.picking import compare_form
from space.components.figures import count, day, duration, short
from space.components.html import Child, Markup, join, repository_link, tag
from space.components.paging import paging
from space.components.shell import head, panel
from space.components.subject import NO_MODEL, model_name
from space.components.table import Column, table
from space.listings.cells import LISTING as CELLS
from space.listings.choosing.agent_counts import LISTING as AGENTS
from space.listings.choosing.history import LISTING as HISTORY
from space.listings.choosing.model_counts import LISTING as MODELS
from space.listings.listing import read, read_whole
from space.queries.view import KEYS, View, address
from space.readers.editions import benchmarks, nothing, unknown
from space.readers.mirror import Mirror

type Subject = Literal["model", "agent"]

_COLUMN: Final[Mapping[Subject, str]] = {"model": "model_repo", "agent": "agent_name"}
_OTHER: Final[Mapping[Subject, str]] = {"model": "agents", "agent": "models"}
_COUNTED: Final = (
    "Cells as the leaderboards list them, over all editions: of reruns the newest, withdrawn and superseded ones too. "
    "Ranked counts reference agents too."
)
PARAMETERS: Final = frozenset({"model", "agent", "q", "page", "per_page"})


def show_list(what: Subject, view: View, mirror: Mirror) -> Markup:
    """Return the list of all models (agents)."""
    listed = read(MODELS if what == "model" else AGENTS, view, mirror)
    title, said = f"{what.capitalize()}s", f"Every {what} with a published cell. A count is no score: nothing is averaged."
    if not benchmarks(mirror):
        raise nothing()
    if not listed.total:
        start = tag("p", tag("a", "Show all", href=f"/{what}"))
        return join(head(title, said), panel(f"No {what} matches", start, kind="empty"))
    columns = [Column(what.capitalize()), Column("Cells", is_number=True), Column("Ranked", is_number=True)]
    columns += [Column(name, is_number=True) for name in ("Benchmarks", "Editions", _OTHER[what].capitalize(), "Newest")]
    rows = [_list_row(what, row) for row in listed.rows]
    status = tag("p", counted(listed.total, what), role="status", class_="count")
    shown = table(_COUNTED, columns, rows, name=title)
    return join(head(title, said), status, shown, paging(view, listed.page, listed.pages))


def show_one(what: Subject, view: View, mirror: Mirror) -> Markup:
    """Return all cells of the model (agent) that `view` names, one table an edition."""
    listed = read(CELLS, view, mirror)
    if not listed.total:
        raise unknown(what, view.text(what))
    said = f"All cells of one {what}, edition by edition. Scores of different editions stand apart and are never averaged."
    up = tag("p", tag("a", f"All {what}s", href=f"/{what}"), class_="crumb")
    editions = [list(rows) for _, rows in groupby(listed.rows, key=lambda row: (row["benchmark"], row["edition"]))]
    status = tag("p", counted(listed.total, "cell"), role="status", class_="count")
    return join(
        up,
        head(_name(what, view.text(what)), said),
        _on_the_hub(what, view.text(what)),
        status,
        *(_edition(view, mirror, rows) for rows in editions),
        paging(view, listed.page, listed.pages),
    )


def _list_row(what: Subject, row: Mapping[str, Any]) -> list[Child]:
    name = row[_COLUMN[what]]
    is_linked = KEYS[what].read(name) is not None
    link = tag("a", _name(what, name), href=address(View(what, {what: name}))) if is_linked else tag("span", _name(what, name))
    counts = [count(row[key]) for key in ("cells", "ranked_cells", "benchmarks", "editions", _OTHER[what])]
    return [link, *counts, day(row["newest"])]


def _name(what: Subject, name: str) -> Markup:
    return model_name(name) if what == "model" else tag("span", name)


def _on_the_hub(what: Subject, name: str) -> Markup | None:
    if what == "agent" or name == NO_MODEL:
        return None
    return tag("p", tag("span", "Repository ", class_="muted"), repository_link(name))


def _edition(view: View, mirror: Mirror, rows: Sequence[Mapping[str, Any]]) -> Markup:
    first = rows[0]
    link = address(View("", {"benchmark": first["benchmark"], "edition": first["edition"][:12]}))
    said = join(
        f"{counted(first['tasks'], 'task')} x {counted(first['repeats'], 'repeat')}, ",
        duration(first["trial_seconds"]),
        f" a trial, {first['sandbox']} sandbox, edition ",
        short(first["edition"]),
        ". Ranks are within this edition.",
    )
    name = f"Cells on {first['benchmark']}, edition {first['edition'][:12]}"
    title = tag("h2", tag("a", first["benchmark"], href=link))
    shown = cells_table(rows, said, name, trends=_trends(mirror, rows))
    return tag("section", title, compare_form(view, None, shown))


def _trends(mirror: Mirror, rows: Sequence[Mapping[str, Any]]) -> Mapping[str, str]:
    """Return how each of `rows` that has other runs did against the run before it."""
    found: dict[str, str] = {}
    for row in (row for row in rows if row["runs"] > 1):
        history = read_whole(HISTORY, View("cell", {"cell_id": row["cell_id"]}), mirror).rows
        found |= {run["cell_id"]: trend(run) for run in history if run["cell_id"] == row["cell_id"]}
    return found
