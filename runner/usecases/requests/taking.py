"""What taking requests needs, and what one pass knows of who uses what."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field

from runner.domain.control.accounts import Accounts
from runner.domain.control.leases import Pointer
from runner.evidence.redaction import Redactor
from runner.ports.state.answers import Version
from runner.ports.state.control_log import ControlLog
from runner.ports.stores.objects import Objects
from shared.digests import Digest
from shared.documents.plan import PlanHead
from shared.documents.reviewed.limits import Limits
from shared.inbox.rights import Access


@dataclass(frozen=True, slots=True)
class Taking:
    """One pass that takes requests, at one version of the log."""

    log: ControlLog
    version: Version
    pointers: Mapping[str, Pointer]
    objects: Objects
    limits: Limits
    access: Access
    accounts: Accounts
    redactor: Redactor
    """Takes secrets out of a reason before an event says it, and a catalog after that."""
    build: Callable[[], Digest]
    """Returns what the waves of a run that is planned here start from."""
    is_dry: bool = False
    """Nothing is stored."""
    plans: dict[str, PlanHead] = field(default_factory=dict)
    """By digest: plans that were made in this pass."""
