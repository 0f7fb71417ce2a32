"""Ids: the same thing always has the same one, and each can stand in a URL, a path and a label."""

from uuid import UUID

import pytest
from hypothesis import given
from hypothesis import strategies as st

from shared.ids import (
    PREFIXES,
    RunId,
    action_id,
    attempt_id,
    cell_id,
    derive,
    generate,
    is_id,
    is_name,
    trial_id,
    wave_id,
)

RUN = RunId("run-" + "0" * 32)
GOLDEN = [
    "cell-2123b90d68596782f75c72adc018961a",
    "trial-513ec52f34f4846b5eba4144a094604d",
    "att-caf84966e278d84c3a6e747ab8848a5d",
    "wave-a5645f194737476016f70a395084076d",
]


@given(
    st.sampled_from(sorted(PREFIXES)),
    st.lists(st.text(st.characters(exclude_categories=["Cs"])) | st.integers(0, 99), max_size=4),
)
def test_a_derived_id_follows_from_its_parts(prefix: str, parts: list[str | int]) -> None:
    """It is a name, and it is of its kind."""
    found = derive(prefix, *parts)
    assert found == derive(prefix, *parts)
    assert is_id(found, prefix)
    assert is_name(found)


def test_parts_do_not_run_into_each_other() -> None:
    """Nor into the kind of thing."""
    assert derive("cell", "ab", "c") != derive("cell", "a", "bc")
    assert derive("cell", "1") != derive("cell", 1)
    assert derive("cell", "a").split("-")[1] != derive("trial", "a").split("-")[1]


def test_golden_ids_of_a_run() -> None:
    """They stand in published rows and never change."""
    trial = trial_id(RUN, "cell/task/1")
    assert [cell_id(RUN, "a" * 64), trial, attempt_id(trial, 1), wave_id(RUN, 1)] == GOLDEN


def test_a_second_try_is_another_attempt_of_the_same_trial() -> None:
    """Ordinals start at 1."""
    trial = trial_id(RUN, "k")
    assert attempt_id(trial, 1) != attempt_id(trial, 2)
    with pytest.raises(ValueError, match="start at 1"):
        attempt_id(trial, 0)


def test_an_action_has_one_id_a_generation() -> None:
    """Whoever decides it."""
    ids = {action_id("run-1", verb, target, generation) for verb in "ab" for target in "cd" for generation in (1, 2)}
    assert len(ids) == 8


def test_generated_ids_sort_by_time() -> None:
    """They carry the version-7 UUID that was passed in."""
    early, late = UUID(int=1 << 80), UUID(int=2 << 80)
    assert generate("run", early) < generate("run", late)
    assert is_id(generate("run", early), "run")


def test_an_unknown_kind_is_refused() -> None:
    """Ids are made in one place."""
    with pytest.raises(ValueError, match="unknown id prefix"):
        derive("thing", "x")
    with pytest.raises(ValueError, match="unknown id prefix"):
        generate("thing", UUID(int=1))


@pytest.mark.parametrize(
    "text", ["run-" + "0" * 31, "run-" + "0" * 33, "run-" + "G" * 32, "Run-" + "0" * 32, f"{RUN}\n", "run", ""]
)
def test_what_is_no_id(text: str) -> None:
    """Too short, too long, not hexadecimal, or with more behind it."""
    assert not is_id(text, "run")
    assert not is_id(RUN, "cell")


@pytest.mark.parametrize(
    ("text", "is_fine"),
    [
        ("a", True),
        ("a-1", True),
        ("-a", False),
        ("A", False),
        ("a_b", False),
        ("a" * 63, True),
        ("a" * 64, False),
        ("a\n", False),
    ],
)
def test_names(text: str, is_fine: bool) -> None:
    """What people may call a thing."""
    assert is_name(text) == is_fine
