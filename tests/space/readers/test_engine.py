"""The engine reads its own folder and nothing else, answers each thread for itself, and ends what takes too long."""

import threading
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import duckdb
import pytest

from shared.errors import DeadlinePassed, Refused
from space.exports.problems import problem_of
from space.queries.statement import Statement
from space.readers import engine as module
from space.readers.engine import Engine

ENDLESS = Statement("SELECT count(*) FROM range(1000000000) a, range(1000000000) b WHERE (a.range * b.range) % 7 = 3")


@pytest.fixture
def engine(tmp_path: Path) -> Iterator[Engine]:
    """An engine over an empty folder."""
    (tmp_path / "mirror").mkdir()
    made = Engine(tmp_path / "mirror", 256, is_built=False)
    yield made
    made.close()


@pytest.mark.parametrize(
    "sql",
    [
        "SELECT * FROM read_csv('/etc/passwd')",
        "SELECT * FROM read_text('/etc/hostname')",
        "ATTACH '/tmp/other.db'",
        "INSTALL httpfs",
        "LOAD httpfs",
        "COPY (SELECT 1) TO '/tmp/out.csv'",
        "SET enable_external_access=true",
        "SET memory_limit='8GB'",
        "RESET allowed_directories",
        "SELECT * FROM glob('/etc/*')",
    ],
)
def test_what_leaves_the_folder_is_refused(engine: Engine, sql: str) -> None:
    """No statement reads, writes, attaches or configures outside."""
    with pytest.raises(duckdb.Error):
        engine.rows(Statement(sql))


def test_a_statement_that_takes_too_long_is_interrupted_and_the_cursor_lives_on(engine: Engine) -> None:
    """The limit ends the statement with `query.timeout`; the same thread can ask again."""
    with pytest.raises(DeadlinePassed) as caught:
        engine.rows(ENDLESS, seconds=0.2)
    assert caught.value.code == "query.timeout"
    assert engine.rows(Statement("SELECT 1 AS one")) == [{"one": 1}]


def test_a_statement_without_memory_is_told_to_come_again_and_the_cursor_lives_on(engine: Engine) -> None:
    """More than the limit is `space.busy`, which the API answers as 503 with Retry-After; the same thread can ask again."""
    with pytest.raises(Refused) as caught:
        engine.rows(Statement("SELECT list(repeat('x', 1000) || range) AS all_of_it FROM range(2000000)"), seconds=30)
    problem = problem_of(caught.value)
    assert (caught.value.code, problem.status, problem.retry_after) == ("space.busy", 503, 2)
    assert engine.rows(Statement("SELECT 1 AS one")) == [{"one": 1}]


def test_threads_never_see_the_answer_of_another(engine: Engine) -> None:
    """8 threads x 100 questions, each gets its own number back."""

    def ask(number: int) -> bool:
        return engine.rows(Statement("SELECT ? + sum(range) AS n FROM range(100)", (number,))) == [{"n": number + 4950}]

    with ThreadPoolExecutor(8) as pool:
        assert all(pool.map(ask, range(800)))


def test_who_waits_too_long_is_told_to_come_again(engine: Engine, monkeypatch: pytest.MonkeyPatch) -> None:
    """With every place taken, the next question is refused as `space.busy`."""
    monkeypatch.setattr(module, "WAIT_SECONDS", 0.05)
    started = threading.Barrier(module.MAX_RUNNING + 1)

    def occupy() -> None:
        with engine._turn():
            started.wait()
            release.wait(20)

    release = threading.Event()
    threads = [threading.Thread(target=occupy) for _ in range(module.MAX_RUNNING)]
    for thread in threads:
        thread.start()
    started.wait()
    try:
        with pytest.raises(Refused) as caught:
            engine.rows(Statement("SELECT 1"))
    finally:
        release.set()
        for thread in threads:
            thread.join()
    assert caught.value.code == "space.busy"
    assert engine.rows(Statement("SELECT 1 AS one")) == [{"one": 1}]


def test_turns_are_had_in_the_order_in_which_they_were_asked_for() -> None:
    """Who waits longest is next, and who gave up waiting takes nobody's turn."""
    turns = module._Turns(1)
    assert turns.take(1)
    assert not turns.take(0.01)
    order = list[int]()

    def wait(number: int) -> None:
        assert turns.take(30)
        order.append(number)
        turns.give_back()

    threads = []
    for number in range(3):
        threads.append(threading.Thread(target=wait, args=(number,)))
        threads[-1].start()
        while len(turns._waiting) <= number:
            threading.Event().wait(0.001)
    turns.give_back()
    for thread in threads:
        thread.join(30)
    assert order == [0, 1, 2]
    assert turns.take(1)
