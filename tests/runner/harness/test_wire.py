import json
import select
from pathlib import Path

import pytest

from runner.harness.wire import ended_line, hello_line, order_line, phase_line, read_order, read_report
from runner.ports.compute.harness import AttemptOrder, EndReason, HarnessHello, HarnessReport, ModelAccess, ReportKind
from shared.outcomes import Phase

ORDER = AttemptOrder("att-1", Path("/place/a"), Path("/tasks/t"), {"name": "nop"}, {"environment": {}}, 1.5)


@pytest.mark.parametrize("model", [None, ModelAccess("m", "http://127.0.0.1:1/v1", "KEY")])
def test_an_order_crosses_whole(model: ModelAccess | None) -> None:
    """What is read is what was written, in one line."""
    order = AttemptOrder(ORDER.attempt_id, ORDER.folder, ORDER.task_path, ORDER.agent, {"a": "ü\n"}, 1.5, model, ("KEY", "B"))
    line = order_line(order)
    assert line.count(b"\n") == 1
    assert read_order(json.loads(line)["start"]) == order


def test_reports_cross_whole() -> None:
    """Hello, phase and end are read as what they are."""
    hello = HarnessHello("0.26.0", "ab" * 32, 7)
    assert read_report(hello_line(hello)) == hello
    assert read_report(phase_line("att-1", Phase.AGENT)) == HarnessReport(ReportKind.PHASE, "att-1", phase=Phase.AGENT)
    ended = read_report(ended_line("att-1", None, 9, EndReason.DEADLINE, "OSError"))
    assert ended == HarnessReport(ReportKind.ENDED, "att-1", signal=9, reason=EndReason.DEADLINE, exception_type="OSError")


def test_a_report_fits_a_pipes_atomic_write() -> None:
    """Whatever an exception is called, the line stays short enough to be written in one piece."""
    assert len(ended_line("a" * 200, 0, None, EndReason.FINISHED, "ü" * 10_000)) <= select.PIPE_BUF


@pytest.mark.parametrize(
    "line", [b"", b"{}", b"[]", b'{"what": {}}', b'{"phase": {}}', b'{"phase": {"attempt_id": "a", "phase": "x"}}']
)
def test_what_is_no_report_is_refused(line: bytes) -> None:
    """A stray line is an error, never a report."""
    with pytest.raises(ValueError, match=r".+"):
        read_report(line)
