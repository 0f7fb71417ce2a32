"""`cheat-answer`: an adversary that looks for tests and solutions and copies what it finds."""

from typing import Final

from runner.agents.definition import AgentDefinition

DEFINITION: Final = AgentDefinition(
    name="cheat-answer",
    version="1.0.0",
    import_path="runner.agents.cheat_answer.agent:CheatAnswer",
    api="",
    requires_model=False,
)
