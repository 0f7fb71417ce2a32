"""The fragments of Harbor's own configuration that a manifest may carry, as an allow-list of Harbor's own names.

Harbor's parser reads the fragments again in its own environment, which is authoritative for their values; what stands here is
which names may be used at all. A name that Harbor knows but that Seawall sets, or leaves at its default, is
`MANIFEST_RESERVED_FIELD`; one that Harbor does not know is `MANIFEST_UNKNOWN_FIELD`.
"""

from collections.abc import Mapping
from typing import Annotated, ClassVar, Final, Literal, Self

from pydantic import Field, JsonValue, model_validator

from shared.documents.experiment.scalars import DigestText, ExactVersion, problem
from shared.documents.experiment.section import Section

SANDBOX_KINDS: Final = {
    "runner.harness.environments.hf_sandbox:HfSandbox": "hf",
    "runner.harness.environments.local_sandbox:LocalSandbox": "local",
}
BROUGHT: Final = tuple(path for path, kind in SANDBOX_KINDS.items() if kind == "local")
"""The sandboxes that are in this repository; the others can be planned for and do not run here."""
SANDBOX_DEFAULTS: Final[dict[str, dict[str, JsonValue]]] = {
    "hf": {"flavor": "cpu-basic", "job_timeout": None},
    "local": {"shims": False},
}
type Environment = dict[str, str]
type Positive = Annotated[float, Field(gt=0, le=1_000_000)]


class Fragment(Section):
    """A part of Harbor's configuration; `reserved` are Harbor's other names, which a manifest may not set."""

    reserved: ClassVar[frozenset[str]] = frozenset()

    def given(self) -> dict[str, JsonValue]:
        """Return the fields that the manifest names, as Harbor's parser reads them."""
        return self.model_dump(mode="json", exclude_unset=True)


class HarborAgent(Fragment):
    """A fragment of Harbor's AgentConfig."""

    reserved = frozenset({
        "model_name", "base_url", "model_api_key_name", "model_api_format", "skip_model_parsing", "n_concurrent",
        "concurrency_group", "resume_trajectory", "load_trajectory", "extra_allowed_hosts",
    })  # fmt: skip

    name: Annotated[str, Field(min_length=1, max_length=128)] | None = None
    """One of Harbor's own agents; exactly one of name and import_path is given."""
    import_path: Annotated[str, Field(min_length=3, max_length=256)] | None = None
    """A custom agent, `module:Class`."""
    kwargs: dict[str, JsonValue] | None = None
    """Arguments of the agent's class."""
    env: Environment | None = None
    """Environment variables of the agent; secrets as `${NAME}`."""
    skills: tuple[str, ...] | None = None
    """Folders of skills."""
    mcp_servers: tuple[dict[str, JsonValue], ...] | None = None
    """MCP servers the agent may use."""
    override_timeout_sec: Positive | None = None
    """Replaces the agent timeout of every task, in seconds."""
    override_setup_timeout_sec: Positive | None = None
    """Replaces the setup timeout, in seconds."""
    max_timeout_sec: Positive | None = None
    """Caps the agent timeout of every task, in seconds."""
    include_logs: tuple[str, ...] | None = None
    """Patterns of the agent's logs to keep."""
    exclude_logs: tuple[str, ...] | None = None
    """Patterns of the agent's logs to leave."""

    @model_validator(mode="after")
    def _one_way(self) -> Self:
        if self.name is None and self.import_path is None:
            raise problem("MANIFEST_MISSING_FIELD", "the agent is not named.", "Give name or import_path.", "name")
        if self.name is not None and self.import_path is not None:
            raise problem("MANIFEST_VALUE", "both name and import_path are given.", "Keep one of them.", "import_path")
        return self


class HarborEnvironment(Fragment):
    """A fragment of Harbor's EnvironmentConfig: the sandbox and its resources."""

    reserved = frozenset({
        "type", "force_build", "delete", "stream", "override_gpus", "override_tpu", "suppress_override_warnings", "mounts",
        "mounts_json", "extra_docker_compose", "extra_allowed_hosts",
    })  # fmt: skip

    import_path: str
    """Which sandbox runs the tasks: `runner.harness.environments.local_sandbox:LocalSandbox` is what Seawall brings."""
    kwargs: dict[str, JsonValue] | None = None
    """The sandbox's own settings; part of the edition, since they change outcomes."""
    env: Environment | None = None
    """Environment variables of the sandbox; secrets as `${NAME}`."""
    override_cpus: Positive | None = None
    """Replaces the CPUs of every task."""
    override_memory_mb: Annotated[int, Field(ge=1)] | None = None
    """Replaces the memory of every task, in MB."""
    override_storage_mb: Annotated[int, Field(ge=1)] | None = None
    """Replaces the storage of every task, in MB."""
    cpu_enforcement_policy: str | None = None
    """Whether the CPU limit is enforced, in Harbor's words."""
    memory_enforcement_policy: str | None = None
    """Whether the memory limit is enforced, in Harbor's words."""

    @model_validator(mode="after")
    def _known_sandbox(self) -> Self:
        if self.import_path not in SANDBOX_KINDS:
            known = " or ".join(BROUGHT)
            raise problem("SANDBOX_UNKNOWN", f"no sandbox {self.import_path[:80]!r}.", f"Use {known}.", "import_path")
        allowed = SANDBOX_DEFAULTS[self.sandbox_kind]
        for name, value in (self.kwargs or {}).items():
            if name not in allowed:
                words = " and ".join(allowed)
                raise problem("MANIFEST_UNKNOWN_FIELD", "this sandbox has no such setting.", f"It has {words}.", f"kwargs.{name}")
            if not _fits(name, value):
                raise problem("MANIFEST_VALUE", "the setting has another type.", _SETTING_TYPES[name][1], f"kwargs.{name}")
        return self

    @property
    def sandbox_kind(self) -> str:
        """The kind of sandbox: `hf` or `local`."""
        return SANDBOX_KINDS[self.import_path]

    def sandbox_settings(self) -> dict[str, JsonValue]:
        """Return the sandbox's settings with every default written out, so that naming a default changes no digest."""
        return {**SANDBOX_DEFAULTS[self.sandbox_kind], **(self.kwargs or {})}


_SETTING_TYPES: Final[Mapping[str, tuple[type, str]]] = {
    "flavor": (str, "Name a hardware flavor."),
    "job_timeout": (int, "Write whole seconds."),
    "shims": (bool, "Write true or false."),
}


def _fits(name: str, value: JsonValue) -> bool:
    expected = _SETTING_TYPES[name][0]
    return isinstance(value, expected) and (expected is bool or not isinstance(value, bool))


class HarborVerifier(Fragment):
    """A fragment of Harbor's VerifierConfig."""

    reserved = frozenset({"disable", "include_logs", "exclude_logs", "extra_allowed_hosts"})

    import_path: Annotated[str, Field(min_length=3, max_length=256)] | None = None
    """A custom verifier, `module:Class`."""
    kwargs: dict[str, JsonValue] | None = None
    """Arguments of the verifier's class."""
    env: Environment | None = None
    """Environment variables of the verifier; secrets as `${NAME}`."""
    override_timeout_sec: Positive | None = None
    """Replaces the verifier timeout of every task, in seconds."""
    max_timeout_sec: Positive | None = None
    """Caps the verifier timeout of every task, in seconds."""


class HarborJob(Fragment):
    """A fragment of Harbor's JobConfig: all of it can change outcomes, so all of it is in the edition."""

    reserved = frozenset({
        "schema_version", "job_name", "jobs_dir", "n_attempts", "install_only", "skip_credential_checks", "timeout_multiplier",
        "debug", "n_concurrent_trials", "quiet", "retry", "override_error_policy", "metrics", "agents", "user_agent", "datasets",
        "tasks", "extra_instruction_paths", "source_jobs", "orchestrator", "plugins",
    })  # fmt: skip

    environment: HarborEnvironment
    """The sandbox and its resources."""
    verifier: HarborVerifier | None = None
    """The verifier's settings."""
    agent_setup_timeout_multiplier: Positive | None = None
    """Multiplies the agent's setup timeout."""
    agent_timeout_multiplier: Positive | None = None
    """Multiplies the agent's timeout."""
    verifier_timeout_multiplier: Positive | None = None
    """Multiplies the verifier's timeout."""
    environment_build_timeout_multiplier: Positive | None = None
    """Multiplies the timeout of building the environment."""
    artifacts: tuple[str | dict[str, JsonValue], ...] | None = None
    """Paths in the sandbox to keep as evidence."""
    extra_instructions: tuple[str, ...] | None = None
    """Text that is added to every task's instruction."""


class Harbor(Section):
    """The pinned Harbor and what it is told."""

    version: ExactVersion
    """Harbor's exact version."""
    lock_sha256: DigestText
    """The digest of the lock file of Harbor's environment."""
    job: HarborJob
    """A fragment of Harbor's JobConfig."""


type RevisionKind = Literal["package", "git", "harbor"]
