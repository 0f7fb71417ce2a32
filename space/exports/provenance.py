"""Where the score of a cell comes from, field by field: what the provenance panel of its page shows, for programs.

No field is left out: what is not there reads why (`not_reported`, `not_observed`, `not_applicable`).
"""

from collections.abc import Mapping
from typing import Any, Final

from shared.exports.table_text import plain_value
from shared.tables.schema import Column
from space.components.provenance import verify_command
from space.queries import cell as query
from space.readers.editions import unknown
from space.readers.engine import Row
from space.readers.mirror import Mirror

_MODEL: Final = (
    "model_repo model_revision weights_format quantization deployment_id deployment_kind deployment_digest "
    "deployment_spec_digest provider region hardware engine engine_version image_digest api serving_profile_sha256"
)
_AGENT: Final = "agent_name agent_id agent_revision agent_import_path"
_PLACE: Final = "concurrency sandbox host_release host_packages_sha256"
_SCOPE: Final = (
    "benchmark benchmark_digest tasks_sha256 edition tasks repeats primary_reward reward_low reward_high pass_threshold "
    "trial_seconds agent_setup_multiplier max_trial_spend_usd_micros kind quality role series source_checked source_flags "
    "source_publications planned_trials scored_trials agent_failed_trials benchmark_failed_trials "
    "infrastructure_exhausted_trials unfinished_trials"
)
_EVIDENCE: Final = "run_id cell_id cell_digest evidence_prefix evidence_sha256 run_lock_sha256 control_commit"
_RUN: Final = "experiment plan_digest prices_sha256 build_digest harbor_version harbor_lock_sha256 requested_by approval"
_PUBLICATION: Final = "publication_id dataset dataset_revision receipt_sha256 record sequence actor record_reason replaced_by"
_NOT_APPLICABLE: Final = frozenset(
    {"agent_import_path", "max_trial_spend_usd_micros", "actor", "record_reason", "replaced_by", "withheld"}
)


def provenance_answer(cell_id: str, mirror: Mirror) -> Mapping[str, Any]:
    """Return the provenance of a cell in four groups, and the command that checks its row; Refused `view.not_published`."""
    cell = mirror.one(query.cell(cell_id))
    if cell is None:
        raise unknown("cell_id", cell_id)
    run = mirror.one(query.run(cell["run_id"])) or {}
    receipt = mirror.receipts.get(cell["publication_id"])
    why = "not_applicable" if cell["model_repo"] == "none" else "not_reported"
    signature = "not_reported" if receipt is None else receipt.signature or "unsigned"
    return {
        "configuration": {**_group(cell, _MODEL, why), **_group(cell, _AGENT), **_group(cell, _PLACE)},
        "scope": {**_group(cell, _SCOPE), "withheld": _said(cell, "withheld", "not_applicable")},
        "evidence": {**_group(cell, _EVIDENCE), **_group(run, _RUN)},
        "publication": {**_group(cell, _PUBLICATION), "signature": signature, "recorded_at": _time(cell["recorded_at"])},
        "verify": verify_command(cell),
    }


def _group(row: Row | Mapping[str, Any], names: str, why: str = "not_reported") -> Mapping[str, Any]:
    return {name: _said(row, name, "not_applicable" if name in _NOT_APPLICABLE else why) for name in names.split()}


def _said(row: Mapping[str, Any], name: str, why: str) -> Any:
    value = row.get(name)
    return why if value is None else value


def _time(micros: int | None) -> str:
    return str(plain_value(Column("recorded_at", "time"), micros) or "not_reported")
