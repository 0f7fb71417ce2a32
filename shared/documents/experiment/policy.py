"""How an experiment is scheduled, bounded and paid for, and where its evidence and rows go."""

from decimal import Decimal
from typing import Annotated, Final, Literal, Self

from pydantic import Discriminator, Field, Tag, model_validator

from shared.documents.experiment.scalars import (
    DecimalText,
    DigestText,
    Image,
    LabelText,
    Micros,
    NameText,
    Repository,
    Seconds,
    problem,
)
from shared.documents.experiment.section import Section

LOCAL: Final = "local"
MEBIBYTE: Final = 1024 * 1024


class Wave(Section):
    """The bounds of one wave."""

    max_seconds: Seconds
    """How long a wave may last, at most 24 hours."""
    reserve_seconds: Annotated[int, Field(ge=0, le=86_400)]
    """Kept at the end of a wave for sealing and cleaning up."""


class Estimate(Section):
    """What planning assumes."""

    trial_seconds: Seconds
    """How long a usual trial takes."""
    headroom: DecimalText
    """By how much the estimate is multiplied, as decimal text of at least 1 with three decimals at most."""

    @model_validator(mode="after")
    def _headroom(self) -> Self:
        thousandths = Decimal(self.headroom) * 1000
        if not 1000 <= thousandths <= 100_000 or thousandths != thousandths.to_integral_value():
            raise problem("MANIFEST_VALUE", "expected 1 to 100, three decimals at most.", 'Write it as "1.25".', "headroom")
        return self


class Policy(Section):
    """Scheduling, retries, time and money."""

    repeats: Annotated[int, Field(ge=1, le=100)] = 1
    """How often each task is tried; every repeat counts in the score."""
    concurrent_trials: Annotated[int, Field(ge=1, le=1024)]
    """Trials of a wave in work at once; scheduling only."""
    trial_seconds: Seconds
    """The outer wall clock of one attempt; it can change outcomes, so it is in the edition."""
    trials_per_shard: Annotated[int, Field(ge=1, le=1_000)] = 64
    """Trials scheduled together."""
    shards_per_wave: Annotated[int, Field(ge=1, le=10_000)] = 8
    """Shards that one wave takes."""
    max_attempts: Annotated[int, Field(ge=1, le=10)] = 3
    """Attempts at one trial when infrastructure fails."""
    wave: Wave
    """The bounds of one wave."""
    estimate: Estimate
    """What planning assumes."""
    serving_profiles: Annotated[tuple[DigestText, ...], Field(max_length=1_000)] = ()
    """Digests of serving profiles whose selected concurrency binds the cells that they fit."""
    max_spend_usd_micros: Micros
    """What the run may cost, in micro-USD."""
    max_trial_spend_usd_micros: Annotated[int, Field(ge=1, le=10**15)] | None = None
    """What one attempt may cost, in micro-USD; required with a provider deployment."""


class ProgressEvidence(Section):
    """How often an attempt's files are saved while it runs."""

    interval_seconds: Annotated[int, Field(ge=60, le=86_400)] = 120
    """Seconds between two rounds."""
    max_bytes: Annotated[int, Field(ge=MEBIBYTE, le=64 * 1024 * MEBIBYTE)] = 512 * MEBIBYTE
    """Bytes that one attempt may save this way."""


def _progress_tag(value: object) -> str:
    return "off" if isinstance(value, str) else "progress"


Progress = Annotated[
    Annotated[ProgressEvidence, Tag("progress")] | Annotated[Literal["off"], Tag("off")],
    Discriminator(_progress_tag),
]


class Evidence(Section):
    """Where evidence is sealed."""

    bucket: Repository
    """The private Bucket, `owner/name`; `local/<name>` is the evidence store of this machine."""
    progress: Progress = ProgressEvidence()
    """How often an attempt's files are saved while it runs, or `off`."""


class Publishing(Section):
    """Where the rows go."""

    dataset: Repository
    """The results Dataset of the benchmark, `owner/name`; `local/<name>` is a folder of this machine."""
    catalog: Repository
    """The catalog Dataset, `owner/name`; `local/<name>` is a folder of this machine."""
    series: NameText
    """The series of runs that this one continues."""
    role: Literal["final", "component", "diagnostic"]
    """`final` rows may be ranked; `component` and `diagnostic` rows are not."""


class Job(Section):
    """The job that carries a wave. On this machine (flavor `local`) it has neither namespace nor image."""

    namespace: LabelText | None = None
    """The account that pays for the job."""
    image: Image | None = None
    """The container image, by digest."""
    flavor: LabelText
    """The hardware flavor, or `local`."""
    timeout_seconds: Seconds
    """When the platform ends the job, at most 24 hours."""

    @model_validator(mode="after")
    def _placed(self) -> Self:
        for name in ("namespace", "image"):
            given = getattr(self, name) is not None
            if given and self.flavor == LOCAL:
                raise problem("MANIFEST_VALUE", "a local job has none.", "Remove it, or name a flavor.", name)
            if not given and self.flavor != LOCAL:
                raise problem("MANIFEST_MISSING_FIELD", f"flavor {self.flavor!r} needs it.", "Add it, or use flavor local.", name)
        return self


class Runtime(Section):
    """What runs the waves."""

    build: DigestText | None = None
    """The digest of the build; left out with a local job, where submission measures the checkout and the run lock records it."""
    job: Job
    """The job that carries a wave."""

    @model_validator(mode="after")
    def _built(self) -> Self:
        if self.build is None and self.job.flavor != LOCAL:
            raise problem("MANIFEST_MISSING_FIELD", "a remote job starts from a build.", "Pin its digest.", "build")
        return self
