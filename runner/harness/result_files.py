"""What the table makes of result files on disk: the answer of `runner harness classify PATH --primary-reward KEY`.

A file says nothing of plan, recorder or evidence, so the rows that read those cannot match. The outcome of a failed attempt is
what its trial gets when its retries are spent. Called by the CLI; reads files, imports no Harbor.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from runner.domain.retries import POLICY, decide_retry
from runner.harness.failures import Classification, classify, facts_of, flags_of
from runner.harness.reader import Usage, read_result
from shared.digests import Json
from shared.errors import BadInput
from shared.outcomes import AttemptEnd, Category, Observation, Outcome


@dataclass(frozen=True, slots=True)
class ClassifiedFile:
    """One result file and what it means."""

    file: str
    attempt: AttemptEnd
    category: Category | None
    is_retryable: bool
    outcome: Outcome | None
    reward: float | None
    usage: Usage
    flags: tuple[str, ...]
    reason_code: str
    row: int
    needs_review: bool

    def as_json(self) -> Mapping[str, Json]:
        """Return the line that `harness classify --json` prints."""
        return {
            "file": self.file,
            "attempt": self.attempt.value,
            "category": self.category.value if self.category else None,
            "retryable": self.is_retryable,
            "outcome": self.outcome.value if self.outcome else None,
            "reward": self.reward,
            "usage": _usage_json(self.usage),
            "flags": list(self.flags),
            "reason_code": self.reason_code,
            "row": self.row,
            "needs_review": self.needs_review,
        }


def classify_path(path: Path, primary_reward: str, reward_range: tuple[float, float] = (0.0, 1.0)) -> list[ClassifiedFile]:
    """Return the meaning of the file `path`, or of every trial's result below the folder `path`, in the order of their names.

    Below a folder, a file counts if it is called `result.json`, or if there is none of that name, every `*.json` that is a
    trial's result. Raises PATH_NOT_FOUND, RESULT_UNREADABLE and RESULT_VERSION.
    """
    if path.is_file():
        return [classify_bytes(path.read_bytes(), path.name, primary_reward, reward_range)]
    if not path.is_dir():
        raise BadInput("PATH_NOT_FOUND", f"there is no file or folder {path}", field="PATH", way_out="Name a result file.")
    named = sorted(path.rglob("result.json"))
    found = []
    for file in named or sorted(path.glob("*.json")):
        name = str(file.relative_to(path))
        try:
            found.append(classify_bytes(file.read_bytes(), name, primary_reward, reward_range))
        except BadInput as error:
            if error.code != "RESULT_UNREADABLE":
                raise
    if not found:
        raise BadInput("RESULT_UNREADABLE", f"no result of a trial lies below {path}", field="PATH", way_out="Name its folder.")
    return found


def classify_bytes(data: bytes, name: str, primary_reward: str, reward_range: tuple[float, float] = (0.0, 1.0)) -> ClassifiedFile:
    """Return the meaning of the result file `data`, called `name` in the answer."""
    result = read_result(data, primary_reward, reward_range)
    meaning = classify(facts_of(result))
    is_retryable, outcome = _consequence(meaning)
    return ClassifiedFile(
        file=name,
        attempt=meaning.attempt,
        category=meaning.category,
        is_retryable=is_retryable,
        outcome=outcome,
        reward=result.reward if meaning.category is None else None,
        usage=result.usage,
        flags=flags_of(result),
        reason_code=meaning.reason_code,
        row=meaning.row,
        needs_review=meaning.needs_review,
    )


def _consequence(meaning: Classification) -> tuple[bool, Outcome | None]:
    """Return whether a first failure may be tried again, by retry or in a new generation, and the outcome when none is left."""
    category = meaning.category
    if category is None:
        return False, Outcome.SCORED
    outcome = POLICY[category].outcome
    is_retried = decide_retry(category, meaning.reason_code, {category: 1}, max_attempts=2).is_retried
    return is_retried or outcome is None, outcome


def _usage_json(usage: Usage) -> Json:
    if usage.observation is not Observation.OBSERVED:
        return usage.observation.value
    return {"input": usage.input_tokens, "output": usage.output_tokens, "cost_usd_micros": usage.cost_usd_micros}
