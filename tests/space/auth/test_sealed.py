"""Sealed texts: made here, unchanged, for one purpose, until their end."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from space.auth.sealed import key_from, seal, unseal

KEY = key_from("secret", "ticket")
FIELDS = {"user_id": "alice", "subject": ["run", "run-1"]}


def test_what_was_sealed_is_read_until_its_end() -> None:
    """To the second."""
    text = seal(KEY, FIELDS, 100)
    found, late = unseal(KEY, text, 99.9), unseal(KEY, text, 100)
    assert found is not None
    assert late is not None
    assert (found.fields, found.is_expired, late.is_expired) == (FIELDS, False, True)


@pytest.mark.parametrize("key", [key_from("secret", "session"), key_from("Secret", "ticket"), key_from("", "ticket")])
def test_another_purpose_or_secret_seals_nothing_for_this_one(key: bytes) -> None:
    """A session is no ticket."""
    assert unseal(KEY, seal(key, FIELDS, 100), 0) is None


@given(st.integers(0, 10_000), st.characters(codec="ascii"))
def test_one_changed_character_is_noticed(place: int, character: str) -> None:
    """Wherever it stands."""
    text = seal(KEY, FIELDS, 100)
    at = place % len(text)
    changed = text[:at] + character + text[at + 1 :]
    found = unseal(KEY, changed, 0)
    assert found is None or (found.fields, found.is_expired) == (FIELDS, False)


@given(st.text(max_size=300))
def test_any_other_text_was_not_made_here(text: str) -> None:
    """And never an error."""
    assert unseal(KEY, text, 0) is None
