"""Who is measured: model first with its organisation muted, agent beside or below it; `none` reads as "no model"."""

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from typing import Any, Final

from shared.plural import counted
from shared.statistics.ranked_sets import REFERENCE_AGENTS
from space.components.figures import day, money
from space.components.html import Child, Markup, join, tag
from space.queries.view import View, address

NO_MODEL: Final = "none"


def model_name(repository: str) -> Markup:
    """Return a model's name, its organisation muted."""
    if repository == NO_MODEL:
        return tag("span", "no model", class_="no-model")
    owner, slash, name = repository.rpartition("/")
    return join(tag("span", f"{owner}{slash}", class_="owner") if slash else None, name)


def plain_model(repository: str) -> str:
    """Return a model's name as text."""
    return "no model" if repository == NO_MODEL else repository


def deployment_name(cell: Mapping[str, Any]) -> Markup:
    """Return how the model was served."""
    if cell["deployment_kind"] == "none":
        return tag("span", "none served", class_="muted")
    if cell["deployment_kind"] == cell["deployment_id"]:
        return join(cell["deployment_kind"])
    return join(cell["deployment_kind"], tag("span", f" {cell['deployment_id']}", class_="muted"))


def cell_address(cell_id: str, fragment: str = "") -> str:
    """Return the address of a cell's page."""
    return address(View("cell", {"cell_id": cell_id})) + (f"#{fragment}" if fragment else "")


def subject(cell: Mapping[str, Any]) -> Markup:
    """Return model and agent of `cell` as one link to it; the agent leads where no model is asked."""
    has_model = cell["model_repo"] != NO_MODEL
    first = model_name(cell["model_repo"]) if has_model else tag("span", cell["agent_name"])
    second = cell["agent_name"] if has_model else "no model"
    mark = tag("span", "reference", class_="badge manual") if cell["agent_name"] in REFERENCE_AGENTS else None
    return tag(
        "a",
        tag("span", first, class_="subject-first"),
        tag("span", second, " " if mark else None, mark, class_="subject-second"),
        href=cell_address(cell["cell_id"]),
        class_="subject",
    )


def picked_subject(cell: Mapping[str, Any], below: Child = None, *, is_picked: bool = False) -> Markup:
    """Return the subject behind a box that picks its cell for a comparison; stands in a form that leads to `/compare`.

    `below` stands below the name, outside its link.
    """
    box = tag(
        "input",
        type="checkbox",
        name="cells",
        value=cell["cell_id"],
        checked=is_picked,
        aria_label=f"Compare {subject_text(cell)}",
    )
    return tag("div", tag("label", box, class_="pick"), tag("div", subject(cell), below, class_="named"), class_="picked")


def below_name(cell: Mapping[str, Any], said: str = "") -> Markup:
    """Return the cost of a trial, for narrow screens alone, and the link to the cell's other runs with what is `said` of them."""
    return join(_cost(cell), earlier_runs(cell, said))


def earlier_runs(cell: Mapping[str, Any], said: str = "") -> Markup | None:
    """Return the link to the history of `cell`, None where this is its only published run."""
    others = cell["runs"] - 1
    if not others:
        return None
    words = counted(others, "earlier run" if cell["is_newest"] else "other run")
    link = tag("a", words, href=cell_address(cell["cell_id"], "history"))
    return tag("span", link, f": {said}" if said else None, class_="second-line earlier")


def subject_line(cell: Mapping[str, Any]) -> Markup:
    """Return model and agent of `cell` in one line of a sentence, linked."""
    return tag("a", subject_text(cell), href=cell_address(cell["cell_id"]))


def subject_text(cell: Mapping[str, Any]) -> str:
    """Return model and agent of `cell` as text."""
    has_model = cell["model_repo"] != NO_MODEL
    return f"{cell['model_repo']} with {cell['agent_name']}" if has_model else f"{cell['agent_name']} without a model"


_MORE: Final[Sequence[Callable[[Mapping[str, Any]], Child]]] = (
    lambda cell: cell["deployment_id"],
    lambda cell: day(cell["completed_at"]),
    lambda cell: cell["cell_id"][:13],
)


def distinct_names(cells: Sequence[Mapping[str, Any]]) -> dict[str, str]:
    """Return a name for each of `cells` by id: model and agent, and of equal ones as much more as tells them apart."""
    names = {cell["cell_id"]: subject_text(cell) for cell in cells}
    for more in _MORE:
        counted = Counter(names.values())
        for cell in cells:
            if counted[names[cell["cell_id"]]] > 1:
                names[cell["cell_id"]] += f", {more(cell)}"
    return names


def _cost(cell: Mapping[str, Any]) -> Markup | None:
    if cell["cost_observation"] == "not_applicable":
        return None
    amount: Child = money(cell["cost_per_trial_usd_micros"], "cost not reported")
    is_known = cell["cost_per_trial_usd_micros"] is not None
    return tag("span", amount, " per trial" if is_known else None, class_="second-line narrow-only")
