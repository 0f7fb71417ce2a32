"""The state machines are data: every pair is allowed or not, ends absorb, and every state can be reached."""

from enum import StrEnum
from pathlib import Path
from typing import Any

import pytest

from shared.states import (
    ACTION_MOVES,
    ATTEMPT_MOVES,
    RUN_MOVES,
    RUN_TERMINAL,
    TRIAL_MOVES,
    TRIAL_OPEN,
    TRIAL_TERMINAL,
    WAVE_MOVES,
    ActionState,
    AttemptState,
    RunState,
    TrialState,
    WaveState,
    may_move,
)
from tests.builders.goldens import check_golden

GOLDEN = Path(__file__).parents[1] / "data" / "golden" / "states.txt"
MACHINES: dict[str, tuple[type[StrEnum], dict[Any, frozenset[Any]]]] = {
    "run": (RunState, RUN_MOVES),
    "trial": (TrialState, TRIAL_MOVES),
    "attempt": (AttemptState, ATTEMPT_MOVES),
    "wave": (WaveState, WAVE_MOVES),
    "action": (ActionState, ACTION_MOVES),
}
STARTS: dict[str, set[Any]] = {
    "run": {None},
    "trial": {TrialState.PLANNED},
    "attempt": {AttemptState.RESERVED},
    "wave": {WaveState.PLANNED},
    "action": {ActionState.RESERVED},
}


def test_golden_moves() -> None:
    """Every pair of states of every machine: a move that is added or lost is seen in review."""
    lines = [
        f"{name} {before} -> {after}\n"
        for name, (states, moves) in MACHINES.items()
        for before in (*((None,) if None in moves else ()), *states)
        for after in states
        if may_move(moves, before, after)
    ]
    check_golden(GOLDEN, "".join(lines).encode())


@pytest.mark.parametrize("name", MACHINES)
def test_every_state_can_be_reached(name: str) -> None:
    """A state that nothing leads to is none."""
    states, moves = MACHINES[name]
    reached = set(STARTS[name])
    for _ in states:
        reached |= {after for before in reached for after in moves.get(before, frozenset())}
    assert set(states) <= reached


@pytest.mark.parametrize("state", sorted(RUN_TERMINAL))
def test_the_ends_of_a_run_absorb(state: RunState) -> None:
    """Nothing follows."""
    assert RUN_MOVES.get(state, frozenset()) == frozenset()


def test_a_trials_ends_are_what_is_not_open() -> None:
    """Only a cancelled trial may be run again."""
    assert set(TrialState) == TRIAL_OPEN | TRIAL_TERMINAL
    assert [state for state in TRIAL_TERMINAL if TRIAL_MOVES.get(state)] == [TrialState.CANCELLED]
