"""The base of every mapping inside an experiment: strict, frozen, its fields described by the text under them."""

from pydantic import BaseModel, ConfigDict


class Section(BaseModel):
    """A part of an experiment; the text under each field becomes its description in the JSON Schema and in docs/manifest.md."""

    model_config = ConfigDict(frozen=True, strict=True, extra="forbid", allow_inf_nan=False, use_attribute_docstrings=True)
