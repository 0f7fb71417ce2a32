"""The trials of a cell, a run or an edition, each with its one outcome; filtered by task and outcome."""

from typing import Final

from space.listings.listing import Field, Listing
from space.listings.trials.within import OF_TRIAL, within
from space.queries.statement import Statement
from space.queries.trials import trials as query
from space.queries.view import View
from space.readers.mirror import Mirror


def _ask(view: View, mirror: Mirror) -> Statement:
    return query.trials(within(view, mirror), task=view.text("task"), outcomes=view.texts("outcomes"))


LISTING: Final = Listing(
    name="trials",
    title="Trials",
    parameters=frozenset({"benchmark", "edition", "run_id", "cell_id", "task", "outcomes"}),
    fields=(
        *OF_TRIAL,
        Field("trial_id", meaning="its attempts: /attempt?trial_id=.."),
        Field("outcome", meaning="scored, agent_failed, benchmark_failed, infrastructure_exhausted or unfinished"),
        Field("reward", "float"),
        Field("passed", "bool"),
        Field("withheld", meaning="why the numbers of its cell are withheld"),
        Field("attempts", "int"),
        Field("selected_attempt_id"),
        Field("failure_category"),
        Field("reason_code"),
        Field("cost_usd_micros", "micros", "of all its attempts; none unless each reported it"),
        Field("duration_seconds", "seconds", "of the selected attempt"),
    ),
    ask=_ask,
)
