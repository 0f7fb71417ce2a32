"""The benchmark of an experiment: where its tasks come from, which are selected, and what counts as passed."""

from decimal import Decimal
from typing import Annotated, Literal, Self

from pydantic import AfterValidator, Field, model_validator

from shared.documents.experiment.scalars import Commit, DecimalText, DigestText, NameText, PackageReference, Repository, problem
from shared.documents.experiment.section import Section
from shared.paths import check_relative


def _source_path(text: str) -> str:
    try:
        check_relative(text.rstrip("/"))
    except ValueError as error:
        raise problem("MANIFEST_VALUE", f"{error}.", "Write a path inside the source, as in tasks/.") from None
    return text.rstrip("/") + "/"


def _folder(text: str) -> str:
    if "\0" in text or "://" in text:
        raise problem(
            "MANIFEST_MUTABLE", "expected a folder, not a URL.", "Name a folder relative to the manifest, as in ./tasks."
        )
    return text


SourcePath = Annotated[str, AfterValidator(_source_path)]
Pattern = Annotated[str, Field(min_length=1, max_length=512)]


class HubSource(Section):
    """Task folders in a Hub Dataset at one commit."""

    type: Literal["hub"]
    """`hub`: a Dataset of the Hugging Face Hub."""
    dataset: Repository
    """The Dataset, `owner/name`."""
    revision: Commit
    """Its full commit."""
    path: SourcePath = "tasks/"
    """The folder inside it that holds one folder a task."""


class GitSource(Section):
    """Task folders in a public GitHub repository at one commit."""

    type: Literal["git"]
    """`git`: a public repository on GitHub, read anonymously."""
    repository: Repository
    """The repository, `owner/name`."""
    revision: Commit
    """Its full commit."""
    path: SourcePath
    """The folder inside it that holds one folder a task."""


class PackageSource(Section):
    """A package of Harbor's registry, named by digest."""

    type: Literal["package"]
    """`package`: a package of Harbor's registry."""
    reference: PackageReference
    """`org/name@sha256:<64 hex>`."""


class TaskPackageSource(Section):
    """A task package that is already in the object store."""

    type: Literal["task_package"]
    """`task_package`: a snapshot of task folders in the object store."""
    digest: DigestText
    """The digest of its manifest."""


class DirectorySource(Section):
    """A folder on this machine; planning locks it as a task package, so its place never enters a digest."""

    type: Literal["directory"]
    """`directory`: a folder beside the manifest."""
    path: Annotated[str, Field(min_length=1, max_length=512), AfterValidator(_folder)]
    """The folder, relative to the manifest."""


Source = Annotated[HubSource | GitSource | PackageSource | TaskPackageSource | DirectorySource, Field(discriminator="type")]


class Benchmark(Section):
    """What is solved and how it is scored."""

    name: NameText
    """The benchmark's name, the same in every experiment that is to be compared."""
    source: Source
    """Where the task folders come from, pinned."""
    tasks: Annotated[tuple[Pattern, ...], Field(min_length=1, max_length=20_000)] = ("*",)
    """Names of tasks, or patterns with `*` and `?`; a pattern equal to a name is that name. One without a match is refused."""
    exclude_tasks: Annotated[tuple[Pattern, ...], Field(max_length=20_000)] = ()
    """Names or patterns of tasks to leave out."""
    tasks_sha256: DigestText | None = None
    """Pins the digest of the selected tasks (name to digest); another value is refused as `SOURCE_DRIFT`."""
    primary_reward: Annotated[str, Field(min_length=1, max_length=128)] = "reward"
    """The key of the verifier's rewards that becomes the score."""
    reward_range: tuple[DecimalText, DecimalText] = ("0", "1")
    """The lowest and the highest reward that the verifier may give, as decimal text."""
    pass_threshold: DecimalText = "1"  # noqa: S105 - a score, no password
    """A trial passes at or above this reward, as decimal text."""
    eval_task_id: Annotated[str, Field(min_length=1, max_length=128)] | None = None
    """Which task of the Dataset's eval.yaml this is; needless where it names one only."""

    @model_validator(mode="after")
    def _bounds(self) -> Self:
        low, high = map(Decimal, self.reward_range)
        if low >= high:
            raise problem("MANIFEST_VALUE", "the range is empty.", "Write the lower bound first.", "reward_range")
        if not low <= Decimal(self.pass_threshold) <= high:
            raise problem(
                "MANIFEST_VALUE", "it lies outside reward_range.", "No trial, or every trial, would pass.", "pass_threshold"
            )
        return self
