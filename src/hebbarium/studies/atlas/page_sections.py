"""What the complete atlas says, in words, tables and figures: the sections of the page below the map.

Of the atlases that come with the package, what takes long to compute comes with them, too (`benchmarks/analysis.py`
computes it), so that their pages are written at once.
"""

from __future__ import annotations

import json
import math
import os
from collections.abc import Sequence
from typing import Any

import numpy as np

from hebbarium.brains.sizes import sizes_of
from hebbarium.rules.rule import RULES, SYMBOLS, Rule
from hebbarium.rules.words import situation
from hebbarium.show.pages import (
    Line,
    Mark,
    Markup,
    bar_chart,
    dot_plot,
    element,
    figure,
    line_chart,
    paragraph,
    scatter,
    section,
    table,
)
from hebbarium.show.pages.rules import CHANGES, rule_signs, signed
from hebbarium.studies.atlas.collapse import INTERVENTIONS, Collapse, look_for_collapse
from hebbarium.studies.atlas.entry_effects import Decomposition, decompose
from hebbarium.studies.atlas.landscape import Landscape, Searched, is_fair, random_search_regret, survey_landscape
from hebbarium.studies.atlas.page import fitness_colours, save_map
from hebbarium.studies.atlas.table import SHIPPED, Atlas, shipped, shipped_name

SITUATIONS = tuple(situation(place) for place in range(8))


def sections(
    atlas: Atlas, why: dict[str, Any] | None = None, searched: Sequence[Searched] | None = None
) -> list[Markup]:
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
        f"Over all {RULES:,} rules the entry that matters most is “{SITUATIONS[first]}” ({shares[first]:.0%} of the "
        f"variance of the best fitness), then “{SITUATIONS[second]}” ({shares[second]:.0%}); the least is "
        f"“{SITUATIONS[last]}” ({shares[last]:.0%}). The best value of “{SITUATIONS[first]}” is {sign}: rules "
        f"with it average {split.levels[first][level]:z.1f}, compared with {split.mean:z.1f} over all rules.",
        f"Single entries alone explain {orders[0]:.0%} of the variance, pairs {orders[1]:.0%}, triples "
        f"{orders[2]:.0%}, and larger groups together {orders[3:].sum():.0%}. (Measurement noise adds "
        f"{split.noise / split.signal:.0%} to the variance and has been subtracted.) The strongest pair is "
        f"“{SITUATIONS[pair[0]]}” with “{SITUATIONS[pair[1]]}” ({pair_share:.1%}).",
    ]


def worth_section(split: Decomposition) -> Markup:
    pairs = [
        (" × ".join(SITUATIONS[place] for place in places), f"{share:.1%}") for places, share in split.strongest(2, 8)
    ]
    shares = [(SITUATIONS[place], float(share)) for place, share in enumerate(split.shares())]
    looks = [(CHANGES[entry] if entry else "grey", signed(SYMBOLS[entry + 1])) for entry in CHANGES]
    levels = [
        (name, [Mark(float(mean), look, sign=sign) for mean, (look, sign) in zip(means, looks, strict=True)])
        for name, means in zip(SITUATIONS, split.levels, strict=True)
    ]
    return section(
        "What each entry is worth",
        *map(paragraph, worth_words(split)),
        figure(
            [
                bar_chart(shares, title="Share of the variance of the best fitness", show="{:.0%}"),
                dot_plot(levels, title="Mean best fitness of rules with −, 0 or +", x_label="fitness", reach=()),
            ],
            caption="The bars show each entry’s share of the variance over all rules (Shapley effects of the exact "
            "factorial decomposition; they add up to 100 %). The dots show the mean over all rules with that entry at "
            "−, 0 or +.",
        ),
        element("h3", "Entries that work together"),
        table(("pair of entries", "share of variance"), pairs),
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


def collapse_section(atlas: Atlas, found: Collapse, why: dict[str, Any] | None) -> Markup:
    rows = [(SITUATIONS[place], *(f"{share:.0%}" for share in found.by_entry[place])) for place in range(8)]
    # Many rules end with the same number of kinds: they are spread a little, evenly.
    spread = (np.arange(len(atlas)) * 0.618034 % 1 - 0.5) * 0.03 * found.hidden
    kinds = scatter(
        (atlas.kinds + spread).tolist(),
        atlas.mean.tolist(),
        fitness_colours(atlas, atlas.mean),
        title="Fitness of all rules",
        x_label="kinds of hidden neurons at the end of life",
        y_label="best fitness",
    )
    return section(
        "Why rules fail",
        paragraph(" ".join(collapse_words(atlas, found))),
        figure([kinds]),
        element("h3", "Share of rules that collapse, by entry"),
        table(("entry", "−", "0", "+"), rows),
        *(_interventions(why) if why is not None else ()),
    )


def _interventions(why: dict[str, Any]) -> list[Markup]:
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
        Line("" if place else kind, why["moments"], row["kinds"], colour, dashed=kind == "collapsed")
        for kind, colour in (("diverse", "first"), ("collapsed", "second"))
        for place, row in enumerate(why["over_life"].get(kind, []))
    ]
    over_life = line_chart(
        lines,
        title="Kinds of hidden neurons over a life",
        x_label="steps (log scale)",
        y_label="kinds of hidden neurons",
        from_zero=True,
        log_x=True,
    )
    meanings = "; ".join(f"{name}: {meaning}" for name, meaning in INTERVENTIONS.items() if name != "none")
    return [
        element("h3", "Cause or correlation? The same rules with the collapse prevented or forced"),
        paragraph(
            f"{meanings}. Noise: {why['noise_settings']}. All interventions use the same initial networks and worlds."
        ),
        *map(paragraph, why_words(why)),
        table(
            ("rule", "kind", *INTERVENTIONS),
            named,
            caption="Fitness of the best rules of each kind, ± standard error",
            words=(0, 1),
        ),
        table(
            ("rules drawn at random", "intervention", "fitness", "change", "significantly better / worse"),
            drawn,
            caption="The mean change over rules, ± its standard error",
            words=(0, 1),
        ),
        element("h3", "How fast it happens"),
        figure([over_life], caption="The best rules that collapse (dashed) and the best that stay diverse."),
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


def landscape_section(atlas: Atlas, land: Landscape, searched: Sequence[Searched] | None) -> Markup:
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
    parts = [*map(paragraph, landscape_words(atlas, land)), table(head, rows)]
    if searched is not None:
        parts.append(element("h3", "What searches find"))
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
        parts.append(table(columns, found, caption=caption))
    elif searched is not None:
        parts.append(
            paragraph(
                "Searches are not simulated on this atlas: under bad rules single lifetimes differ so much that drawn "
                "scores would make many of them look better than the best rule."
            )
        )
    return section("The landscape", *parts)


# ---- output rules beside rules for both layers ---------------------------------------------------


def beside_section(atlas: Atlas) -> Markup:
    """How the map changes when the hidden layer is frozen, where the other atlas is at hand."""
    from scipy.stats import spearmanr

    other = shipped(atlas.task)
    if other is None:
        return section("Compared with rules for both layers", paragraph("There is no atlas of rules for both layers."))
    ahead, error, half = atlas.mean - other.mean, np.hypot(atlas.sem, other.sem), other.mean.max() / 2
    words = (
        f"The rank correlation of all {RULES:,} rules is {float(spearmanr(atlas.mean, other.mean).statistic):+z.2f}. "
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
    figure_of_all = scatter(
        other.mean.tolist(),
        atlas.mean.tolist(),
        fitness_colours(atlas, atlas.mean),
        title="Fitness of all rules",
        x_label="in both layers",
        y_label="in the output layer alone",
    )
    head = ("rule", "output layer alone", "rank", f"both layers ({other.about['hidden']} hidden)", "rank")
    return section(
        "Compared with rules for both layers",
        paragraph(words),
        figure([figure_of_all]),
        table(head, rows, caption="The eight best of either atlas, each rule at its best eta there"),
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
