"""The attempts of a trial, a cell, a run or an edition in order, with how each ended and where its evidence hangs."""

from typing import Final

from space.listings.listing import Field, Listing
from space.listings.trials.within import OF_TRIAL, within
from space.queries.statement import Statement
from space.queries.trials import trials as query
from space.queries.view import View
from space.readers.mirror import Mirror


def _ask(view: View, mirror: Mirror) -> Statement:
    return query.attempts(within(view, mirror), trial_id=view.text("trial_id"), attempt_id=view.text("attempt_id"))


LISTING: Final = Listing(
    name="attempts",
    title="Attempts",
    parameters=frozenset({"benchmark", "edition", "run_id", "cell_id", "trial_id", "attempt_id"}),
    fields=(
        *OF_TRIAL,
        Field("trial_id"),
        Field("attempt_id"),
        Field("ordinal", "int"),
        Field("is_selected", "bool", "the attempt that counts: the first valid bundle in the order of the log"),
        Field("state"),
        Field("category"),
        Field("reason_code"),
        Field("phase", meaning="the part of the trial that began last"),
        Field("exception_type"),
        Field("retry_reason"),
        Field("needs_review", "bool"),
        Field("classification_version", "int"),
        Field("runtime"),
        Field("verifier_environment"),
        Field("wave_id"),
        Field("job_id"),
        Field("bundle_sha256", meaning="digest of the sealed bundle; the evidence itself is private"),
        Field("started_at", "time"),
        Field("finished_at", "time"),
    ),
    ask=_ask,
)
