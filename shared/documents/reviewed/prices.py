"""The reviewed price document: what an hour of hardware and a million tokens cost, when that was observed, in micro-USD.

A plan pins its digest; a live quote never enters one. What has no row has no price (`PRICE_UNKNOWN`), except what runs on this
machine, which costs nothing.
"""

from typing import Annotated, Any, ClassVar, Self

from pydantic import Field, StringConstraints, model_validator

from shared.documents.document import Document

type MicrosPer = Annotated[int, Field(ge=0, le=10**12)]
type Name = Annotated[str, StringConstraints(min_length=1, max_length=256)]
type Moment = Annotated[str, StringConstraints(pattern=r"^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}(\.\d{1,6})?Z$")]


class HardwarePrice(Document):
    """What one replica of an endpoint costs an hour."""

    vendor: Name
    region: Name
    hardware: Name
    accelerator_count: Annotated[int, Field(ge=0, le=64)]
    hour_usd_micros: MicrosPer


class FlavorPrice(Document):
    """What a job or a sandbox of one flavor costs an hour."""

    flavor: Name
    hour_usd_micros: MicrosPer


class TokenPrice(Document):
    """What a million tokens of one model cost at one provider (or configured server)."""

    provider: Name
    model: Name
    input_usd_micros: MicrosPer
    output_usd_micros: MicrosPer


class PriceDocument(Document):
    """All prices that planning may use; rows stand sorted and once each, so equal prices have one digest."""

    error_code: ClassVar[str] = "PRICES_INVALID"

    schema_version: Annotated[int, Field(ge=1, le=1)] = 1
    name: Name
    observed_at: Moment
    hardware: tuple[HardwarePrice, ...] = ()
    jobs: tuple[FlavorPrice, ...] = ()
    sandboxes: tuple[FlavorPrice, ...] = ()
    tokens: tuple[TokenPrice, ...] = ()

    @model_validator(mode="after")
    def _is_sorted_and_unique(self) -> Self:
        for field in ("hardware", "jobs", "sandboxes", "tokens"):
            keys = [_key(row) for row in getattr(self, field)]
            if keys != sorted(set(keys)):
                raise ValueError(f"{field} must stand sorted by their names, once each")
        return self

    def endpoint_hour(self, vendor: str, region: str, hardware: str, accelerator_count: int) -> int | None:
        """Return what one replica costs an hour, or None where no row says."""
        wanted = (vendor, region, hardware, accelerator_count)
        rows = (row for row in self.hardware if (row.vendor, row.region, row.hardware, row.accelerator_count) == wanted)
        return next((row.hour_usd_micros for row in rows), None)

    def job_hour(self, flavor: str) -> int | None:
        """Return what a job of `flavor` costs an hour, or None where no row says."""
        return next((row.hour_usd_micros for row in self.jobs if row.flavor == flavor), None)

    def sandbox_hour(self, flavor: str) -> int | None:
        """Return what a sandbox of `flavor` costs an hour, or None where no row says."""
        return next((row.hour_usd_micros for row in self.sandboxes if row.flavor == flavor), None)

    def token_price(self, provider: str, model: str) -> TokenPrice | None:
        """Return what a million tokens cost, or None where no row says."""
        return next((row for row in self.tokens if (row.provider, row.model) == (provider, model)), None)


def no_prices() -> PriceDocument:
    """Return the document without a row, for runs that stay on this machine; its digest stands in the lock all the same."""
    return PriceDocument(name="none", observed_at="1970-01-01T00:00:00Z")


def _key(row: Document) -> tuple[Any, ...]:
    return tuple(value for name, value in row if not name.endswith("_micros"))
