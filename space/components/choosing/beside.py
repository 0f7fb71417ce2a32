"""Up to four cells as columns of one table: their figures, the configuration that differs, their metrics, their tasks."""

from collections.abc import Mapping, Sequence
from typing import Any, Final

from space.components.choosing.cells import linked_score_block, standing_of
from space.components.figures import day, duration, missing, money, percent
from space.components.html import Child, Markup, tag
from space.components.standing import quality
from space.components.subject import cell_address, distinct_names
from space.components.table import Column, table
from space.components.trials import solved, task_address

type Row = Mapping[str, Any]

OF_OWN_ENDPOINT: Final = frozenset(
    {"hardware", "accelerator_count", "engine", "engine_version", "image_digest", "serving_profile_sha256"}
)
"""What only one's own server or endpoint says of itself: not comparable with a model that a provider serves."""


def headers(first: str, cells: Sequence[Row]) -> list[Column]:
    """Return the header row: what the rows are, then each cell by its name."""
    names = distinct_names(cells)
    return [Column(first), *(Column(names[cell["cell_id"]]) for cell in cells)]


def figures_table(cells: Sequence[Row]) -> Markup:
    """Return the figures of `cells` side by side."""
    rows: list[list[Child]] = [
        ["Score", *(linked_score_block(cell) for cell in cells)],
        ["Rank, or why none", *(standing_of(cell) for cell in cells)],
        ["Passed", *(_passed(cell) for cell in cells)],
        ["Solved in every repeat", *(_share(cell["pass_hat_k"]) for cell in cells)],
        ["Cost per trial", *(money(cell["cost_per_trial_usd_micros"], cell["cost_observation"]) for cell in cells)],
        ["Cost per pass", *(_per_pass(cell) for cell in cells)],
        ["Time per trial", *(duration(cell["trial_seconds_median"]) for cell in cells)],
        ["Quality", *(quality(cell) for cell in cells)],
        ["Benchmark, edition", *(f"{cell['benchmark']}, {cell['edition'][:12]}" for cell in cells)],
        ["Completed", *(day(cell["completed_at"]) for cell in cells)],
        ["Page", *(tag("a", "the cell", href=cell_address(cell["cell_id"])) for cell in cells)],
    ]
    caption = "Each score leads to its provenance. Rank ranges are those of the leaderboard."
    return table(caption, headers("Figure", cells), rows, name="Cells side by side", class_="beside")


def configuration_table(cells: Sequence[Row], names: Sequence[str]) -> Markup:
    """Return the settings among `names` in which `cells` differ, and say how many are equal."""
    differing = [name for name in names if len({str(cell[name]) for cell in cells}) > 1]
    if not differing:
        return tag("p", f"All {len(names)} settings compared here are equal.", class_="muted")
    rows = [[name.replace("_", " "), *(_setting(cell, name, cells) for cell in cells)] for name in differing]
    said = "1 setting differs" if len(differing) == 1 else f"{len(differing)} settings differ"
    caption = f"{said}, {len(names) - len(differing)} others compared here are equal."
    return table(caption, headers("Setting", cells), rows, name="What differs", class_="beside")


def metrics_table(cells: Sequence[Row], metrics: Mapping[str, Mapping[str, Row]]) -> Markup | None:
    """Return the medians of the metrics by cell; a metric that one side did not observe is not comparable."""
    names = sorted({name for of_cell in metrics.values() for name in of_cell})
    rows = [[name.replace("_", " "), *_metric([metrics[cell["cell_id"]].get(name) for cell in cells])] for name in names]
    caption = "Median over the selected attempts; compared only where every cell observed it."
    return table(caption, headers("Metric", cells), rows, name="Metrics side by side", class_="beside") if rows else None


def tasks_table(cells: Sequence[Row], tasks: Sequence[Row], benchmarks: Sequence[str]) -> Markup:
    """Return the tasks by cell, hardest first, with passed counts as text."""
    rows: list[list[Child]] = []
    for task in tasks:
        name: Child = task["task_name"]
        if len(benchmarks) == 1:
            name = tag("a", task["task_name"], href=task_address(benchmarks[0], task["task_name"]))
        shown = [_solved(task["by_cell"].get(cell["cell_id"])) for cell in cells]
        rows.append([name, *shown])
    caption = "Passed trials of all planned, hardest task first."
    return table(caption, headers("Task", cells), rows, name="Tasks side by side", class_="beside")


def _passed(cell: Row) -> Child:
    return missing("withheld") if cell["withheld"] else f"{cell['passed_trials']:,}/{cell['planned_trials']:,}"


def _share(value: float | None) -> Child:
    return missing("not available") if value is None else f"{percent(value)}%"


def _per_pass(cell: Row) -> Child:
    if cell["cost_usd_micros"] is not None and not cell["passed_trials"]:
        return missing("nothing passed")
    return money(cell["cost_per_pass_usd_micros"], cell["cost_observation"])


def _setting(cell: Row, name: str, cells: Sequence[Row]) -> Child:
    if cell[name] is not None:
        return tag("code", cell[name], class_="digest") if name.endswith(("sha256", "digest", "revision")) else str(cell[name])
    if name in OF_OWN_ENDPOINT and len({each["deployment_kind"] for each in cells}) > 1:
        return missing("not comparable")
    if name in {"provider", "region"} and cell["deployment_kind"] != "provider":
        return missing("not_applicable")
    return missing("none" if name == "max_trial_spend_usd_micros" else "not_reported")


def _metric(found: Sequence[Row | None]) -> list[Child]:
    if any(row is None or not row["observed"] for row in found):
        return [_alone(row) for row in found]
    return [_median(row) for row in found if row is not None]


def _alone(row: Row | None) -> Child:
    """Return a metric that not every cell has: its value stays, what is missing is named, and nothing is compared."""
    return missing("not comparable") if row is None or not row["observed"] else tag("span", _median(row), class_="muted")


def _median(row: Row) -> Child:
    missed = row["trials"] - row["observed"]
    unit = {"token": "tokens"}.get(row["unit"], row["unit"])
    number = f"{row['median']:,.0f}" if abs(row["median"]) >= 100 else f"{row['median']:.4g}"
    words = duration(row["median"]) if unit == "second" else f"{number} {unit}"
    return [words, tag("span", f"not observed {missed} times", class_="second-line") if missed else None]


def _solved(found: Sequence[float] | None) -> Child:
    return missing("not run") if found is None else solved(int(found[0]), int(found[1]))
