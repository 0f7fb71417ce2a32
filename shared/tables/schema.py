"""What a published table is: named, typed columns, a key, a version; and the column groups that several tables share.

Kinds: `text`, `int` (int64), `float` (float64), `bool`, `time` (UTC, microseconds since the epoch as an integer in memory),
`texts` (list of text). Rows are held by column, as plain Python lists, so that 140,000 rows cost no object each. Every table but
`catalog` begins with the trace columns, which are constant in a publication and therefore stand outside the table digest.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import repeat
from typing import Any, Final, Literal

type Kind = Literal["text", "int", "float", "bool", "time", "texts"]
type Columns = Mapping[str, Sequence[object]]

KINDS: Final[Mapping[str, Kind]] = {"": "text", "i": "int", "f": "float", "b": "bool", "t": "time", "l": "texts"}


class Constant(Sequence[object]):
    """A column that holds one value `count` times, without the memory of it."""

    def __init__(self, value: object, count: int) -> None:
        self.value = value
        self._indices = range(count)

    def __len__(self) -> int:
        return len(self._indices)

    def __getitem__(self, index: Any) -> Any:
        found = self._indices[index]
        return Constant(self.value, len(found)) if isinstance(found, range) else self.value

    def __iter__(self) -> Iterator[object]:
        return repeat(self.value, len(self))

    def __contains__(self, value: object) -> bool:
        return len(self) > 0 and self.value == value


@dataclass(frozen=True, slots=True)
class Column:
    """One column: its name, the kind of its values, and whether a value may be missing."""

    name: str
    kind: Kind = "text"
    is_nullable: bool = False


@dataclass(frozen=True, slots=True)
class Table:
    """One published table. `grain` says what one row is; `key` names the column that identifies it."""

    name: str
    version: int
    grain: str
    key: str
    columns: tuple[Column, ...]

    @property
    def own_columns(self) -> tuple[Column, ...]:
        """The columns that the table digest covers: all but the trace columns."""
        return tuple(column for column in self.columns if column.name not in TRACE_NAMES)

    def column(self, name: str) -> Column:
        """Return the column called `name`."""
        return next(column for column in self.columns if column.name == name)


def columns(text: str) -> tuple[Column, ...]:
    """Read columns from words `name[:kind][?]`, for example `"reward:f? passed:b? key"` (kinds: i f b t l, none = text)."""
    return tuple(_column(word) for word in text.split())


def _column(word: str) -> Column:
    name, _, kind = word.removesuffix("?").partition(":")
    return Column(name, KINDS[kind], is_nullable=word.endswith("?"))


TRACE: Final = columns(
    "schema_version:i publication_id benchmark run_id evidence_prefix evidence_sha256 run_lock_sha256 control_commit"
)
TRACE_NAMES: Final = frozenset(column.name for column in TRACE)
SCOPE: Final = columns(
    "kind quality role series benchmark_digest tasks_sha256 tasks:i repeats:i sandbox trial_seconds:i agent_setup_multiplier "
    "max_trial_spend_usd_micros:i? source_checked:b source_flags:l source_publications:l"
)
COUNTS: Final = columns(
    "planned_trials:i scored_trials:i agent_failed_trials:i benchmark_failed_trials:i infrastructure_exhausted_trials:i "
    "unfinished_trials:i attempts:i failed_attempts:i"
)
IDENTITY: Final = columns(
    "cell_id cell_digest edition model_id model_repo model_revision deployment_id deployment_kind provider? region? hardware? "
    "agent_id agent_name agent_revision"
)
SCORE: Final = columns(
    "score:f? score_stderr:f? score_low:f? score_high:f? bound_low:f? bound_high:f? pass_rate:f? effective_n:f? passed_trials:i "
    "cost_usd_micros:i? cost_observation ranked:b unranked_reason?"
)
