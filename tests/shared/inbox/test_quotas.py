"""Quotas: exactly what is left is let in, one more is not, and the code says which bound it was."""

import pytest

from shared.documents.reviewed.limits import default_limits
from shared.errors import Refused
from shared.inbox.quotas import Asked, Used, limits_of, needs_approval, require_quota

LIMITS = default_limits()
SMALL = Asked(trials=1, cells=1, body_bytes=1, ceiling_usd_micros=1_000_000)


def code_of(used: Used, asked: Asked = SMALL, *, is_member: bool = True) -> str:
    """Return the code of the bound that stands in the way, or nothing."""
    try:
        require_quota(limits_of(LIMITS, is_member=is_member), used, asked)
    except Refused as error:
        return error.code
    return ""


@pytest.mark.parametrize(
    ("field", "bound", "code"),
    [
        ("open_user", 3, "request.user_open"),
        ("open_owner", 20, "request.org_open"),
        ("day_user", 10, "request.user_rate"),
        ("day_owner", 60, "request.org_rate"),
        ("day_user_usd_micros", 49_000_001, "request.user_cap"),
        ("day_owner_usd_micros", 499_000_001, "request.org_cap"),
        ("month_user_usd_micros", 299_000_001, "request.user_month"),
        ("month_owner_usd_micros", 2_999_000_001, "request.org_month"),
    ],
)
def test_each_bound_of_a_member_is_reached_exactly(field: str, bound: int, code: str) -> None:
    """One below it fits."""
    assert (code_of(Used(**{field: bound - 1})), code_of(Used(**{field: bound}))) == ("", code)


@pytest.mark.parametrize(("field", "most"), [("trials", 5_000), ("cells", 50), ("body_bytes", 262_144)])
def test_each_size_is_bounded_exactly(field: str, most: int) -> None:
    """Of one request."""
    assert code_of(Used(), SMALL._replace(**{field: most})) == ""
    assert code_of(Used(), SMALL._replace(**{field: most + 1})) == "request.too_large"


def test_people_without_a_membership_have_the_lowest_quotas_and_no_owners_counts() -> None:
    """One open request, two a day, and all of them together share the money."""
    assert code_of(Used(open_user=1), is_member=False) == "request.user_open"
    assert code_of(Used(open_owner=1_000, day_owner=1_000), is_member=False) == ""
    assert code_of(Used(day_owner_usd_micros=50_000_000), is_member=False) == "request.org_cap"


@pytest.mark.parametrize(
    ("trials", "ceiling", "is_member", "waits"),
    [(500, 25_000_000, True, False), (501, 0, True, True), (1, 25_000_001, True, True), (1, 0, False, True)],
)
def test_what_is_large_waits_and_everything_of_strangers(trials: int, ceiling: int, *, is_member: bool, waits: bool) -> None:
    """The threshold itself is small."""
    asked = Asked(trials, 1, 1, ceiling)
    assert needs_approval(LIMITS, asked, is_member=is_member) is waits
