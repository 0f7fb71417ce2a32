import base64
import json
import subprocess
import sys
from pathlib import Path
from urllib.parse import quote, quote_plus

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from runner.evidence.redaction import Redactor
from runner.evidence.secret_forms import forms_of
from shared.errors import BadInput
from shared.secret_patterns import SHAPES

SECRETS = {"HF": 'hunter2/with+odd"chars', "KEY": 'odd"charsXYZ12', "LONG": "k" * 1500}
RE2, RE = Redactor(SECRETS, engine="re2"), Redactor(SECRETS, engine="re")
SECRET = SECRETS["HF"]
CREDENTIALS = {
    "hf-token": b"hf_" + b"aB3" * 12,
    "api-key": b"sk-proj-" + b"a1B2-_" * 8,
    "github-token": b"ghp_" + b"Z9" * 18,
    "aws-key": b"AKIA" + b"Q7" * 8,
    "bearer": b"bearer  abc.def/ghi+jkl=mno~p",
    "jwt": b"eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxMjM0In0.c2lnbmF0dXJl",
    "private-key": b"-----BEGIN RSA PRIVATE KEY-----\nMIIEow+/AB==\nQUJD\n",
}
PIECES = st.sampled_from(
    [
        b"",
        b" ",
        b"-",
        b".",
        b"\n",
        b"x" * 700,
        SECRET.encode(),
        SECRET.encode()[:9],
        SECRETS["KEY"].encode(),
        SECRETS["KEY"].encode()[6:],
        SECRETS["LONG"].encode(),
        b"Bearer abcdefghijklmnop",
        b"hf_" + b"a" * 3000,
        b"hf_",
        b"a" * 19,
        b"AKIA",
        b"task-" + b"long-name-" * 4,
        base64.b64encode(b"u:" + SECRET.encode()),
        *CREDENTIALS.values(),
    ]
)
TEXTS = st.lists(PIECES, max_size=14).map(b"".join)


@pytest.mark.parametrize("rule", CREDENTIALS)
def test_each_shape_of_credential_is_replaced_by_its_rule(rule: str) -> None:
    """A credential known by its shape alone leaves no part of itself."""
    assert Redactor({}).redact(b"<" + CREDENTIALS[rule] + b">").data == b"<[redacted:%b]>" % rule.encode()
    assert set(CREDENTIALS) == {shape.rule for shape in SHAPES}


@pytest.mark.parametrize(
    "form",
    [
        SECRET.encode(),
        *(base64.b64encode(b"u" * n + SECRET.encode() + b"tail") for n in range(3)),
        base64.urlsafe_b64encode(SECRET.encode()),
        quote(SECRET, safe="").encode(),
        quote_plus(SECRET).lower().encode(),
        json.dumps(SECRET).encode(),
        json.dumps(json.dumps(SECRET)).encode(),
        SECRET.encode().hex().encode(),
        SECRET.encode("utf-16-le"),
    ],
)
def test_each_form_of_a_value_is_found(form: bytes) -> None:
    """A secret value is found raw, encoded at any alignment, quoted and escaped."""
    redacted = RE2.redact(b"before " + form + b" after")
    assert redacted.hits == {"HF": 1}
    assert not any(known in redacted.data for known in forms_of(SECRET))


@pytest.mark.parametrize("text", [b"task-management-system-for-everyone", b"sk-short", b"hf_hub_download", b"AKIA", b"eyJ.eyJ."])
def test_words_that_only_begin_like_a_credential_stay(text: bytes) -> None:
    """Ordinary words are stored as they are."""
    assert RE2.redact(text).data == text


@settings(max_examples=150, deadline=None)
@given(TEXTS)
def test_both_engines_agree(data: bytes) -> None:
    """The DFA engine and `re` give the same bytes and the same counts."""
    assert RE2.redact(data) == RE.redact(data)


@settings(max_examples=150, deadline=None)
@given(TEXTS, st.lists(st.integers(1, 2500), min_size=1, max_size=12), st.sampled_from([RE2, RE]))
def test_where_chunks_end_changes_nothing(data: bytes, sizes: list[int], redactor: Redactor) -> None:
    """Any cutting into chunks gives what the whole gives."""
    stream, out, at, turn = redactor.stream(), [], 0, 0
    while at < len(data):
        size = sizes[turn % len(sizes)]
        out.append(stream.feed(data[at : at + size]))
        at, turn = at + size, turn + 1
    out.append(stream.finish())
    whole = redactor.redact(data)
    assert b"".join(out) == whole.data
    assert dict(stream.hits) == dict(whole.hits)


@settings(max_examples=100, deadline=None)
@given(TEXTS)
def test_nothing_found_survives_and_twice_is_once(data: bytes) -> None:
    """The output holds no find, so redacting it again changes nothing."""
    clean = RE2.redact(data).data
    assert RE2.redact(clean).data == clean
    assert not any(form in clean for value in SECRETS.values() for form in forms_of(value))


@settings(max_examples=100, deadline=None)
@given(st.binary(max_size=400))
def test_bytes_without_a_find_are_untouched(data: bytes) -> None:
    """Binary noise comes back as it was, by both engines."""
    if RE.is_clean(data):
        assert RE2.redact(data) == RE.redact(data) == (data, {})


def test_a_key_after_an_escaped_line_end_is_found() -> None:
    """In JSON text the letter of an escape stands directly before a key and is no part of a word."""
    text = json.dumps({"log": "first\nsk-" + "a1" * 12, "inner": json.dumps("x\tsk-" + "b2" * 12)})
    assert json.loads(Redactor({}).redact(text.encode()).data) == {
        "log": "first[redacted:api-key]",
        "inner": '"x[redacted:api-key]"',
    }


def test_a_key_directly_after_another_find_is_found() -> None:
    """Replacing a value uncovers that a word begins after it, and the second pass sees that word."""
    assert RE2.redact(SECRET.encode() + b"sk-" + b"a1" * 12).data == b"[redacted:HF][redacted:api-key]"


def test_overlapping_finds_become_one() -> None:
    """A shape that eats the first half of a value does not let the second half through."""
    data = b"Bearer aaaaaaaaaaaaaaaaaaaaaa" + SECRET.encode() + b"XYZ12."
    assert RE2.redact(data).data == b"[redacted:bearer]."


def test_a_secret_at_any_offset_of_a_chunk_edge_is_found() -> None:
    """A value cut by a chunk's end at each of its bytes is found."""
    value = SECRET.encode()
    for cut in range(1, len(value)):
        stream = RE2.stream()
        out = stream.feed(b"x" * 4000 + value[:cut]) + stream.feed(value[cut:] + b"y") + stream.finish()
        assert out == b"x" * 4000 + b"[redacted:HF]y"


def test_a_value_too_short_to_be_told_from_text_is_refused_by_name() -> None:
    """The message names the secret, never its value."""
    with pytest.raises(BadInput, match="PIN") as caught:
        Redactor({"PIN": "q7z"})
    assert "q7z" not in str(caught.value)


def test_values_are_in_no_representation() -> None:
    """Neither the redactor nor its errors show a value."""
    assert SECRET not in repr(RE2)
    assert SECRET not in repr(vars(RE2.stream()))


def test_without_the_fast_engine_the_standard_library_is_used(monkeypatch: pytest.MonkeyPatch) -> None:
    """Where google-re2 is not installed, the automatic choice gives the same result."""
    monkeypatch.setitem(sys.modules, "re2", None)
    assert Redactor(SECRETS).redact(b"a " + SECRET.encode()).data == b"a [redacted:HF]"
    with pytest.raises(ImportError):
        Redactor(SECRETS, engine="re2")


def test_the_module_needs_the_standard_library_alone() -> None:
    """It imports where no package is installed at all, and redacts there."""
    code = "from runner.evidence.redaction import Redactor; print(Redactor({'K': 'q-secret'}).redact_text('x q-secret'))"
    done = subprocess.run([sys.executable, "-S", "-c", code], capture_output=True, check=True, cwd=Path(__file__).parents[3])
    assert done.stdout == b"x [redacted:K]\n"
