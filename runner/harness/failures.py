"""What the end of an attempt means: the versioned table from facts to a category.

One table, read from the top, first match wins; what follows from a category (retry, public outcome) is another table,
`runner/domain/retries.py`. No row reads the value of a valid reward, so another valid reward never changes a state. Message
text is read in row 3 only. Version: `shared.versions.CLASSIFICATION`.

    1 cancelled        the run was cancelled                          8 succeeded    a valid reward, whatever ended the agent
    2 lost             host or lease lost, nothing reported           9 transient    the agent never began
    3 configuration    not what the plan says, a variable missing    10 ambiguous    a sandbox call of unknown effect
    4 evidence         a secret survives redaction                   11 agent        timeout, exit code, refusal, full sandbox
    5 the ledger's     the model's provider failed                   12 benchmark    the verifier failed or gave no valid reward
    6 agent            the cost ceiling is reached                   13 transient    anything else, needs review
    7 agent            the session is missing
"""

import re
from collections.abc import Callable
from dataclasses import dataclass
from typing import Final, NamedTuple

from runner.harness.faults import SANDBOX_FULL, SANDBOX_LOST
from runner.harness.reader import RewardState, TrialResult
from shared.outcomes import AttemptEnd, Category, Phase

DEADLINE: Final = "TrialDeadline"
"""The exception name of an attempt that outlived its `trial_seconds`; Harbor recorded a cancellation."""

AGENT_ENDS: Final = frozenset({"", "AgentTimeoutError", "NonZeroAgentExitCodeError", "SandboxCommandTimeout", SANDBOX_FULL})
"""What ends an agent and leaves its work to be graded: only a verifier elsewhere can still grade after a full sandbox."""
AGENT_FAILURES: Final = frozenset(
    {
        "AgentTimeoutError", "NonZeroAgentExitCodeError", "AgentTurnLimit", "AgentRefusal", "ContextLengthExceededError",
        "OutputLengthExceededError", "SandboxCommandTimeout", DEADLINE,
    }
)  # fmt: skip
VERIFIER_FAILURES: Final = frozenset(
    {
        "VerifierTimeoutError", "RewardFileNotFoundError", "RewardFileEmptyError", "VerifierOutputParseError", "ValidationError",
        "AddTestsDirError", "DownloadVerifierDirError", "RuntimeError", "SandboxCommandTimeout", DEADLINE,
    }
)  # fmt: skip
"""The verifier's own, and calls of it that failed in a sandbox that is up, as when an agent removed or locked the folders that it
needs, or goes on killing what runs: a sandbox that the host lost is `SandboxLost`, whatever Harbor made of it."""
UNKNOWN_EFFECT: Final = frozenset({SANDBOX_LOST})
_MISSING_VARIABLE: Final = re.compile(r"Environment variable '?([A-Za-z_][A-Za-z0-9_]*)'? not found(?: in host environment)?\.?")
_QUOTES_OUTPUT: Final = frozenset({"NonZeroAgentExitCodeError", "SandboxBuildFailed"})
"""Exceptions whose message holds what a command printed: nothing that an agent or a task says decides a category."""
_BEFORE_AGENT: Final = frozenset({Phase.CREATE, Phase.ENVIRONMENT, Phase.AGENT_SETUP})
_AGENT_RAN: Final = frozenset({Phase.AGENT, Phase.VERIFIER})
_NOT_VALID: Final = frozenset({RewardState.INVALID, RewardState.ABSENT})


@dataclass(frozen=True, slots=True)
class Facts:
    """All that the table reads of one ended attempt."""

    exception: str = ""
    message: str = ""
    phase: Phase = Phase.CREATE
    reward: RewardState = RewardState.ABSENT
    is_cancelled: bool = False
    is_lost: bool = False
    differs_from_plan: bool = False
    has_secret_left: bool = False
    ledger: Category | None = None
    """What the recorder's ledger alone says of the model's provider; None without a ledger or without a failure."""
    ledger_reason: str = ""
    is_over_cost: bool = False
    is_session_missing: bool = False


class Classification(NamedTuple):
    """What an attempt's end means; `category` is None only if it succeeded."""

    attempt: AttemptEnd
    category: Category | None
    reason_code: str
    row: int
    needs_review: bool


class Row(NamedTuple):
    """One line of the table: if it matches, the category (None: succeeded) and a reason code."""

    number: int
    matches: Callable[[Facts], bool]
    category: Callable[[Facts], Category | None]
    reason: Callable[[Facts], str]


def classify(facts: Facts) -> Classification:
    """Return the meaning of `facts` by the first row that matches; the last row always does."""
    row = next(row for row in TABLE if row.matches(facts))
    category = row.category(facts)
    return Classification(_ENDS.get(category, AttemptEnd.FAILED), category, row.reason(facts), row.number, row is TABLE[-1])


def facts_of(result: TrialResult, *, is_deadline: bool = False) -> Facts:
    """Return the facts that a result file alone gives; the caller adds those of the plan, the recorder and the evidence."""
    exception = result.exception
    is_cancelled = any(found.type == "CancelledError" for found in result.exceptions)
    name = exception.type if exception is not None else ""
    return Facts(
        exception=DEADLINE if is_cancelled and is_deadline else name,
        message=exception.message if exception is not None else "",
        phase=result.phase,
        reward=result.reward_state,
        is_cancelled=is_cancelled and not is_deadline,
    )


def explain_configuration(facts: Facts) -> str:
    """Return what a person must mend for an attempt of category `configuration` to succeed, without any text of the task's."""
    missing = _missing_variable(facts)
    if missing:
        return f"the environment variable {missing} is not set for it"
    return "its task, agent or model is not what the plan says"


def flags_of(result: TrialResult) -> tuple[str, ...]:
    """Return what a reader of the score should know of the attempt, sorted."""
    names = {exception.type for exception in result.exceptions}
    flags = {
        "agent_timeout": "AgentTimeoutError" in names,
        "agent_exit_code": "NonZeroAgentExitCodeError" in names,
        "naive_times": result.has_naive_times,
    }
    return tuple(sorted(flag for flag, is_set in flags.items() if is_set))


def _always(category: Category | None) -> Callable[[Facts], Category | None]:
    return lambda _facts: category


def _named(reason: str) -> Callable[[Facts], str]:
    return lambda _facts: reason


def _by_exception(reason: str) -> Callable[[Facts], str]:
    return lambda facts: _snake(facts.exception) or reason


def _snake(name: str) -> str:
    return re.sub(r"(?<=[a-z0-9])(?=[A-Z])", "_", name.removesuffix("Error")).lower()[:64]


def _is_configuration(facts: Facts) -> bool:
    return facts.differs_from_plan or _missing_variable(facts) != ""


def _missing_variable(facts: Facts) -> str:
    """Return the name of the variable whose absence ended the attempt, or nothing."""
    found = None if facts.exception in _QUOTES_OUTPUT else _MISSING_VARIABLE.fullmatch(facts.message.strip())
    return found[1] if found is not None else ""


def _is_scored(facts: Facts) -> bool:
    return facts.exception in AGENT_ENDS and facts.phase in _AGENT_RAN and facts.reward is RewardState.VALID


def _is_agents(facts: Facts) -> bool:
    if facts.exception == SANDBOX_FULL:  # Whoever wrote, it is the agent's work that was run: no other try is bought by it.
        return facts.phase in _AGENT_RAN and facts.reward in _NOT_VALID
    return facts.exception in AGENT_FAILURES and facts.phase is Phase.AGENT and facts.reward is RewardState.ABSENT


def _is_benchmarks(facts: Facts) -> bool:
    has_failed = facts.exception in VERIFIER_FAILURES
    # Harbor keeps the first exception: that the agent was ended hides how the verifier failed after it.
    is_hidden = facts.exception in AGENT_ENDS - {""} and facts.reward is RewardState.ABSENT
    gave_nothing_valid = is_hidden or (facts.exception in AGENT_ENDS and facts.reward is RewardState.INVALID)
    return (has_failed or gave_nothing_valid) and facts.phase is Phase.VERIFIER and facts.reward in _NOT_VALID


_ENDS: Final = {
    None: AttemptEnd.SUCCEEDED,
    Category.CANCELLED: AttemptEnd.CANCELLED,
    Category.LOST: AttemptEnd.LOST,
}

TABLE: Final = (
    Row(1, lambda facts: facts.is_cancelled, _always(Category.CANCELLED), _named("cancelled")),
    Row(2, lambda facts: facts.is_lost, _always(Category.LOST), _named("lost")),
    Row(3, _is_configuration, _always(Category.CONFIGURATION), _named("configuration")),
    Row(4, lambda facts: facts.has_secret_left, _always(Category.EVIDENCE), _named("secret_left")),
    Row(
        5,
        lambda facts: facts.ledger is not None and facts.phase in _AGENT_RAN,
        lambda facts: facts.ledger,
        lambda facts: facts.ledger_reason or "provider",
    ),
    Row(6, lambda facts: facts.is_over_cost and facts.phase in _AGENT_RAN, _always(Category.AGENT), _named("cost_ceiling")),
    Row(
        7,
        lambda facts: facts.is_session_missing and facts.phase in _AGENT_RAN and facts.reward is RewardState.VALID,
        _always(Category.AGENT),
        _named("session_missing"),
    ),
    Row(8, _is_scored, _always(None), _named("scored")),
    Row(
        9,
        lambda facts: facts.phase in _BEFORE_AGENT and facts.reward is RewardState.ABSENT,
        _always(Category.TRANSIENT),
        _by_exception("never_began"),
    ),
    Row(
        10,
        lambda facts: facts.exception in UNKNOWN_EFFECT and facts.reward is RewardState.ABSENT,
        _always(Category.AMBIGUOUS),
        _by_exception("unknown_effect"),
    ),
    Row(11, _is_agents, _always(Category.AGENT), _by_exception("agent")),
    Row(12, _is_benchmarks, _always(Category.BENCHMARK), _by_exception("reward_invalid")),
    Row(13, lambda _facts: True, _always(Category.TRANSIENT), _by_exception("unexplained")),
)
