"""What a comparison asks: its cells, every pair of them with what differs, their tasks side by side, and their metrics."""

from typing import Final

from space.queries.statement import Statement

EDITION_COLUMNS: Final = (
    "benchmark", "benchmark_digest", "tasks_sha256", "tasks", "repeats", "primary_reward", "reward_low", "reward_high",
    "pass_threshold", "trial_seconds", "agent_setup_multiplier", "sandbox",
)  # fmt: skip
"""What an edition fixes, as far as a published row says it."""
CONFIGURATION: Final = (
    "model_repo", "model_revision", "weights_format", "quantization", "deployment_kind", "deployment_id", "deployment_digest",
    "provider", "region", "hardware", "accelerator_count", "engine", "engine_version", "image_digest", "api",
    "serving_profile_sha256", "concurrency", "agent_name", "agent_revision", "agent_import_path", "max_trial_spend_usd_micros",
    "host_release", "host_packages_sha256", "harbor_version", "prices_sha256",
)  # fmt: skip
"""What may differ between cells of one edition."""
_OF_BOTH: Final = (
    "cell_id", "model_repo", "agent_name", "score", "cost_per_pass_usd_micros", "benchmark", "edition", "cell_digest",
)  # fmt: skip
_OF_A_PAIR: Final = sorted(
    {*_OF_BOTH, *EDITION_COLUMNS, *CONFIGURATION, "effective_n"} - {"cost_per_pass_usd_micros", "harbor_version", "prices_sha256"}
)
"""What a pair is asked of a cell: naming all hundred columns takes longer than reading these."""
_CHOSEN: Final = """
SELECT {columns}, round(c.cost_usd_micros / c.planned_trials)::BIGINT AS cost_per_trial_usd_micros,
       round(c.cost_usd_micros / nullif(c.passed_trials, 0))::BIGINT AS cost_per_pass_usd_micros,
       r.harbor_version, r.prices_sha256,
       row_number() OVER (ORDER BY c.score DESC NULLS LAST, c.cell_id) AS place
FROM cell c LEFT JOIN run r ON r.run_id = c.run_id AND r.publication_id = c.publication_id
WHERE list_contains(?::VARCHAR[], c.cell_id)
"""
_METRICS: Final = """
SELECT m.name, any_value(m.unit) AS unit, count(m.value) AS observed, count(*) AS trials, quantile_cont(m.value, 0.5) AS median
FROM trials_of(?) t JOIN metrics_of(?) m ON m.owner_id = t.selected_attempt_id AND m.owner_type = 'attempt'
WHERE t.cell_id = ? AND m.step IS NULL GROUP BY m.name ORDER BY m.name
"""


def cells(cell_ids: tuple[str, ...]) -> Statement:
    """Return the named cells, highest score first."""
    return Statement(f"{_chosen()} ORDER BY place", (list(cell_ids),))


def pairs(cell_ids: tuple[str, ...]) -> Statement:
    """Return every pair of the named cells, the higher score first, and which columns of edition and configuration differ."""

    def differing(columns: tuple[str, ...]) -> str:
        each = ", ".join(f"CASE WHEN a.{name} IS DISTINCT FROM b.{name} THEN '{name}' END" for name in columns)
        return f"list_filter([{each}], lambda x: x IS NOT NULL)"

    of_a_pair = ", ".join(f"c.{name}" for name in _OF_A_PAIR)
    both = ", ".join(
        f"{side}.{column} AS {name}_{column}" for side, name in (("a", "first"), ("b", "second")) for column in _OF_BOTH
    )
    return Statement(
        f"WITH chosen AS ({_chosen(of_a_pair)}) SELECT {both}, a.edition = b.edition AS is_same_edition, "  # noqa: S608 - fixed pieces
        f"{differing(EDITION_COLUMNS)} AS edition_differs_in, {differing(CONFIGURATION)} AS configuration_differs_in, "
        "least(a.effective_n, b.effective_n) AS effective_n, a.sandbox, "
        "a.host_packages_sha256 AS first_host, b.host_packages_sha256 AS second_host, a.repeats, a.reward_low, a.reward_high "
        "FROM chosen a JOIN chosen b ON a.place < b.place ORDER BY a.place, b.place",
        (list(cell_ids),),
    )


def tasks(cell_ids: tuple[str, ...], limit: int, offset: int) -> Statement:
    """Return the tasks that any of the cells ran, with passed, trials and mean reward of each in the order of `cell_ids`."""
    return Statement(
        "SELECT task_name, task_digest, map(list(cell_id), list([passed, trials, reward / trials])) AS by_cell FROM cell_task "
        "WHERE list_contains(?::VARCHAR[], cell_id) GROUP BY task_name, task_digest "
        "ORDER BY sum(passed) / sum(trials), task_name, task_digest LIMIT ? OFFSET ?",
        (list(cell_ids), limit, offset),
    )


def task_count(cell_ids: tuple[str, ...]) -> Statement:
    """Return how many tasks the cells have together, as `total`."""
    return Statement(
        "SELECT count(DISTINCT (task_name, task_digest)) AS total FROM cell_task WHERE list_contains(?::VARCHAR[], cell_id)",
        (list(cell_ids),),
    )


def metrics(publication: str, cell_id: str) -> Statement:
    """Return the median of every metric over the selected attempts of a cell, with how many reported it."""
    return Statement(_METRICS.strip(), (publication, publication, cell_id))


def _chosen(columns: str = "c.*") -> str:
    return _CHOSEN.format(columns=columns).strip()
