"""The unit of every published column: what one unit of its numbers is, said with its meaning wherever columns are described.

Money is integer micro-USD in columns that end in `_usd_micros`, a duration is seconds in columns that say `seconds` (the training
tables: `wall_s`, `canary_latency_ms`); an integer without a unit is a count or a place. Called by the descriptions of the API and
by every file that says of itself what it holds.
"""

from collections.abc import Mapping
from typing import Final

from space.listings.listing import Field, Kind
from space.listings.meanings import NEVER, empty_of, meaning_of

REWARD: Final = "reward: in the benchmark's range, mostly 0 to 1"
SHARE: Final = "share, 0 to 1"


def unit_of(field: Field) -> str:
    """Return the unit of `field`, "" for text, and for an integer that counts what its name says."""
    if field.kind in {"text", "texts"}:
        return ""
    by_end = next((unit for end, unit in _OF_END.items() if field.name.endswith(end)), "")
    return _OF_KIND.get(field.kind) or _OF_NAME.get(field.name) or by_end


def described(field: Field) -> str:
    """Return what `field` means, with its unit and what an empty field says."""
    unit = unit_of(field)
    said = "; ".join(part for part in (meaning_of(field), f"in {unit}" if field.kind in _MEASURED else unit) if part)
    empty = empty_of(field)
    return f"{said} ({empty})" if empty == NEVER else f"{said} (empty: {empty})"


_MEASURED: Final = frozenset({"micros", "seconds"})
_OF_KIND: Final[Mapping[Kind, str]] = {"micros": "micro-USD", "seconds": "seconds", "time": "UTC"}
_OF_END: Final[Mapping[str, str]] = {
    "_tokens": "tokens",
    "_trials": "trials",
    "_s": "seconds",
    "_ms": "milliseconds",
    "bytes": "bytes",
}
_OF_NAME: Final[Mapping[str, str]] = {
    **dict.fromkeys(
        (
            "score", "score_low", "score_high", "bound_low", "bound_high", "first_score", "second_score",
            "difference", "difference_low", "difference_high", "reward", "mean_reward",
        ),
        REWARD,
    ),
    **dict.fromkeys(("pass_rate", "pass_hat_k", "solve_rate"), SHARE),
    "p": "probability, 0 to 1",
    "output_tokens_per_second": "tokens a second",
    "trials_per_hour": "trials an hour",
    "trial_seconds": "seconds",
    "value": "as the column metric says",
    "logprob_mean_abs": "nats",
    "logprob_max_abs": "nats",
    "effective_sample_size": "share, 0 to 1",
}  # fmt: skip
