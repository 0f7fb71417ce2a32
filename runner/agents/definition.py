"""What is known of a custom agent before it runs: its name, where Harbor finds it, what it accepts.

Each folder below `runner/agents` declares one `DEFINITION` in its `__init__.py`, which imports neither Harbor nor the agent, so
that planning can read it. Found by `registry.py`.
"""

from dataclasses import dataclass

from shared.outcomes import Category


@dataclass(frozen=True, slots=True)
class AgentDefinition:
    """One custom agent."""

    name: str
    version: str
    import_path: str
    """`runner.agents.<folder>.agent:<Class>`, the `agent.import_path` of a manifest."""
    api: str
    """`chat_completions` or `responses`; empty if it asks no model."""
    allowed_kwargs: frozenset[str] = frozenset()
    required_kwargs: frozenset[str] = frozenset()
    trajectory_schema: str = ""
    """The ATIF version of its trajectory.json; empty if it writes none."""
    requires_session: bool = False
    requires_model: bool = True
    retryable: frozenset[Category] = frozenset()
    """Categories that the agent's own exceptions may be given by, beyond the failure table."""
