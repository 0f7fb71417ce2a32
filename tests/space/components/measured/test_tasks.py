"""What Harbor's own agents say about a task."""

from typing import Any

from space.components.measured.tasks import mark, reference, summary
from tests.space.pages.test_numbers import plain


def row_of(**values: Any) -> dict[str, Any]:
    """Return a row of the list of tasks: the solution passes, doing nothing does not."""
    return {
        "solution_trials": 3,
        "solution_passed": 3,
        "nothing_trials": 3,
        "nothing_passed": 0,
        "mark": "sometimes_solved",
        **values,
    }


def test_a_task_that_passes_by_itself_is_flagged() -> None:
    """An agent that does nothing passes it: then its verifier says nothing about anybody."""
    assert "nop passes 2/3" in plain(reference(row_of(nothing_passed=2)))
    assert plain(reference(row_of())) == "3/3"


def test_an_unplayed_solution_is_not_observed() -> None:
    """Nobody saw whether the reference solution passes."""
    assert plain(reference(row_of(solution_trials=0))) == "not observed"


def test_marks_are_for_never_and_always() -> None:
    """What is sometimes solved has none; what was not scored is not called never solved."""
    assert mark(row_of()) is None
    assert "never solved" in plain(mark(row_of(mark="never_solved")))
    assert "no trial scored" in plain(mark(row_of(mark="not_scored")))


def test_what_nobody_tried_is_not_called_solved() -> None:
    """Where Harbor's own agents alone played, who are not counted; one measured agent is enough to speak of solving."""
    said = plain(summary([row_of(cells=0, mark="")]))
    assert "has tried these tasks yet" in said
    assert "solved" not in said
    assert "Every task is solved by somebody." in plain(summary([row_of(cells=1)]))
