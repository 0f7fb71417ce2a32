"""How the status of a run is shown: lines for people, the document for programs; and which lines of all runs are news."""

import sys
from collections.abc import Iterator
from typing import Any

from runner.ports.state.status import StatusStore
from runner.usecases.control.pass_world import PassReport
from runner.usecases.control.write_status import SETTLED
from runner.usecases.journals.loading import RUN
from shared.documents.experiment.matrix import NO_MODEL
from shared.documents.status import CellLine, RunStatus, TrialLine
from shared.errors import BadInput
from shared.plural import counted

FAILURES_SHOWN = 10


def status_result(document: RunStatus) -> dict[str, Any]:
    """Return the status as plain JSON."""
    return document.model_dump(mode="json")


def said_state(document: RunStatus) -> str:
    """Return the state with the label, or the one word where both are the same."""
    return document.state if document.label in {"", document.state} else f"{document.state} {document.label}"


def status_lines(document: RunStatus) -> list[str]:
    """Return the status as a person reads it."""
    counts = ", ".join(f"{count} {state}" for state, count in sorted(document.counts.items()))
    lines = [
        f"run {document.run_id} ({document.experiment})",
        f"  {said_state(document)}, waits for {document.awaits}",
        f"  {counted(document.planned, 'trial')}: {counts}",
        f"  requested by {document.requested_by}, as of {document.written_at}",
    ]
    if document.cancelled_because:
        lines.append(f"  cancelled because: {document.cancelled_because}")
    lines += [f"  attention {code}: {message}" for code, message in document.attention.items()]
    lines += [f"  request {each.request} was refused: {each.code}: {each.message}" for each in document.refusals]
    lines += [f"  wave {wave.number}: {wave.state} {wave.because}".rstrip() for wave in document.waves]
    if document.publication_id:
        lines.append(f"  published as {document.publication_id}")
    cells = {each.cell_id: f" ({', '.join(_parts(each))})" for each in document.cells}
    failed = [trial for trial in document.trials if trial.category]
    lines += [
        f"  {trial.task} repeat {trial.repeat}{cells.get(trial.cell_id, '')}: {trial.state}"
        f" after {counted(trial.attempts, 'attempt')}, last {_why(trial)}"
        for trial in failed[:FAILURES_SHOWN]
    ]
    if len(failed) > FAILURES_SHOWN:
        lines.append(f"  .. and {len(failed) - FAILURES_SHOWN} more")
    return lines


class StatusLines:
    """What of the runs a person has seen: of a run that is over its line is shown only when it changes."""

    def __init__(self, store: StatusStore, only: str | None) -> None:
        self._store = store
        over = (each for each in self._statuses() if each.awaits == SETTLED and each.run_id != only)
        self._lines = {document.run_id: _line(document) for document in over}
        self.count = 0
        """Lines shown so far."""

    def show(self, report: PassReport) -> None:
        """Print the line of each run whose line has changed, and one for each request that was refused."""
        for document in self._statuses():
            line = _line(document)
            if self._lines.get(document.run_id) != line:
                self._lines[document.run_id] = line
                self.count += 1
                sys.stdout.write(f"{line}\n")
                sys.stdout.flush()
        for run_id, refusal in report.refusals:
            text = f"{run_id[-8:]} request {refusal.request} was refused: {refusal.code}: {refusal.message}\n"
            sys.stdout.write(text.lstrip())
        for run_id, why in report.frozen.items():
            sys.stderr.write(f"{run_id} is set aside: {why}\n")

    def _statuses(self) -> Iterator[RunStatus]:
        found = self._store.list().items()
        read = (read_status(each.data) for subject, each in found if subject.type == RUN)
        return (document for document in read if document is not None)


def _line(document: RunStatus) -> str:
    counts = ", ".join(f"{count} {state}" for state, count in sorted(document.counts.items()))
    return f"{document.run_id[-8:]} {document.experiment}: {said_state(document)} ({counts}); waits for {document.awaits}"


def _parts(cell: CellLine) -> list[str]:
    return [cell.agent] if cell.model == NO_MODEL else [cell.agent, cell.model]


def _why(trial: TrialLine) -> str:
    said = [word for word in (trial.reason_code, trial.phase and f"in {trial.phase}", trial.exception_type) if word]
    fetch = f"; evidence: {trial.attempt_id}" if trial.attempt_id else ""
    return f"{trial.category}{f' ({", ".join(said)})' if said else ''}{fetch}"


def read_status(data: bytes) -> RunStatus | None:
    """Return the stored status, or None if it cannot be read: a pass writes it anew, and it hides no other run meanwhile."""
    try:
        return RunStatus.from_bytes(data)
    except BadInput:
        return None
