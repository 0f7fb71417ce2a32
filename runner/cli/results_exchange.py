"""The verbs `results export` and `results import`: results for other programs, and results that were made elsewhere."""

import argparse
import re
import sys
from decimal import Decimal
from pathlib import Path
from typing import Final

from runner.bootstrap import House, build, results_at
from runner.cli.answer import Answer, Verb
from runner.cli.results_names import catalog_of, revision_of
from runner.config import secret_values
from runner.domain.control.envelope import utc_text
from runner.evidence.redaction import Redactor
from runner.harness.job_folders import find_trials
from runner.usecases.imports.gather_import import earlier_imports
from runner.usecases.imports.plan_import import ImportOrder, plan_import
from runner.usecases.imports.report_import import import_lines, import_result
from runner.usecases.imports.seal_import import seal_import
from runner.usecases.results.export_results import FORMS, ExportedFile, LeftOut, export_eval_results, export_tables
from runner.usecases.runs.plan_notes import folder_notes
from shared.errors import BadInput, Refused
from shared.ids import RunId, is_name
from shared.plural import counted
from shared.tables.registry import RESULT_TABLES

EVAL_RESULTS: Final = "eval-results"
MAX_REASON: Final = 500
_DATASET: Final = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]{0,95}/[A-Za-z0-9][A-Za-z0-9._-]{0,95}")
_DECIMAL: Final = re.compile(r"-?[0-9]{1,9}(\.[0-9]{1,9})?")


def _export_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("dataset", nargs="?", metavar="DATASET[@N]", help="owner/name of one results dataset; default: every one")
    parser.add_argument(
        "--format", required=True, choices=(*FORMS, EVAL_RESULTS), help="eval-results: for the Hub's leaderboards"
    )
    parser.add_argument("--into", type=Path, metavar="DIR", help="write files there; printed if not given")
    parser.add_argument(
        "--table", action="append", choices=tuple(RESULT_TABLES), metavar="TABLE", help="only this table, again for more"
    )
    parser.add_argument("--space", default="", metavar="URL", help="eval-results: the Space that shows these results")
    parser.add_argument("--results", type=Path, metavar="DIR", help="the folder with the published datasets")
    parser.add_argument("--catalog", metavar="NAME", help="owner/name of the catalog; found if there is only one")


def export(found: argparse.Namespace) -> Answer:
    """Write published rows, or the ranked cells of open models, for other programs."""
    root = (found.results or build().settings.results).absolute()
    made = list(_made(found, root))
    files, left_out = (
        [each for each in made if isinstance(each, ExportedFile)],
        [each for each in made if isinstance(each, LeftOut)],
    )
    if not files and left_out:
        message = f"no cell can be exported: {left_out[0].reason}"
        raise Refused(left_out[0].code, message, field=left_out[0].cell_id, way_out="docs/exchange.md says what is exported.")
    result = {"files": [each.path for each in files], "left_out": [each._asdict() for each in left_out]}
    told = [f"left out {each.cell_id}: {each.code}: {each.reason}" for each in left_out]
    if found.into is None:
        return _printed(files, told, result, is_json=found.json)
    for each in files:
        path = found.into / each.path
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(each.data)
    lines = [*(f"{found.into / each.path}  {counted(len(each.data), 'byte')}" for each in files), *told]
    return Answer(f"{counted(len(files), 'file')} in {found.into}", lines=lines or ["nothing is published yet"], result=result)


def _made(found: argparse.Namespace, root: Path) -> "list[ExportedFile | LeftOut]":
    store, made = results_at(root), list[ExportedFile | LeftOut]()
    is_for_hub = found.format == EVAL_RESULTS
    if found.format == "parquet" and found.into is None:
        raise BadInput("ARGUMENT_MISSING", "Parquet is not printed", field="--into", way_out="Name a folder with --into.")
    names = [found.dataset] if found.dataset else [name for name in store.names() if store.kind(name) == "results"]
    for name in names:
        dataset, number = revision_of(name)
        if is_for_hub:
            made += export_eval_results(store, dataset, number, catalog_of(root, found.catalog), found.space)
        else:
            made += export_tables(store, dataset, number, found.table or tuple(RESULT_TABLES), found.format)
    return made


def _printed(files: list[ExportedFile], told: list[str], result: dict[str, object], *, is_json: bool) -> Answer:
    if is_json:
        texts = {each.path: each.data.decode() for each in files}
        return Answer(counted(len(files), "file"), result={**result, "texts": texts})
    for line in told:
        sys.stderr.write(f"{line}\n")
    text = "".join(each.data.decode() if len(files) == 1 else f"# {each.path}\n{each.data.decode()}" for each in files)
    return Answer(lines=text.splitlines() or ["nothing is published yet"])


def _import_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("folder", type=Path, metavar="JOBS_DIR", help="a folder of Harbor jobs, one job, or result files")
    parser.add_argument(
        "--benchmark", required=True, metavar="NAME", help="what the results are of: lower-case words and hyphens"
    )
    parser.add_argument("--reason", required=True, metavar="TEXT", help="why these results are brought in; published")
    parser.add_argument("--dataset", metavar="OWNER/NAME", help="where they are published; default local/NAME")
    parser.add_argument("--catalog", default="local/catalog", metavar="OWNER/NAME", help="the catalog that records them")
    parser.add_argument("--series", default="imported", metavar="NAME", help="a label that the rows carry")
    parser.add_argument("--primary-reward", default="reward", metavar="KEY", help="the reward that is scored")
    parser.add_argument("--reward-range", nargs=2, default=("0", "1"), metavar=("LOW", "HIGH"), help="what it may be")
    parser.add_argument("--pass-threshold", default="1", metavar="X", help="from which reward on a trial has passed")
    parser.add_argument("--dry-run", action="store_true", help="say what would be imported, write nothing")


def bring_in(found: argparse.Namespace) -> Answer:
    """Seal and publish finished jobs that were made elsewhere, as manual results."""
    house = build()
    order = _order(found, house)
    notes = [f"  note: {note}" for note in folder_notes(order.dataset, order.catalog)]
    jobs = find_trials(found.folder, order.primary_reward, tuple(map(float, order.reward_range)))  # type: ignore[arg-type]
    earlier = earlier_imports(order.dataset, house.results, house.evidence)
    planned = plan_import(jobs, order, Redactor(secret_values(house.settings.environment)).redact_text, earlier)
    if found.dry_run:
        lines = [*import_lines(planned.record), *notes, "dry run: nothing was written"]
        return Answer(lines=lines, ids={"run_id": planned.record.run_id}, result=import_result(planned.record))
    record, _ = seal_import(planned, house.import_world())
    made = house.publish(RunId(record.run_id))
    word = "published" if made.is_new else "was published before, unchanged,"
    message = f"{record.run_id} {word} as {made.publication_id} in revision {made.revision} of {made.dataset}"
    result = {**import_result(record), "is_new": made.is_new}
    ids = {"run_id": record.run_id, "publication_id": made.publication_id}
    return Answer(message, lines=[*import_lines(record), *notes, message], ids=ids, result=result)


def _order(found: argparse.Namespace, house: House) -> ImportOrder:
    dataset = found.dataset or f"local/{found.benchmark}"
    for option, value, is_good in (
        ("--benchmark", found.benchmark, is_name(found.benchmark)),
        ("--series", found.series, is_name(found.series)),
        ("--dataset", dataset, _DATASET.fullmatch(dataset) is not None),
        ("--catalog", found.catalog, _DATASET.fullmatch(found.catalog) is not None and found.catalog != dataset),
        ("--reason", found.reason, 0 < len(found.reason) <= MAX_REASON and found.reason.isprintable()),
        ("--pass-threshold", found.pass_threshold, _DECIMAL.fullmatch(found.pass_threshold) is not None),
        ("--reward-range", " ".join(found.reward_range), _is_range(found.reward_range)),
    ):
        if not is_good:
            raise BadInput("ARGUMENT_INVALID", f"{value!r} cannot be that", field=option, way_out="See `results import --help`.")
    return ImportOrder(
        benchmark=found.benchmark,
        dataset=dataset,
        catalog=found.catalog,
        series=found.series,
        primary_reward=found.primary_reward,
        reward_range=tuple(found.reward_range),
        pass_threshold=found.pass_threshold,
        reason=found.reason,
        imported_by=house.settings.actor,
        imported_at=utc_text(house.clock.now_ms()),
        build=house.own_build(),
    )


def _is_range(ends: tuple[str, str]) -> bool:
    return all(_DECIMAL.fullmatch(end) for end in ends) and Decimal(ends[0]) < Decimal(ends[1])


EXCHANGE: Final = (
    Verb(
        "export",
        "write published rows, or ranked cells for the Hub's leaderboards",
        "results export local/starter --format csv --table cells --into exported",
        _export_arguments,
        export,
    ),
    Verb(
        "import",
        "publish finished Harbor jobs that were made elsewhere, as manual results",
        "results import jobs --benchmark starter --reason 'made on another machine' --dry-run",
        _import_arguments,
        bring_in,
    ),
)
