"""The atlas as one interactive page: all rules at a glance, in a single file that needs nothing else."""

from __future__ import annotations

import base64
import os
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np

from hebbarium.rules.rule import PAPER_RULES, RULES, SYMBOLS, Rule
from hebbarium.rules.words import KINDS, SITUATIONS, family, half_family, half_words
from hebbarium.show.pages import Markup, element, fill, histogram, join, page
from hebbarium.show.pages.charts import svg, text, upright
from hebbarium.show.pages.colours import VIRIDIS, colour, shade
from hebbarium.show.pages.rules import CHANGES, HEADS, signed
from hebbarium.studies.atlas.ages import Ages, ages_of
from hebbarium.studies.atlas.table import Atlas
from hebbarium.tools.errors import shown_setting
from hebbarium.tools.files import write_text

PARTS = Path(__file__).parent / "page"
SCALE = 50
"""Fitness is embedded as whole numbers of 1/50: finer than any standard error."""
POWER = 0.6
"""Few rules learn, so the colours of fitness are spread: more of them for the low."""
BARS = 50
START, CELL, BAND = 92, 10, 16
"""Of the map's axes: where the board begins, the side of a cell, the width of a band."""


def map_html(atlas: Atlas, sections: Sequence[Markup] = (), ages: Ages | None = None, playground: str = "") -> str:
    """The page. sections: more of it, below the map. ages: without them those that come with the package, if any.
    playground: the address of one, for links to agents that live by the rules."""
    first, lifetimes = atlas.row(int(atlas.order[0])), f"{atlas.about['lifetimes']:,} lifetimes"
    fitness = f"a fitness of {first['fitness']:z.1f} ± {first['sem']:.1f} (standard error)"
    if atlas.layers == "output":
        neurons = shown_setting(atlas.about["hidden"])
        title = f"Atlas of {atlas.task}: every output rule over {neurons} frozen hidden neurons"
        lead = (
            f"Here the hidden layer keeps its initial weights: {neurons} random features of what the "
            f"agent senses. Only the output layer learns. All {RULES:,} rules that it can have were tried, in "
            f"{lifetimes}. The best is {first['rule']} with {fitness} at eta {first['eta']:g}."
        )
    else:
        found = sum(int(index) in {rule for _, rule in _paper(atlas)} for index in atlas.order[:10])
        title = f"Atlas of {atlas.task}: every rule there is"
        lead = (
            f"A rule is eight entries and a learning rate (eta), so there are only {RULES:,} rules. All of them were "
            f"evaluated, in {lifetimes}. The best is {first['rule']} with {fitness} at eta {first['eta']:.3g}. The "
            f"paper found {found} of the ten best."
        )
    heights, edges = np.histogram(atlas.mean, BARS)
    bars = histogram(
        heights.tolist(),
        edges.tolist(),
        title="All rules by their best fitness",
        x_label="fitness",
        y_label="rules (log scale)",
        fills=fitness_colours(atlas, (edges[:-1] + edges[1:]) / 2),
        log_y=True,
    )
    best = float(atlas.mean.max())  # three round numbers on the way to it
    limits = [round(best * share / 5) * 5 if best > 20 else round(best * share) for share in (0.1, 0.4, 0.8)]
    above = "; ".join(f"above {limit}: {int((atlas.mean > limit).sum()):,}" for limit in limits)
    footer = (
        f"Hebbarium · {atlas.brain} · seed {atlas.about['seed']}",
        "fitness is the mean over lifetimes that were not used to choose the eta; ± is its standard error",
        "“rank range”: the ranks a rule may have (95 % confidence)",
        "eta curves are based on few lifetimes each",
        f"digest (a checksum of all results) {atlas.about['digest']}",
    )
    html, style, script = ((PARTS / f"page.{kind}").read_text(encoding="utf-8") for kind in ("html", "css", "js"))
    body = fill(
        html,
        task=atlas.task,
        lead=lead,
        axes=_axes(),
        histogram=bars,
        histogram_words=f"Rules with a best fitness {above} of {RULES:,}.",
        sections=join(*sections),
        footer=" · ".join(footer),
    )
    return page(title, body, style=style, script=script, data=_page_data(atlas, ages or ages_of(atlas), playground))


def save_map(atlas: Atlas, path: str | os.PathLike[str], *page: Any, **more: Any) -> None:
    """Write the page. page, more: as in `map_html`"""
    write_text(path, map_html(atlas, *page, **more))


def _paper(atlas: Atlas) -> list[tuple[str, int]]:
    """The paper's rules of this task, by name and index."""
    return [(name, Rule(name).index) for name in PAPER_RULES if name.startswith(f"{atlas.task}:")]


def _axes() -> Markup:
    """The entries of both halves as four bands each, from the outer 00 to the inner 11. All groups of cells that share
    an entry, along the top and along the left, are one path and one text each."""
    middle, end = START + 81 * CELL / 2, START + 81 * CELL
    parts = [
        text(middle, 16, "when rewarded", "middle"),
        upright(16, middle, "when punished"),
    ]
    for band, situation in enumerate(SITUATIONS):
        out, length = 24 + band * (BAND + 1), CELL * 3 ** (3 - band)
        parts += [
            text(START - 4, out + 12, situation, "end", "pair"),
            upright(out + 12, end + 4, situation, "end", "pair"),
        ]
        for entry in CHANGES:
            starts = [START + place * length for place in range(entry + 1, 81 * CELL // length, 3)]
            middles = " ".join(f"{start + length / 2:g}" for start in starts)
            lower = " ".join(f"{start + length / 2 + 4:g}" for start in starts)
            along = "".join(f"M{start} {out}h{length - 1}v{BAND}h{1 - length}" for start in starts)
            aside = "".join(f"M{out} {start}v{length - 1}h{BAND}v{1 - length}" for start in starts)
            signs = signed(SYMBOLS[entry + 1]) * len(starts)
            look = {"class_": f"{CHANGES[entry]} {'small' if band == 3 else ''}".strip(), "text_anchor": "middle"}
            parts += [
                element("path", d=along + aside, fill=colour(f"{CHANGES[entry]}-back" if entry else "card")),
                element("text", signs, x=middles, y=out + 12.5, **look),
                element("text", signs, x=" ".join([f"{out + BAND / 2:g}"] * len(starts)), y=lower, **look),
            ]
    return svg(end + 4, end + START, "The entries along both sides of the map", *parts, kind="axes")


def fitness_colours(atlas: Atlas, values: np.ndarray) -> list[str]:
    """The colours of the map, in a few shades, so that dots of one shade can be drawn together."""
    low, high = float(atlas.mean.min()), float(atlas.mean.max())
    low = max(low, -high) if high > 0 else low  # what is worse than the best is good counts alike, as on the map
    shares = np.clip((values - low) / (high - low or 1.0), 0, 1) ** POWER
    return [shade(VIRIDIS, round(float(share) * 20) / 20) for share in shares]


def _page_data(atlas: Atlas, ages: Ages | None, playground: str) -> dict[str, Any]:
    """What the page's script draws from: plain values, and columns by rule."""
    watched = f"{playground}#task={atlas.task}&rule" if playground else f"hebbarium watch {atlas.task} --rule"
    halves = [Rule(index).rewarded for index in range(81)]
    # Long lives were measured for some rules: which, and a value for each of them.
    aged: dict[str, str] = {} if ages is None else {"aged": _packed(ages.rule, "<u2")}
    for name in () if ages is None else ("young", "late", "late_eta", "best_late"):
        aged[name] = _packed(getattr(ages, name), "<f4")
    # Two bytes hold fitness up to 655; what is larger takes four, and no scale.
    figures = (atlas.mean, atlas.sem, atlas.survey_mean)
    is_small = max(float(np.abs(column).max()) for column in figures) * SCALE <= np.iinfo(np.int16).max
    scale, kind = (SCALE, "<i2") if is_small else (1, "<f4")
    return {
        "scale": scale,
        "situations": HEADS,
        "power": POWER,
        "shades": VIRIDIS,
        "hidden": atlas.about["hidden"],
        "etas": list(atlas.etas),
        "words": [half_words(half) for half in halves],
        "kinds": [list(KINDS).index(half_family(half)) for half in halves],
        "families": [[family(Rule(one + two)) for two in KINDS.values()] for one in KINDS.values()],
        "paper": _paper(atlas),
        "names": {name: Rule(name).index for name in PAPER_RULES},
        "live": watched if atlas.layers == "same" else "",
        "columns": {
            "mean": _packed(atlas.mean * scale, kind),
            "sem": _packed(atlas.sem * scale, kind),
            "eta": _packed(atlas.eta, "<f4"),
            "kinds": _packed(atlas.kinds, "<f4"),
            "lifetimes": _packed(atlas.lifetimes, "<u2"),
            "rank_first": _packed(atlas.rank_first, "<u2"),
            "rank_last": _packed(atlas.rank_last, "<u2"),
            "survey": _packed(atlas.survey_mean * scale, kind),
            "order": _packed(atlas.order, "<u2"),
            **aged,
        },
    }


def _packed(values: np.ndarray, kind: str) -> str:
    if kind.endswith("2"):
        limits = np.iinfo(kind)
        values = np.clip(np.rint(values), limits.min, limits.max)
    return base64.b64encode(values.astype(kind).tobytes()).decode()
