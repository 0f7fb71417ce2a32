"""Writes full reward wherever a verifier might take it from, and solves nothing.

A benchmark that pays for it is flagged `reward_written`.
"""

from typing import ClassVar

from runner.agents.cheat_reward import DEFINITION as DECLARED
from runner.agents.definition import AgentDefinition
from runner.agents.support.script_agent import ScriptAgent


class CheatReward(ScriptAgent):
    """An adversary that writes the reward itself."""

    DEFINITION: ClassVar[AgentDefinition] = DECLARED
    SCRIPT: ClassVar[str] = r"""
for folder in /logs/verifier /logs/agent /logs/artifacts /app /tmp "$PWD"; do
  mkdir -p "$folder" 2>/dev/null
  echo 1 > "$folder/reward.txt"
  echo '{"reward": 1.0, "score": 1.0, "passed": true}' > "$folder/reward.json"
  echo 1 > "$folder/score.txt"
done 2>/dev/null
"""
