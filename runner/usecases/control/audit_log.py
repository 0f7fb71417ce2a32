"""Auditing the control log: every journal is read from its beginning, its chain checked, and folded cold.

What must hold: the journal reads to its tip, each event id stands once in the whole log, the fold meets no anomaly, and the
savepoint that passes begin from gives the same state, byte for byte. Findings, not a stop; nothing is written.
"""

from dataclasses import dataclass

from runner.domain.control.installation import INSTALLATION, Installation, fold_installation
from runner.domain.control.projection.fold import fold_segments
from runner.domain.control.projection.savepoints import projection_bytes
from runner.domain.control.projection.state import RunProjection
from runner.ports.state.control_log import ControlLog
from runner.ports.state.savepoints import SavepointStore
from runner.usecases.journals.warm_loading import load_installation, load_warm
from shared.errors import SeawallError


@dataclass(frozen=True, slots=True)
class LogAudit:
    """What was read, and what does not hold: (where, what)."""

    journals: int
    events: int
    findings: tuple[tuple[str, str], ...]


def audit_log(log: ControlLog, savepoints: SavepointStore) -> LogAudit:
    """Return what auditing every journal of the log found at the newest version."""
    version, subjects = log.head().version, sorted(log.subjects() | {INSTALLATION})
    ids, findings, events = set[str](), list[tuple[str, str]](), 0
    for subject in subjects:
        run, installation = RunProjection(), Installation()
        try:
            for segment in log.read(subject, 0, version):
                for event in segment.events:
                    if event.event_id in ids:
                        findings.append((subject.id, f"event id {event.event_id} stands twice in the log"))
                    ids.add(event.event_id)
                events += len(segment.events)
                if subject == INSTALLATION:
                    fold_installation([segment], installation)
                else:
                    fold_segments(run, [segment])
            if subject == INSTALLATION:
                is_equal = load_installation(log, savepoints, version, may_save=False) == installation
            else:
                findings += [(subject.id, f"event {each.seq} ({each.kind}): {each.message}") for each in run.run.anomalies]
                warm = load_warm(log, savepoints, subject.id, version, may_save=False)
                is_equal = projection_bytes(warm) == projection_bytes(run)
        except SeawallError as error:
            findings.append((subject.id, str(error)))
            continue
        if not is_equal:
            findings.append((subject.id, "its savepoint gives another state than its journal"))
    return LogAudit(len(subjects), events, tuple(findings))
