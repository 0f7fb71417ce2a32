"""Money as integer micro-USD (one millionth of a US dollar), so that sums are exact and no float enters a digest."""

from decimal import ROUND_CEILING, Decimal, InvalidOperation

MICROS_PER_USD = 1_000_000


def micros_from_usd(amount: float | str | Decimal) -> int:
    """Return `amount` in micro-USD, rounded up so that a cost is never understated; raise ValueError unless finite and >= 0."""
    try:
        exact = Decimal(str(amount))
    except InvalidOperation as error:
        raise ValueError(f"expected an amount in USD, got {amount!r}") from error
    if not exact.is_finite() or exact < 0:
        raise ValueError(f"expected a finite amount of at least 0 USD, got {amount!r}")
    return int((exact * MICROS_PER_USD).to_integral_value(ROUND_CEILING))


def format_usd(micros: int) -> str:
    """Return micro-USD as a person reads them: three significant digits, never rounded to 0 unless it is 0."""
    usd = Decimal(micros) / MICROS_PER_USD
    if usd == 0:
        return "$0"
    if abs(usd) >= 100:
        return f"${usd:,.0f}"
    digits = max(2, 2 - usd.adjusted())
    return f"${usd:,.{digits}f}"


def prorated(micros: int, part: int, whole: int) -> int:
    """Return `part`/`whole` of `micros`, rounded up."""
    if whole <= 0:
        raise ValueError("the whole must be positive")
    return -(-micros * part // whole)
