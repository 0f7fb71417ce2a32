"""One OpenAI-compatible chat address: a request, its answer, its tokens.

A connection error, 429 and 5xx are asked again a few times; any other refusal is raised as it is. A server that does not know
tools is found by its refusal of them. Holds no conversation; called by `agent.py`.
"""

import asyncio
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Final

import httpx

RETRY_DELAYS_S: Final = (0.5, 2.0)
_AGAIN: Final = frozenset({408, 429, 500, 502, 503, 504})
_TOOL: Final = {
    "type": "function",
    "function": {
        "name": "bash",
        "description": "Run a bash command in the working folder and return what it prints.",
        "parameters": {"type": "object", "properties": {"command": {"type": "string"}}, "required": ["command"]},
    },
}


class ModelRequestFailed(RuntimeError):
    """The model's address refused a request or did not answer."""

    def __init__(self, status: int | None, text: str) -> None:
        super().__init__(f"model request failed with {status or 'no answer'}: {text[:300]}")
        self.status: Final = status
        self.text: Final = text


@dataclass(frozen=True, slots=True)
class Answer:
    """An assistant's message and the tokens it took; a count that is not reported is None."""

    message: dict[str, Any]
    input_tokens: int | None
    cached_tokens: int | None
    output_tokens: int | None
    finish_reason: str


class ChatAddress:
    """A chat address with a model; `close` it when done."""

    def __init__(
        self, base_url: str, model: str, key: str, *, seconds: float, transport: httpx.AsyncBaseTransport | None = None
    ) -> None:
        headers = {"Authorization": f"Bearer {key}"} if key else {}
        self._client = httpx.AsyncClient(
            base_url=f"{base_url.rstrip('/')}/", headers=headers, timeout=seconds, transport=transport
        )
        self._model = model

    async def ask(self, messages: Sequence[dict[str, Any]], *, temperature: float, max_tokens: int, with_tool: bool) -> Answer:
        """Return the model's answer to `messages`; raise ModelRequestFailed."""
        body: dict[str, Any] = {
            "model": self._model, "messages": list(messages), "temperature": temperature, "max_tokens": max_tokens,
        }  # fmt: skip
        if with_tool:
            body |= {"tools": [_TOOL], "tool_choice": "auto"}
        for delay in (*RETRY_DELAYS_S, None):
            try:
                return await self._once(body)
            except ModelRequestFailed as failure:
                if delay is None or (failure.status is not None and failure.status not in _AGAIN):
                    raise
                await asyncio.sleep(delay)
        raise AssertionError("unreachable")

    async def close(self) -> None:
        """Close the connections."""
        await self._client.aclose()

    async def _once(self, body: dict[str, Any]) -> Answer:
        try:
            response = await self._client.post("chat/completions", json=body)
        except httpx.HTTPError as error:
            raise ModelRequestFailed(None, f"{type(error).__name__}: {error}") from error
        if response.status_code != httpx.codes.OK:
            raise ModelRequestFailed(response.status_code, response.text)
        try:
            document = response.json()
            choice = document["choices"][0]
            message = dict(choice["message"])
        except (ValueError, KeyError, IndexError, TypeError) as error:
            raise ModelRequestFailed(None, f"not a chat completion: {response.text[:200]}") from error
        usage = document.get("usage") or {}
        details = usage.get("prompt_tokens_details") or {}
        return Answer(
            message,
            _count(usage.get("prompt_tokens")),
            _count(details.get("cached_tokens")),
            _count(usage.get("completion_tokens")),
            str(choice.get("finish_reason") or ""),
        )


def _count(value: Any) -> int | None:
    return value if isinstance(value, int) and not isinstance(value, bool) and value >= 0 else None
