"""Rebuild what is published from evidence and control log alone, into an empty folder, and say whether it is the same."""

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass

from runner.ports.stores.result_store import ResultStore
from runner.usecases.results.compare_publications import differences
from runner.usecases.results.publish_run import Publication
from shared import paths
from shared.errors import SeawallError
from shared.ids import RunId


@dataclass(frozen=True, slots=True)
class Rebuilt:
    """One rebuilt run: its publication there, whether it was published before, and what of that is different."""

    run_id: RunId
    publication_id: str
    is_published: bool
    differences: tuple[str, ...]

    @property
    def is_equal(self) -> bool | None:
        """Whether everything published of it is as rebuilt; None if nothing was published."""
        return not self.differences if self.is_published or self.differences else None


def rebuild_tables(
    runs: Iterable[tuple[RunId, str]], publish: Callable[[RunId], Publication], published: ResultStore, rebuilt: ResultStore
) -> list[Rebuilt]:
    """Publish every (run, dataset) of `runs` anew into `rebuilt` with `publish` and compare it with what `published` has."""
    found, catalogs = [], set()
    for run_id, dataset in runs:
        made = publish(run_id)
        catalogs.add(made.catalog)
        is_published, different = _compare(run_id, made, dataset, published, rebuilt)
        found.append(Rebuilt(run_id, made.publication_id, is_published, different))
    return [*found, *_recorded_alone(catalogs, {each.run_id for each in found}, published)]


def _compare(
    run_id: RunId, made: Publication, dataset: str, published: ResultStore, rebuilt: ResultStore
) -> tuple[bool, tuple[str, ...]]:
    """Return whether the run is published in `dataset`, and what is different there; a dataset that is broken is."""
    try:
        head = published.head(dataset)
    except SeawallError as error:
        return False, (f"{dataset}: {error.field}: {error.message}",)
    is_published = head is not None and run_id in head.runs
    return is_published, tuple(differences(run_id, made, published, rebuilt)) if is_published else ()


def _recorded_alone(catalogs: Iterable[str], known: set[RunId], published: ResultStore) -> Iterator[Rebuilt]:
    """Yield the runs that a catalog records and no dataset has."""
    for catalog in sorted(catalogs):
        try:
            head = published.head(catalog)
        except SeawallError:
            continue  # Every run of it has told so already.
        for run_id, publication in sorted(head.runs.items()) if head else ():
            is_public = any(file.path == paths.lock_file(RunId(run_id)) for file in head.files) if head else False
            if is_public and RunId(run_id) not in known:
                alone = (f"{catalog}: records a run that no dataset has",)
                yield Rebuilt(RunId(run_id), publication, is_published=False, differences=alone)
