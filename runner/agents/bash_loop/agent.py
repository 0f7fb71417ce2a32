"""The agent `bash-loop` as Harbor loads it: ask the model, run its command in the environment, show it the output, repeat.

It runs in the trial host's child, not in the sandbox, so the sandbox needs no way to the model. Usage goes into Harbor's context
and the trajectory to disk after every turn, so that a timeout keeps both. It ends when the model stops asking for commands, or
after `max_turns`: an agent at its turn limit has still changed the environment, and the verifier decides.
"""

import os
import uuid
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, Final, override

from harbor.agents.base import BaseAgent
from harbor.agents.capabilities import AgentCapabilities
from harbor.environments.base import BaseEnvironment
from harbor.models.agent.context import AgentContext

from runner.agents.bash_loop import DEFINITION
from runner.agents.bash_loop.chat import Answer, ChatAddress, ModelRequestFailed
from runner.agents.bash_loop.parsing import Command, find_commands
from runner.agents.bash_loop.trajectory import TrajectoryFile
from runner.agents.bash_loop.usage import Usage

MAX_SHOWN_CHARS: Final = 4000
SYSTEM: Final = (
    "You solve a task in a Linux shell. Reply with one bash command in a fenced block:\n"
    "```bash\ncommand\n```\n"
    "It is run and you see what it prints. When the task is done, reply with the single word DONE."
)
EXAMPLE: Final = (
    {"role": "user", "content": "Write the number of lines of `/srv/a.csv` to `/srv/count.txt`."},
    {"role": "assistant", "content": "```bash\nwc -l < /srv/a.csv > /srv/count.txt\n```"},
    {"role": "user", "content": "Output:\n(no output)"},
    {"role": "assistant", "content": "DONE"},
)
"""One worked example: without it a model of 135 million parameters finds neither the form nor the end."""
NUDGE: Final = "That reply has no command. Reply with one bash command in a ```bash block, or with the single word DONE."

_PREAMBLE: Final = "\n".join([SYSTEM, *(f"[{said['role']}] {said['content']}" for said in EXAMPLE)])


class BashLoop(BaseAgent):  # type: ignore[misc]  # Harbor is not installed where types are checked
    """One tool, bash, for any model behind a chat address."""

    capabilities = AgentCapabilities(base_url=True, atif=True)

    def __init__(
        self,
        logs_dir: Path,
        model_name: str | None = None,
        *args: Any,
        base_url: str | None = None,
        model_api_key_name: str | None = None,
        max_turns: int = 12,
        command_seconds: int = 60,
        max_output_tokens: int = 1024,
        max_history_chars: int = 24_000,
        request_seconds: float = 120.0,
        temperature: float = 0.0,
        native_tools: bool = True,
        **kwargs: Any,
    ) -> None:
        super().__init__(logs_dir, model_name, *args, **kwargs)
        if not model_name or not base_url:
            raise ValueError("the agent bash-loop needs a model and its base_url")
        self._model = model_name
        self._address = base_url
        self._key_name = model_api_key_name or ""
        self._max_turns = max_turns
        self._command_seconds = command_seconds
        self._max_output_tokens = max_output_tokens
        self._max_history_chars = max_history_chars
        self._request_seconds = request_seconds
        self._temperature = temperature
        self._with_tool = native_tools

    @staticmethod
    @override
    def name() -> str:
        """Return the agent's name."""
        return DEFINITION.name

    @override
    def version(self) -> str:
        """Return the agent's version."""
        return DEFINITION.version

    @override
    async def setup(self, environment: BaseEnvironment) -> None:
        """Install nothing: the agent runs outside the environment."""

    @override
    async def run(self, instruction: str, environment: BaseEnvironment, context: AgentContext) -> None:
        """Work on `instruction` until the model is done or the turns are over."""
        key = os.environ.get(self._key_name, "") if self._key_name else ""
        chat = ChatAddress(self._address, self._model, key, seconds=self._request_seconds)
        record = TrajectoryFile(
            self.logs_dir / "trajectory.json",
            session_id=str(self.context_id or uuid.uuid4()),
            name=self.name(),
            version=self.version(),
            model=self._model,
        )
        try:
            context.metadata = {"turns": 0, "end": "turn_limit"}
            await self._converse(chat, record, instruction, environment, context)
        finally:
            await chat.close()

    async def _converse(
        self, chat: ChatAddress, record: TrajectoryFile, instruction: str, environment: BaseEnvironment, context: AgentContext
    ) -> None:
        history: list[dict[str, Any]] = [
            {"role": "system", "content": SYSTEM},
            *EXAMPLE,
            {"role": "user", "content": instruction},
        ]
        record.say("system", _PREAMBLE, _now())
        record.say("user", instruction, _now())
        is_nudged, usage = False, Usage()
        for turn in range(1, self._max_turns + 1):
            answer = await self._ask(chat, history)
            usage.add(answer, context)
            commands = find_commands(answer.message)
            outputs = [await self._run(environment, command) for command in commands]
            record.act(answer, commands, outputs, _now())
            context.metadata = {"turns": turn, "end": "turn_limit"}
            if not commands and (is_nudged or "DONE" in str(answer.message.get("content") or "")):
                context.metadata = {"turns": turn, "end": "done"}
                return
            is_nudged = not commands
            history += [_said(answer), *(_shown(commands, outputs) if commands else [{"role": "user", "content": NUDGE}])]
            if not commands:
                record.say("user", NUDGE, _now())

    async def _ask(self, chat: ChatAddress, history: list[dict[str, Any]]) -> Answer:
        """Return the answer to as much of `history` as fits; without the tool from the first refusal of it on."""
        limit = self._max_history_chars
        while True:
            try:
                return await chat.ask(
                    _recent(history, limit),
                    temperature=self._temperature,
                    max_tokens=self._max_output_tokens,
                    with_tool=self._with_tool,
                )
            except ModelRequestFailed as failure:
                text = failure.text.lower()
                if failure.status in {400, 413} and "context" in text and limit > MAX_SHOWN_CHARS:
                    limit //= 2
                elif failure.status in {400, 404, 422, 501} and self._with_tool and "tool" in text:
                    self._with_tool = False
                else:
                    raise

    async def _run(self, environment: BaseEnvironment, command: Command) -> str:
        try:
            output = await environment.exec(command.text, timeout_sec=self._command_seconds)
        except RuntimeError as error:
            if "timed out" not in str(error):
                raise
            return f"(the command was ended after {self._command_seconds} seconds)"
        text = "\n".join(part.rstrip() for part in (output.stdout, output.stderr) if part and part.strip())
        if len(text) > MAX_SHOWN_CHARS:
            half = MAX_SHOWN_CHARS // 2
            text = f"{text[:half]}\n(.. {len(text) - MAX_SHOWN_CHARS} characters left out ..)\n{text[-half:]}"
        return text if output.return_code == 0 else f"{text}\n(exit code {output.return_code})".lstrip()


def _said(answer: Answer) -> dict[str, Any]:
    said = {"role": "assistant", "content": answer.message.get("content") or ""}
    return {**said, "tool_calls": answer.message["tool_calls"]} if answer.message.get("tool_calls") else said


def _shown(commands: list[Command], outputs: list[str]) -> list[dict[str, Any]]:
    if all(command.call_id for command in commands):
        pairs = zip(commands, outputs, strict=True)
        return [{"role": "tool", "tool_call_id": command.call_id, "content": text or "(no output)"} for command, text in pairs]
    return [{"role": "user", "content": "Output:\n" + ("\n".join(outputs) or "(no output)")}]


def _recent(history: list[dict[str, Any]], limit: int) -> list[dict[str, Any]]:
    """Return preamble and task, and of the rest the newest turns whose text fits in `limit` characters."""
    head, turns = history[: len(EXAMPLE) + 2], history[len(EXAMPLE) + 2 :]
    starts = [index for index, message in enumerate(turns) if message["role"] == "assistant"]
    for start in starts:
        rest = turns[start:]
        if sum(len(str(message)) for message in head + rest) <= limit:
            return head + rest
    return head + turns[starts[-1] :] if starts else head


def _now() -> str:
    return datetime.now(UTC).isoformat()
