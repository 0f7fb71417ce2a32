"""`/cell`: one line of the leaderboard in full: score, rank, outcomes, spread, reruns, tasks, and where it all comes from."""

from collections import defaultdict
from collections.abc import Mapping, Sequence
from typing import Any, Final

from shared.plural import counted
from shared.statistics.cells import TaskSum
from space.components.choosing.history import history_table, kept_private
from space.components.choosing.spread import pass_table, spread_table
from space.components.facts import facts, figures
from space.components.figures import count, digest, duration, missing, moment, money, percent
from space.components.html import Child, Markup, join, tag
from space.components.leaderboard import rank_text, reason
from space.components.paging import page_of, paging
from space.components.provenance import provenance
from space.components.score import band, bounds_text, interval_text, score_number
from space.components.shell import banner, head, panel
from space.components.standing import outcome_bar, outcome_counts, quality
from space.components.subject import model_name
from space.components.table import Column, table
from space.components.trials import solved, squares, task_address
from space.listings.cells import with_ranks
from space.listings.choosing.history import LISTING as HISTORY
from space.listings.listing import read_whole
from space.pages.page import Page
from space.queries import cell as query
from space.queries.choosing.history import kept_private as kept_private_query
from space.queries.view import View, address
from space.readers.mirror import Mirror

TASKS_A_PAGE: Final = 200


def show(view: View, mirror: Mirror) -> Markup:
    """Return the page of the cell that `view` names."""
    found = next(iter(mirror.asked(query.cell(view.text("cell_id")))), None)
    if found is None:
        return not_published("cell", view.text("cell_id"))
    cell = with_ranks(view, mirror, [found])[0]
    run = mirror.one(query.run(cell["run_id"]))
    durations = mirror.one(query.durations(cell["publication_id"], cell["cell_id"])) or {}
    sums = [TaskSum(row["trials"], row["passed"], 0.0) for row in mirror.rows(query.task_sums(cell["cell_id"]))]
    return join(
        _crumb(cell),
        head(_title(cell), _purpose(cell)),
        _warning(cell),
        _figures(cell, durations),
        tag("section", tag("h2", "Outcomes"), _outcomes(cell)),
        _facts(cell),
        _spread(cell, sums, durations),
        _history(mirror, cell),
        _tasks(view, mirror, cell, len(sums)),
        provenance(cell, run, mirror.receipts.get(cell["publication_id"])),
    )


def not_published(what: str, value: str) -> Markup:
    """Return the page of something that nobody published, or that the address does not name."""
    said = f"No {what} with the id {value} is published here." if value else f"The address names no {what}."
    start = tag("p", tag("a", "Open the leaderboard", href="/"))
    return join(head(what.capitalize(), ""), panel("Not published", tag("p", said), start))


def _crumb(cell: Mapping[str, Any]) -> Markup:
    up = address(View("", {"benchmark": cell["benchmark"], "edition": cell["edition"][:12]}))
    beside = tag("a", "compare with another cell", href=address(View("compare", {"cells": (cell["cell_id"],)})))
    return tag(
        "p", tag("a", f"Leaderboard of {cell['benchmark']}", href=up), tag("span", ", ", class_="muted"), beside, class_="crumb"
    )


def _title(cell: Mapping[str, Any]) -> Markup:
    if cell["model_repo"] == "none":
        return join(cell["agent_name"], tag("span", " without a model", class_="muted"))
    return join(model_name(cell["model_repo"]), tag("span", " with ", class_="muted"), cell["agent_name"])


def _purpose(cell: Mapping[str, Any]) -> str:
    tasks, times = counted(cell["tasks"], "task"), counted(cell["repeats"], "time")
    return f"One cell of the benchmark {cell['benchmark']}: {tasks}, each tried {times}."


def _warning(cell: Mapping[str, Any]) -> Markup | None:
    if cell["withheld"] or not cell["stands"] or not cell["is_ranked"]:
        return banner("stale", tag("strong", "Not ranked: "), reason(cell))
    return None


def _outcomes(cell: Mapping[str, Any]) -> Markup:
    if not cell["withheld"]:
        return outcome_bar(outcome_counts(cell))
    return tag("p", "The numbers of this cell do not agree with its trials, so they are withheld.", class_="muted")


def _figures(cell: Mapping[str, Any], durations: Mapping[str, Any]) -> Markup:
    is_unit = (cell["reward_low"], cell["reward_high"]) == (0.0, 1.0)
    drawing = band(cell["score"], cell["score_low"], cell["score_high"]) if cell["score"] is not None and is_unit else None
    rate: Child = missing("no pass rate") if cell["pass_rate"] is None else f"{percent(cell['pass_rate'])}%"
    per_trial = None if cell["cost_usd_micros"] is None else round(cell["cost_usd_micros"] / cell["planned_trials"])
    lost: Child = bounds_text(cell) or missing("none lost, no bounds")
    timed = f"median of {counted(durations.get('timed', 0), 'trial')}"
    slow = duration(durations["p90"]) if durations.get("p90") is not None else None
    if cell["withheld"]:
        return figures([("Score", score_number(cell), "its trials say something else")])
    return figures(
        [
            ("Score", join(score_number(cell), drawing), "mean reward over planned trials, of 100"),
            ("Rank", _rank(cell), "the range that paired tests allow"),
            ("95% interval", interval_text(cell), "covers task sampling and rerun noise"),
            ("Infrastructure bounds", lost, "if all lost trials had failed, or passed"),
            ("Pass rate", rate, f"{cell['passed_trials']:,} of {counted(cell['planned_trials'], 'trial')}"),
            (
                "Cost per trial",
                money(per_trial, cell["cost_observation"]),
                _whole_cost(cell),
            ),
            ("Time per trial", duration(durations.get("median")), join(timed, ", 90% within ", slow) if slow else timed),
        ]
    )


def _rank(cell: Mapping[str, Any]) -> Child:
    ranked = f" of {cell['ranked_cells']}" if cell["ranked_cells"] else ""
    return join(rank_text(cell), ranked)


def _whole_cost(cell: Mapping[str, Any]) -> Child:
    return join("in all ", money(cell["cost_usd_micros"])) if cell["cost_usd_micros"] is not None else None


def _facts(cell: Mapping[str, Any]) -> Markup:
    why = "not_applicable" if cell["model_repo"] == "none" else "not_reported"

    def tokens(name: str) -> Child:
        return missing(why) if cell[name] is None else count(cell[name])

    return tag(
        "section",
        tag("h2", "How it was measured"),
        facts(
            [
                ("Quality", quality(cell)),
                ("Attempts", join(count(cell["attempts"]), f", {cell['failed_attempts']:,} of them failed")),
                ("Input tokens", tokens("input_tokens")),
                ("Cached tokens", tokens("cached_tokens")),
                ("Output tokens", tokens("output_tokens")),
                ("Reasoning tokens", tokens("reasoning_tokens")),
                (
                    "Time limit of a trial",
                    join(duration(cell["trial_seconds"]), f", agent setup x {cell['agent_setup_multiplier']}"),
                ),
                ("Concurrency", join(count(cell["concurrency"]), " trials at once")),
                ("Serving profile", digest(cell["serving_profile_sha256"], why)),
                ("Time of all attempts", duration(cell["duration_seconds"])),
                ("Sandbox", cell["sandbox"]),
                ("Host", cell["host_release"] or missing()),
                ("Started", moment(cell["started_at"])),
                ("Completed", moment(cell["completed_at"])),
            ]
        ),
    )


def _spread(cell: Mapping[str, Any], tasks: Sequence[TaskSum], durations: Mapping[str, Any]) -> Markup | None:
    """Return pass@k beside pass^k and the quantiles of cost and duration; a cell without a score has neither."""
    if cell["score"] is None:
        return None
    return tag(
        "section",
        tag("h2", "Reliability, cost and time"),
        tag("div", pass_table(tasks, cell["repeats"]), spread_table(durations, cell["cost_observation"]), class_="groups"),
    )


def _history(mirror: Mirror, cell: Mapping[str, Any]) -> Markup:
    rows = read_whole(HISTORY, View("cell", {"cell_id": cell["cell_id"]}), mirror).rows
    private = mirror.one(kept_private_query(cell["cell_digest"]))
    return tag(
        "section",
        tag("h2", "History", id="history"),
        history_table(rows, cell["cell_id"]),
        kept_private(int(private["runs"]) if private else 0),
    )


def _tasks(view: View, mirror: Mirror, cell: Mapping[str, Any], total: int) -> Markup:
    page, pages = page_of(view, total, TASKS_A_PAGE)
    tasks = mirror.rows(query.tasks(cell["cell_id"], TASKS_A_PAGE, (page - 1) * TASKS_A_PAGE))
    trials = mirror.rows(query.trials(cell["publication_id"], cell["cell_id"], [task["task_name"] for task in tasks]))
    by_task: dict[tuple[str, str], list[Mapping[str, Any]]] = defaultdict(list)
    for trial in trials:
        by_task[trial["task_name"], trial["task_digest"]].append(trial)
    columns = [Column("Task"), Column("Passed", is_number=True), Column("Repeats"), Column("Mean reward", is_number=True)]
    columns += [Column("Attempts", is_number=True), Column("Mean time", is_number=True)]
    rows = [_task_row(cell, task, by_task[task["task_name"], task["task_digest"]]) for task in tasks]
    caption = f"{counted(total, 'task')}; each square is one repeat and leads to its attempts."
    return join(tag("h2", "Tasks"), table(caption, columns, rows, name="Tasks of this cell"), paging(view, page, pages))


def _task_row(cell: Mapping[str, Any], task: Mapping[str, Any], trials: Sequence[Mapping[str, Any]]) -> list[Child]:
    return [
        tag("a", task["task_name"], href=task_address(cell["benchmark"], task["task_name"])),
        solved(task["passed"], task["trials"]),
        squares(cell["cell_id"], trials),
        missing("withheld") if cell["withheld"] else f"{task['reward'] / task['trials']:.2f}",
        count(task["attempts"]),
        duration(task["mean_seconds"]),
    ]


PAGE: Final = Page(slug="cell", title="Cell", parameters=frozenset({"cell_id", "page"}), show=show)
