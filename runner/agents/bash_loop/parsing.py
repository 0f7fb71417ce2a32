"""Finds the commands in a model's answer, also in that of a weak model.

A good answer calls the tool. A weak one writes a fenced block, a tool call as text, or lines that begin with `$ `. They are
looked for in that order and the first kind that is there counts. Pure.
"""

import json
import re
from typing import Any, Final, NamedTuple

_FENCE: Final = re.compile(r"^[ \t]*```[ \t]*([A-Za-z+-]*)[^\n]*\n(.*?)(?:^[ \t]*```|\Z)", re.DOTALL | re.MULTILINE)
_SHELLS: Final = frozenset({"", "bash", "sh", "shell", "console", "zsh"})
_TEXT_CALL: Final = re.compile(r"<tool_call>\s*(.*?)\s*(?:</tool_call>|\Z)", re.DOTALL)
_PROMPT_LINE: Final = re.compile(r"^\$ (.+)$", re.MULTILINE)
_KEYS: Final = ("command", "cmd", "script", "code")


class Command(NamedTuple):
    """One command, and the id of the tool call that asked for it (empty if it stood in the text)."""

    text: str
    call_id: str


def find_commands(message: dict[str, Any]) -> list[Command]:
    """Return the commands of an assistant's `message`, in order; empty if it asks for none."""
    calls = [_native(call) for call in message.get("tool_calls") or [] if isinstance(call, dict)]
    if commands := [command for command in calls if command.text]:
        return commands
    text = message.get("content")
    return [Command(found, "") for found in _in_text(text)] if isinstance(text, str) else []


def _native(call: dict[str, Any]) -> Command:
    function = call.get("function")
    arguments = function.get("arguments") if isinstance(function, dict) else None
    return Command(_command_of(arguments), str(call.get("id") or ""))


def _command_of(arguments: Any) -> str:
    if isinstance(arguments, str):
        try:
            arguments = json.loads(arguments, strict=False)
        except ValueError:
            return arguments.strip() if isinstance(arguments, str) else ""
    if isinstance(arguments, str):
        return arguments.strip()
    if isinstance(arguments, dict):
        for key in _KEYS:
            if isinstance(arguments.get(key), str):
                return str(arguments[key]).strip()
    return ""


def _in_text(text: str) -> list[str]:
    blocks = [(language.lower(), body.strip()) for language, body in _FENCE.findall(text)]
    if found := [_without_prompts(body) for language, body in blocks if language in _SHELLS and body]:
        return ["\n".join(found)]
    for body in _TEXT_CALL.findall(text):
        if found_command := _text_call(body):
            return [found_command]
    lines = _PROMPT_LINE.findall(text)
    return ["\n".join(lines)] if lines else []


def _text_call(body: str) -> str:
    try:
        call = json.loads(body, strict=False)
    except ValueError:
        return ""
    if isinstance(call, list):
        call = call[0] if call else {}
    return _command_of(call.get("arguments", call.get("parameters"))) if isinstance(call, dict) else ""


def _without_prompts(body: str) -> str:
    lines = body.splitlines()
    if any(line.startswith("$ ") for line in lines):
        return "\n".join(line[2:] for line in lines if line.startswith("$ "))
    return body
