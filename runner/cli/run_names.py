"""How a person names a run: its id, or enough of its end to be unique."""

from collections.abc import Iterable
from pathlib import Path
from typing import Final

from runner.bootstrap import House
from runner.usecases.journals.loading import RUN
from runner.usecases.requests.waiting_runs import waiting_submits
from shared.errors import BadInput, Refused
from shared.ids import is_id

_EVIDENCE_FOLDER: Final = "Name the folder `evidence` of an installation, or a copy of it: the one that has the folder `runs`."


def find_run(house: House, text: str) -> str:
    """Return the id of the run that `text` names, whole or by its end; raise NOT_FOUND or AMBIGUOUS."""
    if is_id(text, "run"):
        return text
    known = {subject.id for subject in house.status.list() if subject.type == RUN} | waiting_submits(house.inbox).keys()
    return _only(known, text, "`run list` shows the runs.")


def find_run_in(folder: Path, text: str) -> str:
    """Return the id of the run that `text` names among those whose evidence lies in `folder`; raise if it is no such folder."""
    if not folder.is_dir():
        raise BadInput("PATH_NOT_FOUND", f"there is no folder {folder}", field="DIR", way_out=_EVIDENCE_FOLDER)
    known = {each.name for each in folder.glob("runs/*") if each.is_dir() and is_id(each.name, "run")}
    if not known:
        raise Refused("NOT_FOUND", f"{folder} holds no evidence of a run", field="DIR", way_out=_EVIDENCE_FOLDER)
    shown = ", ".join(sorted(known)[:5])
    return _only(known, text, f"{folder} has {shown}{' and more' if len(known) > 5 else ''}.")


def _only(known: Iterable[str], text: str, way_out: str) -> str:
    if not text:
        raise BadInput(
            "ARGUMENT_INVALID", "expected the id of a run or the end of one, not nothing", field="RUN", way_out=way_out
        )
    matches = [each for each in known if each.endswith(text)]
    if len(matches) == 1:
        return matches[0]
    if matches:
        raise Refused("AMBIGUOUS", f"{len(matches)} runs end with {text}", field="RUN", way_out=way_out)
    raise Refused("NOT_FOUND", f"no run ends with {text}", field="RUN", way_out=way_out)
