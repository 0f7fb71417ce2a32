"""What lies behind a cell's means: pass@k beside pass^k, and the middle and tails of what trials cost and how long they took."""

from collections.abc import Mapping, Sequence
from typing import Any, Final

from shared.statistics.cells import TaskSum
from shared.statistics.passk import pass_at_k, pass_hat_k
from space.components.figures import count, duration, missing, money, percent
from space.components.html import Child, Markup
from space.components.table import Column, table

MAX_K: Final = 10


def pass_table(tasks: Sequence[TaskSum], repeats: int) -> Markup:
    """Return pass@k and pass^k for k from 1 to the repeats, at most 10; k above the repeats is not available."""
    columns = [Column("k"), Column("pass@k", is_number=True), Column("pass^k", is_number=True)]
    steps = sorted({*range(1, min(repeats, MAX_K) + 1), repeats})
    rows = [[str(k), _share(pass_at_k(tasks, k)), _share(pass_hat_k(tasks, k))] for k in steps]
    caption = "pass@k: solved at least once in k repeats. pass^k: solved in every one of k. Retries after faults never count."
    return table(caption, columns, rows, name="pass@k and pass^k")


def spread_table(found: Mapping[str, Any], cost_observation: str) -> Markup:
    """Return p50, p90 and p99 of cost and duration over the trials, with how many reported them."""
    columns = [Column("Per trial"), *(Column(name, is_number=True) for name in ("p50", "p90", "p99", "Observed", "Missing"))]
    why = cost_observation if cost_observation != "observed" else "not_reported"
    costs: list[Child] = [
        money(None if found[key] is None else round(found[key]), why) for key in ("cost_p50", "cost_p90", "cost_p99")
    ]
    times: list[Child] = [duration(found[key]) for key in ("median", "p90", "p99")]
    rows: list[list[Child]] = [
        ["Cost, all attempts", *costs, count(found["priced"]), count(found["trials"] - found["priced"])],
        ["Duration of the selected attempt", *times, count(found["timed"]), count(found["trials"] - found["timed"])],
    ]
    return table(
        "Quantiles of what was observed; what is missing takes no part.", columns, rows, name="Cost and duration of a trial"
    )


def _share(value: float | None) -> Child:
    return missing("not available") if value is None else f"{percent(value)}%"
