"""The run lock: which plan, from which manifest bytes, with which build, by whom and when: all that a run needs beside its plan.

Cell, shard and trial locks follow from the plan and the run id, so they are not stored. Written once at submission and published.
"""

from typing import Annotated, ClassVar

from pydantic import Field, StringConstraints

from shared import versions
from shared.digests import Digest
from shared.documents.document import Document
from shared.documents.reviewed.prices import Moment
from shared.ids import RunId

type Sha256 = Annotated[Digest, StringConstraints(pattern=r"^[0-9a-f]{64}$")]


class HarborLock(Document):
    """The pinned Harbor: its version and the digest of its environment's lock file."""

    version: str
    lock_sha256: Sha256


class RunLock(Document):
    """The content of run.lock.json."""

    error_code: ClassVar[str] = "RUN_LOCK_INVALID"

    schema_version: Annotated[int, Field(ge=1, le=versions.RUN_LOCK)] = versions.RUN_LOCK
    run_id: Annotated[RunId, StringConstraints(pattern=r"^run-[0-9a-f]{32}$")]
    plan_digest: Sha256
    manifest_sha256: Sha256
    source_lock_sha256: Sha256
    prices_sha256: Sha256
    build: Sha256
    harbor: HarborLock
    requested_by: Annotated[str, StringConstraints(min_length=1, max_length=256)]
    submitted_at: Moment
