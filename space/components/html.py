"""The tag builder: the only place of the Space that makes markup.

Every text and every attribute value is escaped, so published names, paths and reasons can never become markup. Control and
direction-changing characters are shown as escapes, so that text reads as it is stored. Links lead to own pages, to validated
repository ids, or to an https address of the settings; attributes that run scripts do not exist here. Any child is a text, a
number, markup, None (left out) or an iterable of children.
"""

import re
import unicodedata
from collections.abc import Iterable, Mapping
from functools import cache, lru_cache
from html import escape
from typing import Final, NamedTuple

from space.keeper import is_plain_address

VOID: Final = frozenset({"input", "br", "hr", "link", "meta", "col"})
_NAME: Final = re.compile(r"[a-z][a-zA-Z0-9-]*")
_OWN_PAGE: Final = re.compile(r"/(?![/\\])[^\s\\\x00-\x1f]*|#[A-Za-z][\w-]*|\?[^\s\\\x00-\x1f]*")
_REPOSITORY: Final = re.compile(r"[A-Za-z0-9][\w.-]{0,95}/[A-Za-z0-9][\w.-]{0,95}", re.ASCII)
_SHARED: Final = re.compile(r"<meta\s+(?:property|name)=\"(?:og|twitter):[^>]*?/>\s*")
_OWN_LINK: Final = re.compile(r'( href=")(/[^"]*)"')
_FORM: Final = re.compile(r"<form(?: [^>]*)?>")
_ADDRESSES: Final = frozenset({"href", "action"})
_CODE_ATTRIBUTES: Final = re.compile(r"on.*|style|src|srcset|srcdoc|formaction|xlink.*|ping|background|data", re.IGNORECASE)
_SET_APART: Final = "a|button|code|details|dfn|h1|h2|h3|label|legend|pre|select|summary|svg"
"""Elements in which a word is no running text."""
_SHORT: Final = 64
_REMEMBERED: Final = 20_000
"""Short texts and attributes of a page mostly stood on another one before: what was made of them is kept."""


class Markup(NamedTuple):
    """Finished markup; made by this module alone."""

    text: str

    def __str__(self) -> str:
        return self.text


type Child = Markup | str | int | float | None | Iterable["Child"]


def tag(name: str, /, *children: Child, **attributes: str | float | bool | None) -> Markup:
    """Return the element `name`; `aria_label` means `aria-label`, a final `_` is dropped, None and False are left out."""
    start, end = _edges(name)
    opened = f"{start}{''.join([_attribute(key, value) for key, value in attributes.items()])}>" if attributes else f"{start}>"
    return Markup(opened if name in VOID else f"{opened}{''.join([_piece(child) for child in children])}{end}")


def join(*children: Child) -> Markup:
    """Return `children` one after another, texts escaped."""
    return Markup("".join([_piece(child) for child in children]))


def visible(text: str) -> str:
    """Return `text` with control, direction and other unseen format characters written as escapes."""
    if text.isascii() and text.isprintable():
        return text
    return "".join(_escape_unseen(character) for character in text)


def script(code: str) -> Markup:
    """Return `code`, a file of ours, as an inline script; the only element whose text is not escaped."""
    if "</" in code:
        raise ValueError("a script of ours must not hold a closing tag")
    return Markup(f"<script>{code}</script>")


def document(title: str, styles: str, code: str, body: Markup) -> Markup:
    """Return a whole document around `body`; `styles` and `code` are files of ours."""
    if "</" in styles:
        raise ValueError("styles of ours must not hold a closing tag")
    head = join(
        tag("meta", charset="utf-8"),
        tag("meta", name="viewport", content="width=device-width, initial-scale=1"),
        tag("title", title),
        Markup(f"<style>{styles}</style>"),
        script(code),
    )
    return Markup(f'<!doctype html><html lang="en"><head>{head}</head><body class="plain">{body}</body></html>')


def with_own_head(page: str, head: Markup) -> str:
    """Return `page`, a template of Gradio's, with `head` in the place of what it tells of itself when a link to it is shared."""
    return _SHARED.sub("", page).replace("<head>", f"<head>{head.text}", 1)


def carrying(page: Markup, key: str, value: str) -> Markup:
    """Return `page` with `key=value` in every form, and in every link to an own page that does not name the key itself."""
    linked = _OWN_LINK.sub(lambda found: f'{found[1]}{_with_key(found[2], key, value)}"', page.text)
    field = tag("input", type="hidden", name=key, value=value).text
    return Markup(_FORM.sub(lambda found: found[0] + field, linked))


def with_first_linked(page: Markup, words: Mapping[str, tuple[str, str]]) -> Markup:
    """Return `page` with a link around the first place where each of `words`, or its plural, is said in running text.

    `words` are (address, title) by word in the singular. What is a link already, a control, a heading, a drawing or code stays.
    """
    said = page.text.lower()
    waiting = {word.lower(): known for word, known in words.items() if word.lower() in said}
    depth, done, pieces = 0, 0, []
    for found in _running_text(tuple(words)).finditer(page.text):
        if found["begin"]:
            depth += 1
        elif found["end"]:
            depth -= 1
        elif found["word"] and not depth and (known := waiting.pop(found["word"].lower(), None)):
            pieces += [page.text[done : found.start()], tag("a", found[0], href=known[0], title=known[1], class_="word").text]
            done = found.end()
            if not waiting:
                break
    return Markup("".join([*pieces, page.text[done:]]))


def is_repository(text: str) -> bool:
    """Tell whether `text` is an `owner/name` that may stand in a link to the Hub."""
    return _REPOSITORY.fullmatch(text) is not None and ".." not in text


def repository_link(repository: str, *, is_dataset: bool = False) -> Markup:
    """Return a link to `repository` on the Hub, or its plain text where it is no valid or no public id."""
    if not is_repository(repository) or repository.split("/", maxsplit=1)[0] in {"local", "example"}:
        return tag("span", repository)
    kind = "datasets/" if is_dataset else ""
    opened = f'<a href="https://huggingface.co/{kind}{escape(repository)}" rel="noopener noreferrer">'
    return Markup(f"{opened}{escape(visible(repository))}</a>")


def outside_link(address: str) -> Markup:
    """Return a link to `address`, which the settings name and no published row does; it reads as itself."""
    if not is_plain_address(address):
        raise ValueError("not an address for a link")
    return Markup(f'<a href="{escape(address)}" rel="noopener noreferrer">{escape(address)}</a>')


def _with_key(link: str, key: str, value: str) -> str:
    """Return the escaped own `link` with one more key, before the place on the page that it leads to."""
    address, mark, place = link.partition("#")
    if re.search(rf"[?;]{key}=", address):
        return link
    return f"{address}{'&amp;' if '?' in address else '?'}{key}={escape(value)}{mark}{place}"


@cache
def _running_text(words: tuple[str, ...]) -> re.Pattern[str]:
    """Return what finds each of `words` in a page: (word, its plural s), and the begin and end of what is no running text."""
    each = "|".join(re.escape(word) for word in words)
    return re.compile(
        rf"<(?P<begin>{_SET_APART})\b[^>]*>|</(?P<end>{_SET_APART})\b[^>]*>|<[^>]*>|"
        rf"(?<![\w/.-])(?P<word>{each})s?(?![\w-])",
        re.IGNORECASE,
    )


@cache
def _edges(name: str) -> tuple[str, str]:
    """Return how an element begins and ends."""
    if not _NAME.fullmatch(name):
        raise ValueError(f"not an element name: {name!r}")
    return f"<{name}", f"</{name}>"


def _piece(child: Child) -> str:
    if child is None:
        return ""
    if isinstance(child, Markup):
        return child.text
    if isinstance(child, str):
        return _escaped(child) if len(child) <= _SHORT else escape(visible(child))
    if isinstance(child, int | float):
        return str(child)
    return "".join([_piece(each) for each in child])


@lru_cache(_REMEMBERED)
def _escaped(text: str) -> str:
    return escape(visible(text))


@lru_cache(_REMEMBERED, typed=True)
def _attribute(key: str, value: str | float | bool | None) -> str:
    name = key.removesuffix("_").replace("_", "-")
    if value is None or value is False:
        return ""
    if not _NAME.fullmatch(name) or _CODE_ATTRIBUTES.fullmatch(name):
        raise ValueError(f"not an attribute of ours: {name!r}")
    if value is True:
        return f" {name}"
    if name in _ADDRESSES and not _OWN_PAGE.fullmatch(str(value)):
        raise ValueError("links lead to own pages")
    return f' {name}="{escape(visible(str(value)))}"'


def _escape_unseen(character: str) -> str:
    category = unicodedata.category(character)
    if category in {"Cc", "Cf", "Cs", "Co", "Cn", "Zl", "Zp"}:
        code = ord(character)
        return f"\\u{code:04x}" if code < 0x10000 else f"\\U{code:08x}"
    return character
