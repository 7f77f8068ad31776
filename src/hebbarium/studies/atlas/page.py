"""The page of an atlas, a single file: the interactive map of all rules, and sections on what the atlas says.

Of the atlases that come with the package, what takes long to compute comes with them, too (`benchmarks/analysis.py`
computes it), so that their pages are written at once.
"""

from __future__ import annotations

import base64
import json
import math
import os
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np

from hebbarium.brains.sizes import sizes_of
from hebbarium.rules.rule import PAPER_RULES, RULES, SYMBOLS, Rule
from hebbarium.rules.words import KINDS, SITUATIONS, family, half_family, half_words, situation
from hebbarium.show import pages
from hebbarium.show.pages.charts import svg, text, upright
from hebbarium.show.pages.colours import VIRIDIS, colour, shade
from hebbarium.show.pages.rules import CHANGES, HEADS, rule_signs, signed
from hebbarium.studies.atlas.ages import Ages, ages_of
from hebbarium.studies.atlas.analysis import (
    Collapse,
    Decomposition,
    Landscape,
    Searched,
    decompose,
    is_fair,
    look_for_collapse,
    random_search_regret,
    spearman,
    survey_landscape,
)
from hebbarium.studies.atlas.finished_atlas import SHIPPED, Atlas, shipped, shipped_name
from hebbarium.studies.atlas.interventions import INTERVENTIONS
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


def map_html(
    atlas: Atlas, sections: Sequence[pages.Markup] = (), ages: Ages | None = None, playground: str = ""
) -> str:
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
    bars = pages.histogram(
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
    body = pages.fill(
        html,
        task=atlas.task,
        lead=lead,
        axes=_axes(),
        histogram=bars,
        histogram_words=f"Rules with a best fitness {above} of {RULES:,}.",
        sections=pages.join(*sections),
        footer=" · ".join(footer),
    )
    return pages.page(
        title, body, style=style, script=script, data=_page_data(atlas, ages or ages_of(atlas), playground)
    )


def save_map(atlas: Atlas, path: str | os.PathLike[str], *page: Any, **more: Any) -> None:
    """Write the page. page, more: as in `map_html`"""
    write_text(path, map_html(atlas, *page, **more))


def _paper(atlas: Atlas) -> list[tuple[str, int]]:
    """The paper's rules of this task, by name and index."""
    return [(name, Rule(name).index) for name in PAPER_RULES if name.startswith(f"{atlas.task}:")]


def _axes() -> pages.Markup:
    """The entries of both halves as four bands each, from the outer 00 to the inner 11. All groups of cells that share
    an entry, along the top and along the left, are one path and one text each."""
    middle, end = START + 81 * CELL / 2, START + 81 * CELL
    parts = [text(middle, 16, "when rewarded", "middle"), upright(16, middle, "when punished")]
    for band, pair in enumerate(SITUATIONS):
        out, length = 24 + band * (BAND + 1), CELL * 3 ** (3 - band)
        parts += [text(START - 4, out + 12, pair, "end", "pair"), upright(out + 12, end + 4, pair, "end", "pair")]
        for entry in CHANGES:
            starts = [START + place * length for place in range(entry + 1, 81 * CELL // length, 3)]
            middles = " ".join(f"{start + length / 2:g}" for start in starts)
            lower = " ".join(f"{start + length / 2 + 4:g}" for start in starts)
            along = "".join(f"M{start} {out}h{length - 1}v{BAND}h{1 - length}" for start in starts)
            aside = "".join(f"M{out} {start}v{length - 1}h{BAND}v{1 - length}" for start in starts)
            signs = signed(SYMBOLS[entry + 1]) * len(starts)
            look = {"class_": f"{CHANGES[entry]} {'small' if band == 3 else ''}".strip(), "text_anchor": "middle"}
            parts += [
                pages.element("path", d=along + aside, fill=colour(f"{CHANGES[entry]}-back" if entry else "card")),
                pages.element("text", signs, x=middles, y=out + 12.5, **look),
                pages.element("text", signs, x=" ".join([f"{out + BAND / 2:g}"] * len(starts)), y=lower, **look),
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


ENTRIES = tuple(situation(place) for place in range(8))
"""Names of the entries."""


def sections(
    atlas: Atlas, why: dict[str, Any] | None = None, searched: Sequence[Searched] | None = None
) -> list[pages.Markup]:
    """The sections of the page.

    why: what the interventions gave (`study_interventions`). searched: what searches on the atlas's figures found
    (`search_atlas`). Both take a while, and what is None is left out."""
    frozen = atlas.layers == "output"
    may_collapse = not frozen and sizes_of(atlas.about["hidden"])
    return [
        worth_section(decompose(atlas.mean, atlas.sem)),
        *([collapse_section(atlas, look_for_collapse(atlas), why)] if may_collapse else []),
        landscape_section(atlas, survey_landscape(atlas), searched),
        *([beside_section(atlas)] if frozen else []),
    ]


# ---- what each entry is worth ------------------------------------------------------------------


def worth_words(split: Decomposition) -> list[str]:
    shares, orders = split.shares(), split.orders()
    ranked = sorted(range(8), key=lambda place: -shares[place])
    first, second, last = ranked[0], ranked[1], ranked[-1]
    (pair, pair_share), *_ = split.strongest(2, 1)
    level = int(split.levels[first].argmax())
    sign = ("− (weaker)", "0 (no change)", "+ (stronger)")[level]
    return [
        f"Over all {RULES:,} rules the entry that matters most is “{ENTRIES[first]}” ({shares[first]:.0%} of the "
        f"variance of the best fitness), then “{ENTRIES[second]}” ({shares[second]:.0%}); the least is "
        f"“{ENTRIES[last]}” ({shares[last]:.0%}). The best value of “{ENTRIES[first]}” is {sign}: rules "
        f"with it average {split.levels[first][level]:z.1f}, compared with {split.mean:z.1f} over all rules.",
        f"Single entries alone explain {orders[0]:.0%} of the variance, pairs {orders[1]:.0%}, triples "
        f"{orders[2]:.0%}, and larger groups together {orders[3:].sum():.0%}. (Measurement noise adds "
        f"{split.noise / split.signal:.0%} to the variance and has been subtracted.) The strongest pair is "
        f"“{ENTRIES[pair[0]]}” with “{ENTRIES[pair[1]]}” ({pair_share:.1%}).",
    ]


def worth_section(split: Decomposition) -> pages.Markup:
    pairs = [
        (" × ".join(ENTRIES[place] for place in places), f"{share:.1%}") for places, share in split.strongest(2, 8)
    ]
    shares = [(ENTRIES[place], float(share)) for place, share in enumerate(split.shares())]
    looks = [(CHANGES[entry] if entry else "grey", signed(SYMBOLS[entry + 1])) for entry in CHANGES]
    levels = [
        (name, [pages.Mark(float(mean), look, sign=sign) for mean, (look, sign) in zip(means, looks, strict=True)])
        for name, means in zip(ENTRIES, split.levels, strict=True)
    ]
    return pages.section(
        "What each entry is worth",
        *map(pages.paragraph, worth_words(split)),
        pages.figure(
            [
                pages.bar_chart(shares, title="Share of the variance of the best fitness", show="{:.0%}"),
                pages.dot_plot(levels, title="Mean best fitness of rules with −, 0 or +", x_label="fitness", reach=()),
            ],
            caption="The bars show each entry’s share of the variance over all rules (Shapley effects of the exact "
            "factorial decomposition; they add up to 100 %). The dots show the mean over all rules with that entry at "
            "−, 0 or +.",
        ),
        pages.element("h3", "Entries that work together"),
        pages.table(("pair of entries", "share of variance"), pairs),
    )


# ---- why rules fail ------------------------------------------------------------------------------


def collapse_words(atlas: Atlas, found: Collapse) -> list[str]:
    collapsed, diverse = int(found.collapsed.sum()), int(found.diverse.sum())
    share = found.by_half
    words = [
        f"A network starts with {found.hidden} different hidden neurons. Under {collapsed:,} of the {RULES:,} rules "
        f"({collapsed / RULES:.0%}) they end up, in nearly every life, as copies of one neuron (to six digits): only "
        f"one kind of neuron is left. Under {diverse:,} rules all stay different.",
        f"This collapse happens under {share[1, 1]:.0%} of the rules that act on both reward and punishment, "
        f"{share[0, 1]:.0%} of those that act on reward only, and {share[1, 0]:.0%} of those that act on punishment "
        "only. Over all rules the rank correlation between the number of kinds and fitness is "
        f"{_coefficient(found.correlation)}; among those that act on reward {_coefficient(found.acting)}.",
    ]
    for kind, index, any_such in (
        ("that collapse", found.best_collapsed, collapsed),
        ("that stay diverse", found.best_diverse, diverse),
    ):
        if any_such:
            row = atlas.row(index)
            words.append(
                f"The best of the rules {kind} is {row['rule']} (rank {row['rank']:,}, {row['fitness']:z.1f})."
            )
    return words


def _coefficient(value: float) -> str:
    return "undefined, because all are equal" if math.isnan(value) else f"{value:+z.2f}"


def collapse_section(atlas: Atlas, found: Collapse, why: dict[str, Any] | None) -> pages.Markup:
    rows = [(ENTRIES[place], *(f"{share:.0%}" for share in found.by_entry[place])) for place in range(8)]
    # Many rules end with the same number of kinds: they are spread a little, evenly.
    spread = (np.arange(len(atlas)) * 0.618034 % 1 - 0.5) * 0.03 * found.hidden
    kinds = pages.scatter(
        (atlas.kinds + spread).tolist(),
        atlas.mean.tolist(),
        fitness_colours(atlas, atlas.mean),
        title="Fitness of all rules",
        x_label="kinds of hidden neurons at the end of life",
        y_label="best fitness",
    )
    return pages.section(
        "Why rules fail",
        pages.paragraph(" ".join(collapse_words(atlas, found))),
        pages.figure([kinds]),
        pages.element("h3", "Share of rules that collapse, by entry"),
        pages.table(("entry", "−", "0", "+"), rows),
        *(_interventions(why) if why is not None else ()),
    )


def _interventions(why: dict[str, Any]) -> list[pages.Markup]:
    """What the interventions gave, as a part of the section. why: as `study_interventions` gives it."""
    named = [
        (
            rule_signs(row["rule"]),
            kind,
            *(f"{row[name]['mean']:z.1f} ± {row[name]['sem']:z.1f}" for name in INTERVENTIONS),
        )
        for kind, rows in why["named"].items()
        for row in rows
    ]
    drawn = []
    for kind, group in why["drawn"].items():
        for name in INTERVENTIONS:
            if name != "none":
                one = group[name]
                error = "" if one["change_sem"] is None else f" ± {one['change_sem']:z.1f}"
                change, counts = f"{one['change']:+z.1f}{error}", f"{one['rose']} / {one['fell']}"
                drawn.append((f"{group['rules']} {kind}", name, f"{one['mean']:z.1f}", change, counts))
    lines = [
        pages.Line("" if place else kind, why["moments"], row["kinds"], colour, dashed=kind == "collapsed")
        for kind, colour in (("diverse", "first"), ("collapsed", "second"))
        for place, row in enumerate(why["over_life"].get(kind, []))
    ]
    over_life = pages.line_chart(
        lines,
        title="Kinds of hidden neurons over a life",
        x_label="steps (log scale)",
        y_label="kinds of hidden neurons",
        from_zero=True,
        log_x=True,
    )
    meanings = "; ".join(f"{name}: {meaning}" for name, meaning in INTERVENTIONS.items() if name != "none")
    return [
        pages.element("h3", "Cause or correlation? The same rules with the collapse prevented or forced"),
        pages.paragraph(
            f"{meanings}. Noise: {why['noise_settings']}. All interventions use the same initial networks and worlds."
        ),
        *map(pages.paragraph, why_words(why)),
        pages.table(
            ("rule", "kind", *INTERVENTIONS),
            named,
            caption="Fitness of the best rules of each kind, ± standard error",
            words=(0, 1),
        ),
        pages.table(
            ("rules drawn at random", "intervention", "fitness", "change", "significantly better / worse"),
            drawn,
            caption="The mean change over rules, ± its standard error",
            words=(0, 1),
        ),
        pages.element("h3", "How fast it happens"),
        pages.figure([over_life], caption="The best rules that collapse (dashed) and the best that stay diverse."),
    ]


def why_words(why: dict[str, Any]) -> list[str]:
    """What the interventions say, from their figures."""
    words = []
    diverse, collapsed = why["drawn"].get("diverse"), why["drawn"].get("collapsed")
    if diverse:
        forced = diverse["born alike"]
        words.append(
            f"Forcing the collapse: of {diverse['rules']} randomly drawn diverse rules that learn, {forced['fell']} "
            f"get significantly worse when all neurons start alike ({forced['change']:+z.1f} on average, to "
            f"{forced['mean']:z.1f})."
        )
    if collapsed:
        prevented = collapsed["frozen"]
        words.append(
            f"Preventing it: of {collapsed['rules']} randomly drawn collapsing rules, {prevented['rose']} get "
            f"significantly better and {prevented['fell']} worse when the hidden layer is frozen "
            f"({prevented['change']:+z.1f} on average)."
        )
    best = why["named"].get("collapsed") or []
    if best:
        frozen = sum(row["frozen"]["change"] for row in best) / len(best)
        alike = sum(row["born alike"]["change"] for row in best) / len(best)
        words.append(
            f"The {len(best)} best collapsing rules change by {frozen:+z.1f} when the layer is frozen, and by "
            f"{alike:+z.1f} when it is collapsed from the start."
        )
    return words


# ---- the landscape -------------------------------------------------------------------------------


def landscape_words(atlas: Atlas, land: Landscape) -> list[str]:
    certain = int(land.certain.sum())
    tries = {count: random_search_regret(atlas, count) for count in (100, 1000)}
    return [
        f"Two rules are neighbours if they differ in one entry. {len(land.optima):,} rules score higher than all 16 "
        f"neighbours, but only {certain:,} of them significantly: the others lie on plateaus whose rules cannot be "
        "ranked with this many lifetimes.",
        f"Steepest ascent from a random rule takes {land.steps:z.1f} steps and reaches the best rule of all in "
        f"{land.reach_top:.0%} of cases; on average it ends {land.regret:z.1f} below it. The best of 100 randomly "
        f"drawn rules is {tries[100]:z.1f} below it, the best of 1,000 {tries[1000]:z.1f}, each at its best eta and "
        "measured without error.",
        f"Of the best rule’s 16 neighbours {len(land.close)} keep 90 % of its fitness, and {len(land.neutral)} "
        "do not differ from it significantly.",
    ]


def landscape_section(atlas: Atlas, land: Landscape, searched: Sequence[Searched] | None) -> pages.Markup:
    rows = [
        (
            rule_signs(Rule(int(index)).notation),
            f"{atlas.mean[index]:z.1f}",
            f"{int(atlas.ranks[index]):,}",
            f"{int(land.basins[place]):,} ({land.basins[place] / RULES:.1%})",
            "yes" if land.certain[place] else "no",
        )
        for place, index in enumerate(land.optima[:12])
    ]
    head = (
        "local optimum",
        "fitness",
        "rank",
        "rules whose ascent ends here",
        "significantly better than all neighbours",
    )
    parts = [*map(pages.paragraph, landscape_words(atlas, land)), pages.table(head, rows)]
    if searched is not None:
        parts.append(pages.element("h3", "What searches find"))
    if searched is not None and is_fair(atlas):
        found = [
            (
                done.search,
                f"{done.found_best} of {done.runs}",
                f"{done.regret:z.1f} ± {done.regret_sem:z.1f}",
                f"{done.lifetimes:,.0f}",
            )
            for done in searched
        ]
        caption = (
            "Searches run on scores drawn from this atlas instead of real lifetimes. Regret: how far the best rule "
            "found is below the best of all, ± standard error over runs"
        )
        columns = ("search", "runs that end at the best rule", "regret", "lifetimes a run")
        parts.append(pages.table(columns, found, caption=caption))
    elif searched is not None:
        parts.append(
            pages.paragraph(
                "Searches are not simulated on this atlas: under bad rules single lifetimes differ so much that drawn "
                "scores would make many of them look better than the best rule."
            )
        )
    return pages.section("The landscape", *parts)


# ---- output rules beside rules for both layers ---------------------------------------------------


def beside_section(atlas: Atlas) -> pages.Markup:
    """How the map changes when the hidden layer is frozen, where the other atlas is at hand."""
    other = shipped(atlas.task)
    if other is None:
        return pages.section(
            "Compared with rules for both layers", pages.paragraph("There is no atlas of rules for both layers.")
        )
    ahead, error, half = atlas.mean - other.mean, np.hypot(atlas.sem, other.sem), other.mean.max() / 2
    words = (
        f"The rank correlation of all {RULES:,} rules is {spearman(atlas.mean, other.mean):+z.2f}. "
        f"With the hidden layer frozen {int((ahead > 3 * error).sum()):,} rules score more and "
        f"{int((ahead < -3 * error).sum()):,} less by over three standard errors. {int((atlas.mean > half).sum()):,} "
        f"rules here and {int((other.mean > half).sum()):,} there score above {half:z.0f}, half of the best fitness in "
        "both layers."
    )
    rows = [
        (
            rule_signs(Rule(int(index)).notation),
            f"{atlas.mean[index]:z.1f} ± {atlas.sem[index]:z.1f}",
            f"{int(atlas.ranks[index]):,}",
            f"{other.mean[index]:z.1f} ± {other.sem[index]:z.1f}",
            f"{int(other.ranks[index]):,}",
        )
        for index in dict.fromkeys([*atlas.order[:8].tolist(), *other.order[:8].tolist()])
    ]
    figure_of_all = pages.scatter(
        other.mean.tolist(),
        atlas.mean.tolist(),
        fitness_colours(atlas, atlas.mean),
        title="Fitness of all rules",
        x_label="in both layers",
        y_label="in the output layer alone",
    )
    head = ("rule", "output layer alone", "rank", f"both layers ({other.about['hidden']} hidden)", "rank")
    return pages.section(
        "Compared with rules for both layers",
        pages.paragraph(words),
        pages.figure([figure_of_all]),
        pages.table(head, rows, caption="The eight best of either atlas, each rule at its best eta there"),
    )


# ---- the atlas that comes with the package ---------------------------------------------------------


def save_shipped_map(
    task: str, path: str | os.PathLike[str], layers: str = "same", hidden: int | None = None, playground: str = ""
) -> bool:
    """Write the map of a task's shipped atlas. layers, hidden: as in `Atlas.of`; playground: as in `map_html`

    Returns whether it has all its sections: where the analysis is missing, what depends on it is left out."""
    atlas = Atlas.of(task, layers, hidden)
    analysis = shipped_analysis(atlas)
    save_map(atlas, path, sections(atlas, *(analysis or (None, None))), playground=playground)
    return analysis is not None


def shipped_analysis(atlas: Atlas) -> tuple[dict[str, Any] | None, list[Searched]] | None:
    """What the interventions gave and what the searches found (see `sections`), where the package has them for this
    atlas. Where the hidden layer is frozen there are no interventions."""
    path = SHIPPED / f"analysis-{shipped_name(atlas.task, atlas.layers, atlas.about['hidden'])}.json"
    known: dict[str, Any] = json.loads(path.read_text(encoding="utf-8")) if path.is_file() else {}
    if known.get("digest") != atlas.about["digest"]:
        return None
    return known["why"], [Searched(**one) for one in known["searches"]]
