import asyncio

import pytest

from runner.agents.bash_loop import chat
from runner.agents.bash_loop.chat import Answer, ChatAddress, ModelRequestFailed
from tests.doubles.openai.server import ScriptedModel, Turn


def _ask(model: ScriptedModel, key: str = "secret-key") -> Answer:
    async def ask() -> Answer:
        address = ChatAddress(model.base_url, "scripted", key, seconds=10)
        try:
            return await address.ask([{"role": "user", "content": "hi"}], temperature=0, max_tokens=5, with_tool=True)
        finally:
            await address.close()

    return asyncio.run(ask())


@pytest.fixture(autouse=True)
def _no_delay(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(chat, "RETRY_DELAYS_S", (0.0, 0.0))


def test_an_answer_has_its_message_and_tokens() -> None:
    """Model, key and tool go out; message and usage come back."""
    with ScriptedModel([Turn(text="hello", input_tokens=12, output_tokens=3, cached_tokens=8)]) as model:
        answer = _ask(model)
        assert (answer.message["content"], answer.input_tokens, answer.output_tokens, answer.cached_tokens) == ("hello", 12, 3, 8)
        (seen,) = model.requests
        assert (seen.body["model"], seen.body["tools"][0]["function"]["name"]) == ("scripted", "bash")
        assert seen.headers["Authorization"] == "Bearer secret-key"


def test_usage_that_is_not_reported_is_none() -> None:
    """A missing count is not zero."""
    with ScriptedModel([Turn(text="hello", input_tokens=None, output_tokens=None)]) as model:
        assert _ask(model).input_tokens is None


@pytest.mark.parametrize("status", [429, 500, 503])
def test_a_passing_failure_is_asked_again(status: int) -> None:
    """Twice, then it is raised."""
    with ScriptedModel([Turn(status=status), "fine"]) as model:
        assert _ask(model).message["content"] == "fine"
    with ScriptedModel([Turn(status=status)]) as model:
        with pytest.raises(ModelRequestFailed) as caught:
            _ask(model)
        assert (caught.value.status, len(model.requests)) == (status, 3)


@pytest.mark.parametrize("status", [400, 401, 404])
def test_a_lasting_refusal_is_raised_at_once(status: int) -> None:
    """It is asked once."""
    with ScriptedModel([Turn(status=status, error="no")]) as model:
        with pytest.raises(ModelRequestFailed):
            _ask(model)
        assert len(model.requests) == 1


def test_an_address_where_nobody_listens_is_a_failure_without_status() -> None:
    """A refused connection is told as such."""
    with ScriptedModel(["x"]) as model:
        pass
    with pytest.raises(ModelRequestFailed) as caught:
        _ask(model)
    assert caught.value.status is None
