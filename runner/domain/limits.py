"""The bounds of the control plane in one place: seconds, counts and bytes that code compares with.

Each is a promise that docs/operations.md repeats: how long a call may take, how late its effect may land, how often a pass
runs, how long a silent holder keeps its lease, how large an event, a segment and a commit may be. What a person may choose
(ceilings, caps, concurrency) comes from the limits profile and not from here. Read by every floor of `runner`.
"""

from typing import Final

CALL_TIMEOUT_S: Final = 30
VISIBILITY_S: Final = 60  # until an effect is listed
LATE_MAX_S: Final = 60  # an effect whose answer was lost may still land until then
PASS_DEADLINE_S: Final = 240
PASS_CADENCE_S: Final = 90
PASS_CADENCE_LOCAL_S: Final = 1
MAX_ACTIONS: Final = 64
MAX_NEW_BILLABLE: Final = 8
APPROVAL_WAIT_S: Final = 7 * 86_400
CONSENT_WAIT_S: Final = 30 * 86_400
JOB_KEPT_S: Final = 7 * 86_400  # after a job's time is over, its log can be read for that long

HEARTBEAT_S: Final = 60
LEASE_TTL_S: Final = 300
LEASE_GRACE_S: Final = 60
CANCEL_GRACE_S: Final = 120

AUTOMATIC_GENERATIONS: Final = 2
EQUAL_FAILURES_STOP: Final = 5  # equal infrastructure failures in a row end a wave's admission
ACTION_RETRIES: Final = 3
CLEANUP_TRIES: Final = 3
RETRY_BASE_S: Final = 10

ACTIVE_WAVES_NAMESPACE: Final = 8
ACTIVE_WAVES_RUN: Final = 2
ACTIVE_WAVES_PROVIDER: Final = 2
JOB_STARTS_PER_HOUR: Final = 20

CONFLICT_TRIES: Final = 8
CONFLICT_BASE_S: Final = 0.25
CONFLICT_MAX_S: Final = 8.0
BUSY_TRIES: Final = 6
UNKNOWN_RESENDS: Final = 3

KIB: Final = 1024
EVENT_BYTES: Final = 16 * KIB
CARRIER_BYTES: Final = 1024 * KIB  # an event that carries a request, a plan's shards or facts inline: one segment at most
SEGMENT_BYTES: Final = 1024 * KIB
SEGMENT_EVENTS: Final = 2_000
COMMIT_BYTES: Final = 4096 * KIB
COMMIT_FILES: Final = 80
SAVEPOINT_PART_TRIALS: Final = 2_000
SAVEPOINT_EVENTS: Final = 200  # folded since the newest savepoint: another is worth its bytes
RECENT_COMMITS: Final = 256
