"""What the complete atlas says, in words, tables and figures: the sections of the page below the map."""

from __future__ import annotations

import html
import math
from collections.abc import Sequence
from typing import Any

from hebbarium.atlas.collapse import INTERVENTIONS, Collapse, look_for_collapse
from hebbarium.atlas.landscape import Landscape, random_search_regret, survey_landscape
from hebbarium.atlas.searched import search_atlas
from hebbarium.atlas.table import Atlas
from hebbarium.atlas.worth import Decomposition, decompose
from hebbarium.rule import RULES, Rule
from hebbarium.search.registry import SEARCHES
from hebbarium.words import situation

SEARCHED = tuple(name for name in ("genetic", "racing", "random") if name in SEARCHES)
"""Searches that are run on the atlas's figures."""
SITUATIONS = tuple(situation(place) for place in range(8))
SHORT = tuple(f"{'punished' if place < 4 else 'rewarded'} {place % 4:02b}" for place in range(8))


def sections(atlas: Atlas, why: dict[str, Any] | None = None) -> list[str]:
    """The sections as HTML. why: what the interventions gave, where they were made."""
    return [
        worth_section(decompose(atlas.mean, atlas.sem)),
        collapse_section(atlas, look_for_collapse(atlas), why),
        landscape_section(atlas, survey_landscape(atlas)),
    ]


def _section(title: str, *parts: str) -> str:
    return f"<section><h2>{html.escape(title)}</h2>\n" + "\n".join(parts) + "\n</section>"


def _p(text: str) -> str:
    return f"<p>{html.escape(text)}</p>"


def _table(head: Sequence[str], rows: Sequence[Sequence[str]], caption: str = "") -> str:
    title = f"<caption>{html.escape(caption)}</caption>" if caption else ""
    heads = "".join(f'<th scope="col">{html.escape(cell)}</th>' for cell in head)
    body = "".join("<tr>" + "".join(f"<td>{html.escape(cell)}</td>" for cell in row) + "</tr>" for row in rows)
    return (
        f'<div class="wide" tabindex="0"><table class="plain">{title}'
        f"<thead><tr>{heads}</tr></thead><tbody>{body}</tbody></table></div>"
    )


# ---- what each entry is worth ------------------------------------------------------------------


def worth_words(split: Decomposition) -> list[str]:
    shares, orders = split.shares(), split.orders()
    ranked = sorted(range(8), key=lambda place: -shares[place])
    first, second, last = ranked[0], ranked[1], ranked[-1]
    (pair, pair_share), *_ = split.strongest(2, 1)
    level = int(split.levels[first].argmax())
    return [
        f"Over all {RULES:,} rules the entry that matters most is “{SITUATIONS[first]}” ({shares[first]:.0%} of the "
        f"variance of the best fitness), then “{SITUATIONS[second]}” ({shares[second]:.0%}); the least is "
        f"“{SITUATIONS[last]}” ({shares[last]:.0%}). The best level of the first is {_sign(level)}: rules with it "
        f"average {split.levels[first][level]:.1f}, against {split.mean:.1f} over all.",
        f"Single entries alone explain {orders[0]:.0%} of the variance, pairs {orders[1]:.0%}, threes {orders[2]:.0%}, "
        f"four and more together {orders[3:].sum():.0%}. (Measuring with few lifetimes added "
        f"{split.noise / split.signal:.0%} to the variance; it is taken off.) The strongest pair is "
        f"“{SITUATIONS[pair[0]]}” with “{SITUATIONS[pair[1]]}” "
        f"({pair_share:.1%}).",
    ]


def _sign(level: int) -> str:
    return ("− (weaker)", "0 (no change)", "+ (stronger)")[level]


def worth_section(split: Decomposition) -> str:
    pairs = [(" × ".join(SHORT[place] for place in places), f"{share:.1%}") for places, share in split.strongest(2, 8)]
    return _section(
        "What each entry is worth",
        *map(_p, worth_words(split)),
        "<figure>" + _worth_figure(split) + "<figcaption>Left: each entry’s share of the variance of the best fitness "
        "over all rules (Shapley effects of the exact factorial decomposition; they add up to 100 %). Right: mean "
        "best fitness of all rules with that entry at −, 0, +.</figcaption></figure>",
        "<h3>Entries that work together</h3>",
        _table(("pair of entries", "share of variance"), pairs),
    )


def _worth_figure(split: Decomposition) -> str:
    shares, most = split.shares(), split.shares().max()
    low, high = split.levels.min(), split.levels.max()
    rows = []
    for place in range(8):
        y = 24 + 26 * place
        width = 230 * shares[place] / most
        rows.append(f'<text x="104" y="{y + 13}" text-anchor="end">{SHORT[place]}</text>')
        rows.append(f'<rect x="110" y="{y}" width="{width:.1f}" height="18" rx="3" fill="#2a788e"/>')
        rows.append(f'<text x="{116 + width:.1f}" y="{y + 13}">{shares[place]:.0%}</text>')
        rows += [_level_dot(split, place, level, y, low, high) for level in range(3)]
    axis = [
        f'<text x="{_across(value, low, high):.1f}" y="14" text-anchor="middle">{value:.1f}</text>'
        for value in (low, (low + high) / 2, high)
    ]
    label = "; ".join(f"{SHORT[place]} {shares[place]:.0%}" for place in range(8))
    return (
        f'<svg viewBox="0 0 720 240" role="img" aria-label="Shares of variance: {label}">{"".join(rows + axis)}</svg>'
    )


def _across(value: float, low: float, high: float) -> float:
    return 440 + 250 * (value - low) / (high - low or 1)


def _level_dot(split: Decomposition, place: int, level: int, y: int, low: float, high: float) -> str:
    x, fill = _across(split.levels[place][level], low, high), ("#b57a00", "#7a8594", "#0b66b5")[level]
    return (
        f'<circle cx="{x:.1f}" cy="{y + 9}" r="8.5" fill="{fill}"/>'
        f'<text x="{x:.1f}" y="{y + 13}" text-anchor="middle" style="fill:#fff;font-weight:700">{"−0+"[level]}</text>'
    )


# ---- why rules fail ------------------------------------------------------------------------------


def collapse_words(atlas: Atlas, found: Collapse) -> list[str]:
    collapsed, diverse = int(found.collapsed.sum()), int(found.diverse.sum())
    share = found.by_half
    words = [
        f"A network is born with {found.hidden} different hidden neurons. Under {collapsed:,} of the {RULES:,} rules "
        f"({collapsed / RULES:.0%}) they end, in nearly every life, as copies of a single one (to six digits); under "
        f"{diverse:,} rules all stay different.",
        f"Of the rules that change synapses on reward and on punishment {share[1, 1]:.0%} collapse, on reward only "
        f"{share[0, 1]:.0%}, on punishment only {share[1, 0]:.0%}. Over all rules the rank correlation of kinds of "
        f"neurons and fitness is {_coefficient(found.correlation)}; among those that act on reward "
        f"{_coefficient(found.acting)}.",
    ]
    for kind, index, any_such in (
        ("that collapse", found.best_collapsed, collapsed),
        ("that stay diverse", found.best_diverse, diverse),
    ):
        if any_such:
            row = atlas.row(index)
            words.append(f"The best of the rules {kind} is {row['rule']} (rank {row['rank']:,}, {row['mean']:.1f}).")
    return words


def _coefficient(value: float) -> str:
    return "undefined, since all are alike" if math.isnan(value) else f"{value:+.2f}"


def collapse_section(atlas: Atlas, found: Collapse, why: dict[str, Any] | None) -> str:
    rows = [(SITUATIONS[place], *(f"{share:.0%}" for share in found.by_entry[place])) for place in range(8)]
    parts = [
        _p(" ".join(collapse_words(atlas, found))),
        '<canvas id="scatter" width="1000" height="320" role="img" aria-label="Fitness of all rules over the number of '
        'kinds of hidden neurons at the end of life"></canvas>',
        "<h3>Share of rules that collapse, by entry</h3>",
        _table(("entry", "−", "0", "+"), rows),
    ]
    if why is not None:
        parts += _why_parts(why)
    return _section("Why rules fail", *parts)


def _why_parts(why: dict[str, Any]) -> list[str]:
    named = [
        (row["rule"].replace("-", "−"), kind, *(_figure(row[name]) for name in INTERVENTIONS))
        for kind, rows in why["named"].items()
        for row in rows
    ]
    drawn = [
        (f"{told['rules']} {kind}", name, f"{told[name]['mean']:.1f}", _change(told[name]), _rose(told, name))
        for kind, told in why["drawn"].items()
        for name in INTERVENTIONS
        if name != "none"
    ]
    meanings = "; ".join(f"{name}: {meaning}" for name, meaning in INTERVENTIONS.items() if name != "none")
    return [
        "<h3>Cause or coincidence? The same rules with the collapse broken, or forced</h3>",
        _p(f"{meanings}. Noise: {why['noise_settings']}. Every life meets the same newborn network and world in all."),
        *map(_p, why_words(why)),
        _table(("rule", "kind", *INTERVENTIONS), named, "Fitness of the best rules of either kind, ± standard error"),
        _table(
            ("rules drawn at random", "intervention", "fitness", "change", "rose / fell for certain"),
            drawn,
            "The mean change over rules, ± its standard error",
        ),
        "<h3>How fast it happens</h3>",
        "<figure>" + _life_figure(why) + "<figcaption>Kinds of hidden neurons over a life (log steps): the best rules "
        "that collapse (amber, dashed) and the best that stay diverse (blue).</figcaption></figure>",
    ]


def why_words(why: dict[str, Any]) -> list[str]:
    """What the interventions say, from their figures."""
    words = []
    diverse, collapsed = why["drawn"].get("diverse"), why["drawn"].get("collapsed")
    if diverse:
        told = diverse["born alike"]
        words.append(
            f"Force the collapse: of {diverse['rules']} diverse rules that learn, drawn at random, {told['fell']} fall "
            f"for certain when their neurons are born alike ({told['change']:+.1f} on average, to {told['mean']:.1f})."
        )
    if collapsed:
        told = collapsed["frozen"]
        words.append(
            f"Prevent it: of {collapsed['rules']} collapsing rules, drawn at random, {told['rose']} rise and "
            f"{told['fell']} fall for certain when the hidden layer is frozen ({told['change']:+.1f} on average)."
        )
    best = why["named"].get("collapsed") or []
    if best:
        frozen = sum(row["frozen"]["change"] for row in best) / len(best)
        alike = sum(row["born alike"]["change"] for row in best) / len(best)
        words.append(
            f"The {len(best)} best collapsing rules change by {frozen:+.1f} when the layer is frozen, and by "
            f"{alike:+.1f} when it is collapsed from birth."
        )
    return words


def _figure(lived: dict[str, float]) -> str:
    return f"{lived['mean']:.1f} ± {lived['sem']:.1f}"


def _change(told: dict[str, Any]) -> str:
    return f"{told['change']:+.1f}" + (f" ± {told['change_sem']:.1f}" if told["change_sem"] is not None else "")


def _rose(told: dict[str, Any], name: str) -> str:
    return f"{told[name]['rose']} / {told[name]['fell']}"


def _life_figure(why: dict[str, Any]) -> str:
    moments = why["moments"]
    rows = [row["kinds"] for rows in why["over_life"].values() for row in rows]
    most = max((max(row) for row in rows), default=1.0)
    span = math.log(moments[-1] / moments[0]) or 1.0

    def x(moment: float) -> float:
        return 40 + 660 * math.log(moment / moments[0]) / span

    parts = []
    for kind, style in (("diverse", 'stroke="#0b66b5"'), ("collapsed", 'stroke="#b57a00" stroke-dasharray="6 4"')):
        for row in why["over_life"].get(kind, []):
            points = " ".join(
                f"{x(moment):.1f},{180 - 160 * value / most:.1f}"
                for moment, value in zip(moments, row["kinds"], strict=True)
            )
            line = f'<polyline points="{points}" fill="none" stroke-width="2" {style}>'
            parts.append(f"{line}<title>{row['rule']}</title></polyline>")
    ticks = [f'<text x="{x(moment):.1f}" y="200" text-anchor="middle">{moment:,}</text>' for moment in moments[::2]]
    scale = [
        f'<text x="34" y="{184 - 160 * value / most:.0f}" text-anchor="end">{value:.0f}</text>' for value in (1, most)
    ]
    return (
        '<svg viewBox="0 0 720 206" role="img" aria-label="Kinds of hidden neurons over a life">'
        f"{''.join(parts + ticks + scale)}</svg>"
    )


# ---- the landscape -------------------------------------------------------------------------------


def landscape_words(atlas: Atlas, land: Landscape) -> list[str]:
    certain = int(land.certain.sum())
    tries = {count: random_search_regret(atlas, count) for count in (100, 1000)}
    return [
        f"Take a rule as a place and one changed entry as a step. {len(land.optima):,} rules are better than all 16 "
        f"neighbours as measured, but only {certain:,} of them for certain: the rest lie on plains that few "
        "lifetimes cannot order.",
        f"A steepest climb from a random rule takes {land.steps:.1f} steps and ends at the best of all in "
        f"{land.reach_top:.0%} of cases; on average it ends {land.regret:.1f} below. The best of 100 rules drawn at "
        f"random lies {tries[100]:.1f} below, of 1,000 {tries[1000]:.1f}, each at its best eta and judged without "
        "error.",
        f"Of the best rule’s 16 neighbours {len(land.close)} keep nine tenths of its fitness and {len(land.neutral)} "
        "cannot be told from it.",
    ]


def landscape_section(atlas: Atlas, land: Landscape) -> str:
    rows = [
        (
            Rule(int(index)).notation.replace("-", "−"),
            f"{atlas.mean[index]:.1f}",
            f"{int(atlas.ranks[index]):,}",
            f"{int(land.basins[place]):,} ({land.basins[place] / RULES:.1%})",
            "yes" if land.certain[place] else "no",
        )
        for place, index in enumerate(land.optima[:12])
    ]
    head = ("local optimum", "fitness", "rank", "rules whose climb ends here", "beats all neighbours for certain")
    return _section("The landscape", *map(_p, landscape_words(atlas, land)), _table(head, rows), *_searches(atlas))


def _searches(atlas: Atlas) -> list[str]:
    told = [search_atlas(atlas, name, runs=20) for name in SEARCHED]
    rows = [
        (
            done.search,
            f"{done.found_best} of {done.runs}",
            f"{done.regret:.1f} ± {done.regret_sem:.1f}",
            f"{done.lifetimes:,.0f}",
        )
        for done in told
    ]
    head = ("search", "runs that end at the best rule", "regret", "lifetimes a run")
    caption = (
        "Searches told scores that are drawn from this atlas (a stand-in for lifetimes); regret is how far below the "
        "best rule their own best lies, ± standard error over runs"
    )
    return ["<h3>What searches find</h3>", _table(head, rows, caption)]
