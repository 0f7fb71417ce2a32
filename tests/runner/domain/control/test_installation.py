from runner.domain.control import events
from runner.domain.control.chain import GENESIS, build_segment, verified
from runner.domain.control.envelope import Event, encode_body
from runner.domain.control.installation import INSTALLATION, Installation, fold_installation
from tests.builders.journals import event


def folded(*some: Event) -> Installation:
    """Return the state after `some`."""
    segment = build_segment([encode_body(one) for one in some], 1, GENESIS)
    return fold_installation(verified(INSTALLATION, [segment]))


def test_a_hold_is_on_until_it_is_let_go() -> None:
    """The newest in log order counts."""
    on = event("hold_set", events.HoldSet(request_id="req-1", is_on=True, reason="price"), 1)
    off = event("hold_set", events.HoldSet(request_id="req-2", is_on=False, reason="checked"), 2)
    assert (folded(on).is_held, folded(on).hold_because) == (True, "price")
    assert (folded(on, off).is_held, folded(on, off).hold_because) == (False, "")


def test_malformed_requests_are_refused_where_people_see_it() -> None:
    """Their bytes are an object, their refusal an event."""
    malformed = events.MalformedRefused(request_id="req-x", object_sha256="a" * 64, code="REQUEST_INVALID")
    assert folded(event("malformed_refused", malformed)).refused == {"req-x"}


def test_nothing_was_said_yet() -> None:
    """Empty is a state."""
    assert fold_installation([]) == Installation()
