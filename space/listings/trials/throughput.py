"""How fast the standing cells of an edition went: model requests, tasks, tokens a second, and what their endpoints did."""

from typing import Final

from shared.measures import ENDPOINT_PHASES, LATENCIES
from space.listings.listing import Field, Listing
from space.queries.statement import Statement
from space.queries.trials import throughput as query
from space.queries.view import View
from space.readers.editions import choose_edition
from space.readers.engine import Row
from space.readers.mirror import Mirror

ENDPOINT_FIELDS: Final = tuple(f"endpoint_{phase}_seconds" for phase in ENDPOINT_PHASES)
LATENCY_FIELDS: Final = tuple(f"{name}_seconds_{each}" for name in LATENCIES for each in ("p50", "p95"))


def _ask(view: View, mirror: Mirror) -> Statement:
    chosen = choose_edition(view, mirror)
    return query.throughput(chosen.benchmark, chosen.edition)


def _comparable(_view: View, _mirror: Mirror, rows: list[Row]) -> list[Row]:
    """Return `rows` without the values of endpoint columns in a list of several kinds of deployment."""
    hidden = dict.fromkeys(ENDPOINT_FIELDS)
    return [{**row, **hidden} if row["endpoint_observation"] != "observed" else row for row in rows]


LISTING: Final = Listing(
    name="throughput",
    title="Throughput",
    parameters=frozenset({"benchmark", "edition"}),
    fields=(
        Field("benchmark"),
        Field("edition"),
        Field("cell_id"),
        Field("model_repo"),
        Field("agent_name"),
        Field("deployment_kind"),
        Field("deployment_id"),
        Field("provider"),
        Field("hardware"),
        Field("concurrency", "int", "trials at once"),
        *(Field(name, "seconds", "over the cell's model requests; none where not observed") for name in LATENCY_FIELDS),
        Field("latency_missing", meaning="why a time of model requests is not there: not_observed or not_applicable"),
        Field("trial_seconds_p50", "seconds", "duration of the selected attempts"),
        Field("trial_seconds_p95", "seconds"),
        Field("timed_trials", "int"),
        Field("planned_trials", "int"),
        Field("input_tokens", "int"),
        Field("cached_tokens", "int"),
        Field("output_tokens", "int"),
        Field("reasoning_tokens", "int"),
        Field("tokens_missing", meaning="why a number of tokens is not there: not_reported or not_applicable"),
        Field("wall_seconds", "seconds", "from the start of the first to the end of the last attempt"),
        Field("output_tokens_per_second", "float", "output tokens of all attempts over wall_seconds"),
        Field("trials_per_hour", "float", "ended trials over wall_seconds"),
        Field("waves", "int"),
        *(Field(name, "seconds", "summed over the cell's waves, which it may share") for name in ENDPOINT_FIELDS),
        Field(
            "endpoint_observation",
            meaning="observed, not_observed, not_applicable (no endpoint), or not_comparable (a list of several kinds)",
        ),
    ),
    ask=_ask,
    derive=_comparable,
)
