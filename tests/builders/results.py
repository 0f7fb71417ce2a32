"""Result files of trials, whole enough to be read, with one thing changed at a time."""

import json
from typing import Any

_STARTED = {"started_at": "2031-03-01T10:00:00Z", "finished_at": "2031-03-01T10:00:01Z"}
_PARTS = ("environment_setup", "agent_setup", "agent_execution", "verifier")


def result_document(
    *, parts: int = 4, rewards: object = ..., exception: str = "", message: str = "", **changes: Any
) -> dict[str, Any]:
    """Return a result whose first `parts` parts have begun; rewards default to 1.0 once the verifier has begun."""
    document: dict[str, Any] = {
        "schema_version": 1, "task_name": "starter/hello-file", "trial_name": "att-1", "task_checksum": "ab" * 32,
        "agent_info": {"name": "oracle", "version": "1.0.0", "model_info": None}, "agent_result": None, **_STARTED,
        **{part: dict(_STARTED) if index < parts else None for index, part in enumerate(_PARTS)},
        "verifier_result": None, "exception_info": None, "step_results": None,
    }  # fmt: skip
    if rewards is ... and parts == 4:
        rewards = {"reward": 1.0}
    if rewards is not ... and rewards is not None:
        document["verifier_result"] = {"rewards": rewards}
    if exception:
        document["exception_info"] = {"exception_type": exception, "exception_message": message, "exception_traceback": "(cut)"}
    return {**document, **changes}


def result_bytes(**changes: Any) -> bytes:
    """Return the bytes of `result_document`."""
    return json.dumps(result_document(**changes)).encode()
