"""What the page about one trial asks: the trial, its attempts in order, and what one attempt measured and left behind."""

from space.queries.statement import Statement


def trial(publication: str, trial_id: str) -> Statement:
    """Return the row of one trial of a publication."""
    return Statement("SELECT * FROM trials_of(?) WHERE trial_id = ?", (publication, trial_id))


def metrics(publication: str, attempt_ids: list[str]) -> Statement:
    """Return the metrics of the given attempts."""
    return Statement(
        "SELECT owner_id, name, value, observation, unit FROM metrics_of(?) WHERE owner_type = 'attempt' "
        "AND list_contains(?::VARCHAR[], owner_id) ORDER BY owner_id, name",
        (publication, attempt_ids),
    )


def artifacts(publication: str, attempt_ids: list[str]) -> Statement:
    """Return the evidence files of the given attempts."""
    return Statement(
        "SELECT owner_id, path, kind, sha256, size_bytes, stored FROM artifacts_of(?) WHERE owner_type = 'attempt' "
        "AND list_contains(?::VARCHAR[], owner_id) ORDER BY owner_id, path",
        (publication, attempt_ids),
    )


def owner_of_trial(trial_id: str) -> Statement:
    """Return the cell of a trial that is named without its cell; reads every publication."""
    return Statement("SELECT cell_id, trial_id FROM trials WHERE trial_id = ?", (trial_id,))


def owner_of_attempt(attempt_id: str) -> Statement:
    """Return the cell and trial of an attempt that is named alone; reads every publication."""
    return Statement("SELECT cell_id, trial_id FROM attempts WHERE attempt_id = ?", (attempt_id,))
