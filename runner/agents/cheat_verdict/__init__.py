"""`cheat-verdict`: an adversary that prints a verdict for a judge to repeat."""

from typing import Final

from runner.agents.definition import AgentDefinition

DEFINITION: Final = AgentDefinition(
    name="cheat-verdict",
    version="1.0.0",
    import_path="runner.agents.cheat_verdict.agent:CheatVerdict",
    api="",
    requires_model=False,
)
