"""/llms.txt: what this is, the pages, the lists and the tools, for who reads without a browser."""

from collections.abc import Sequence

from space.exports.formats import FORMS
from space.exports.routes import FACTS, ITEMS, ROOT
from space.listings.listing import discover


def llms_text(pages: Sequence[tuple[str, str]], tools: Sequence[str]) -> str:
    """Return the text; `pages` are (path, title)."""
    items = [f"{ROOT}{first}/ID{f'/{last}' if last else ''}" for first, last in ITEMS]
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
        *(f"- [{listing.title}]({ROOT}{name})" for name, listing in discover().items()),
        "",
        "## One thing, and what is shown",
        "",
        *(f"- `{path}`" for path in (*items, f"{ROOT}provenance/CELL_ID", *(f"{ROOT}{name}" for name in FACTS))),
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
