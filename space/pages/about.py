"""`/about`: the methods in plain words, what a stranger can check and how, and the words of the pages."""

from typing import Final

from space.components.html import Markup, join, tag
from space.components.shell import head
from space.pages.page import Page
from space.queries.view import View
from space.readers.mirror import Mirror


def show(view: View, mirror: Mirror) -> Markup:
    """Return the page; it says the same for every view."""
    del view, mirror
    return join(
        head("About", "How the numbers are made, how anyone can check them, and what the words mean."),
        _section("methods", "Methods", _METHODS),
        _section("verify", "What a stranger can check", _VERIFY),
        *(tag("pre", command, class_="command", tabindex=0, aria_label=name) for name, command in _COMMANDS),
        _glossary(),
        _section("missing", "Not here yet", _NOT_YET),
    )


def _section(anchor: str, title: str, text: str) -> Markup:
    """Return a section of `text`: paragraphs apart by blank lines, each may begin with a name and a bar."""
    said = []
    for paragraph in text.strip().split("\n\n"):
        name, bar, rest = " ".join(paragraph.split()).partition("| ")
        said.append(tag("p", tag("strong", f"{name} "), rest) if bar else tag("p", name))
    return tag("section", tag("h2", title, id=anchor, tabindex=-1), *said, class_="prose")


def _glossary() -> Markup:
    words = [tag("div", tag("dt", word), tag("dd", meaning)) for word, meaning in _WORDS]
    return tag("section", tag("h2", "Words", id="words"), tag("dl", *words, class_="facts glossary"))


_METHODS: Final = """
Score.| The sum of rewards over all planned trials. A trial without a scored outcome adds 0 and stays in the denominator, so a
failed, lost or unfinished trial never makes a score better.

Edition.| Only cells of one edition stand in one list: same benchmark and tasks, repeats, reward and threshold, time limits
and kind of sandbox. Scores of different editions or benchmarks are never averaged or mixed.

Interval.| A 95% Wilson interval on the effective number of observations: repeats of one task resemble each other, so their
spread over the tasks decides how much each trial says. It covers task sampling and rerun noise. With fewer than two tasks
there is none.

Infrastructure bounds.| Where trials were lost to infrastructure after all retries, two numbers say what the score would be
had all of them failed, or passed. Above 5% lost a cell is listed and not ranked.

Cost and tokens.| Sums over every attempt, retries included, in US dollars at the prices of the run's price document. If one
attempt did not report a value, the sum reads not reported: a partial sum would look like a total, and nothing unreported is
shown as 0.

Withheld.| This page recomputes every score, count and interval from the published trials. A cell that disagrees with its own
trials stays listed with the reason, without its numbers.
"""
_VERIFY: Final = """
With the published files alone, offline: the arithmetic of every score from its trials, the digests of rows and tables, the
receipt's signature where a key signed it (else it reads unsigned), and the chain of digests from a row to the evidence
statement of its trials, to the evidence root and to the run lock.

The evidence bytes themselves (logs, sessions, files that an agent wrote) are private and need access. Their digests are
published, so they cannot be exchanged later.

Every cell page gives the command for its own row. The commands below recompute
everything that was published on the own machine, and one row of any copy.
"""
_COMMANDS: Final = (
    ("Command that recomputes everything published on this machine", "python -m runner results audit"),
    ("Command that checks one row", "python -m runner results verify-row DATASET@REVISION cells CELL_ID"),
)
_WORDS: Final = (
    ("cell", "one model, deployment and agent on one benchmark in one run: one line of the leaderboard"),
    ("task, repeat, trial", "a problem, its n-th repetition, and a cell's try at it, which gets exactly one outcome"),
    ("attempt", "one physical try at a trial; a retry is a new attempt, one of them is selected and counts"),
    ("outcome", "how a trial ended: scored, agent failed, benchmark failed, or infrastructure exhausted"),
    ("passed", "a scored trial whose reward reaches the threshold of its edition"),
    ("clean, degraded", "every planned trial was scored; or all ended and some were not scored"),
    (
        "no model",
        "the agent asks none, like Harbor's oracle, which plays back the reference solution, and nop, which does nothing",
    ),
    ("sandbox local", "the run used this machine's own sandbox; such lines are never ranked with remote ones"),
    ("publication, receipt", "one write of a run's rows, and the list of row counts and table digests that it must match"),
    ("mirror", "the verified local copy of the published tables that these pages read"),
)
_NOT_YET: Final = """
Rank ranges from paired tests, comparisons, the grid of models and agents, cost and failure pages, exports, trainings,
releases and requests for runs. Until ranks exist, the order of a list is that of one column and nothing more.
"""
PAGE: Final = Page(slug="about", title="About", parameters=frozenset(), show=show, in_nav=True, order=90)
