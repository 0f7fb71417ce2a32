"""Forms that no page of ours sent: a clear answer of 4xx, and nothing written."""

from typing import Any

import pytest

from space.requests.fields import MAX_FIELDS
from tests.space.requests.visits import CHOICE, House, Visitor, said

LONG = "x" * 301
MANY = "&".join(f"models=m{index}" for index in range(MAX_FIELDS + 1))
PREVIEWS: list[dict[str, Any]] = [
    {},
    {"offer": ""},
    {"offer": "../../etc/passwd"},
    {"offer": "starter' OR '1'='1"},
    {"offer": "starter; DROP TABLE request"},
    {"offer": "STARTER"},
    {"offer": ["starter", "starter"]},
    {"offer": "starter\x00"},
    {"offer": LONG},
    {"models": ""},
    {"models": []},
    {"models": "gpt"},
    {"models": "none\n"},
    {"models": "https://evil.example/model"},
    {"models": [f"m{index}" for index in range(101)]},
    {"models": "\u202enone"},
    {"agents": "oracle,nop"},
    {"agents": "codex"},
    {"agents": "Oracle"},
    {"agents": "<script>alert(1)</script>"},
    {"agents": LONG},
    {"ceiling_usd": "-1"},
    {"ceiling_usd": "NaN"},
    {"ceiling_usd": "Infinity"},
    {"ceiling_usd": "1e400"},
    {"ceiling_usd": "1e9999999"},
    {"ceiling_usd": "0x10"},
    {"ceiling_usd": "1,000"},
    {"ceiling_usd": "10"},
    {"ceiling_usd": "0.0000001"},
    {"ceiling_usd": "99999999999999999999"},
    {"tasks": "one"},
    {"url": "https://evil.example"},
    {"token": "hf_x"},
    {"plan_digest": "0" * 64},
    {"user_id": "mia"},
]
RAW = [
    b"",
    b"offer=%ff%fe",
    b"offer=\xff",
    b"%00",
    b"&&&&",
    b"offer=starter&models",
    MANY.encode(),
    b'{"offer": "starter"}',
]


def requires_refusal(house: House, answer: Any) -> None:
    """Require a page with 4xx, a code and no traceback, and that nothing was written."""
    assert 400 <= answer.status_code < 500, said(answer)
    assert "Traceback" not in answer.text
    assert "<script>alert" not in answer.text
    assert house.waiting() == []


@pytest.fixture
def alice(house: House) -> Visitor:
    """Alice, signed in."""
    return house.visitor("alice")


@pytest.mark.parametrize("changes", PREVIEWS, ids=str)
def test_a_hostile_preview(house: House, alice: Visitor, changes: dict[str, Any]) -> None:
    """Refused at its field."""
    requires_refusal(house, alice.post("/request/preview", {**CHOICE, **changes} if changes else {}))


@pytest.mark.parametrize("body", RAW, ids=lambda body: body[:20].decode("latin-1"))
@pytest.mark.parametrize("path", ["/request/preview", "/request/ask", "/request/confirm"])
def test_a_hostile_body(house: House, alice: Visitor, path: str, body: bytes) -> None:
    """Whichever route is sent it."""
    headers = {"origin": "https://127.0.0.1:8443", "content-type": "application/x-www-form-urlencoded"}
    requires_refusal(house, alice.client.post(path, content=body, headers=headers))


@pytest.mark.parametrize("kind", ["application/json", "multipart/form-data; boundary=x", "text/plain", ""])
def test_another_kind_of_body(house: House, alice: Visitor, kind: str) -> None:
    """A form is a form."""
    headers = {"origin": "https://127.0.0.1:8443", **({"content-type": kind} if kind else {})}
    requires_refusal(
        house, alice.client.post("/request/preview", content=b"offer=starter&models=none&agents=oracle", headers=headers)
    )


@pytest.mark.parametrize(
    "form",
    [
        {"kind": "submit", "run_id": "run-" + "0" * 32},
        {"kind": "seal", "run_id": "run-" + "0" * 32},
        {"kind": "retry", "run_id": "run-" + "0" * 32},
        {"kind": "hold", "switch": "maybe"},
        {"kind": "cancel", "run_id": "run-x"},
        {"kind": "cancel", "run_id": "run-" + "0" * 32},
        {"kind": "cancel"},
        {"kind": "consent", "run_id": "' OR 1=1 --", "decision": "publish"},
        {"kind": ["cancel", "hold"]},
        {"kind": "approve", "run_id": "run-" + "0" * 32, "verdict": "approve", "request_id": "req-1"},
    ],
    ids=str,
)
def test_a_hostile_question(house: House, alice: Visitor, form: dict[str, Any]) -> None:
    """Of a kind that is not asked here, about what is not theirs."""
    requires_refusal(house, alice.post("/request/ask", form))


@pytest.mark.parametrize("body", ["", "{", "[]", "null", '{"offer": "starter"}', "\ud800", "9" * 60_000, "[" * 60_000])
def test_a_hostile_confirm(house: House, alice: Visitor, body: str) -> None:
    """With a ticket for something else."""
    form: dict[str, Any] = {**alice.preview(), "body": body.encode("utf-8", "surrogatepass")}
    requires_refusal(house, alice.confirm(form))


@pytest.mark.parametrize(
    "query", ["run_id=", "run_id=run-1%00", "run_id=" + "a" * 2_000, "run_id=%ff", "offer=%3Cscript%3Ealert(1)"]
)
def test_a_hostile_address(house: House, alice: Visitor, query: str) -> None:
    """A page, whatever is asked."""
    answer = alice.get(f"/request?{query}")
    assert answer.status_code in {200, 404}
    assert "<script>alert" not in answer.text


def test_a_body_beyond_the_bound_is_not_read(house: House, alice: Visitor) -> None:
    """256 KiB, and 64 KiB a field."""
    assert alice.confirm({"ticket": "x", "body": "y" * (257 << 10)}).status_code == 413
    assert alice.confirm({"ticket": "x", "body": "y" * (65 << 10)}).status_code == 400
    assert house.waiting() == []
