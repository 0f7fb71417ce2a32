"""Which benchmark and edition a view means: as named, else the benchmark published last and its edition with most cells."""

from collections.abc import Sequence
from dataclasses import dataclass

from shared.errors import Refused
from space.queries import leaderboard as query
from space.queries.view import View
from space.readers.engine import Row
from space.readers.mirror import Mirror


@dataclass(frozen=True, slots=True)
class Chosen:
    """One edition of one benchmark, and what else could be chosen."""

    benchmark: str
    edition: str
    row: Row
    """What the edition fixes: tasks, repeats, sandbox, trial_seconds, pass_threshold, and its number of cells."""
    editions: Sequence[Row]
    benchmarks: Sequence[Row]


def benchmarks(mirror: Mirror) -> Sequence[Row]:
    """Return the published benchmarks, published last first."""
    return mirror.remembered("benchmarks", lambda: mirror.rows(query.benchmarks()))


def choose_edition(view: View, mirror: Mirror) -> Chosen:
    """Return the edition that `view` means; Refused `view.not_published` names the key, `view.nothing` says there is none."""
    published = benchmarks(mirror)
    if not published:
        raise nothing()
    benchmark = view.text("benchmark") or published[0]["benchmark"]
    if benchmark not in {row["benchmark"] for row in published}:
        raise unknown("benchmark", benchmark)
    editions = mirror.remembered(f"editions of {benchmark}", lambda: mirror.rows(query.editions(benchmark)))
    row = next((row for row in editions if row["edition"].startswith(view.text("edition"))), None)
    if row is None:
        raise unknown("edition", view.text("edition"))
    return Chosen(benchmark, row["edition"], row, editions, published)


def nothing() -> Refused:
    """Return the error of a source without any publication."""
    return Refused("view.nothing", "nothing is published here yet", way_out="Come back after the first publication.")


def unknown(key: str, value: str) -> Refused:
    """Return the error of a name or id that no published row has."""
    what = key.removesuffix("_id").replace("_", " ")
    said = f"no {what} {value!r} is published here" if value else f"the address names no {what}"
    return Refused("view.not_published", said, field=key, way_out="Open the leaderboard.")
