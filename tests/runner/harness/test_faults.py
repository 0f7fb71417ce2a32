from pathlib import Path

from runner.harness.environments.sandbox import SandboxFull, SandboxLost
from runner.harness.faults import FAULT, SANDBOX_FAULTS, Fault, read_fault, write_fault


def test_the_first_fault_stays(tmp_path: Path) -> None:
    """A verifier's own sandbox that ends later does not hide why the agent's did."""
    assert read_fault(tmp_path) is None
    write_fault(tmp_path, SandboxFull("too much"))
    write_fault(tmp_path, SandboxLost("gone"))
    assert read_fault(tmp_path) == Fault("SandboxFull", "too much")


def test_half_a_fault_is_none(tmp_path: Path) -> None:
    """A process that was killed while it wrote leaves no fault."""
    (tmp_path / FAULT).write_text('{"name": "Sand', encoding="utf-8")
    assert read_fault(tmp_path) is None


def test_the_names_are_those_of_the_exceptions() -> None:
    """What is written is what the table reads."""
    assert {SandboxLost.__name__, SandboxFull.__name__} == SANDBOX_FAULTS
