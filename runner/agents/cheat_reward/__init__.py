"""`cheat-reward`: an adversary that writes the reward itself."""

from typing import Final

from runner.agents.definition import AgentDefinition

DEFINITION: Final = AgentDefinition(
    name="cheat-reward",
    version="1.0.0",
    import_path="runner.agents.cheat_reward.agent:CheatReward",
    api="",
    requires_model=False,
)
