"""The names of published metrics that pages give a meaning to; a row of the table `metrics` with another name is shown as it is.

`owner_type` says what a value was measured of: `attempt`, `cell` (over all model requests of the cell, `aggregation` p50 or
p95) or `wave` (the deployment that a wave owned). Durations are in seconds, `unit` second. What was not observed is a row that
says so, or no row; it is never a 0.
"""

from typing import Final

LATENCIES: Final = {
    "ttft": "latency.ttft",
    "inter_token": "latency.inter_token",
    "request": "latency.request",
}
"""Of a cell: time to the first token, between two tokens, of a whole model request."""
ENDPOINT_PHASES: Final = ("startup", "active", "idle", "drain", "cleanup")
"""Of a wave that owned an endpoint: `endpoint.<phase>`, how long the endpoint was in it."""


def endpoint_metric(phase: str) -> str:
    """Return the name of the metric that says how long an endpoint was in `phase`."""
    return f"endpoint.{phase}"
