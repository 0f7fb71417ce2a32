"""import.json: what was found in job folders that were made elsewhere, and what each part became; written before anything else.

It is to an import what plan and journal are to a run: which cells, tasks and trials there are, from which result file each comes,
who brought them in and why, and every oddity by name. Its digest stands in the run lock. Nothing in it is scored: rewards are
read from the sealed result files alone.
"""

from typing import Annotated, ClassVar, Final

from pydantic import Field, StringConstraints

from shared.documents.document import Document
from shared.documents.manifest import Sha256
from shared.documents.reviewed.prices import Moment

MAX_NAME: Final = 512
type Name = Annotated[str, StringConstraints(min_length=1, max_length=MAX_NAME)]
type Index = Annotated[int, Field(ge=0)]


class ImportedCell(Document):
    """One agent with one model in one sandbox, as the result files describe them."""

    cell_digest: Sha256
    agent_name: Name
    agent_version: Name
    agent_import_path: Name | None
    model_provider: Name | None
    model_name: Name | None
    sandbox: Name


class ImportedTask(Document):
    """One task by Harbor's name and checksum."""

    name: Name
    task_digest: Sha256
    is_checksum: bool
    """False where no result file states Harbor's checksum; the digest is then of the name alone."""


class ImportedTrial(Document):
    """One slot of cell x task x repeat; without a result file it is counted and unfinished."""

    cell: Index
    task: Index
    repeat: Annotated[int, Field(ge=1)]
    place: str
    """Where the trial's folder or file lay below the folder that was imported; empty for a trial that nobody found."""
    result_sha256: Sha256 | None
    """Of the result file as it was found, before redaction."""


class Oddity(Document):
    """Something that a reader of the results should know, or a file that became no trial."""

    place: str
    code: Name
    message: str


class ImportRecord(Document):
    """The content of import.json."""

    error_code: ClassVar[str] = "IMPORT_INVALID"

    schema_version: Annotated[int, Field(ge=1, le=1)] = 1
    run_id: Annotated[str, StringConstraints(pattern=r"^run-[0-9a-f]{32}$")]
    imported_at: Moment
    imported_by: Name
    reason: Name
    build: Sha256
    """Of the Seawall that read the folders."""
    benchmark: Name
    dataset: Name
    catalog: Name
    series: Name
    primary_reward: Name
    reward_range: tuple[str, str]
    """Decimal texts."""
    pass_threshold: str
    harbor_version: str
    """As the lock files of the trials state it, `mixed` or `not_observed`."""
    agent_setup_multiplier: str
    source_sha256: Sha256
    """Digest of the sorted digests of all result files."""
    repeats: Annotated[int, Field(ge=1)]
    is_whole: bool
    """False if a job says that it has more trials than were found: its score would have the wrong denominator."""
    cells: tuple[ImportedCell, ...]
    tasks: tuple[ImportedTask, ...]
    trials: tuple[ImportedTrial, ...]
    """In the order (cell, repeat, task)."""
    oddities: tuple[Oddity, ...]
