"""How results show themselves in a notebook, made with the kit of the pages."""

from __future__ import annotations

from typing import TYPE_CHECKING

from hebbarium.show.pages import Line, Markup, heat_map, line_chart, paragraph, table
from hebbarium.show.pages.colours import season_colour
from hebbarium.show.pages.skeleton import notebook, picture
from hebbarium.tools.errors import option_name, shown_setting

if TYPE_CHECKING:
    from hebbarium.studies.compare import SideBySide
    from hebbarium.studies.live import Lives
    from hebbarium.studies.sweep import Grid, Sweep
    from hebbarium.studies.trace import Trace
    from hebbarium.tools.statistics import Estimate

COLOURS = ("green", "blue", "grey", "first", "second", "third")


def of_lives(lives: Lives) -> str:
    """Mean and standard deviation season by season, as `hebbarium live` prints them."""
    rows = []
    result, columns = lives.summary(), ["fitness", *lives.task.counts]
    for season in result["seasons"]:
        pairs = [season.get("usual_length", season)[column] for column in columns]
        shown = [f"{one['mean']:z.1f} ({'-' if one['std'] is None else format(one['std'], 'z.1f')})" for one in pairs]
        rows.append([season["season"], *shown])
    fitness, task = result["fitness"], lives.task
    length = f" in {task.season_steps:,} steps" if task.season_lengths == "random" and len(lives.counts) > 2 else ""
    error = "" if fitness["sem"] is None else f" ± {fitness['sem']:z.2f} (standard error)"
    many = f"{len(lives.counts)} lifetimes, seed {lives.seed}"
    return notebook(
        f"{lives.task.label}, {lives.who}, {many}",
        table([f"mean (std){length}", *columns], rows),
        paragraph(f"fitness {fitness['mean']:z.2f}{error}"),
    )


def of_trace(life: Trace) -> str:
    """What was counted since birth, the seasons behind it."""
    lines = [
        Line(name, life.lived, life.counts[:, place], COLOURS[place % len(COLOURS)])
        for place, name in enumerate(life.task.counts)
    ]
    kinds = life.task.season_kinds
    seasons = [(start, end, season_colour(kinds[place])) for place, start, end in life.calendar.spans()]
    words = f"{life.task.label}, rule {life.rule.short_text}, seed {life.seed}, trial {life.trial}"
    chart = line_chart(lines, title="One life", x_label="step", y_label="counted since birth", seasons=seasons)
    return notebook(words, picture(chart, "Counts since birth over one life"))


def of_comparison(result: SideBySide) -> str:
    """Who scored what, and every pair."""
    scores = [(one.name, _value(one.estimate), _interval(one.estimate)) for one in result.contenders]
    pairs = [
        (f"{pair.a} minus {pair.b}", f"{pair.difference.value:+z.2f}", _interval(pair.difference), f"{pair.wins:.0%}",
         f"{pair.signed_rank_corrected:.2g}")
        for pair in result.pairs
    ]  # fmt: skip
    many = len(result.contenders[0].fitness)
    neurons = "" if result.hidden is None else f", {shown_setting(result.hidden)} hidden neurons"
    return notebook(
        f"{result.task.label}, {many} lifetimes each{neurons}, seed {result.seed}",
        table(("rule or agent", "fitness", "95 % interval"), scores),
        table(("pair", "difference", "95 % interval", "wins", "signed-rank p"), pairs),
        paragraph("p-values are FDR-corrected."),
    )


def of_sweep(result: Sweep) -> str:
    rows = [
        (str(value), _value(estimate), _interval(estimate))
        for value, estimate in zip(result.values, result.estimates(), strict=True)
    ]
    lives = result.lives[0]
    return notebook(
        f"{result.task.label}, {_who(lives)}, {len(lives.counts)} lifetimes each, seed {lives.seed}",
        table((option_name(result.over), "fitness", "95 % interval"), rows),
    )


def _who(lives: Lives) -> str:
    return lives.who if lives.rule is None else f"rule {lives.rule.short_text}"


def of_grid(result: Grid) -> str:
    lives = result.lives[0][0]
    words = f"{result.task.label}, {_who(lives)}, {len(lives.counts)} lifetimes each, seed {lives.seed}"
    return notebook(words, picture(grid_chart(result), "Mean fitness as a heat map"))


def grid_chart(result: Grid) -> Markup:
    means, (first, second) = result.means(), result.over
    return heat_map(
        means,
        title="Mean fitness",
        x_label=option_name(second),
        y_label=option_name(first),
        x_names=[str(value) for value in result.values[1]],
        y_names=[str(value) for value in result.values[0]],
        low=float(means.min()),
        high=float(means.max()),
        show="{:z.1f}",
    )


def _value(estimate: Estimate) -> str:
    return f"{estimate.value:z.2f}"


def _interval(estimate: Estimate) -> str:
    return f"{estimate.low:z.2f} to {estimate.high:z.2f}"
