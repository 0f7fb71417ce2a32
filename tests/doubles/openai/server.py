"""The scripted server. Standard library only; listens on loopback at a free port; every request is kept for the test to read.

A script is a list of turns, answered in order, the last one again and again. A turn is a text (an assistant's message), or a
`Turn` with tool calls, a status, usage or a delay of the answer until an event. Streamed requests get the same turn as
server-sent events. As a program: `python -m tests.doubles.openai.server --script FILE` prints its address and serves.
"""

import argparse
import json
import sys
import threading
from collections.abc import Sequence
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from types import TracebackType
from typing import Any, Self


@dataclass(frozen=True)
class Turn:
    """One answer of the script."""

    text: str = ""
    commands: Sequence[str] = ()
    """Each becomes a native tool call of `bash`."""
    status: int = 200
    error: str = "scripted failure"
    input_tokens: int | None = 100
    output_tokens: int | None = 10
    cached_tokens: int | None = None
    finish_reason: str = "stop"
    release: threading.Event | None = None
    """The answer waits for this event."""
    headers: dict[str, str] = field(default_factory=dict)


@dataclass(frozen=True)
class SeenRequest:
    """A request as it arrived."""

    path: str
    headers: dict[str, str]
    body: dict[str, Any]


class ScriptedModel:
    """A context manager: the server is up inside the `with`."""

    def __init__(self, script: Sequence[Turn | str], *, model: str = "scripted", knows_tools: bool = True, port: int = 0) -> None:
        self.script = [Turn(text=turn) if isinstance(turn, str) else turn for turn in script]
        self.model = model
        self.knows_tools = knows_tools
        self.requests: list[SeenRequest] = []
        self._lock = threading.Lock()
        self._server = ThreadingHTTPServer(("127.0.0.1", port), _Handler)
        self._server.daemon_threads = True
        self._server.scripted = self  # type: ignore[attr-defined]
        self._thread = threading.Thread(target=self._server.serve_forever, kwargs={"poll_interval": 0.05}, daemon=True)

    @property
    def base_url(self) -> str:
        """The address to give an agent."""
        return f"http://127.0.0.1:{self._server.server_address[1]}/v1"

    def __enter__(self) -> Self:
        self._thread.start()
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None) -> None:
        self._server.shutdown()
        self._server.server_close()
        self._thread.join()

    def serve_until_interrupted(self) -> None:
        """Serve in this thread."""
        self._server.serve_forever()

    def take(self, seen: SeenRequest) -> Turn:
        """Keep `seen` and return the turn that answers it."""
        with self._lock:
            self.requests.append(seen)
            return self.script[min(len(self.requests), len(self.script)) - 1]


class _Handler(BaseHTTPRequestHandler):
    """Speaks the part of the protocol that agents use."""

    protocol_version = "HTTP/1.1"

    def do_GET(self) -> None:
        """List the one model."""
        model = self.server.scripted.model  # type: ignore[attr-defined]
        self._json(200, {"object": "list", "data": [{"id": model, "object": "model", "owned_by": "script"}]})

    def do_POST(self) -> None:
        """Answer a chat request with the next turn."""
        scripted: ScriptedModel = self.server.scripted  # type: ignore[attr-defined]
        body = json.loads(self.rfile.read(int(self.headers.get("Content-Length", "0"))) or b"{}")
        if not self.path.endswith("/chat/completions"):
            self._json(404, {"error": {"message": "no such route"}})
            return
        if body.get("tools") and not scripted.knows_tools:
            self._json(400, {"error": {"message": "this server does not know tools"}})
            return
        turn = scripted.take(SeenRequest(self.path, dict(self.headers), body))
        if turn.release is not None:
            turn.release.wait(timeout=60)
        if turn.status != 200:
            self._json(turn.status, {"error": {"message": turn.error}}, turn.headers)
        elif body.get("stream"):
            self._stream(scripted, turn)
        else:
            self._json(200, _completion(scripted, turn), turn.headers)

    def log_message(self, *_arguments: object) -> None:
        """Say nothing."""

    def _json(self, status: int, document: dict[str, Any], headers: dict[str, str] | None = None) -> None:
        data = json.dumps(document).encode()
        self.send_response(status)
        for name, value in {"Content-Type": "application/json", "Content-Length": str(len(data)), **(headers or {})}.items():
            self.send_header(name, value)
        self.end_headers()
        self.wfile.write(data)

    def _stream(self, scripted: ScriptedModel, turn: Turn) -> None:
        self.send_response(200)
        self.send_header("Content-Type", "text/event-stream")
        self.send_header("Connection", "close")
        self.end_headers()
        whole = _completion(scripted, turn)
        head = {key: whole[key] for key in ("id", "model", "created")} | {"object": "chat.completion.chunk"}
        deltas: list[dict[str, Any]] = [{"role": "assistant"}, *({"content": word} for word in turn.text.split(" "))]
        calls = whole["choices"][0]["message"].get("tool_calls", [])
        deltas += [{"tool_calls": [{"index": index, **call}]} for index, call in enumerate(calls)]
        chunks = [{**head, "choices": [{"index": 0, "delta": delta, "finish_reason": None}]} for delta in deltas]
        chunks.append({**head, "choices": [{"index": 0, "delta": {}, "finish_reason": turn.finish_reason}]})
        if "usage" in whole:
            chunks.append({**head, "choices": [], "usage": whole["usage"]})
        for chunk in chunks:
            self.wfile.write(b"data: " + json.dumps(chunk).encode() + b"\n\n")
        self.wfile.write(b"data: [DONE]\n\n")
        self.close_connection = True


def _completion(scripted: ScriptedModel, turn: Turn) -> dict[str, Any]:
    message: dict[str, Any] = {"role": "assistant", "content": turn.text}
    if turn.commands:
        message["tool_calls"] = [
            {
                "id": f"call-{index}",
                "type": "function",
                "function": {"name": "bash", "arguments": json.dumps({"command": command})},
            }
            for index, command in enumerate(turn.commands)
        ]
    reason = "tool_calls" if turn.commands else turn.finish_reason
    document: dict[str, Any] = {
        "id": f"chatcmpl-{len(scripted.requests)}", "object": "chat.completion", "created": 0, "model": scripted.model,
        "choices": [{"index": 0, "message": message, "finish_reason": reason}],
    }  # fmt: skip
    if turn.input_tokens is not None or turn.output_tokens is not None:
        usage: dict[str, Any] = {"prompt_tokens": turn.input_tokens, "completion_tokens": turn.output_tokens}
        if turn.cached_tokens is not None:
            usage["prompt_tokens_details"] = {"cached_tokens": turn.cached_tokens}
        document["usage"] = {**usage, "total_tokens": (turn.input_tokens or 0) + (turn.output_tokens or 0)}
    return document


def main() -> None:
    """Serve a script from a file: a JSON list of texts or of turns' fields."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--script", type=Path, required=True)
    parser.add_argument("--port", type=int, default=0)
    arguments = parser.parse_args()
    turns = json.loads(arguments.script.read_text(encoding="utf-8"))
    model = ScriptedModel([turn if isinstance(turn, str) else Turn(**turn) for turn in turns], port=arguments.port)
    sys.stdout.write(model.base_url + "\n")
    sys.stdout.flush()
    model.serve_until_interrupted()


if __name__ == "__main__":
    main()
