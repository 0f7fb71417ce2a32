"""Small drawings beside numbers: a share of a whole as a bar, a middle and a tail on one scale. The number stands beside each."""

from typing import Final

from space.components.html import Markup, tag

WIDTH: Final = 96
_HEIGHT: Final = 8


def share_bar(count: int, whole: int, style: str) -> Markup:
    """Return `count` of `whole` as a bar; `style` names the fill of an outcome or of a badge."""
    filled = 0.0 if not whole else WIDTH * min(1.0, count / whole)
    return tag(
        "svg",
        tag("title", f"{count:,} of {whole:,}"),
        tag("rect", x=0, y=0, width=WIDTH, height=_HEIGHT, rx=4, class_="track"),
        tag("rect", x=0, y=0, width=f"{filled:.1f}", height=_HEIGHT, rx=min(4, round(filled / 2)), class_=f"fill-{style}"),
        class_="share-bar",
        role="img",
        width=WIDTH,
        height=_HEIGHT,
        viewBox=f"0 0 {WIDTH} {_HEIGHT}",
    )


def reach(middle: float, tail: float, top: float, words: str) -> Markup:
    """Return a dot at `middle` and a band from there to `tail` on a scale from 0 to `top`; `words` say both."""
    start, end = (10 + (WIDTH - 20) * min(1.0, value / top) if top > 0 else 10.0 for value in (middle, tail))
    return tag(
        "svg",
        tag("title", words),
        tag("rect", x=4, y=5, width=WIDTH - 8, height=6, rx=3, class_="track"),
        tag("rect", x=f"{start:.1f}", y=5, width=f"{max(2.0, end - start):.1f}", height=6, rx=3, class_="band"),
        tag("circle", cx=f"{start:.1f}", cy=8, r=4.5, class_="dot"),
        class_="score-band",
        role="img",
        width=WIDTH,
        height=16,
        viewBox=f"0 0 {WIDTH} 16",
    )
