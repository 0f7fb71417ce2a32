"""How a person names a run: its id, or enough of its end to be unique."""

from runner.bootstrap import House
from runner.usecases.journals.loading import RUN
from shared.errors import Refused
from shared.ids import is_id


def find_run(house: House, text: str) -> str:
    """Return the id of the run that `text` names, whole or by its end; raise NOT_FOUND or AMBIGUOUS."""
    if is_id(text, "run"):
        return text
    known = {subject.id for subject in house.status.list() if subject.type == RUN}
    matches = [each for each in known if text and each.endswith(text)]
    if len(matches) == 1:
        return matches[0]
    way_out = "`run list` shows the runs."
    if matches:
        raise Refused("AMBIGUOUS", f"{len(matches)} runs end with {text}", field="RUN", way_out=way_out)
    raise Refused("NOT_FOUND", f"no run ends with {text}", field="RUN", way_out=way_out)
