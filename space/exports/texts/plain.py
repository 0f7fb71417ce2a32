"""A page of text as Markdown, read back from its own markup: headings, paragraphs, lists, terms, commands, links, tables."""

from html.parser import HTMLParser
from typing import Final

from space.components.html import Markup
from space.exports.formats import Exported

_HEADINGS: Final = {"h1": "# ", "h2": "## ", "h3": "### "}
_BLOCKS: Final = frozenset({*_HEADINGS, "p", "li", "dt", "dd", "pre", "tr"})
_BETWEEN: Final = {"dd": ": ", "li": "- ", "tr": "| "}


def plain_text(page: Markup) -> Exported:
    """Return `page` as a Markdown file."""
    reader = _Reader()
    reader.feed(page.text)
    reader.close()
    text = "\n\n".join(reader.blocks) + "\n"
    return Exported(text.encode("utf-8", "replace"), "text/markdown; charset=utf-8", "")


class _Reader(HTMLParser):
    """Collects one block of text for each element that stands on lines of its own."""

    def __init__(self) -> None:
        super().__init__(convert_charrefs=True)
        self.blocks: list[str] = []
        self._open: list[str] = []
        self._text: list[str] = []
        self._links: list[str] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        if tag in _BLOCKS:
            self._finish()
            self._open.append(tag)
        elif tag == "br" or dict(attrs).get("class") == "line":
            self._text.append("\n")
        elif tag == "a":
            self._links.append(dict(attrs).get("href") or "")
            self._text.append("[")

    def handle_endtag(self, tag: str) -> None:
        if tag in _BLOCKS:
            self._finish()
            self._open = self._open[:-1]
        elif tag == "a" and self._links:
            self._text.append(f"]({self._links.pop()})")
        elif tag in {"th", "td"}:
            self._text.append(" | ")

    def handle_data(self, data: str) -> None:
        self._text.append(data)

    def close(self) -> None:
        super().close()
        self._finish()

    def _finish(self) -> None:
        kind = self._open[-1] if self._open else "p"
        said, self._text = "".join(self._text), []
        if kind == "pre":
            said = "\n".join(f"    {line}" for line in said.strip("\n").split("\n")) if said.strip() else ""
        else:
            said = " ".join(said.split())
        if said:
            self.blocks.append(_HEADINGS.get(kind, "") + _BETWEEN.get(kind, "") + said)
