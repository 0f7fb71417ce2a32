"""The verbs `results export` and `results import`: results for other programs, and results that were made elsewhere."""

import argparse
import sys
from pathlib import Path
from typing import Final

from runner.bootstrap import build, results_at
from runner.cli.answer import Answer, Verb
from runner.cli.results_names import catalog_of, revision_of
from runner.usecases.results.export_results import FORMS, ExportedFile, LeftOut, export_eval_results, export_tables
from shared.errors import BadInput, Refused
from shared.tables.registry import RESULT_TABLES

EVAL_RESULTS: Final = "eval-results"


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
    lines = [*(f"{found.into / each.path}  {len(each.data)} bytes" for each in files), *told]
    return Answer(f"{len(files)} files in {found.into}", lines=lines or ["nothing is published yet"], result=result)


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
        return Answer(f"{len(files)} files", result={**result, "texts": texts})
    for line in told:
        sys.stderr.write(f"{line}\n")
    text = "".join(each.data.decode() if len(files) == 1 else f"# {each.path}\n{each.data.decode()}" for each in files)
    return Answer(lines=text.splitlines() or ["nothing is published yet"])


EXCHANGE: Final = (
    Verb(
        "export",
        "write published rows, or ranked cells for the Hub's leaderboards",
        "results export local/starter --format csv --table cells --into exported",
        _export_arguments,
        export,
    ),
)
