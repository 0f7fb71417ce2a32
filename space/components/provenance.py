"""The provenance panel of a cell: configuration, scope, evidence and publication, and the command that checks the row.

Every field is filled or says why it is not; nothing is left blank.
"""

import shlex
from collections.abc import Mapping
from typing import Any

from shared.documents.receipt import Receipt
from space.components.facts import Fact, group
from space.components.figures import count, digest, duration, missing, moment, money, price_document
from space.components.html import Child, Markup, join, repository_link, tag
from space.components.subject import NO_MODEL, deployment_name
from space.queries.view import View, address


def provenance(cell: Mapping[str, Any], run: Mapping[str, Any] | None, receipt: Receipt | None) -> Markup:
    """Return the panel of `cell`, with its run's row and its publication's receipt."""
    return tag(
        "section",
        tag("h2", "Provenance", id="provenance", tabindex=-1),
        tag(
            "p",
            "Where this score comes from. " if is_sample(cell) else "Where this score comes from, down to the sealed evidence. ",
            tag("a", "What a stranger can check", href="/about#verify"),
        ),
        _summary(cell, receipt),
        *(() if is_sample(cell) else _verified(cell)),
        tag(
            "div",
            group("Configuration", _configuration(cell)),
            group("Scope", _scope(cell)),
            group("Evidence", _evidence(cell, run)),
            group("Publication", _publication(cell, receipt)),
            class_="groups",
        ),
        class_="provenance",
    )


def is_sample(cell: Mapping[str, Any]) -> bool:
    """True for a cell of the synthetic sample, which no evidence stands behind."""
    return cell["series"] == "sample" and str(cell["dataset"]).startswith("example/")


def _summary(cell: Mapping[str, Any], receipt: Receipt | None) -> Markup:
    """Return the panel in three lines: what was counted, what published it, what lies behind it."""
    passed = (
        "The numbers of this cell are withheld."
        if cell["withheld"]
        else f"{cell['passed_trials']:,} of {cell['planned_trials']:,} planned trials passed."
    )
    signed = (
        "without a known receipt"
        if receipt is None
        else "with a signed receipt"
        if receipt.signature
        else "with an unsigned receipt"
    )
    published = f"Published in {cell['dataset']}, revision {cell['dataset_revision']}, {signed}."
    evidence = (
        "A sample: these rows are synthetic, and no evidence exists behind them."
        if is_sample(cell)
        else "The bytes of the evidence are private; their digests are published below."
    )
    return tag("ul", *(tag("li", said) for said in (passed, published, evidence)), class_="summary")


def _verified(cell: Mapping[str, Any]) -> tuple[Markup, ...]:
    """Return how to check the row; a sample has nothing to check it against."""
    program = tag("a", "How to get the program", href="/about#model")
    return (
        tag("h3", "Check this row yourself"),
        tag("p", "Run this in a checkout of the program. ", program, class_="muted"),
        tag("pre", verify_command(cell), class_="command", tabindex=0, aria_label="Command that verifies this row"),
    )


def verify_command(cell: Mapping[str, Any]) -> str:
    """Return the command that checks the row of `cell` against its receipt and evidence statement."""
    row = shlex.quote(f"{cell['dataset']}@{cell['dataset_revision']}")
    return f".venv/bin/python -m runner results verify-row {row} cells {shlex.quote(cell['cell_id'])}"


def _configuration(cell: Mapping[str, Any]) -> list[Fact]:
    has_model = cell["model_repo"] != NO_MODEL
    why = "not_reported" if has_model else "not_applicable"
    weights = ", ".join(str(part) for part in (cell["weights_format"], cell["quantization"]) if part)
    engine = " ".join(part for part in (cell["engine"], cell["engine_version"]) if part)
    return [
        ("Model", repository_link(cell["model_repo"]) if has_model else "no model: the agent asks none"),
        ("Model revision", digest(cell["model_revision"]) if has_model else missing(why)),
        ("Weights", weights if has_model and weights else missing(why)),
        ("Deployment", deployment_name(cell)),
        ("Deployment digest", digest(cell["deployment_digest"])),
        ("Deployment spec digest", digest(cell["deployment_spec_digest"])),
        ("Provider, region", _pair(cell["provider"], cell["region"], why)),
        ("Hardware", cell["hardware"] or missing(why)),
        ("Engine", engine or missing(why)),
        ("Image", digest(cell["image_digest"], why)),
        ("API", cell["api"] or missing(why)),
        ("Serving profile", digest(cell["serving_profile_sha256"], why)),
        ("Concurrency", count(cell["concurrency"])),
        ("Agent", join(cell["agent_name"], tag("span", f" {cell['agent_id']}", class_="muted"))),
        ("Agent revision", digest(cell["agent_revision"])),
        ("Agent import path", digest(cell["agent_import_path"], "not_applicable")),
        ("Sandbox", cell["sandbox"]),
        ("Host release", cell["host_release"] or missing()),
        ("Host packages", digest(cell["host_packages_sha256"])),
    ]


def _scope(cell: Mapping[str, Any]) -> list[Fact]:
    spend = cell["max_trial_spend_usd_micros"]
    return [
        ("Benchmark", cell["benchmark"]),
        ("Benchmark digest", digest(cell["benchmark_digest"])),
        ("Task set digest", digest(cell["tasks_sha256"])),
        ("Edition", digest(cell["edition"])),
        ("Tasks x repeats", f"{cell['tasks']} x {cell['repeats']}"),
        ("Reward", f"{cell['primary_reward']}, from {cell['reward_low']:g} to {cell['reward_high']:g}"),
        ("Passed at", f"reward {cell['pass_threshold']:g}"),
        ("Time limit", join(duration(cell["trial_seconds"]), f" a trial, agent setup x {cell['agent_setup_multiplier']}")),
        ("Spend limit of a trial", money(spend, "no limit")),
        ("Kind, quality, role", f"{cell['kind']}, {cell['quality']}, {cell['role']}"),
        ("Series", cell["series"]),
        ("Source checked", "yes" if cell["source_checked"] else "no"),
        ("Source flags", ", ".join(cell["source_flags"]) if cell["source_flags"] else "none"),
        (
            "Parts of a composite",
            ", ".join(cell["source_publications"]) if cell["source_publications"] else missing("not_applicable"),
        ),
    ]


def _evidence(cell: Mapping[str, Any], run: Mapping[str, Any] | None) -> list[Fact]:
    found: list[Fact] = [
        ("Run", tag("a", digest(cell["run_id"]), href=address(View("run", {"run_id": cell["run_id"]})))),
        ("Cell", digest(cell["cell_id"])),
        ("Cell digest", digest(cell["cell_digest"])),
        ("Evidence prefix", digest(cell["evidence_prefix"])),
        ("Evidence root", digest(cell["evidence_sha256"])),
        ("Run lock", digest(cell["run_lock_sha256"])),
        ("Control commit", digest(cell["control_commit"])),
    ]
    if run is None:
        return [*found, ("Row of the run", missing())]
    return [
        *found,
        ("Experiment", run["experiment"]),
        ("Plan", digest(run["plan_digest"])),
        ("Price document", price_document(run["prices_sha256"])),
        ("Build", digest(run["build_digest"])),
        ("Harbor", join(run["harbor_version"], " ", digest(run["harbor_lock_sha256"]))),
        ("Requested by", run["requested_by"]),
        (
            "Approval",
            {"not_needed": "not needed", "single": "single: approved by its requester"}.get(run["approval"], run["approval"]),
        ),
    ]


def _publication(cell: Mapping[str, Any], receipt: Receipt | None) -> list[Fact]:
    signature: Child = missing()
    if receipt is not None:
        signature = digest(receipt.signature) if receipt.signature else tag("strong", "unsigned")
    return [
        ("Publication", digest(cell["publication_id"])),
        ("Dataset", join(repository_link(cell["dataset"], is_dataset=True), f" @ {cell['dataset_revision']}")),
        ("Receipt", digest(cell["receipt_sha256"])),
        ("Signature", signature),
        ("Catalog record", f"{cell['record']}, sequence {cell['sequence']}"),
        ("Recorded", moment(cell["recorded_at"])),
        ("Actor, reason", _pair(cell["actor"], cell["record_reason"], "not_applicable")),
    ]


def _pair(first: str | None, second: str | None, why: str) -> Child:
    known = [part for part in (first, second) if part]
    return ", ".join(known) if known else missing(why)
