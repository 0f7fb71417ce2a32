"""What pydantic found wrong, said as one of our errors: a code, the field as it stands in the file, its line, and the way out.

The first problem is told, misspelt names before anything else, since a misspelt name also shows as a missing field. Nothing of a
value is repeated but what our own validators put into their message.
"""

import difflib
import inspect
from collections.abc import Iterator, Sequence
from typing import Any, Final, NamedTuple, get_args

from pydantic import BaseModel, ValidationError
from pydantic_core import ErrorDetails

from shared.documents.experiment.fields import field_text
from shared.documents.experiment.harbor import Fragment
from shared.documents.yaml_reader import Path, Tree
from shared.errors import BadInput

_CAPS: Final = frozenset({"max_spend_usd_micros", "max_trial_spend_usd_micros"})
_TAGS: Final = ("kind", "type")
_CHOICES: Final = frozenset({("benchmark", "source"), ("matrix", "deployments", "*"), ("evidence", "progress")})


class _Problem(NamedTuple):
    code: str
    path: Path
    message: str
    way_out: str


def explain(error: ValidationError, tree: Tree, root: type[BaseModel]) -> BadInput:
    """Return the refusal for the most telling problem in `error`, which validating `tree` as `root` gave."""
    found = [_problem(detail, tree.value, root) for detail in error.errors(include_url=False)]
    found.sort(key=lambda one: one.code not in {"MANIFEST_UNKNOWN_FIELD", "MANIFEST_RESERVED_FIELD"})
    first = found[0]
    line = _line_of(first.path, tree)
    more = f" ({len(found) - 1} more)" if len(found) > 1 else ""
    return BadInput(first.code, f"{first.message} (line {line}){more}", field=field_text(first.path), way_out=first.way_out)


def _problem(detail: ErrorDetails, value: Any, root: type[BaseModel]) -> _Problem:
    kind, context = detail["type"], detail.get("ctx", {})
    path = _path_in_file(detail["loc"])
    if kind in {"missing", "union_tag_not_found"}:
        return _missing(path if kind == "missing" else (*path, _tag_name(context)))
    if kind == "extra_forbidden":
        return _unknown(path, value, root)
    if kind == "union_tag_invalid":
        tag = _tag_name(context)
        return _Problem("MANIFEST_VALUE", (*path, tag), "no such kind.", f"Use one of {context['expected_tags']}.")
    if kind.isupper():
        below = tuple(context["field"].split(".")) if context["field"] else ()
        return _Problem(kind, (*path, *below), context["text"], context["way_out"])
    message = detail["msg"][:1].lower() + detail["msg"][1:]
    return _Problem("MANIFEST_VALUE", path, f"{message}.", "See docs/manifest.md for what the field takes.")


def _missing(path: Path) -> _Problem:
    if path[-1] in _CAPS:
        return _Problem("CAP_MISSING", path, "a ceiling in micro-USD is required.", "Add it; 0 where nothing may be spent.")
    return _Problem("MANIFEST_MISSING_FIELD", path, "the field is required.", "Add it; docs/manifest.md says what it takes.")


def _unknown(path: Path, value: Any, root: type[BaseModel]) -> _Problem:
    model = _model_at(path[:-1], value, root)
    name = str(path[-1])
    if model is not None and issubclass(model, Fragment) and name in model.reserved:
        return _Problem("MANIFEST_RESERVED_FIELD", path, "Seawall sets this field of Harbor's.", "Remove it.")
    known = sorted(model.model_fields) if model is not None else []
    near = difflib.get_close_matches(name, known, n=1, cutoff=0.5)
    way_out = f"Did you mean {near[0]}?" if near else f"Known here: {', '.join(known)}."
    return _Problem("MANIFEST_UNKNOWN_FIELD", path, "there is no such field.", way_out)


def _path_in_file(location: Sequence[str | int]) -> Path:
    """Return `location` without the name that pydantic adds after each place where one of several kinds may stand."""
    path: list[str | int] = []
    is_branch = False
    for part in location:
        if not is_branch:
            path.append(part)
        is_branch = not is_branch and tuple("*" if isinstance(step, int) else step for step in path) in _CHOICES
    return tuple(path)


def _tag_name(context: dict[str, Any]) -> str:
    return str(context["discriminator"]).strip("'")


def _model_at(path: Path, value: Any, root: type[BaseModel]) -> type[BaseModel] | None:
    """Return the model that describes the mapping at `path`, or None where the document has no model for it."""
    candidates = [root]
    for part in path:
        model = _choose(candidates, value)
        if isinstance(part, str):
            if model is None or part not in model.model_fields:
                return None
            candidates = list(_models_in(model.model_fields[part].annotation))
        value = value[part]
    return _choose(candidates, value)


def _choose(candidates: list[type[BaseModel]], value: Any) -> type[BaseModel] | None:
    for candidate in candidates:
        for tag in _TAGS:
            field = candidate.model_fields.get(tag)
            if field is not None and isinstance(value, dict) and value.get(tag) in get_args(field.annotation):
                return candidate
    return candidates[0] if candidates else None


def _models_in(annotation: Any) -> Iterator[type[BaseModel]]:
    if inspect.isclass(annotation) and issubclass(annotation, BaseModel):
        yield annotation
    for inner in get_args(annotation):
        yield from _models_in(inner)


def _line_of(path: Path, tree: Tree) -> int:
    for length in range(len(path), -1, -1):
        if path[:length] in tree.lines:
            return tree.lines[path[:length]]
    return 1
