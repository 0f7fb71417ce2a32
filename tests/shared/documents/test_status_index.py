"""The index of a control Dataset lists runs and offers, bounded, and reads back as it was written."""

import pytest

from shared.documents.status_index import MAX_LINES, StatusIndex, StatusLine
from shared.errors import BadInput

LINE = StatusLine(
    run_id="run-1", experiment="x", request_state="taken", state="queued", label="", planned=3, requested_by="alice"
)


def test_an_index_reads_back_as_it_was_written() -> None:
    """Equal documents, equal bytes."""
    index = StatusIndex(offers=("starter",), runs=(LINE,))
    assert StatusIndex.from_bytes(index.to_bytes()) == index


@pytest.mark.parametrize(
    "data", [b"{}", b'{"offers": [], "runs": [], "more": 1}', b'{"offers": [], "runs": [], "schema_version": 2}']
)
def test_what_is_no_index_is_refused(data: bytes) -> None:
    """A newer one too."""
    with pytest.raises(BadInput, match="STATUS_INVALID"):
        StatusIndex.from_bytes(data)


def test_an_index_stays_small_enough_to_be_read_at_every_look() -> None:
    """Beyond two thousand lines it is none."""
    lines = [LINE.model_dump(mode="json")] * (MAX_LINES + 1)
    with pytest.raises(BadInput):
        StatusIndex.from_json({"offers": [], "runs": lines})
