"""The experiment document: what a person asks for, unresolved. shared/documents/experiment/reader.py reads it from a file."""

from typing import Annotated, Literal

from pydantic import Field

from shared.documents.experiment.benchmark import Benchmark
from shared.documents.experiment.harbor import Harbor
from shared.documents.experiment.matrix import Matrix
from shared.documents.experiment.policy import Evidence, Policy, Publishing, Runtime
from shared.documents.experiment.scalars import NameText
from shared.documents.experiment.section import Section


class Metadata(Section):
    """What the experiment is called."""

    name: NameText
    """The experiment's name."""
    labels: Annotated[dict[str, Annotated[str, Field(max_length=256)]], Field(max_length=64)] = Field(default={})
    """Free labels; in no digest."""


class Experiment(Section):
    """One experiment: a matrix of cells and the policy under which they are run."""

    api_version: Literal["seawall/v1"]
    """The version of this format."""
    kind: Literal["Experiment"]
    """Always `Experiment`."""
    metadata: Metadata
    """What the experiment is called."""
    benchmark: Benchmark
    """What is solved and how it is scored."""
    matrix: Matrix
    """Models, deployments and agents."""
    harbor: Harbor
    """The pinned Harbor and what it is told."""
    policy: Policy
    """Scheduling, retries, time and money."""
    evidence: Evidence
    """Where evidence is sealed."""
    publishing: Publishing
    """Where the rows go."""
    runtime: Runtime
    """What runs the waves."""
