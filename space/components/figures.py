"""How values read: scores with one decimal, money with three digits, durations, counts, times, digests; never a blank.

A value that is not there is written as the word that says why: not reported, not observed, not applicable or malformed.
"""

from datetime import UTC, datetime
from typing import Final

from shared.money import format_usd
from space.components.html import Markup, join, tag

MISSING_WORDS: Final = {
    "not_reported": "not reported",
    "not_observed": "not observed",
    "not_applicable": "not applicable",
    "malformed": "malformed",
}


def missing(why: str = "not_reported") -> Markup:
    """Return the muted word for a value that is not there."""
    return tag("span", MISSING_WORDS.get(why, why), class_="missing")


def percent(value: float, effective_n: float | None = None) -> str:
    """Return a score in [0, 1] on the 0-100 scale: one decimal, none where fewer than 100 observations stand behind it."""
    decimals = 0 if effective_n is not None and effective_n < 100 else 1
    return f"{100 * value:.{decimals}f}"


def score_text(value: float, low: float, high: float, effective_n: float | None = None) -> str:
    """Return a score: on the 0-100 scale where rewards lie in [0, 1], else as it is."""
    return percent(value, effective_n) if (low, high) == (0.0, 1.0) else f"{value:.3g}"


def money(micros: int | None, why: str = "not_reported") -> Markup | str:
    """Return an amount in US dollars, or why there is none."""
    return missing(why) if micros is None else format_usd(micros)


def count(value: int | None) -> Markup | str:
    """Return a count with thousands separated."""
    return missing() if value is None else f"{value:,}"


def duration(seconds: float | None) -> Markup | str:
    """Return a duration in the largest two units."""
    if seconds is None:
        return missing()
    if seconds < 60:
        return f"{seconds:.1f} s" if seconds < 10 else f"{seconds:.0f} s"
    whole = round(seconds)
    if whole < 3_600:
        return f"{whole // 60} min {whole % 60:02d} s" if whole % 60 else f"{whole // 60} min"
    return f"{whole // 3_600:,} h {whole % 3_600 // 60:02d} min" if whole % 3_600 // 60 else f"{whole // 3_600:,} h"


def day(micros: int | None) -> Markup | str:
    """Return the UTC date of a time."""
    return missing() if micros is None else f"{_utc(micros):%Y-%m-%d}"


def moment(micros: int | None) -> Markup | str:
    """Return a time to the second, in UTC."""
    return missing() if micros is None else f"{_utc(micros):%Y-%m-%d %H:%M:%S} UTC"


def digest(value: str | None, why: str = "not_reported") -> Markup:
    """Return a digest or id in full, in the one place where monospace stands."""
    return missing(why) if not value else tag("code", value, class_="digest")


def short(value: str, length: int = 12) -> Markup:
    """Return the beginning of a digest; the whole stands on the page it links to."""
    return tag("code", value[:length], class_="digest")


def price_document(value: str | None, *, is_whole: bool = True) -> Markup:
    """Return the digest of a price document and its date: only the digest is published, so the date reads as not reported."""
    if not value:
        return missing()
    named = digest(value) if is_whole else short(value)
    return join(named, tag("span", "date ", missing("not_reported"), class_="second-line"))


def size(value: int) -> str:
    """Return a file size."""
    if value < 1_000:
        return f"{value} B"
    return f"{value / 1_000:.1f} kB" if value < 1_000_000 else f"{value / 1_000_000:.1f} MB"


def _utc(micros: int) -> datetime:
    return datetime.fromtimestamp(micros / 1e6, tz=UTC)
