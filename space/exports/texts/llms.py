"""/llms.txt: what this is, the pages, the lists and the tools, for who reads without a browser."""

from collections.abc import Sequence

from space.exports.formats import FORMS
from space.listings.listing import discover


def llms_text(pages: Sequence[tuple[str, str]], root: str, things: Sequence[str], tools: Sequence[str]) -> str:
    """Return the text; `pages` are (path, title), `root` begins every address of the API, `things` are those of one thing."""
    lines = [
        "# Seawall",
        "",
        "> Published results of agent benchmarks: how well models and agents solve tasks, with evidence behind every score.",
        "",
        "A cell is one model, deployment and agent on one benchmark in one run. Only cells of one edition may be compared;",
        "scores of different editions or benchmarks are never averaged. A rank is a range that paired tests allow. Money is",
        "integer micro-USD, times are ISO 8601 in UTC, null is a value that is not there, never 0. No account.",
        "",
        "## Lists, as JSON",
        "",
        "Every list takes `page`, `per_page` (25, 50, 100, 200), `revision` (an earlier one) and `format` ("
        + ", ".join(FORMS)
        + ").",
        "[/openapi.json](/openapi.json) has every key and column.",
        "",
        *(f"- [{listing.title}]({root}{name})" for name, listing in discover().items()),
        "",
        "## One thing, and what is shown",
        "",
        *(f"- `{path}`" for path in things),
        "",
        "## Pages",
        "",
        "`?format=md` gives the list behind a page as plain Markdown.",
        "",
        *(f"- [{title}]({path})" for path, title in pages),
        "- [About: methods, words, how to verify](/about?format=md)",
        "",
        "## Tools over MCP",
        "",
        "At `/gradio_api/mcp` (streamable HTTP): " + ", ".join(tools) + ".",
        "",
    ]
    return "\n".join(lines)
