"""The limits profile: what one person, one organisation and all together may ask for, and what waits for approval.

A reviewed document that both houses read: the Space for early answers, the pass that takes a request for the deciding one.
Amounts are integer micro-USD; days and months are UTC.
"""

from typing import Annotated, ClassVar, Literal

from pydantic import Field

from shared.documents.document import Document

type Micros = Annotated[int, Field(ge=0, le=10**15)]
type Bound = Annotated[int, Field(ge=0, le=1_000_000)]


class RequesterLimits(Document):
    """What requesters of one class may ask for; None where the class has no such bound."""

    open_requests_user: Bound
    open_requests_owner: Bound | None
    requests_day_user: Bound
    requests_day_owner: Bound | None
    day_user_usd_micros: Micros
    day_owner_usd_micros: Micros
    month_user_usd_micros: Micros
    month_owner_usd_micros: Micros
    request_trials: Bound
    request_cells: Bound
    request_bytes: Bound


class Concurrency(Document):
    """What may be under way at once, whoever asked for it."""

    waves: Bound = 8
    waves_per_run: Bound = 2
    waves_per_route: Bound = 2
    """At one provider, server or hardware pool."""
    job_starts_per_hour: Bound = 20


class Limits(Document):
    """The content of a limits profile."""

    error_code: ClassVar[str] = "LIMITS_INVALID"

    schema_version: Annotated[int, Field(ge=1, le=1)] = 1
    name: Annotated[str, Field(min_length=1, max_length=63)]
    member: RequesterLimits
    anyone: RequesterLimits
    approvals: Literal["other", "single"]
    approval_ceiling_usd_micros: Micros
    approval_trials: Bound
    open_models: bool
    namespace_day_usd_micros: Micros
    namespace_month_usd_micros: Micros
    concurrency: Concurrency = Concurrency()


def default_limits() -> Limits:
    """Return the limits that an installation starts with."""
    usd = 1_000_000
    member = RequesterLimits(
        open_requests_user=3,
        open_requests_owner=20,
        requests_day_user=10,
        requests_day_owner=60,
        day_user_usd_micros=50 * usd,
        day_owner_usd_micros=500 * usd,
        month_user_usd_micros=300 * usd,
        month_owner_usd_micros=3_000 * usd,
        request_trials=5_000,
        request_cells=50,
        request_bytes=256 * 1024,
    )
    anyone = RequesterLimits(
        open_requests_user=1,
        open_requests_owner=None,
        requests_day_user=2,
        requests_day_owner=None,
        day_user_usd_micros=5 * usd,
        day_owner_usd_micros=50 * usd,
        month_user_usd_micros=20 * usd,
        month_owner_usd_micros=200 * usd,
        request_trials=500,
        request_cells=4,
        request_bytes=64 * 1024,
    )
    return Limits(
        name="default",
        member=member,
        anyone=anyone,
        approvals="other",
        approval_ceiling_usd_micros=25 * usd,
        approval_trials=500,
        open_models=False,
        namespace_day_usd_micros=500 * usd,
        namespace_month_usd_micros=3_000 * usd,
    )


def local_limits() -> Limits:
    """Return the limits of one machine of one person: what runs there costs nothing, and nobody else has to agree.

    One wave of a run uses the machine as far as its plan's concurrency allows; a second would share the same processors.
    """
    most = 1_000_000
    own = default_limits().member.model_copy(
        update={
            "open_requests_user": most,
            "open_requests_owner": None,
            "requests_day_user": most,
            "requests_day_owner": None,
            "request_trials": most,
            "request_cells": most,
        }
    )
    concurrency = Concurrency(waves=8, waves_per_run=1, waves_per_route=8, job_starts_per_hour=most)
    update = {"name": "local", "member": own, "approvals": "single", "approval_trials": most, "concurrency": concurrency}
    return default_limits().model_copy(update=update)
