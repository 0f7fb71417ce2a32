"""The lines between a worker and its trial host: one JSON object a line, orders one way and reports the other.

Orders are `{"start": ..}`, `{"cancel": {"attempt_id"}}`, `{"stop": {}}`; reports `{"hello": ..}`, `{"phase": ..}`,
`{"ended": ..}`. A report stays below 4096 bytes, which a pipe takes in one piece, so the host and its children may write to one
pipe without a lock. Imported on both sides; standard library and our ports only.
"""

import json
from pathlib import Path
from typing import Any

from runner.ports.compute.harness import AttemptOrder, EndReason, HarnessHello, HarnessReport, ModelAccess, ReportKind
from shared.outcomes import Phase


def order_line(order: AttemptOrder) -> bytes:
    """Return the line that starts `order`."""
    model = order.model
    return _line(
        {
            "start": {
                "attempt_id": order.attempt_id,
                "folder": str(order.folder),
                "task_path": str(order.task_path),
                "agent": dict(order.agent),
                "model": {"name": model.name, "base_url": model.base_url, "api_key_name": model.api_key_name} if model else None,
                "job": dict(order.job),
                "secret_names": list(order.secret_names),
                "trial_seconds": order.trial_seconds,
            }
        }
    )


def cancel_line(attempt_id: str) -> bytes:
    """Return the line that cancels `attempt_id`."""
    return _line({"cancel": {"attempt_id": attempt_id}})


def stop_line() -> bytes:
    """Return the line that stops the host."""
    return _line({"stop": {}})


def read_order(body: dict[str, Any]) -> AttemptOrder:
    """Return the order of a start line's body; KeyError or TypeError if it is not one."""
    model = body["model"]
    return AttemptOrder(
        attempt_id=body["attempt_id"],
        folder=Path(body["folder"]),
        task_path=Path(body["task_path"]),
        agent=body["agent"],
        job=body["job"],
        trial_seconds=float(body["trial_seconds"]),
        model=ModelAccess(**model) if model else None,
        secret_names=tuple(body["secret_names"]),
    )


def hello_line(hello: HarnessHello) -> bytes:
    """Return the host's first line."""
    return _line({"hello": {"harbor": hello.harbor, "lock_sha256": hello.lock_sha256, "pid": hello.pid}})


def phase_line(attempt_id: str, phase: Phase) -> bytes:
    """Return the line that says `phase` began."""
    return _line({"phase": {"attempt_id": attempt_id, "phase": phase.value}})


def ended_line(attempt_id: str, exit_code: int | None, signal: int | None, reason: EndReason, exception_type: str) -> bytes:
    """Return the line that says how an attempt's process ended; exactly one of `exit_code` and `signal` is set."""
    body = {"attempt_id": attempt_id, "exit_code": exit_code, "signal": signal, "reason": reason.value}
    return _line({"ended": {**body, "exception_type": exception_type[:200]}})


def read_report(line: bytes) -> HarnessReport | HarnessHello:
    """Return what a report line says; ValueError if it is none."""
    try:
        ((kind, body),) = json.loads(line).items()
        if kind == "hello":
            return HarnessHello(**body)
        if kind == "phase":
            return HarnessReport(ReportKind.PHASE, body["attempt_id"], phase=Phase(body["phase"]))
        if kind == "ended":
            return HarnessReport(
                ReportKind.ENDED,
                body["attempt_id"],
                exit_code=body["exit_code"],
                signal=body["signal"],
                reason=EndReason(body["reason"]),
                exception_type=body["exception_type"],
            )
    except (KeyError, TypeError, AttributeError) as error:
        raise ValueError(f"not a report: {line[:200]!r}") from error
    raise ValueError(f"not a report: {line[:200]!r}")


def _line(document: object) -> bytes:
    return json.dumps(document, separators=(",", ":")).encode() + b"\n"
