"""The statements about trainings, run on tables made here: a receipt of another trainer part is no receipt."""

from typing import Any

import duckdb
import pytest

from space.listings.listing import discover
from space.queries.training.tables import rows, trainings

COLUMNS = ("training_id", "trainer_part", "receipt", "finished_at")
BOTH = frozenset({"trainings", "qualifications"})


@pytest.fixture
def database() -> duckdb.DuckDBPyConnection:
    """Three trainings: one with the receipt of its own trainer part, one with the receipt of another's, one without."""
    made = duckdb.connect()
    made.execute("CREATE TABLE trainings (training_id VARCHAR, trainer_part VARCHAR, receipt VARCHAR, finished_at BIGINT)")
    made.execute(
        "CREATE TABLE qualifications (qualification_id VARCHAR, trainer_part VARCHAR, receipt VARCHAR, state VARCHAR, "
        "failed_checks VARCHAR[])"
    )
    made.execute("INSERT INTO trainings VALUES ('own', 'A', 'r1', 3), ('foreign', 'B', 'r1', 2), ('none', 'A', NULL, 1)")
    made.execute("INSERT INTO qualifications VALUES ('q1', 'A', 'r1', 'passed', []), ('q2', 'C', 'r2', 'failed', ['Q7'])")
    return made


def answered(database: duckdb.DuckDBPyConnection, statement: Any) -> list[dict[str, Any]]:
    """Return the rows of `statement`."""
    found = database.execute(statement.sql, list(statement.values))
    names = [column[0] for column in found.description]
    return [dict(zip(names, row, strict=True)) for row in found.fetchall()]


def test_a_receipt_counts_for_its_own_trainer_part_alone(database: duckdb.DuckDBPyConnection) -> None:
    """The training of part B that names part A's receipt has none; nothing is relabelled."""
    found = {row["training_id"]: row for row in answered(database, trainings(COLUMNS, BOTH))}
    assert {key: row["receipt_state"] for key, row in found.items()} == {
        "own": "passed",
        "foreign": "no_receipt",
        "none": "no_receipt",
    }
    assert (found["foreign"]["qualification_id"], found["own"]["qualification_id"]) == (None, "q1")


def test_without_the_table_of_qualifications_no_training_has_a_receipt(database: duckdb.DuckDBPyConnection) -> None:
    """A catalog that publishes none proves nothing."""
    found = answered(database, trainings(COLUMNS, {"trainings"}))
    assert {row["receipt_state"] for row in found} == {"no_receipt"}


def test_one_training_is_found_by_its_id(database: duckdb.DuckDBPyConnection) -> None:
    """The id is a bound value."""
    assert [row["training_id"] for row in answered(database, trainings(COLUMNS, BOTH, training_id="own"))] == ["own"]
    assert answered(database, trainings(COLUMNS, BOTH, training_id="' OR 1=1 --")) == []


def test_a_table_is_answered_newest_first(database: duckdb.DuckDBPyConnection) -> None:
    """All rows, or those of one id."""
    statement = rows("trainings", COLUMNS, BOTH, key="training_id", newest="finished_at")
    assert [row["training_id"] for row in answered(database, statement)] == ["own", "foreign", "none"]
    statement = rows("trainings", COLUMNS, BOTH, key="training_id", newest="finished_at", key_value="none")
    assert [row["training_id"] for row in answered(database, statement)] == ["none"]


@pytest.mark.parametrize("name", ["trainings", "qualifications", "evaluations", "releases", "snapshots"])
def test_an_unpublished_table_is_empty_under_its_declared_names(name: str) -> None:
    """The list answers with no row and every column that it declares."""
    listing = discover()[name]
    names = [field.name for field in listing.fields]
    found = duckdb.execute(rows(name, names, (), key=names[0], newest=names[0]).sql)
    assert [column[0] for column in found.description] == names
    assert found.fetchall() == []
