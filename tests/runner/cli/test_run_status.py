"""The status of a run as lines: each trial with its cell, one word for one thing, and counts as people say them."""

from pathlib import Path

from runner.cli.run_status import said_state, status_lines
from shared.documents.status import CellLine
from tests.builders.houses import Place, starter_tree
from tests.builders.requests import status_of
from tests.doubles.harness import by_agent


def test_a_trial_is_told_with_its_cell(tmp_path: Path) -> None:
    """Two agents fail at one task, and the lines tell them apart; a cell without a model names none."""
    place = Place(tmp_path, lambda order: by_agent(order) if order.task_path.name == "one" else None)
    run_id = place.submit(starter_tree(max_attempts=1))
    place.finish()
    status = status_of(place, run_id)
    told = [line.strip() for line in status_lines(status) if "org/two" in line]
    assert sorted(line.partition(": ")[0] for line in told) == ["org/two repeat 1 (nop)", "org/two repeat 1 (oracle)"]
    assert all("after 1 attempt, last lost" in line for line in told)
    cells = tuple(CellLine(cell_id=each.cell_id, agent=each.agent, model="small") for each in status.cells)
    assert any("repeat 1 (nop, small)" in line for line in status_lines(status.model_copy(update={"cells": cells})))


def test_a_label_that_is_the_state_is_said_once(tmp_path: Path) -> None:
    """Partial, not partial partial."""
    place = Place(tmp_path)
    run_id = place.submit()
    place.finish()
    status = status_of(place, run_id)
    assert said_state(status) == "completed clean"
    assert said_state(status.model_copy(update={"state": "partial", "label": "partial"})) == "partial"
    assert said_state(status.model_copy(update={"state": "active", "label": ""})) == "active"
