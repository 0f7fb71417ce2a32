import json

import pytest

from runner.agents.bash_loop.parsing import Command, find_commands


def _call(arguments: object, call_id: str = "c1") -> dict[str, object]:
    return {"id": call_id, "type": "function", "function": {"name": "bash", "arguments": arguments}}


@pytest.mark.parametrize(
    "arguments",
    ['{"command": "ls"}', {"command": "ls"}, '{"cmd": "ls"}', '"ls"', "ls", '{"command": "ls\n"}'],
    ids=str,
)
def test_a_tool_call_is_read_however_its_arguments_are_written(arguments: object) -> None:
    """JSON text, an object, another key, or bare text."""
    assert find_commands({"content": None, "tool_calls": [_call(arguments)]}) == [Command("ls", "c1")]


@pytest.mark.parametrize(
    "text",
    [
        "Sure:\n```bash\nls\n```\nThat lists.",
        "```sh\n$ ls\nfile.txt\n```",
        "```\nls\n```",
        "```bash\nls",
        '<tool_call>\n{"name": "bash", "arguments": {"command": "ls"}}\n</tool_call>',
        '<tool_call>[{"name": "bash", "arguments": {"command": "ls"}}]',
        "Run this:\n$ ls",
    ],
)
def test_a_command_in_the_text_is_found(text: str) -> None:
    """Fenced, unfinished, as a tool call in text, or after a prompt."""
    assert find_commands({"content": text}) == [Command("ls", "")]


@pytest.mark.parametrize(
    "message",
    [
        {"content": "DONE"},
        {"content": None},
        {},
        {"content": "```python\nprint(1)\n```"},
        {"content": "```json\n{}\n```"},
        {"content": "", "tool_calls": [{"function": None}, "x", _call("{}")]},
        {"content": "<tool_call>nonsense</tool_call>"},
    ],
    ids=json.dumps,
)
def test_no_command_is_invented(message: dict[str, object]) -> None:
    """Prose, other languages and broken calls give none."""
    assert find_commands(message) == []


def test_several_blocks_are_one_command_and_calls_go_before_text() -> None:
    """Blocks of one answer run together; a native call makes the text a comment."""
    assert find_commands({"content": "```bash\na\n```\nthen\n```bash\nb\n```"}) == [Command("a\nb", "")]
    message = {"content": "```bash\nb\n```", "tool_calls": [_call('{"command": "a"}'), _call('{"command": "c"}', "c2")]}
    assert find_commands(message) == [Command("a", "c1"), Command("c", "c2")]
