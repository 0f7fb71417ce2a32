"""The reruns of a cell in time: score with interval, cost, what else changed, and the paired test against the run before."""

from collections.abc import Mapping, Sequence
from typing import Any, Final

from space.components.choosing.cells import linked_score_block
from space.components.choosing.pairs import chance_text, difference_text, interval_words
from space.components.figures import moment, money
from space.components.html import Child, Markup, join, tag
from space.components.standing import badge
from space.components.subject import cell_address
from space.components.table import Column, table

type Row = Mapping[str, Any]

_CHANGES: Final = {
    "harbor": "Harbor",
    "engine": "engine",
    "image": "image",
    "deployment": "digest of the deployment",
    "prices": "price document",
    "serving_profile": "serving profile",
    "host": "host software",
}
_VERDICTS: Final = {
    "first": "the first run",
    "another_edition": "another edition, not subtracted",
    "not_compared": "not compared: one of the two does not stand",
    "untested": "not tested: fewer than 10 tasks",
    "not_told_apart": "the tests do not tell them apart",
    "better": "significantly better",
    "worse": "significantly worse",
}


def history_table(rows: Sequence[Row], current: str) -> Markup:
    """Return the runs of a cell, oldest first, the one with the id `current` marked."""
    columns = [Column("Completed"), Column("Score", is_number=True), Column("Cost per trial", is_number=True)]
    columns += [Column("What else changed"), Column("Against the run before"), Column("Standing")]
    caption = (
        "The same model, agent and tasks, served under the same name; what changed in how it was served stands in its column. "
        "Each test is one look at one pair; the newest run counts, never the best."
    )
    return table(caption, columns, [_row(row, current) for row in rows], name="Runs of this cell")


def trend(row: Row) -> str:
    """Return in words how a run did against the one before it; "" for the first one."""
    if row["before_id"] is None:
        return ""
    said = _VERDICTS[row["verdict"]]
    return said if row["difference"] is None else f"{_plainly(row)} than the one before; {said}"


def kept_private(runs: int) -> Markup:
    """Say how many runs of a cell nobody can see, so that what is published can be weighed."""
    said = "1 run of this cell was kept private." if runs == 1 else f"{runs:,} runs of this cell were kept private."
    return tag("p", said if runs else "No run of this cell was kept private.", class_="muted")


def _row(row: Row, current: str) -> list[Child]:
    when = moment(row["completed_at"])
    is_here = row["cell_id"] == current
    place = tag("strong", when) if is_here else tag("a", when, href=cell_address(row["cell_id"]))
    return [
        join(place, tag("span", "this page", class_="second-line") if is_here else None),
        linked_score_block(row),
        money(row["cost_per_trial_usd_micros"], row["cost_observation"]),
        _changed(row),
        _against(row),
        _standing(row),
    ]


def _changed(row: Row) -> Child:
    if row["before_id"] is None:
        return tag("span", "the first run", class_="muted")
    names = [_words(row, name) for name in row["changed"]]
    return ", ".join(names) if names else tag("span", "nothing known", class_="muted")


def _words(row: Row, name: str) -> str:
    if name == "harbor" and row["harbor_version"]:
        return f"Harbor, now {row['harbor_version']}"
    if name == "engine" and row["engine"]:
        return f"engine, now {row['engine']} {row['engine_version'] or ''}".strip()
    return _CHANGES[name]


def _against(row: Row) -> Child:
    said = _VERDICTS[row["verdict"]]
    if row["difference"] is None:
        return tag("span", said, class_="muted")
    interval = interval_words(row["difference_low"], row["difference_high"], row)
    said = f"{_plainly(row)}; {said}"
    numbers = join(f"{difference_text(row['difference'], row)}, 95% ", interval, ", p ", chance_text(row["p"]))
    return join(said, tag("span", numbers, class_="second-line"))


def _plainly(row: Row) -> str:
    """Return in words which way the score went."""
    shown = difference_text(row["difference"], row)
    if shown == "0":
        return "no difference"
    unit = " points" if (row["reward_low"], row["reward_high"]) == (0.0, 1.0) else ""
    return f"{shown.lstrip('+-')}{unit} {'higher' if row['difference'] > 0 else 'lower'}"


def _standing(row: Row) -> Child:
    if row["withheld"]:
        return badge("failed", "withheld")
    if not row["stands"]:
        return badge("partial", row["record"])
    return badge("clean", "ranked") if row["is_ranked"] else badge("manual", "not ranked")
