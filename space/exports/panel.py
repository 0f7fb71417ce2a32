"""What stands at the end of a page with a list: links to its files, the permanent link, and the query with how to run it."""

import textwrap
from collections.abc import Iterator

from shared import versions
from shared.errors import SeawallError
from space.components.files import ListFiles, Query, files
from space.components.html import Markup
from space.exports.behind import lists_behind, only_its_own
from space.exports.eval_file import EVAL_RESULTS, eval_file
from space.exports.formats import FORMS
from space.exports.script import derived_names, literal, revision_names, shown_script
from space.listings.listing import Listing
from space.queries.view import View, address
from space.readers.mirror import Mirror


def panel(view: View, mirror: Mirror, space: str) -> Markup | None:
    """Return the panel of the page that `view` shows, None where no list stands behind it or what it names is not there."""
    lists = lists_behind(view)
    if not lists:
        return None
    try:
        statement = lists[0].ask(view, mirror)
    except SeawallError:
        return None
    catalog = mirror.revisions.catalog
    query = Query(
        sql=textwrap.dedent(statement.sql).strip(),
        values=[literal(value) for value in statement.values],
        script=shown_script(lists[0], statement, mirror),
        script_address=_with_format(_own(lists[0], view), "sql"),
        revisions=revision_names(mirror),
        derived=derived_names(lists[0]),
        statistics=f"shared/statistics, version {versions.STATISTICS}",
        program=program(_with_format(_own(lists[0], view), "sql"), mirror, space),
    )
    permanent = address(view.with_values(revision=catalog.revision.number if catalog else 0))
    return files([_files(each, view) for each in lists], list(_others(view, mirror)), permanent, query)


def program(script: str, mirror: Mirror, space: str) -> str:
    """Return six lines of Python that run the query at the address `script` on a download of what `mirror` shows."""
    heads = [*([mirror.revisions.catalog] if mirror.revisions.catalog else []), *mirror.revisions.datasets.values()]
    where = f'urllib.request.urlopen("{space}{script}")'
    end = [
        f"script = {where}.read().decode()",
        "found = duckdb.connect().execute(script)",
        "print([column[0] for column in found.description], *found.fetchall(), sep=chr(10))",
    ]
    if heads and all(head.commit for head in heads):
        wanted = {head.dataset: head.commit for head in heads}
        begin = [
            "import duckdb, urllib.request, huggingface_hub as hub",
            f"for name, commit in {wanted!r}.items():",
            '    hub.snapshot_download(name, repo_type="dataset", revision=commit, local_dir=name)',
        ]
        return "\n".join([*begin, *end])
    named = ", ".join(revision_names(mirror))
    begin = ["import os, urllib.request", "import duckdb", f'os.chdir("RESULTS")  # the folder that holds {named}']
    return "\n".join([*begin, *end])


def _files(listing: Listing, view: View) -> ListFiles:
    own = _own(listing, view)
    return ListFiles(listing.title, address(own), [(form, _with_format(own, form)) for form in FORMS])


def _own(listing: Listing, view: View) -> View:
    return only_its_own(listing, view, f"api/v1/{listing.name}")


def _others(view: View, mirror: Mirror) -> Iterator[tuple[str, str]]:
    if view.page != "cell" or not view.text("cell_id"):
        return
    yield "Provenance", address(View(f"api/v1/provenance/{view.text('cell_id')}", {}))
    try:
        eval_file(view.text("cell_id"), mirror, "https://space.invalid")
    except SeawallError:
        return
    yield "Entry for the Hub's leaderboards", _with_format(View("cell", {"cell_id": view.text("cell_id")}), EVAL_RESULTS)


def _with_format(view: View, form: str) -> str:
    shown = address(view)
    return f"{shown}{'&' if '?' in shown else '?'}format={form}"
