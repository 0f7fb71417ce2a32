"""Tests of every field of an experiment, generated from the models: missing, of a wrong type, with an unknown neighbour."""

import copy
import inspect
from collections.abc import Iterator
from typing import Any, get_args

import pytest
from pydantic import BaseModel

from shared.documents.experiment.experiment import Experiment
from shared.documents.experiment.fields import field_text
from shared.errors import BadInput
from tests.builders.experiments import good_tree, read

type Path = tuple[str | int, ...]


def sections(value: BaseModel, path: Path = ()) -> Iterator[tuple[Path, BaseModel]]:
    """Yield every mapping of an experiment that has a model, with its place."""
    yield path, value
    for name in type(value).model_fields:
        inner = getattr(value, name)
        if isinstance(inner, BaseModel):
            yield from sections(inner, (*path, name))
        elif isinstance(inner, tuple):
            for index, part in enumerate(inner):
                if isinstance(part, BaseModel):
                    yield from sections(part, (*path, name, index))


SECTIONS = list(sections(read(good_tree())))
FIELDS = [(path, name, type(value)) for path, value in SECTIONS for name in type(value).model_fields]


def at(tree: Any, path: Path) -> Any:
    for part in path:
        tree = tree[part]
    return tree


def refused(tree: Any) -> BadInput:
    with pytest.raises(BadInput) as caught:
        read(tree)
    return caught.value


def test_the_manifest_names_every_field() -> None:
    """The material holds a section of every model but the other kinds of source, so the tests below cover the whole format."""
    seen = {type(value).__name__ for _, value in SECTIONS}
    missing = set(models_in(Experiment)) - seen
    assert missing == {"HubSource", "GitSource", "PackageSource", "TaskPackageSource"}


def models_in(annotation: Any) -> Iterator[str]:
    if inspect.isclass(annotation) and issubclass(annotation, BaseModel):
        yield annotation.__name__
        for field in annotation.model_fields.values():
            yield from models_in(field.annotation)
    for inner in get_args(annotation):
        yield from models_in(inner)


@pytest.mark.parametrize(("path", "name", "model"), FIELDS, ids=lambda part: str(part)[:60])
def test_a_missing_field_is_named(path: Path, name: str, model: type[BaseModel]) -> None:
    """A required field that is left out is named; an optional one may be left out."""
    tree = copy.deepcopy(good_tree())
    at(tree, path).pop(name, None)
    if model.model_fields[name].is_required():
        error = refused(tree)
        assert error.code in {"MANIFEST_MISSING_FIELD", "CAP_MISSING"}
        assert error.field == field_text((*path, name))
    elif name not in {"name", "import_path", "namespace", "image", "build"}:
        read(tree)


@pytest.mark.parametrize(("path", "name", "model"), FIELDS, ids=lambda part: str(part)[:60])
def test_a_value_of_a_wrong_type_is_named(path: Path, name: str, model: type[BaseModel]) -> None:
    """A list inside a list fits no field."""
    tree = copy.deepcopy(good_tree())
    at(tree, path)[name] = [[[]]]
    error = refused(tree)
    assert error.code == "MANIFEST_VALUE"
    assert error.field.startswith(field_text((*path, name)))


@pytest.mark.parametrize("path", [path for path, _ in SECTIONS], ids=lambda path: field_text(path) or "root")
def test_an_unknown_neighbour_is_named_with_the_nearest_name(path: Path) -> None:
    """A misspelt copy of a known field is refused, and the known name is suggested."""
    tree = copy.deepcopy(good_tree())
    section = at(tree, path)
    known = max(section, key=len)
    section[known + "x"] = section[known]
    error = refused(tree)
    assert (error.code, error.field) == ("MANIFEST_UNKNOWN_FIELD", field_text((*path, known + "x")))
    assert known in error.way_out


RESERVED = [(path, name) for path, value in SECTIONS for name in sorted(getattr(type(value), "reserved", ()))]


@pytest.mark.parametrize(("path", "name"), RESERVED, ids=lambda part: str(part)[-60:])
def test_harbors_other_fields_are_reserved(path: Path, name: str) -> None:
    """A field of Harbor's that Seawall sets is refused as reserved."""
    tree = copy.deepcopy(good_tree())
    at(tree, path)[name] = None
    error = refused(tree)
    assert (error.code, error.field) == ("MANIFEST_RESERVED_FIELD", field_text((*path, name)))
