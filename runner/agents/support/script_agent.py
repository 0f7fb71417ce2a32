"""An agent that asks no model: it runs one shell script in the environment and is done.

The adversarial agents of `source check` are of this kind: each tries one way to a reward without solving the task, so that a
benchmark which pays for it is known before a model finds it.
"""

from typing import Any, ClassVar, override

from harbor.agents.base import BaseAgent
from harbor.environments.base import BaseEnvironment
from harbor.models.agent.context import AgentContext

from runner.agents.definition import AgentDefinition


class ScriptAgent(BaseAgent):  # type: ignore[misc]  # Harbor is not installed where types are checked
    """Runs `SCRIPT` with bash; what it prints lies in the agent's log."""

    DEFINITION: ClassVar[AgentDefinition]
    SCRIPT: ClassVar[str]
    SECONDS: ClassVar[int] = 60

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)

    @classmethod
    @override
    def name(cls) -> str:
        """Return the agent's name."""
        return cls.DEFINITION.name

    @override
    def version(self) -> str:
        """Return the agent's version."""
        return self.DEFINITION.version

    @override
    async def setup(self, environment: BaseEnvironment) -> None:
        """Install nothing."""

    @override
    async def run(self, instruction: str, environment: BaseEnvironment, context: AgentContext) -> None:
        """Run the script, whatever its exit code."""
        output = await environment.exec(self.SCRIPT, timeout_sec=self.SECONDS)
        text = (output.stdout or "") + (output.stderr or "")
        (self.logs_dir / "script.log").write_text(text, encoding="utf-8")
