"""`bash-loop`: a small agent that gives a model one tool, bash, over any OpenAI-compatible chat address."""

from typing import Final

from runner.agents.definition import AgentDefinition

DEFINITION: Final = AgentDefinition(
    name="bash-loop",
    version="1.0.0",
    import_path="runner.agents.bash_loop.agent:BashLoop",
    api="chat_completions",
    allowed_kwargs=frozenset(
        {
            "max_turns", "command_seconds", "max_output_tokens", "max_history_chars", "request_seconds", "temperature",
            "native_tools",
        }
    ),
    trajectory_schema="ATIF-v1.7",
)  # fmt: skip
