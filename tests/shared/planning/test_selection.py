"""Tests of task selection: a literal name first, then two wildcards and nothing else."""

import fnmatch

import pytest
from hypothesis import given
from hypothesis import strategies as st

from shared.errors import BadInput
from shared.planning.inputs import SourceTask
from shared.planning.selection import _fits, select_tasks


def names(known: list[str], include: list[str], exclude: list[str] | None = None) -> list[str]:
    tasks = [SourceTask(name, name, "0") for name in known]
    return [task.name for task in select_tasks(tasks, include, exclude or [])]


def test_a_bracket_is_a_bracket() -> None:
    """A name with brackets is found literally, never read as a set of characters."""
    assert names(["fix[1]", "fix1"], ["fix[1]"]) == ["fix[1]"]
    assert names(["fix[1]", "fix1"], ["fix[*"]) == ["fix[1]"]


def test_a_pattern_equal_to_a_name_is_that_name() -> None:
    """A star in a name does not select its neighbours."""
    assert names(["a*", "ab"], ["a*"]) == ["a*"]


def test_star_and_question_mark_are_wildcards() -> None:
    """The star takes any text, slashes too; the question mark one character."""
    assert names(["org/a1", "org/a22", "b"], ["org/*"]) == ["org/a1", "org/a22"]
    assert names(["a1", "a22", "a"], ["a?"]) == ["a1"]


def test_the_order_is_by_name() -> None:
    """Selected tasks stand by name, whatever the source says first."""
    assert names(["b", "a", "C"], ["*"]) == ["C", "a", "b"]


def test_excluded_tasks_are_left_out() -> None:
    """Exclusion follows selection."""
    assert names(["a", "b", "c"], ["*"], ["b"]) == ["a", "c"]


@pytest.mark.parametrize(
    ("include", "exclude", "field"),
    [
        (["a", "z"], [], "benchmark.tasks[1]"),
        (["z*"], [], "benchmark.tasks[0]"),
        (["*"], ["z"], "benchmark.exclude_tasks[0]"),
        (["*"], ["*"], "benchmark.exclude_tasks"),
    ],
)
def test_a_pattern_without_a_match_is_refused(include: list[str], exclude: list[str], field: str) -> None:
    """A miss is named: nobody runs fewer tasks than they think."""
    with pytest.raises(BadInput) as caught:
        names(["a", "b"], include, exclude)
    assert (caught.value.code, caught.value.field) == ("TASK_UNMATCHED", field)


def test_two_tasks_of_one_name_are_refused() -> None:
    """A name stands for one task."""
    with pytest.raises(BadInput, match="TASK_DUPLICATE"):
        names(["a", "a"], ["*"])


def test_20001_tasks_are_refused() -> None:
    """The limit is 20,000 tasks."""
    assert len(names([str(n) for n in range(20_000)], ["*"])) == 20_000
    with pytest.raises(BadInput, match="PLAN_TOO_LARGE"):
        names([str(n) for n in range(20_001)], ["*"])


@given(name=st.text("ab[", max_size=8), pattern=st.text("ab*?[", max_size=8))
def test_wildcards_agree_with_fnmatch(name: str, pattern: str) -> None:
    """With brackets taken literally, the answer is that of the standard library."""
    assert _fits(name, pattern) == fnmatch.fnmatchcase(name, pattern.replace("[", "[[]"))


def test_a_hostile_pattern_is_matched_in_time() -> None:
    """Many stars cost time linear in name and pattern."""
    assert not _fits("a" * 500, "*a" * 200 + "b")
