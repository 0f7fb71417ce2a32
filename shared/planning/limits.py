"""The largest plan that Seawall makes."""

from typing import Final

MAX_CELLS: Final = 1_000
MAX_TASKS: Final = 20_000
MAX_SHARDS: Final = 10_000
MAX_TRIALS: Final = 1_000_000
