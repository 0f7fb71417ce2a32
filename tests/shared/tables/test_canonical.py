"""The identity of rows: exact bytes, exact digests, and nothing that depends on how they are stored."""

import hashlib
import io
import json
import struct
from pathlib import Path

import pyarrow.parquet as pq
import pytest

from shared.arrow import read_parquet, schema_of, to_arrow, write_parquet
from shared.errors import BadInput
from shared.tables.canonical import column_bytes, row_digest, table_digest
from shared.tables.registry import RESULT_TABLES, TABLES, build_tables
from shared.tables.rows import Rows
from shared.tables.schema import Constant, Kind, Table, columns
from tests.builders.goldens import check_golden
from tests.builders.published import odd_run, some_cell, some_run, some_trial

GOLDEN = Path(__file__).parents[2] / "data" / "golden" / "tables"
SMALL = Table("small", 3, "a row", "key", columns("schema_version:i key n:i? x:f? ok:b? at:t? words:l?"))


def small(**changes: list[object]) -> Rows:
    """Return two rows of the table `small`."""
    rows: Rows = {
        "schema_version": [3, 3],
        "key": ["a", "ü"],
        "n": [1, None],
        "x": [-0.0, 1e-7],
        "ok": [True, None],
        "at": [1_700_000_000_000_001, None],
        "words": [["é", ""], []],
    }
    return {**rows, **changes}


def q(*numbers: int) -> bytes:
    """Return integers as 8 little-endian bytes each."""
    return struct.pack(f"<{len(numbers)}q", *numbers)


@pytest.mark.parametrize(
    ("kind", "values", "expected"),
    [
        ("int", [1, None, -2], b"\1\0\1" + q(1, 0, -2)),
        ("int", [], b""),
        ("float", [-0.0, 1e-7, None], b"\1\1\0" + struct.pack("<3d", -0.0, 1e-7, 0.0)),
        ("float", [1], b"\1" + struct.pack("<d", 1.0)),
        ("bool", [True, False, None], b"\1\1\0\1\0\0"),
        ("time", [1_700_000_000_000_001], b"\1" + q(1_700_000_000_000_001)),
        ("text", ["a", "", None], b"\1\1\0" + q(1, 0, 0) + b"a"),
        ("text", ["ü", "名"], b"\1\1" + q(2, 3) + "ü名".encode()),
        ("texts", [["é"], [], None], b"\1\1\0" + q(6, 2, 2) + '["é"][][]'.encode()),
    ],
)
def test_a_column_has_exactly_these_bytes(kind: Kind, values: list[object], expected: bytes) -> None:
    """Presence first, then the values, as the head of shared/tables/canonical.py says."""
    assert b"".join(column_bytes(kind, values)) == expected


def test_a_table_digest_is_that_of_its_head_line_and_columns() -> None:
    """The trace columns are not in it."""
    expected = hashlib.sha256(b'["small",3,2]\n')
    for name, kind in (("key", "text"), ("n", "int"), ("x", "float"), ("ok", "bool"), ("at", "time"), ("words", "texts")):
        expected.update(b"".join(column_bytes(kind, small()[name])))  # type: ignore[arg-type]
    assert table_digest(SMALL, small()) == expected.hexdigest()
    assert table_digest(SMALL, small(schema_version=[9, 9])) == expected.hexdigest()


@pytest.mark.parametrize(
    "change",
    [
        {"key": ["a", "u"]},
        {"n": [None, None]},
        {"n": [0, None]},
        {"x": [0.0, 1e-7]},
        {"ok": [False, None]},
        {"words": [["é"], []]},
    ],
)
def test_every_changed_value_changes_the_digest(change: dict[str, list[object]]) -> None:
    """A missing value is no 0, and -0.0 is not 0.0."""
    assert table_digest(SMALL, small(**change)) != table_digest(SMALL, small())


def test_values_do_not_run_into_each_other() -> None:
    """The same text cut elsewhere is other rows."""
    assert table_digest(SMALL, small(key=["ab", "c"])) != table_digest(SMALL, small(key=["a", "bc"]))


def test_the_order_of_rows_counts() -> None:
    """Rows are published in plan order, and that is what the digest says."""
    turned = {name: list(reversed(values)) for name, values in small().items()}
    assert table_digest(SMALL, turned) != table_digest(SMALL, small())


def test_two_rows_with_one_key_are_refused() -> None:
    """A key identifies its row."""
    with pytest.raises(ValueError, match="same key"):
        table_digest(SMALL, small(key=["a", "a"]))


def test_a_constant_column_is_the_list_that_it_stands_for() -> None:
    """It has the length, the values and the digest of that list."""
    constant = Constant(7, 2)
    assert (len(constant), list(constant), constant[1], list(constant[:])) == (2, [7, 7], 7, [7, 7])
    assert table_digest(SMALL, {**small(), "n": constant}) == table_digest(SMALL, small(n=[7, 7]))
    with pytest.raises(IndexError):
        constant[2]


def test_an_empty_table_has_a_digest() -> None:
    """A run without metrics publishes none, and says so."""
    empty: Rows = {column.name: [] for column in SMALL.columns}
    assert table_digest(SMALL, empty) == hashlib.sha256(b'["small",3,0]\n').hexdigest()


def test_a_row_digest_reads_floats_as_their_shortest_text() -> None:
    """It is what `results verify-row` prints."""
    expected = '["a",1,"-0.0",1,1700000000000001,["é",""]]'
    assert row_digest(SMALL, small(), 0) == hashlib.sha256(expected.encode()).hexdigest()


@pytest.mark.parametrize("name", sorted(RESULT_TABLES))
def test_golden_digests_of_a_whole_run(name: str) -> None:
    """Published digests never change while the table's version stands."""
    _, _, digests = build_tables(odd_run())
    check_golden(GOLDEN / f"{name}.sha256", f"{digests[name]}\n".encode())


@pytest.mark.parametrize("name", sorted(TABLES))
def test_golden_arrow_schemas(name: str) -> None:
    """What readers of the files rely on: names, types, nullability, order."""
    schema = [[field.name, str(field.type), field.nullable] for field in schema_of(TABLES[name])]
    check_golden(GOLDEN / f"{name}.schema.json", json.dumps(schema, indent=1).encode() + b"\n")


@pytest.mark.parametrize("name", sorted(RESULT_TABLES))
def test_parquet_keeps_every_value(name: str, tmp_path: Path) -> None:
    """Rows read back are equal, the trace columns included, and so is their digest."""
    table, (_, rows, digests) = TABLES[name], build_tables(odd_run())
    write_parquet(table, rows[name], tmp_path / "t.parquet")
    found = read_parquet(table, [tmp_path / "t.parquet"])
    assert found == {column: list(values) for column, values in rows[name].items()}
    assert table_digest(table, found) == digests[name]


@pytest.mark.parametrize(
    "settings", [{"compression": "none"}, {"use_dictionary": False}, {"row_group_size": 1}, {"version": "1.0"}]
)
def test_the_digest_does_not_depend_on_the_writer(settings: dict[str, object]) -> None:
    """Other bytes, equal rows, equal digest."""
    table, (_, rows, digests) = TABLES["trials"], build_tables(odd_run())
    other, ours = io.BytesIO(), io.BytesIO()
    pq.write_table(to_arrow(table, rows["trials"]), other, **settings)
    write_parquet(table, rows["trials"], ours)
    assert other.getvalue() != ours.getvalue()
    found = read_parquet(table, [io.BytesIO(other.getvalue())])  # type: ignore[list-item]
    assert table_digest(table, found) == digests["trials"]


def test_a_file_that_is_no_table_is_refused(tmp_path: Path) -> None:
    """Bytes that are no Parquet, and columns that are not the table's."""
    (tmp_path / "x.parquet").write_bytes(b"PAR1 no")
    with pytest.raises(BadInput) as caught:
        read_parquet(SMALL, [tmp_path / "x.parquet"])
    assert caught.value.code == "TABLE_UNREADABLE"
    write_parquet(Table("other", 1, "x", "key", columns("key extra")), {"key": ["a"], "extra": ["b"]}, tmp_path / "y.parquet")
    with pytest.raises(BadInput) as caught:
        read_parquet(SMALL, [tmp_path / "y.parquet"])
    assert caught.value.code == "TABLE_SCHEMA"


def test_equal_facts_give_one_publication() -> None:
    """Its id follows from lock, evidence root and rows, and from nothing else."""
    one, other = build_tables(odd_run()), build_tables(odd_run())
    assert one[0] == other[0]
    changed = some_run([some_cell([some_trial(0, 0.5)])])
    assert build_tables(changed)[0] != build_tables(some_run([some_cell([some_trial(0)])]))[0]
