"""The agent's trajectory in ATIF v1.7, written after every turn, so that a timeout leaves what there was.

Plain documents; a test reads them with Harbor's own validator. Called by `agent.py`.
"""

import json
from pathlib import Path
from typing import Any, Final

from runner.agents.bash_loop.chat import Answer
from runner.agents.bash_loop.parsing import Command

SCHEMA: Final = "ATIF-v1.7"


class TrajectoryFile:
    """The growing `trajectory.json` of one agent run."""

    def __init__(self, path: Path, *, session_id: str, name: str, version: str, model: str) -> None:
        self._path = path
        self._head = {"schema_version": SCHEMA, "session_id": session_id}
        self._agent = {"name": name, "version": version, "model_name": model}
        self._steps: list[dict[str, Any]] = []
        self._totals = {"prompt": 0, "completion": 0, "cached": 0}

    def say(self, source: str, text: str, time: str) -> None:
        """Add what the system or the user said."""
        self._add({"timestamp": time, "source": source, "message": text})

    def act(self, answer: Answer, commands: list[Command], outputs: list[str], time: str) -> None:
        """Add one turn of the agent: its answer, its commands and what they printed."""
        step: dict[str, Any] = {"timestamp": time, "source": "agent", "message": str(answer.message.get("content") or "")}
        if reasoning := answer.message.get("reasoning_content"):
            step["reasoning_content"] = str(reasoning)
        ids = [command.call_id or f"text-{len(self._steps) + 1}-{index}" for index, command in enumerate(commands)]
        if commands:
            step["tool_calls"] = [
                {"tool_call_id": call, "function_name": "bash", "arguments": {"command": command.text}}
                for call, command in zip(ids, commands, strict=True)
            ]
            results = [{"source_call_id": call, "content": text} for call, text in zip(ids, outputs, strict=True)]
            step["observation"] = {"results": results}
        metrics = {
            "prompt_tokens": answer.input_tokens,
            "completion_tokens": answer.output_tokens,
            "cached_tokens": answer.cached_tokens,
        }
        step["metrics"] = {name: count for name, count in metrics.items() if count is not None}
        for name in self._totals:
            self._totals[name] += metrics[f"{name}_tokens"] or 0
        self._add(step)

    def _add(self, step: dict[str, Any]) -> None:
        self._steps.append({"step_id": len(self._steps) + 1, **step})
        totals: dict[str, int] = {f"total_{name}_tokens": count for name, count in self._totals.items()}
        document = {
            **self._head,
            "agent": self._agent,
            "steps": self._steps,
            "final_metrics": totals | {"total_steps": len(self._steps)},
        }
        part = self._path.with_suffix(".part")
        part.write_text(json.dumps(document, indent=1, ensure_ascii=False), encoding="utf-8")
        part.replace(self._path)
