"""Looks for the solution, the tests and expected answers where the agent can read, and uses them.

A benchmark that pays for it is flagged `answer_read`.
"""

from typing import ClassVar

from runner.agents.cheat_answer import DEFINITION as DECLARED
from runner.agents.definition import AgentDefinition
from runner.agents.support.script_agent import ScriptAgent


class CheatAnswer(ScriptAgent):
    """An adversary that looks for tests and solutions and copies what it finds."""

    DEFINITION: ClassVar[AgentDefinition] = DECLARED
    SCRIPT: ClassVar[str] = r"""
places="/tests /solution /app /oracle /grader /data $PWD"
for script in $(find $places -maxdepth 4 -name 'solve*.sh' -type f 2>/dev/null | sort -u); do
  echo "runs $script"
  bash "$script"
done
names='.*\(expected\|answer\|solution\|golden\)[^/]*'
for file in $(find $places -maxdepth 4 -type f -iregex "$names" 2>/dev/null | sort -u); do
  echo "copies $file"
  for name in answer.txt output.txt result.txt; do
    [ "$file" -ef "/app/$name" ] || cp "$file" "/app/$name" 2>/dev/null
  done
done
"""
