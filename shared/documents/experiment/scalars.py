"""The one-value types of an experiment, each with its own refusal: names, pins, money, decimal text.

A validator raises `problem(code, ..)`, whose code becomes the code of the error that a person sees. Values come out normalised
(decimal text without trailing zeros), so that two ways to write one value have one digest.
"""

import re
from decimal import Decimal
from typing import Annotated, Final

from pydantic import AfterValidator, Field, WithJsonSchema
from pydantic_core import PydanticCustomError

_NAME: Final = re.compile(r"[a-z0-9][a-z0-9-]{0,62}")
_LABEL: Final = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]{0,95}")
_REPOSITORY: Final = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]{0,95}/[A-Za-z0-9][A-Za-z0-9._-]{0,95}")
_COMMIT: Final = re.compile(r"[0-9a-f]{40}")
_DIGEST: Final = re.compile(r"[0-9a-f]{64}")
_IMAGE: Final = re.compile(r"[a-z0-9][A-Za-z0-9._:/-]{0,200}@sha256:[0-9a-f]{64}")
_PACKAGE: Final = re.compile(r"[A-Za-z0-9._-]+/[A-Za-z0-9._-]+@sha256:[0-9a-f]{64}")
_VERSION: Final = re.compile(r"[0-9]+(\.[0-9]+)*([-.+]?[A-Za-z0-9]+)*")
_SECRET_NAME: Final = re.compile(r"[A-Z][A-Z0-9_]{0,63}")
_DECIMAL: Final = re.compile(r"-?[0-9]{1,12}(\.[0-9]{1,12})?")
MAX_MICROS: Final = 10**15


def problem(code: str, message: str, way_out: str, field: str = "") -> PydanticCustomError:
    """Return the error that a validator raises; `field` names a field below the one that is being validated."""
    return PydanticCustomError(code, "{text}", {"text": message, "way_out": way_out, "field": field})


def is_exact_version(text: str) -> bool:
    """Tell whether `text` is one version and not a range, a wildcard or a tag."""
    return _VERSION.fullmatch(text) is not None


def is_commit(text: str) -> bool:
    """Tell whether `text` is a full commit id."""
    return _COMMIT.fullmatch(text) is not None


def canonical_decimal(text: str) -> str:
    """Return the shortest decimal text of equal value, without exponent: "0.50" becomes "0.5"."""
    normal = format(Decimal(text), "f")
    if "." in normal:
        normal = normal.rstrip("0").rstrip(".")
    return "0" if normal in {"-0", ""} else normal


def _name(text: str) -> str:
    if _NAME.fullmatch(text):
        return text
    raise problem("MANIFEST_VALUE", f"{text[:80]!r} is no name.", "Use 1 to 63 of a-z, 0-9 and '-', not starting with '-'.")


def _label(text: str) -> str:
    if _LABEL.fullmatch(text):
        return text
    raise problem("MANIFEST_VALUE", f"{text[:80]!r} is no name.", "Use 1 to 96 letters, digits, '.', '_' or '-'; never a URL.")


def _repository(text: str) -> str:
    if _REPOSITORY.fullmatch(text):
        return text
    code = "MANIFEST_MUTABLE" if "://" in text or "@" in text else "MANIFEST_VALUE"
    raise problem(
        code, f"expected 'owner/name', got {text[:80]!r}.", "Name the repository; its revision stands in its own field."
    )


def _commit(text: str) -> str:
    if is_commit(text):
        return text
    raise problem(
        "MANIFEST_MUTABLE", f"expected a full commit (40 hex), got {text[:80]!r}.", "Branches, tags and short commits move."
    )


def _digest(text: str) -> str:
    if _DIGEST.fullmatch(text):
        return text
    raise problem("MANIFEST_MUTABLE", "expected a SHA-256 digest (64 lowercase hex).", "Write the full digest, without a prefix.")


def _image(text: str) -> str:
    if _IMAGE.fullmatch(text):
        return text
    raise problem("MANIFEST_MUTABLE", f"the image {text[:80]!r} is not pinned.", "Write NAME@sha256:<64 hex>; tags move.")


def _package(text: str) -> str:
    if _PACKAGE.fullmatch(text):
        return text
    raise problem("MANIFEST_MUTABLE", f"the package {text[:80]!r} is not pinned.", "Write org/name@sha256:<64 hex>.")


def _version(text: str) -> str:
    if is_exact_version(text):
        return text
    raise problem(
        "MANIFEST_MUTABLE", f"{text[:80]!r} is not one exact version.", "Write it out, as in 0.26.0; ranges and tags move."
    )


def _secret_name(text: str) -> str:
    if _SECRET_NAME.fullmatch(text):
        return text
    raise problem("MANIFEST_VALUE", "expected the NAME of a secret.", "Use A-Z, 0-9 and '_'; the value never stands here.")


def _decimal(text: str) -> str:
    if _DECIMAL.fullmatch(text):
        return canonical_decimal(text)
    raise problem("MANIFEST_VALUE", f"expected decimal text, got {text[:80]!r}.", 'Write it in quotes, as in "1.25".')


def _text(pattern: re.Pattern[str]) -> WithJsonSchema:
    return WithJsonSchema({"type": "string", "pattern": f"^{pattern.pattern}$"})


NameText = Annotated[str, AfterValidator(_name), _text(_NAME)]
LabelText = Annotated[str, AfterValidator(_label), _text(_LABEL)]
Repository = Annotated[str, AfterValidator(_repository), _text(_REPOSITORY)]
Commit = Annotated[str, AfterValidator(_commit), _text(_COMMIT)]
DigestText = Annotated[str, AfterValidator(_digest), _text(_DIGEST)]
Image = Annotated[str, AfterValidator(_image), _text(_IMAGE)]
PackageReference = Annotated[str, AfterValidator(_package), _text(_PACKAGE)]
ExactVersion = Annotated[str, AfterValidator(_version), _text(_VERSION)]
SecretName = Annotated[str, AfterValidator(_secret_name), _text(_SECRET_NAME)]
DecimalText = Annotated[str, AfterValidator(_decimal), _text(_DECIMAL)]
Micros = Annotated[int, Field(ge=0, le=MAX_MICROS)]
Seconds = Annotated[int, Field(ge=1, le=86_400)]
Count = Annotated[int, Field(ge=1, le=1_000_000)]
ShortText = Annotated[str, Field(min_length=1, max_length=256)]
