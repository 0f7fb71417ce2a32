"""Every pair of text and fill of the theme is legible, light and dark: 4.5:1 for text, 3:1 for the band on its track."""

import re
from pathlib import Path

import pytest

CSS = (Path(__file__).parents[3] / "space" / "theme" / "tokens.css").read_text(encoding="utf-8")
KINDS = ("clean", "degraded", "failed", "partial", "composite", "manual")
TEXT = [("ink", "ground"), ("ink", "raised"), ("muted", "ground"), ("muted", "raised"), ("link", "ground"), ("link", "raised")]
TEXT += [("ground", "link"), *((kind, f"{kind}-fill") for kind in KINDS)]
TEXT += [("heat-ink", f"heat-{step}") for step in range(4)] + [("heat-ink-strong", f"heat-{step}") for step in (4, 5)]
SHAPES = [("band", "track"), ("dot", "ground"), ("focus", "ground"), *((kind, "ground") for kind in KINDS)]


def tokens(theme: str) -> dict[str, str]:
    """Return the colours of `theme`; the dark ones stand in the second block."""
    block = CSS.split(".dark")[theme == "dark"]
    return dict(re.findall(r"--sw-([a-z0-9-]+): (#[0-9a-f]{6})", block))


def luminance(colour: str) -> float:
    """Return the relative luminance of WCAG 2."""
    channels = [int(colour[at : at + 2], 16) / 255 for at in (1, 3, 5)]
    linear = [value / 12.92 if value <= 0.04045 else ((value + 0.055) / 1.055) ** 2.4 for value in channels]
    return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]


def contrast(first: str, second: str) -> float:
    """Return the contrast ratio of two colours."""
    light, dark = sorted((luminance(first), luminance(second)), reverse=True)
    return (light + 0.05) / (dark + 0.05)


@pytest.mark.parametrize("theme", ["light", "dark"])
@pytest.mark.parametrize("pair", TEXT, ids="-on-".join)
def test_text_is_legible(theme: str, pair: tuple[str, str]) -> None:
    """At least 4.5:1."""
    colours = tokens(theme)
    assert contrast(colours[pair[0]], colours[pair[1]]) >= 4.5


@pytest.mark.parametrize("theme", ["light", "dark"])
@pytest.mark.parametrize("pair", SHAPES, ids="-on-".join)
def test_shapes_stand_out(theme: str, pair: tuple[str, str]) -> None:
    """At least 3:1."""
    colours = tokens(theme)
    assert contrast(colours[pair[0]], colours[pair[1]]) >= 3.0
