"""The matrix of an experiment: models, deployments and agents, and the rules that keep or drop their combinations."""

from typing import Annotated, Final, Self

from pydantic import Field, model_validator

from shared.documents.experiment.deployment import Deployment
from shared.documents.experiment.harbor import HarborAgent, RevisionKind
from shared.documents.experiment.scalars import Commit, LabelText, NameText, Repository, is_commit, is_exact_version, problem
from shared.documents.experiment.section import Section

NO_MODEL: Final = "none"


class Quantization(Section):
    """How the weights were quantised."""

    method: LabelText
    """The method, as in gptq."""
    scheme: LabelText
    """The scheme, as in w4a16."""


class Weights(Section):
    """In which form the weights are used."""

    format: LabelText
    """The file format and number type, as in safetensors-bf16."""
    quantization: Quantization | None = None
    """How the weights were quantised, if they were."""


class Model(Section):
    """One model at one commit."""

    id: NameText
    """The model's id inside this experiment; `none` is reserved for cells without a model."""
    repo: Repository
    """The model repository, `owner/name`."""
    revision: Commit
    """Its full commit."""
    weights: Weights
    """In which form the weights are used."""


class Agent(Section):
    """One agent at one revision."""

    id: NameText
    """The agent's id inside this experiment."""
    revision: Annotated[str, Field(min_length=1, max_length=128)]
    """Its exact version or full commit, as revision_kind says."""
    revision_kind: RevisionKind
    """`package` (an exact version), `git` (40 hex), or `harbor` (part of the pinned Harbor, whose version is the revision)."""
    agent: HarborAgent
    """A fragment of Harbor's AgentConfig."""

    @model_validator(mode="after")
    def _pinned(self) -> Self:
        if self.revision_kind == "git" and not is_commit(self.revision):
            raise problem(
                "MANIFEST_MUTABLE", "expected a full commit (40 hex).", "Branches, tags and short commits move.", "revision"
            )
        if self.revision_kind != "git" and not is_exact_version(self.revision):
            raise problem("MANIFEST_MUTABLE", "expected one exact version.", "Ranges and tags move.", "revision")
        return self


class Rule(Section):
    """Which combinations a rule matches; a dimension left out matches all."""

    model: NameText | None = None
    """A model's id, or `none`."""
    deployment: NameText | None = None
    """A deployment's id."""
    agent: NameText | None = None
    """An agent's id."""


class Matrix(Section):
    """The product of three lists, then include rules, then exclude rules."""

    models: Annotated[tuple[Model, ...], Field(max_length=1_000)] = ()
    """The models; may be empty when every deployment is of kind `none`."""
    deployments: Annotated[tuple[Deployment, ...], Field(min_length=1, max_length=1_000)]
    """Where the models answer."""
    agents: Annotated[tuple[Agent, ...], Field(min_length=1, max_length=1_000)]
    """The agents."""
    include: Annotated[tuple[Rule, ...], Field(max_length=1_000)] = ()
    """Keep only the combinations that match one of these; empty keeps all."""
    exclude: Annotated[tuple[Rule, ...], Field(max_length=1_000)] = ()
    """Then drop the combinations that match one of these."""
