"""The filters of a list: a plain form whose answer is an address, so a filtered page can be linked, reloaded and gone back to."""

from collections.abc import Iterable, Sequence

from space.components.html import Markup, join, tag
from space.queries.view import View, address


def filters(view: View, offered: Sequence[tuple[str, str, Sequence[tuple[str, str]]]], *, kept: Sequence[str]) -> Markup:
    """Return the form; `offered` are (key, title, (value, label) choices), `kept` the keys that stay as they are.

    A key without a choice stands there only once something was chosen.
    """
    set_texts = bool(view.text("q")) + bool(view.text("max_cost")) + (view.text("reruns") != "latest")
    active = sum(bool(view.texts(key)) for key, *_ in offered) + set_texts
    cleared = View(view.page, {key: value for key, value in view.values.items() if key in {*kept, "__theme"}})
    form = tag(
        "form",
        *(tag("input", type="hidden", name=key, value=_text(view, key)) for key in (*kept, "__theme") if key in view.values),
        _search(view),
        *(_choice(view, key, title, choices) for key, title, choices in offered if choices or view.texts(key)),
        _cost(view),
        _reruns(view),
        tag("button", "Show", type="submit"),
        tag("a", "Clear filters", href=address(cleared), class_="clear") if active else None,
        method="get",
        action=f"/{view.page}",
        role="search",
    )
    title = f"Filters ({active} set)" if active else "Filters"
    return tag("details", tag("summary", title), form, class_="filters", open=bool(active))


def _search(view: View) -> Markup:
    return tag(
        "label",
        tag("span", "Search", class_="name"),
        tag("input", type="search", name="q", value=view.text("q"), maxlength=100, placeholder="model, agent or cell id"),
        class_="search",
    )


def _choice(view: View, key: str, title: str, choices: Iterable[tuple[str, str]]) -> Markup:
    chosen = set(view.texts(key))
    boxes = [
        tag("label", tag("input", type="checkbox", name=key, value=value, checked=value in chosen), tag("span", label))
        for value, label in choices
    ]
    word = f"{title}: {len(chosen)} chosen" if chosen else f"{title}: all"
    return tag("details", tag("summary", word), tag("div", *boxes, class_="boxes"), class_="choice")


def _cost(view: View) -> Markup:
    field = tag("input", type="number", name="max_cost", value=view.text("max_cost"), min=0, max=999_999, step="any")
    return tag("label", tag("span", "Cost per trial, at most (USD)", class_="name"), field)


def _reruns(view: View) -> Markup:
    options = (("latest", "newest of each cell"), ("all", "all reruns"))
    return tag(
        "label",
        tag("span", "Reruns", class_="name"),
        tag(
            "select",
            *(tag("option", label, value=value, selected=view.text("reruns") == value) for value, label in options),
            name="reruns",
        ),
    )


def _text(view: View, key: str) -> str:
    value = view.values[key]
    return ",".join(value) if isinstance(value, tuple) else str(value)


def empty(reset: str, *children: Markup | str) -> Markup:
    """Return what stands in the place of rows when the filters leave none."""
    return tag("div", join(*children), tag("p", tag("a", "Clear filters", href=reset)), class_="panel empty", role="status")
