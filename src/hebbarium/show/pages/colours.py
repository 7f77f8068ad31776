"""The one palette: what has a colour has the same one on every page and in every plot.

`+` and `-`, and with them positive and negative weights, are teal and orange, which colour-blind eyes tell apart.
Blue is the item of that name and nothing else.
"""

from __future__ import annotations

PALETTE: dict[str, tuple[str, str]] = {
    "page": ("#ffffff", "#14181f"),
    "card": ("#f5f6f9", "#1d232d"),
    "ink": ("#1d2430", "#e6e9ef"),
    "soft": ("#566074", "#a3adbd"),
    "line": ("#d9dde5", "#38404d"),
    "accent": ("#5b3fb0", "#b8a4f5"),
    "stronger": ("#0a6a66", "#5fd0c6"),
    "weaker": ("#a5430b", "#f2a26b"),
    "stronger-back": ("#c8ebe6", "#15504c"),
    "weaker-back": ("#fbd9c4", "#6b3516"),
    "green": ("#1b8a3c", "#4fc474"),
    "blue": ("#2a5fc4", "#7ba4f7"),
    "red": ("#c0392b", "#f0857c"),
    "grey": ("#7b8494", "#8d97a8"),
    "summer": ("#fdf3d8", "#332d18"),
    "winter": ("#e9e7f2", "#2a2840"),
    "summer-ink": ("#c98f0a", "#d9a83a"),
    "winter-ink": ("#8a84a6", "#9d96bd"),
    "first": ("#5b3fb0", "#b8a4f5"),
    "second": ("#6b6d00", "#c9c64e"),
    "third": ("#a8326e", "#ee8dbd"),
    "good": ("#187640", "#46b87a"),
    "near": ("#8f5f08", "#dba63f"),
    "bad": ("#b8352c", "#ec7b71"),
    "good-back": ("#e2f3e8", "#17301f"),
    "near-back": ("#fbf0d9", "#352b14"),
    "bad-back": ("#fbe6e4", "#3a1f1d"),
}
"""Each colour on a light and on a dark page."""

VIRIDIS = ("440154", "482475", "414487", "355f8d", "2a788e", "21918c", "22a884", "44bf70", "7ad151", "bddf26", "fde725")
"""From low to high, even for the colour-blind and in grey."""
MIDDLE = "f6f4f0"
"""Zero, between `-` and `+`."""


def colour(name: str) -> str:
    """As a page uses it."""
    return f"var(--{name})"


def light(name: str) -> str:
    """As a picture on white paper uses it."""
    return PALETTE[name][0]


def season_colour(kind: int) -> str:
    """The name of the colour behind a season of this kind."""
    return ("summer", "winter")[kind % 2]


def style_sheet() -> str:
    """The palette as variables, for light and for dark pages."""
    sheets = ["".join(f"--{name}:{pair[place]};" for name, pair in PALETTE.items()) for place in (0, 1)]
    return f":root{{{sheets[0]}}}@media (prefers-color-scheme:dark){{:root{{{sheets[1]}}}}}"


def diverging() -> tuple[str, ...]:
    """From the lowest through zero to the highest."""
    return light("weaker")[1:], MIDDLE, light("stronger")[1:]


def shade(anchors: tuple[str, ...], share: float) -> str:
    """A colour on the way along the anchors.

    >>> shade(("000000", "ffffff"), 0.5), shade(VIRIDIS, 1.2)
    ('#808080', '#fde725')
    """
    at = min(max(share, 0.0), 1.0) * (len(anchors) - 1)
    low = min(int(at), len(anchors) - 2)
    ends = [[int(anchor[place : place + 2], 16) for place in (0, 2, 4)] for anchor in anchors[low : low + 2]]
    return "#" + "".join(f"{round(a + (b - a) * (at - low)):02x}" for a, b in zip(*ends, strict=True))
