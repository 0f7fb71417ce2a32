"""The search for secrets in a manifest, before anything of it is validated, echoed or stored.

A manifest names secrets (`secret_names`, `${NAME}` in an environment) and never holds one. `refuse_secrets` looks at every key
and every text; its refusal names the place and the rule, never the value.
"""

import re
from typing import Any, Final, NoReturn

from shared.documents.experiment.fields import field_text
from shared.documents.yaml_reader import Path
from shared.errors import BadInput
from shared.secret_patterns import SHAPES

_REFERENCE: Final = re.compile(r"\$\{[A-Z][A-Z0-9_]*\}")
_SECRET_KEY: Final = re.compile(
    r"(^|[_-])(token|secret|passwd|password|passphrase|credentials?|authorization|api[_-]?key|access[_-]?key|private[_-]?key)$",
    re.IGNORECASE,
)
_TOKEN_LIKE: Final = tuple((shape.rule, re.compile(shape.head)) for shape in SHAPES)


def refuse_secrets(value: Any, path: Path = ()) -> None:
    """Raise BadInput `MANIFEST_SECRET` if a key of `value` asks for a secret or a text of it looks like one."""
    if isinstance(value, dict):
        for key, inner in value.items():
            _refuse_token(key, path)
            if _SECRET_KEY.search(key) and isinstance(inner, str | int | float) and not _is_reference(inner):
                _refuse((*path, key), "a field of this name holds a secret.")
            refuse_secrets(inner, (*path, key))
    elif isinstance(value, list):
        for index, inner in enumerate(value):
            refuse_secrets(inner, (*path, index))
    elif isinstance(value, str):
        _refuse_token(value, path)


def _refuse_token(text: str, path: Path) -> None:
    for rule, pattern in _TOKEN_LIKE:
        if pattern.search(text):
            _refuse(path, f"the text looks like a secret ({rule}).")


def _is_reference(value: object) -> bool:
    return isinstance(value, bool) or (isinstance(value, str) and _REFERENCE.fullmatch(value) is not None)


def _refuse(path: Path, message: str) -> NoReturn:
    way_out = "Write ${NAME}, list NAME under secret_names, and revoke the secret if it was shared."
    raise BadInput("MANIFEST_SECRET", message, field=field_text(path), way_out=way_out)
