"""Altering published files as a careful forger would: each step makes the next check hold again, as far as a test wants."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

from runner.adapters.local.stores.results import LocalResults
from shared import paths
from shared.arrow import read_parquet, write_parquet
from shared.digests import Digest, sha256
from shared.documents.receipt import Receipt
from shared.documents.revision import Current, Revision
from shared.ids import PublicationId, RunId
from shared.tables.canonical import table_digest
from shared.tables.registry import RESULT_TABLES, publication_id

DATASET = "local/starter"
CATALOG = "local/catalog"
type Rows = dict[str, list[Any]]


class Forger:
    """The published files below `root`."""

    def __init__(self, root: Path, run_id: RunId) -> None:
        self.root = root
        self.run_id = run_id

    @property
    def store(self) -> LocalResults:
        """The altered store."""
        return LocalResults(self.root)

    def files(self) -> list[Path]:
        """Return every published file of both datasets, sorted."""
        return sorted(path for path in self.root.rglob("*") if path.is_file() and "incoming" not in str(path.parent))

    def publication(self) -> str:
        """Return the id of the publication as the revision names it."""
        return self._revision(DATASET).runs[self.run_id]

    def rows(self, table: str) -> Rows:
        """Return the rows of `table`."""
        return read_parquet(RESULT_TABLES[table][0], [self._table_file(table)])

    def alter(self, path: Path, change: Callable[[bytes], bytes]) -> None:
        """Rewrite one file."""
        path.chmod(0o644)
        path.write_bytes(change(path.read_bytes()))

    def write(self, path: Path, data: bytes) -> None:
        """Put `data` in the place of one file."""
        self.alter(path, lambda _old: data)

    def alter_rows(self, table: str, change: Callable[[Rows], None]) -> None:
        """Rewrite one table's file; nothing else follows it yet."""
        rows = self.rows(table)
        change(rows)
        path = self._table_file(table)
        path.chmod(0o644)
        write_parquet(RESULT_TABLES[table][0], rows, path)

    def alter_file(self, dataset: str, name: str, change: Callable[[bytes], bytes]) -> None:
        """Rewrite a file of `dataset` and make its revision list the new bytes."""
        self.alter(self.root / dataset / name, change)
        self.sign_revision(dataset)

    def sign_revision(self, dataset: str) -> None:
        """Make the newest revision and the pointer list what stands in the files."""
        revision = self._revision(dataset)
        files = []
        for file in revision.files:
            data = (self.root / dataset / file.path).read_bytes()
            files.append(file.model_copy(update={"sha256": sha256(data), "size": len(data)}))
        self.write_revision(dataset, revision.model_copy(update={"files": tuple(files)}))

    def write_revision(self, dataset: str, revision: Revision) -> None:
        """Put `revision` in the newest one's place, pointer included."""
        self.write(self.root / dataset / paths.revision_file(revision.number), revision.to_bytes())
        current = Current(number=revision.number, sha256=Digest(revision.digest))
        self.write(self.root / dataset / paths.CURRENT, current.to_bytes())

    def sign_receipt(self) -> None:
        """Make the receipt state the digests of the rows that stand in the files."""
        digests = {name: table_digest(table, self.rows(name)) for name, (table, _) in RESULT_TABLES.items()}
        receipt = self._receipt()
        tables = {name: each.model_copy(update={"sha256": digests[name]}) for name, each in receipt.tables.items()}
        self.write_receipt(receipt.model_copy(update={"tables": tables}))

    def write_receipt(self, receipt: Receipt) -> None:
        """Put `receipt` in the place of the one that stands."""
        self.write(self._receipt_path(), receipt.to_bytes())
        self.sign_revision(DATASET)

    def sign_publication(self) -> None:
        """Give the publication the id that its rows now have, in the receipt, the rows, the revision and the file names."""
        old, receipt = self.publication(), self._receipt()
        digests = {name: each.sha256 for name, each in receipt.tables.items()}
        new = publication_id(receipt.run_lock_sha256, receipt.evidence_sha256, digests)
        for name in RESULT_TABLES:
            self.alter_rows(name, lambda rows: rows.update(publication_id=[new] * len(rows["publication_id"])))
        folder, revision = self.root / DATASET, self._revision(DATASET)
        renamed = {file.path: file.path.replace(old, new) for file in revision.files}
        for before, after in renamed.items():
            (folder / before).rename(folder / after)
        tables = {
            name: each.model_copy(update={"files": tuple(renamed[path] for path in each.files)})
            for name, each in receipt.tables.items()
        }
        files = sorted(
            (file.model_copy(update={"path": renamed[file.path]}) for file in revision.files), key=lambda file: file.path
        )
        self.write_revision(DATASET, revision.model_copy(update={"files": tuple(files), "runs": {self.run_id: new}}))
        self.write_receipt(receipt.model_copy(update={"publication_id": new, "tables": tables}))

    def receipt(self) -> Receipt:
        """Return the receipt that stands."""
        return self._receipt()

    def _receipt(self) -> Receipt:
        return Receipt.from_bytes(self._receipt_path().read_bytes())

    def _receipt_path(self) -> Path:
        return self.root / DATASET / paths.receipt_file(PublicationId(self.publication()))

    def _revision(self, dataset: str) -> Revision:
        newest = max((self.root / dataset / "revisions").iterdir(), key=lambda path: int(path.stem))
        return Revision.from_bytes(newest.read_bytes())

    def _table_file(self, table: str) -> Path:
        (found,) = (self.root / DATASET / "tables" / table).rglob("*.parquet")
        return found
