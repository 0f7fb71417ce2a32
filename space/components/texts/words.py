"""The words that a stranger cannot know, each with its meaning, and how a page explains those that it uses.

The first place on a page where such a word is said in running text leads to its line on the page about and says its meaning when
pointed at. Called once for every page's content, so that no page forgets a word.
"""

from collections.abc import Mapping
from typing import Final, NamedTuple

from space.components.html import Markup, tag, with_first_linked


class Word(NamedTuple):
    """One line of the glossary: its title, its meaning, and the words of texts, in the singular, that lead to it."""

    title: str
    meaning: str
    said: tuple[str, ...] = ()

    @property
    def anchor(self) -> str:
        """Its place on the page about."""
        return f"word-{'-'.join((self.said or (self.title,))[0].split())}"


WORDS: Final = (
    Word("cell", "one model, deployment and agent on one benchmark in one run: one line of the leaderboard", ("cell",)),
    Word("run", "one submission of one plan; submitting a plan twice makes two runs"),
    Word(
        "task, repeat, trial",
        "a problem, its n-th repetition, and a cell's try at it, which gets exactly one outcome",
        ("trial",),
    ),
    Word("attempt", "one physical try at a trial; a retry is a new attempt, one of them is selected and counts", ("attempt",)),
    Word("outcome", "how a trial ended: scored, agent failed, benchmark failed, or infrastructure exhausted"),
    Word("category", "why an attempt failed; it decides whether the trial is tried again"),
    Word(
        "cost per trial",
        "what all attempts of a cell cost, retries included, in US dollars, over its planned trials; a pass is a passed trial",
    ),
    Word("passed", "a scored trial whose reward reaches the threshold of its edition"),
    Word("clean, degraded", "every planned trial was scored; or all ended and some were not scored", ("degraded",)),
    Word(
        "partial, composite, manual",
        "interrupted; put together from several runs; brought in from elsewhere: listed, never ranked",
        ("composite",),
    ),
    Word(
        "rank, tie group",
        "the range of places that the tests leave a cell; cells until one is significantly worse than the first",
    ),
    Word(
        "edition", "the cells that may be ranked together, by a digest of everything that makes scores comparable", ("edition",)
    ),
    Word(
        "deployment",
        "how a model was served: by whom, on what, with which engine and settings, pinned by a digest",
        ("deployment",),
    ),
    Word("wave", "one bounded stretch of work that owns one deployment", ("wave",)),
    Word("frontier", "the cells that are each dearer and significantly better than the one before", ("frontier",)),
    Word("Harbor", "the open program that carries out each trial: environment, agent, verifier, reward", ("Harbor",)),
    Word(
        "no model",
        "the agent asks none, like Harbor's oracle, which plays back the reference solution, and nop, which does nothing",
    ),
    Word(
        "sandbox",
        "the closed place in which a task runs; local is this machine's own, and never ranked with remote ones",
        ("sandbox",),
    ),
    Word(
        "publication, receipt",
        "one write of a run's rows, and the list of row counts and table digests that it must match",
        ("receipt",),
    ),
    Word("catalog", "the list of everything that was published, withdrawn or replaced, in order", ("catalog",)),
    Word(
        "training, receipt of a build",
        "a recipe carried out once; the signed proof that one build can train, about no other build",
        ("qualification",),
    ),
    Word(
        "release, snapshot",
        "one operation that moves a serving channel; an immutable published state of a model repository",
        ("snapshot",),
    ),
    Word("mirror", "the verified local copy of the published tables that these pages read", ("mirror",)),
    Word("not reported, not observed", "a remote party did not say; or nothing of ours was there to see it. Neither is ever a 0"),
)
"""In the order in which a reader needs them."""


def explained(page: Markup) -> Markup:
    """Return `page` with the first use of each word linked to its meaning."""
    return with_first_linked(page, _LINKED)


def linked(word: str) -> Markup:
    """Return `word`, one that leads to a line of the glossary, as its link."""
    address, meaning = _LINKED[word]
    return tag("a", word, href=address, title=meaning, class_="word")


_LINKED: Final[Mapping[str, tuple[str, str]]] = {
    said: (f"/about#{word.anchor}", f"{word.title}: {word.meaning}") for word in WORDS for said in word.said
}
