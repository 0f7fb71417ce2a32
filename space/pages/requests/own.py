"""What a signed-in person sees first: who they are here, their requests, and for maintainers what waits for them."""

from collections.abc import Sequence

from shared.documents.installation_status import InstallationStatus
from shared.documents.status_index import StatusLine
from shared.inbox.codec import Request
from shared.inbox.rights import Access, Standing, Submitters
from space.auth.people import Person
from space.components.html import Child, Markup, tag
from space.components.shell import panel
from space.components.table import Column, table
from space.components.texts.keeper import whom
from space.keeper import Keeper
from space.pages.requests.frame import button, hidden, sender


def who(person: Person) -> Markup:
    """Return who is signed in, as what, and the way out."""
    said = {"maintainer": "a maintainer", "member": "a member", "anyone": "signed in without a named organisation"}
    out = sender("/logout", button("Sign out", kind="quiet"))
    text = tag("p", "You are ", tag("strong", person.name), f", {said[person.standing.value]} here.")
    return tag("div", text, out, class_="who")


def may_not_submit(access: Access, keeper: Keeper) -> Markup:
    """Return which organisations may ask, and whom to ask."""
    if access.submitters is Submitters.NOBODY:
        reason = "Nobody but the maintainers may ask for runs here."
    else:
        reason = f"Members of these organisations may: {', '.join(sorted(access.member_orgs | access.maintainer_orgs))}."
    way_out = "Ask a maintainer of this leaderboard, or run the benchmark yourself and send its jobs folder."
    return panel("You may not ask for a run here", tag("p", reason), tag("p", way_out, " ", whom(keeper)), kind="empty")


def may_submit(access: Access, person: Person) -> bool:
    """Tell whether the form is shown to `person`; what is sent is judged anew."""
    if person.is_maintainer or access.submitters is Submitters.ANYONE:
        return True
    return access.submitters is Submitters.MEMBERS and person.standing is Standing.MEMBER


def own_requests(runs: Sequence[StatusLine], waiting: Sequence[Request], unwritten: frozenset[str]) -> Markup | None:
    """Return the person's requests, the newest first; `unwritten` are the ids of those that are not recorded yet."""
    known = {run.run_id for run in runs}
    rows: list[list[Child]] = [
        [_link(each.subject.id), "-", "not recorded yet" if each.request_id in unwritten else "recorded", "-"]
        for each in waiting
        if each.subject.id not in known
    ]
    rows += [[_link(run.run_id), run.experiment or "-", run.request_state.replace("_", " "), run.planned] for run in runs]
    if not rows:
        return None
    columns = [Column("Run"), Column("Experiment"), Column("State"), Column("Trials", is_number=True)]
    return tag("section", tag("h2", "Your requests"), table("The newest first", columns, rows, name="Your requests"))


def for_maintainers(runs: Sequence[StatusLine], installation: InstallationStatus) -> Markup:
    """Return what waits for an approval, and the hold."""
    rows: list[list[Child]] = [[_link(run.run_id), run.planned] for run in runs]
    columns = [Column("Run"), Column("Trials", is_number=True)]
    waiting = (
        table("Waiting for an approval", columns, rows, name="Waiting for an approval") if rows else tag("p", "No request waits.")
    )
    switch = "off" if installation.is_held else "on"
    said = (
        f"New work is held: {installation.hold_because or 'no reason given'}." if installation.is_held else "New work may start."
    )
    reason = tag("label", tag("span", "Reason"), tag("input", type="text", name="reason", maxlength=300), class_="line")
    title = "Let new work start" if installation.is_held else "Hold new work"
    hold = sender("/request/ask", hidden("kind", "hold"), hidden("switch", switch), reason, button(title, kind="quiet"))
    return tag("section", tag("h2", "For maintainers"), waiting, tag("p", said), hold)


def _link(run_id: str) -> Markup:
    return tag("a", run_id, href=f"/request?run_id={run_id}")
