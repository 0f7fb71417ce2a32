import pytest

from shared.digests import sha256
from shared.documents.document import Document
from shared.errors import BadInput


class Boat(Document):
    """A document of the tests."""

    name: str
    crew: tuple[str, ...] = ()
    length: float = 1.0
    berths: int = 0


def test_bytes_do_not_depend_on_the_order_of_the_fields_read() -> None:
    """Two layouts of one document have equal bytes and one digest."""
    one = Boat.from_bytes(b'{"name":"Ada","crew":["x"],"length":2.50}')
    other = Boat.from_bytes(b'{ "length": 25e-1,\n "crew": ["x"], "name": "Ada" }')
    assert one.to_bytes() == other.to_bytes() == b'{"berths":0,"crew":["x"],"length":2.5,"name":"Ada"}'
    assert one.digest == sha256(one.to_bytes())


def test_a_document_reads_back_as_itself() -> None:
    """Writing and reading is the identity."""
    boat = Boat(name="Ünal", crew=("a", "b"), length=0.1, berths=2**53 - 1)
    assert Boat.from_bytes(boat.to_bytes()) == boat


@pytest.mark.parametrize(
    ("data", "named"),
    [
        (b'{"name":1}', "name"),
        (b"{}", "name"),
        (b'{"name":"a","crew":["x",2]}', "crew.1"),
        (b'{"name":"a","sails":2}', "sails"),
        (b'{"name":"a","berths":2.0}', "berths"),
        (b'{"name":"a","berths":"2"}', "berths"),
    ],
)
def test_the_error_names_the_wrong_field(data: bytes, named: str) -> None:
    """A wrong type, a missing field and an unknown field are each refused by name."""
    with pytest.raises(BadInput) as caught:
        Boat.from_bytes(data)
    assert caught.value.field == named


@pytest.mark.parametrize(
    "data",
    [
        b"",
        b"[",
        b"\xff",
        b"[" * 100_000,
        b'{"name":"a","name":"b"}',
        b'{"name":"a","length":NaN}',
        b'{"name":"a","length":1e999}',
    ],
)
def test_bytes_that_two_readers_could_read_differently_are_refused(data: bytes) -> None:
    """Repeated keys, NaN, infinities, bad UTF-8 and bottomless nesting are bad input, not a crash."""
    with pytest.raises(BadInput):
        Boat.from_bytes(data)


def test_a_document_cannot_be_changed() -> None:
    """A field cannot be assigned after the document is made."""
    with pytest.raises(ValueError, match="frozen"):
        Boat(name="a").name = "b"  # type: ignore[misc]  # the assignment is the point
