"""The task package: a folder of benchmark tasks as a list of files by path, mode, digest and size; its digest pins the tasks.

The same format for every folder that is stored file by file. Where the folder lay, who owned it and when its files were written
is not in it, so equal files give one digest on every machine.
"""

from typing import Annotated, ClassVar, Literal, Self

from pydantic import Field, field_validator, model_validator

from shared.documents.document import Document
from shared.documents.run_lock import Sha256
from shared.paths import check_relative


class PackagedFile(Document):
    """One file: its path below the folder, whether it may be executed, and exactly which bytes it is."""

    path: str
    mode: Literal["0644", "0755"]
    sha256: Sha256
    size: Annotated[int, Field(ge=0)]

    @field_validator("path")
    @classmethod
    def _is_safe(cls, path: str) -> str:
        return check_relative(path)


class TaskPackage(Document):
    """The exact set of files of a benchmark source."""

    error_code: ClassVar[str] = "TASK_PACKAGE_INVALID"

    schema_version: Annotated[int, Field(ge=1, le=1)] = 1
    kind: Literal["task_package"] = "task_package"
    files: tuple[PackagedFile, ...]

    @model_validator(mode="after")
    def _is_sorted_and_unique(self) -> Self:
        paths = [file.path for file in self.files]
        if paths != sorted(set(paths)):
            raise ValueError("files must stand once each, sorted by path")
        if len({path.casefold() for path in paths}) != len(paths):
            raise ValueError("two paths differ only in case")
        return self
