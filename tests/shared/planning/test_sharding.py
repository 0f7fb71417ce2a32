"""Tests of the order of trials, their keys, and the shards."""

import hashlib

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from shared.errors import BadInput
from shared.planning.sharding import cut_shards, trial_at, trial_key, trials_of
from tests.builders.experiments import changed, good_tree, make_plan, small_tree, some_tasks

PLAN = make_plan(good_tree())


def test_trials_stand_by_repeat_then_task() -> None:
    """All tasks are tried once before any is tried again."""
    head = make_plan(small_tree(), tasks=some_tasks(2)).head
    found = [(trial.repeat, trial.task.name) for trial in (trial_at(head, index) for index in range(9))]
    assert found == [(repeat, name) for repeat in (1, 2, 3) for name in ("broken-1", "task-00", "task-01")]


def test_cells_stand_by_digest() -> None:
    """The order of cells is that of their digests."""
    found = [cell.cell_digest for cell in PLAN.head.cells]
    assert found == sorted(found)


def test_every_trial_stands_in_exactly_one_shard() -> None:
    """The shards cover the plan without gap or overlap, none spans two cells."""
    indexes = [trial.index for shard in PLAN.shards for trial in trials_of(PLAN.head, shard)]
    assert indexes == list(range(PLAN.head.arithmetic.trials))
    for shard in PLAN.shards:
        assert {trial.cell_index for trial in trials_of(PLAN.head, shard)} == {shard.cell}
        assert shard.count <= PLAN.head.policy.trials_per_shard


def test_a_shards_digest_is_that_of_its_keys() -> None:
    """Anyone can recompute it: each key and a newline, in order."""
    for shard in PLAN.shards:
        lines = "".join(f"{trial.key}\n" for trial in trials_of(PLAN.head, shard))
        assert shard.digest == hashlib.sha256(lines.encode()).hexdigest()


def test_keys_are_unique() -> None:
    """A key names one trial, also where task names hold slashes."""
    keys = [trial_at(PLAN.head, index).key for index in range(PLAN.head.arithmetic.trials)]
    assert len(set(keys)) == len(keys)


@pytest.mark.parametrize("index", [-1, PLAN.head.arithmetic.trials])
def test_an_index_beyond_the_plan_is_an_error(index: int) -> None:
    """Indexes run from 0 to the number of trials less one."""
    with pytest.raises(IndexError):
        trial_at(PLAN.head, index)


@settings(deadline=None)
@given(tasks=st.integers(1, 12), repeats=st.integers(1, 5), size=st.integers(1, 40), cells=st.integers(1, 3))
def test_cutting_agrees_with_counting(tasks: int, repeats: int, size: int, cells: int) -> None:
    """For any sizes, the shards hold the keys of the plain double loop."""
    names = [f"t{n:02d}" for n in range(tasks)]
    digests = [f"{n}" * 64 for n in range(cells)]
    for shard in cut_shards(digests, names, repeats, size):
        keys = [trial_key(digests[shard.cell], name, repeat) for repeat in range(1, repeats + 1) for name in names]
        start = shard.first - shard.cell * len(keys)
        lines = "".join(f"{key}\n" for key in keys[start : start + shard.count])
        assert shard.digest == hashlib.sha256(lines.encode()).hexdigest()


@pytest.mark.parametrize(("path", "value", "field"), [("policy.trials_per_shard", 1, "policy.trials_per_shard")])
def test_more_than_10000_shards_are_refused(path: str, value: int, field: str) -> None:
    """The limit is 10,000 shards."""
    tree = changed(changed(small_tree(), path, value), "policy.shards_per_wave", 1)
    with pytest.raises(BadInput) as caught:
        make_plan(tree, tasks=some_tasks(4_000))
    assert (caught.value.code, caught.value.field) == ("PLAN_TOO_LARGE", field)


def test_more_than_1000000_trials_are_refused() -> None:
    """The limit is 1,000,000 trials."""
    tree = changed(changed(small_tree(), "policy.repeats", 100), "policy.trials_per_shard", 1000)
    with pytest.raises(BadInput) as caught:
        make_plan(tree, tasks=some_tasks(10_000))
    assert (caught.value.code, caught.value.field) == ("PLAN_TOO_LARGE", "policy.repeats")
