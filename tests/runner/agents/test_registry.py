from dataclasses import replace

import pytest

from runner.agents.bash_loop import DEFINITION
from runner.agents.registry import check_kwargs, discover, index
from shared.errors import BadInput


def test_agents_are_discovered_by_their_folder() -> None:
    """Every folder with a definition is found, under the path that Harbor loads."""
    found = discover()
    assert found["runner.agents.bash_loop.agent:BashLoop"] is DEFINITION
    assert all(path == definition.import_path for path, definition in found.items())


def test_two_of_a_name_and_a_foreign_path_are_refused() -> None:
    """A name stands for one agent, a definition for its own folder."""
    other = replace(DEFINITION, import_path="runner.agents.other.agent:Other")
    with pytest.raises(BadInput, match="two agents are called bash-loop"):
        index({"bash_loop": DEFINITION, "other": other})
    with pytest.raises(BadInput, match="points to"):
        index({"bash_loop": other})


def test_keyword_arguments_are_strict() -> None:
    """An unknown one and a missing one are refused at their field."""
    check_kwargs(DEFINITION, {"max_turns": 3})
    with pytest.raises(BadInput) as caught:
        check_kwargs(DEFINITION, {"max_turn": 3})
    assert caught.value.field == "agent.kwargs.max_turn"
    with pytest.raises(BadInput, match="needs 'model'"):
        check_kwargs(replace(DEFINITION, required_kwargs=frozenset({"model"})), {})
