"""Plan an import: from trials that were found on disk to a record of cells, tasks, trials and oddities; pure.

Every cell gets every task as often as the most repeated one: a trial that is not there is counted and unfinished, so no cell's
denominator shrinks. One task in two versions, or nothing that could be scored, is refused. The run's id follows from the result
files and the scoring alone, so the same results are the same import, wherever their folder lies.
"""

from collections import Counter, defaultdict
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Final, NamedTuple

from runner.harness.failures import classify, facts_of, flags_of
from runner.harness.job_folders import Found, FoundTrial
from runner.harness.trial_setting import NOT_OBSERVED
from shared.digests import Digest, digest_of, parse_digest
from shared.documents.evidence.import_record import ImportedCell, ImportedTask, ImportedTrial, ImportRecord, Oddity
from shared.errors import BadInput, Refused
from shared.ids import RunId, derive
from shared.outcomes import Observation
from shared.planning.limits import MAX_TRIALS

MIXED: Final = "mixed"
MAX_REPEATS: Final = 1000
NAMED: Final = 3
"""So many tasks of a gap are named."""


@dataclass(frozen=True, slots=True)
class ImportOrder:
    """What a person asks for."""

    benchmark: str
    dataset: str
    catalog: str
    series: str
    primary_reward: str
    reward_range: tuple[str, str]
    pass_threshold: str
    reason: str
    imported_by: str
    imported_at: str
    build: Digest


class PlannedImport(NamedTuple):
    """What an import will be, and the file behind each result digest."""

    record: ImportRecord
    files: dict[Digest, FoundTrial]


def plan_import(
    found: Found, order: ImportOrder, clean: Callable[[str], str], earlier: Mapping[str, frozenset[str]] | None = None
) -> PlannedImport:
    """Return the record of `found`; raise BadInput or Refused `IMPORT_*`.

    `clean` takes secrets out of a text. `earlier` is what was imported before: result digests by run.
    """
    oddities = [Oddity(place=clean(each.place), code=each.code, message=clean(each.message)) for each in found.troubles]
    kept = list(_distinct(found.trials, oddities, clean))
    if not any(classify(facts_of(each.result)).category is None for each in kept):
        message = f"{len(kept)} trials, and none has a result that can be scored"
        way_out = f"Look at `harness classify`; is {order.primary_reward!r} the reward's name?"
        raise Refused("IMPORT_NOTHING_SCORED", message, field="JOBS_DIR", way_out=way_out)
    tasks = _tasks(kept, oddities, clean)
    cells, trials, repeats = _trials(kept, tasks, order, clean)
    for each in kept:
        oddities += _oddities_of(each, clean)
    oddities += _lost(found, clean)
    oddities += _retried(found, clean)
    oddities += _gaps(trials, cells, tasks)
    oddities += (missing := list(_incomplete_jobs(found, clean)))
    source = digest_of(sorted(each.sha256 for each in kept))
    scoring = [order.benchmark, order.dataset, order.primary_reward, list(order.reward_range), order.pass_threshold]
    run_id = RunId(derive("run", "import", source, *scoring))
    oddities += _imported_before(kept, run_id, earlier or {})
    record = ImportRecord(
        run_id=run_id,
        imported_at=order.imported_at,
        imported_by=order.imported_by,
        reason=clean(order.reason),
        build=order.build,
        benchmark=order.benchmark,
        dataset=order.dataset,
        catalog=order.catalog,
        series=order.series,
        primary_reward=order.primary_reward,
        reward_range=order.reward_range,
        pass_threshold=order.pass_threshold,
        harbor_version=_one_of({each.harbor_version for each in kept}),
        agent_setup_multiplier=_one_of({each.setting.agent_setup_multiplier for each in kept}),
        source_sha256=source,
        repeats=repeats,
        is_whole=not found.lost and not missing,
        cells=cells,
        tasks=tasks,
        trials=trials,
        oddities=tuple(sorted(oddities, key=lambda each: (each.place, each.code, each.message))),
    )
    return PlannedImport(record, {each.sha256: each for each in kept})


def _distinct(trials: Sequence[FoundTrial], oddities: list[Oddity], clean: Callable[[str], str]) -> Iterator[FoundTrial]:
    """Yield each result once: a copy, or another state of one trial, is named and not counted again."""
    by_bytes: dict[str, str] = {}
    by_uuid: dict[str, str] = {}
    for each in trials:
        uuid = each.setting.trial_uuid
        first = by_bytes.setdefault(each.sha256, each.place)
        if first != each.place:
            oddities.append(Oddity(place=clean(each.place), code="duplicate", message=f"the same bytes as {clean(first)}"))
            continue
        other = by_uuid.setdefault(uuid, each.place) if uuid else each.place
        if other != each.place:
            message = f"the same trial as {clean(other)}, with another result; the first one counts"
            oddities.append(Oddity(place=clean(each.place), code="same_trial", message=message))
            continue
        yield each


def _tasks(trials: Sequence[FoundTrial], oddities: list[Oddity], clean: Callable[[str], str]) -> tuple[ImportedTask, ...]:
    checksums: dict[str, set[str]] = defaultdict(set)
    for each in trials:
        checksums[clean(_task_name(each))].add(each.result.task_checksum)
    found = []
    for name, stated in sorted(checksums.items()):
        known = sorted(stated - {""})
        if len(known) > 1:
            message = f"the task {name!r} stands in {len(known)} versions, whose results do not belong together"
            raise Refused(
                "IMPORT_MIXED_TASKS", message, field="JOBS_DIR", way_out="Import the jobs of each version by themselves."
            )
        digest = _checksum(known[0]) if known else None
        if digest is None or "" in stated:
            oddities.append(
                Oddity(place="", code="no_checksum", message=f"a result of {name!r} does not state Harbor's checksum")
            )
        found.append(ImportedTask(name=name, task_digest=digest or digest_of(["task", name]), is_checksum=digest is not None))
    return tuple(found)


def _trials(
    found: Sequence[FoundTrial], tasks: tuple[ImportedTask, ...], order: ImportOrder, clean: Callable[[str], str]
) -> tuple[tuple[ImportedCell, ...], tuple[ImportedTrial, ...], int]:
    by_cell: dict[str, tuple[ImportedCell, dict[str, list[FoundTrial]]]] = {}
    for each in found:
        cell = _cell(each, order, clean)
        _, of_task = by_cell.setdefault(cell.cell_digest, (cell, defaultdict(list)))
        of_task[clean(_task_name(each))].append(each)
    repeats = max(len(tries) for _, of_task in by_cell.values() for tries in of_task.values())
    if repeats > MAX_REPEATS or repeats * len(tasks) * len(by_cell) > MAX_TRIALS:
        message = f"{len(by_cell)} cells of {len(tasks)} tasks, {repeats} times each, are too many"
        raise BadInput("IMPORT_TOO_LARGE", message, field="JOBS_DIR", way_out="Import fewer jobs at a time.")
    made = []
    for number, (_, (_, of_task)) in enumerate(sorted(by_cell.items())):
        for repeat in range(1, repeats + 1):
            for index, task in enumerate(tasks):
                tries = of_task.get(task.name, [])
                one = tries[repeat - 1] if repeat <= len(tries) else None
                made.append(
                    ImportedTrial(
                        cell=number,
                        task=index,
                        repeat=repeat,
                        place=clean(one.place) if one else "",
                        result_sha256=one.sha256 if one else None,
                    )
                )
    return tuple(cell for _, (cell, _) in sorted(by_cell.items())), tuple(made), repeats


def _cell(trial: FoundTrial, order: ImportOrder, clean: Callable[[str], str]) -> ImportedCell:
    setting = trial.setting
    names = {
        "agent_name": clean(setting.agent_name),
        "agent_version": clean(setting.agent_version),
        "agent_import_path": clean(setting.agent_import_path) if setting.agent_import_path else None,
        "model_provider": clean(setting.model_provider) if setting.model_provider else None,
        "model_name": clean(setting.model_name) if setting.model_name else None,
        "sandbox": clean(setting.sandbox),
    }
    scoring = [order.benchmark, order.primary_reward, list(order.reward_range), order.pass_threshold]
    digest = digest_of(["imported", scoring, dict(names), setting.rest, setting.agent_setup_multiplier])
    return ImportedCell(cell_digest=digest, **names)  # type: ignore[arg-type]  # the names above are the fields


def _oddities_of(trial: FoundTrial, clean: Callable[[str], str]) -> Iterator[Oddity]:
    """Yield what a reader of this trial's result should know."""
    result, setting, meaning = trial.result, trial.setting, classify(facts_of(trial.result))
    said = {flag: flag.replace("_", " ") for flag in flags_of(result)}
    if meaning.category is not None:
        said[f"attempt_{meaning.category}"] = f"no score: {meaning.reason_code}"
    if meaning.needs_review:
        said["needs_review"] = "nothing that is known explains how it ended"
    if result.usage.observation is Observation.MALFORMED:
        said["usage_malformed"] = "its token counts cannot be and are not counted"
    if not setting.is_versioned:
        said["older_layout"] = "its result file has no schema version"
    if setting.has_windows_paths:
        said["windows_paths"] = "it was run on Windows"
    if setting.agent_version in {NOT_OBSERVED, "unknown"}:
        said["agent_version"] = "the agent's version is not known"
    if not trial.has_folder:
        said["result_alone"] = "there is its result file and no other evidence"
    for code, message in said.items():
        yield Oddity(place=clean(trial.place), code=code, message=clean(message))


def _lost(found: Found, clean: Callable[[str], str]) -> Iterator[Oddity]:
    for each in found.lost:
        message = f"a trial of {clean(each.task) or 'an unknown task'} ended without a readable result: no score is given"
        yield Oddity(place=clean(each.place), code="lost_trial", message=message)


def _gaps(
    trials: tuple[ImportedTrial, ...], cells: tuple[ImportedCell, ...], tasks: tuple[ImportedTask, ...]
) -> Iterator[Oddity]:
    """Yield, for each cell that has gaps, how many and in which tasks."""
    missing: dict[int, Counter[str]] = defaultdict(Counter)
    for trial in trials:
        if trial.result_sha256 is None:
            missing[trial.cell][tasks[trial.task].name] += 1
    for cell, of_task in sorted(missing.items()):
        who = f"{cells[cell].agent_name} {cells[cell].model_name or ''}".strip()
        names = ", ".join(sorted(of_task)[:NAMED]) + (f" and {len(of_task) - NAMED} more" if len(of_task) > NAMED else "")
        message = f"{who}: {of_task.total()} trials are not there ({names}); they count and are unfinished"
        yield Oddity(place="", code="missing_trials", message=message)


def _retried(found: Found, clean: Callable[[str], str]) -> Iterator[Oddity]:
    for job, count in sorted(found.retried.items()):
        message = f"Harbor tried {count} times again and deleted what was before"
        yield Oddity(place=clean(job), code="harbor_retries", message=message)


def _imported_before(kept: Sequence[FoundTrial], run_id: RunId, earlier: Mapping[str, frozenset[str]]) -> Iterator[Oddity]:
    """Yield the other imports that have some of these results: both stand, and neither is ranked."""
    for other, digests in sorted(earlier.items()):
        shared = sum(each.sha256 in digests for each in kept)
        if shared and other != run_id:
            yield Oddity(place="", code="imported_before", message=f"{shared} of these results are part of {other} too")


def _incomplete_jobs(found: Found, clean: Callable[[str], str]) -> Iterator[Oddity]:
    """Yield the jobs that say they have more trials than there are."""
    places = [*(each.place for each in found.trials), *(each.place for each in found.lost)]
    for job, count in sorted(found.announced.items()):
        present = sum(job == "." or place.startswith(f"{job}/") for place in places)
        if present < count:
            message = f"the job has {count} trials and {present} were found: no score is given"
            yield Oddity(place=clean(job), code="job_incomplete", message=message)


def _task_name(trial: FoundTrial) -> str:
    return trial.result.task_name or trial.result.trial_name.rpartition("__")[0] or trial.result.trial_name


def _checksum(text: str) -> Digest | None:
    try:
        return parse_digest(text)
    except ValueError:
        return None


def _one_of(values: set[str]) -> str:
    return values.pop() if len(values) == 1 else MIXED
