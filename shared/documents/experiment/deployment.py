"""Where a model answers: an endpoint of ours, a provider, a configured server, or nowhere, for agents that need no model.

Identity (what can change an answer) and specification (what is created and adopted) are computed in
shared/planning/deployments.py from these fields.
"""

from typing import Annotated, Final, Literal, Self

from pydantic import Field, JsonValue, model_validator

from shared.documents.experiment.scalars import (
    Count,
    DigestText,
    ExactVersion,
    Image,
    LabelText,
    Micros,
    NameText,
    Seconds,
    SecretName,
    ShortText,
    problem,
)
from shared.documents.experiment.section import Section

RESERVED_PARAMETERS: Final = frozenset(
    {"model", "messages", "input", "instructions", "tools", "tool_choice", "stream", "stream_options"}
)
type Parameters = dict[str, JsonValue]
type Api = Literal["chat_completions", "responses"]


class NoDeployment(Section):
    """No model request is made: for agents such as Harbor's oracle and nop. Its cells have the model `none`."""

    id: NameText
    """The deployment's id inside this experiment."""
    kind: Literal["none"]
    """`none`: no model is served."""


class _Serving(Section):
    id: NameText
    """The deployment's id inside this experiment."""
    served_model: ShortText
    """The name under which the model is asked for."""
    context_tokens: Count
    """Tokens of input and output together that one request may use."""
    max_output_tokens: Count
    """Tokens that one answer may have."""
    request_concurrency: Annotated[int, Field(ge=1, le=1024)]
    """Requests in flight at once; scheduling only, in no identity."""
    parameters: Parameters = Field(default={})
    """Request parameters that override the agent's, such as temperature; transport fields are refused."""
    secret_names: tuple[SecretName, ...] = ()
    """Names of the secrets that the deployment needs; never a value."""

    @model_validator(mode="after")
    def _serving(self) -> Self:
        if self.max_output_tokens > self.context_tokens:
            raise problem("MANIFEST_VALUE", "more than context_tokens.", "Lower it.", "max_output_tokens")
        for name in sorted(RESERVED_PARAMETERS & self.parameters.keys()):
            raise problem(
                "MANIFEST_RESERVED_FIELD", "this transport field is set per request.", "Remove it.", f"parameters.{name}"
            )
        if len(set(self.secret_names)) != len(self.secret_names):
            raise problem("MANIFEST_VALUE", "a name stands twice.", "Keep one.", "secret_names")
        return self


class Replicas(Section):
    """Between how many replicas an endpoint scales."""

    min: Annotated[int, Field(ge=0, le=0)] = 0
    """Always 0: an idle endpoint must cost nothing."""
    max: Annotated[int, Field(ge=1, le=64)]
    """The most replicas."""


class Engine(Section):
    """The serving engine, pinned."""

    name: LabelText
    """The engine's name, as in vllm."""
    version: ExactVersion
    """Its exact version."""
    image: Image
    """The container image, by digest."""
    command: Annotated[tuple[ShortText, ...], Field(max_length=32)]
    """The command, in order."""
    args: Annotated[tuple[ShortText, ...], Field(max_length=256)]
    """The arguments, in order."""
    environment: dict[str, ShortText]
    """Environment variables; a secret is named in secret_names instead."""


class Precision(Section):
    """The number formats in use."""

    weights: ShortText
    """Of the weights."""
    activations: ShortText
    """Of the activations."""
    kv_cache: ShortText
    """Of the key-value cache."""


class Features(Section):
    """What else of the engine can change an answer."""

    tool_parser: ShortText
    """The tool call parser, or none."""
    reasoning_parser: ShortText
    """The reasoning parser, or none."""
    chat_template_sha256: DigestText
    """The digest of the chat template."""
    attention: ShortText
    """The attention backend."""
    moe: ShortText
    """The mixture-of-experts backend, or none."""
    graphs: ShortText
    """The graph capture mode."""
    prefix_cache: bool
    """Whether prefixes are cached."""
    batching: ShortText
    """The batching mode and its limits."""
    speculative: ShortText
    """The speculative decoding, or none."""
    reasoning: ShortText
    """The reasoning mode, or none."""


class Probes(Section):
    """How readiness is proven."""

    readiness: ShortText
    """The path that answers once the model is loaded."""
    health: ShortText
    """The path that answers while the server lives."""
    startup_seconds: Seconds
    """How long loading may take; part of a wave's time."""


class Endpoint(_Serving):
    """A managed endpoint that a wave resumes, uses and pauses."""

    kind: Literal["endpoint"]
    """`endpoint`: an Inference Endpoint of ours."""
    namespace: LabelText
    """The account that owns the endpoint."""
    vendor: LabelText
    """The cloud vendor."""
    region: LabelText
    """The vendor's region."""
    hardware: LabelText
    """The instance type."""
    accelerator_count: Annotated[int, Field(ge=0, le=64)]
    """Accelerators an instance."""
    replicas: Replicas
    """Between how many replicas it scales."""
    engine: Engine
    """The serving engine, pinned."""
    precision: Precision
    """The number formats in use."""
    features: Features
    """What else of the engine can change an answer."""
    probes: Probes
    """How readiness is proven."""


class Provider(_Serving):
    """An inference provider, paid by token."""

    kind: Literal["provider"]
    """`provider`: an inference provider."""
    provider: LabelText
    """The provider's name."""
    api: Api
    """Which API it is asked through."""
    estimated_wave_cost_usd_micros: Micros
    """What one wave is expected to cost."""
    max_spend_usd_micros: Micros
    """What this deployment may cost in the whole run."""
    request_attempts: Annotated[int, Field(ge=1, le=20)] = 3
    """How often one identical request of a trial may be sent."""
    min_request_interval_ms: Annotated[int, Field(ge=0, le=600_000)] = 0
    """The least time between two requests of a wave; scheduling only."""
    request_timeout_seconds: Seconds = 600
    """When one request is given up."""


class Server(_Serving):
    """Any OpenAI-compatible server that the installation's configuration names."""

    kind: Literal["server"]
    """`server`: a server named in the configuration."""
    server: NameText
    """The configured name; never a URL."""
    api: Api
    """Which API it is asked through."""


Deployment = Annotated[NoDeployment | Endpoint | Provider | Server, Field(discriminator="kind")]
