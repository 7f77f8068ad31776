"""The page of a study of long lives, a single file: an overview, then ageing, recovery, what is retained, and tempo."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import TYPE_CHECKING

import numpy as np

from hebbarium.show import pages
from hebbarium.show.pages import Line, Markup, heat_map, line_chart
from hebbarium.show.pages.colours import season_colour
from hebbarium.studies.lifelong.long_life import LongLife
from hebbarium.studies.lifelong.measures import Value
from hebbarium.studies.lifelong.works import WINDOW
from hebbarium.tools.errors import settings_in_words, shown_setting
from hebbarium.tools.statistics import reach

if TYPE_CHECKING:
    from hebbarium.studies.lifelong.study import Lifelong

COLOURS = ("first", "second", "third", "near", "grey")
"""As many lines as one chart can hold."""
FIRST = 4
"""Seasons whose learning is drawn window by window: those of the paper's life."""
FADING = {
    "hidden_bias": "Bias of the hidden neurons",
    "output_bias": "Bias of the outputs",
    "output_norm": "Other weights of the outputs",
    "kinds_of_hidden": "Kinds of hidden neurons",
}


def drawn(lives: Sequence[LongLife], chart: Callable[[list[tuple[LongLife, str]]], Markup]) -> list[Markup]:
    """One chart, or several where there are many lives."""
    groups = (lives[start : start + len(COLOURS)] for start in range(0, len(lives), len(COLOURS)))
    return [chart(list(zip(group, COLOURS, strict=False))) for group in groups]


def band(name: str, x: Sequence[float], values: np.ndarray, colour: str) -> Line:
    """The mean over lives and its 95 % interval. values: [life, point], nan where a life has none"""
    lives = np.isfinite(values).sum(axis=0)
    drawn = lives > 1
    mean = np.nanmean(values[:, drawn], axis=0)
    half = reach(len(values)) * np.nanstd(values[:, drawn], axis=0, ddof=1) / np.sqrt(lives[drawn])
    return Line(name, np.asarray(x)[drawn].tolist(), mean, colour, mean - half, mean + half)


def ageing_chart(lives: list[tuple[LongLife, str]]) -> Markup:
    return _by_season(lives, lambda life: life.lived.seasons.comparable, "Fitness of each season", "fitness")


def punished_chart(lives: list[tuple[LongLife, str]]) -> Markup:
    return _by_season(lives, lambda life: life.lived.punished, "Punished choices in each season", "punished")


def _by_season(
    lives: list[tuple[LongLife, str]], values: Callable[[LongLife], np.ndarray], title: str, label: str
) -> Markup:
    lines = [
        band(life.subject.short, range(1, values(life).shape[1] + 1), values(life), colour) for life, colour in lives
    ]
    return line_chart(lines, title=title, x_label="season", y_label=label, from_zero=True)


def learning_chart(lives: list[tuple[LongLife, str]]) -> Markup:
    """Fitness window by window in the first seasons."""
    world = lives[0][0].subject.world
    seasons = min(FIRST, world.seasons)
    ends = np.cumsum(np.tile(lives[0][0].unlearned.widths, seasons))
    lines = [
        band(
            life.subject.short,
            ends.tolist(),
            (life.lived.seasons.rates[:, :seasons] * life.unlearned.widths).reshape(len(life.lived.fitness), -1),
            colour,
        )
        for life, colour in lives
    ]
    return line_chart(
        lines,
        title="Learning the first seasons",
        x_label="steps of each season, one after the other" if world.own_seasons else "step of life",
        y_label=f"fitness in {WINDOW} steps",
        seasons=[
            (season * world.season_steps, (season + 1) * world.season_steps, season_colour(world.season_kinds[season]))
            for season in range(seasons)
        ],
    )


def fading_chart(lives: list[tuple[LongLife, str]], measure: str) -> Markup:
    lines = [
        Line(life.subject.short, range(len(life.fading[measure])), life.fading[measure], colour)
        for life, colour in lives
        if life.subject.chosen is not None
    ]
    label = "neurons" if measure == "kinds_of_hidden" else "root mean square"
    return line_chart(lines, title=FADING[measure], x_label="seasons", y_label=label, from_zero=True)


def tempo_chart(lives: list[tuple[LongLife, str]]) -> Markup:
    lines = [
        band(life.subject.short, list(life.lived.tempo), np.stack(list(life.lived.tempo.values()), axis=1), colour)
        for life, colour in lives
    ]
    return line_chart(
        lines, title="Tempo", x_label="steps of a season", y_label="fitness per 5,000 steps", from_zero=True, log_x=True
    )


def highest_test(lives: Sequence[LongLife]) -> float:
    """The largest mean fitness of a test, of either sign."""
    return max(float(np.abs(life.forgetting).max()) for life in lives) or 1.0


def forgetting_maps(lives: Sequence[LongLife]) -> Iterator[Markup]:
    """The frozen network's fitness in each kind of season, after each season."""
    highest = highest_test(lives)
    for life in lives:
        values = life.forgetting.T
        yield heat_map(
            values,
            title=life.subject.short,
            x_label="seasons before the test",
            y_label="",
            x_names=[str(moment) if moment % 4 == 0 else "" for moment in range(values.shape[1])],
            y_names=life.subject.world.kinds,
            high=highest,
        )


TITLE = "Does it keep learning?"
MEANING = (
    "Recovery: steps from the beginning of a season to the end of the first window of 250 steps in which the mean "
    "rate of fitness of all lives reaches r0 + 0.9 (rL - r0). r0 is the random agent's rate, rL the rate in the "
    "last fifth of the first season of that kind. Nothing was learned if rL does not differ significantly (5 % level) "
    "from the rate of the random agent, or from that of the same newborn networks, frozen.",
    "Savings: how much shorter, in per cent, recovery is in the second season of a kind than in the first; negative if "
    "it is longer.",
    "Forgetting: after each season the network is frozen and tested in one season of each kind, always in the "
    "same fresh worlds. Backward and forward transfer are those of Lopez-Paz and Ranzato (2017), as differences of "
    "fitness: how tests in kinds learned earlier have changed since, and how much better than at birth the network "
    "does in a kind it has not seen yet.",
    "Performance maintenance, performance recovery, relative performance and sample efficiency are those of New, "
    "Baker, Nguyen and Vallabha (2022): how much of a kind is retained during seasons of the others; by how many "
    "steps recovery gets shorter with each further season of a kind; fitness compared with a life of that season "
    "alone; the late rate and the steps of recovery, both relative to that life.",
    "Ageing: late over young is the fitness of the last seasons over that of the first. Fallen to half: the first "
    "season with at most half of the young fitness of its kind. Where seasons have random lengths, fitness is for the "
    "usual length: what their own lengths add or take away is left out.",
    "Tempo: lives of 40,000 steps, cut into seasons of different lengths.",
    "Intervals are at the 95 % level: Student's for means, by bootstrap over lives for everything else.",
)

SHORTLY = {
    "backward transfer": "change of what was learned earlier, through later seasons",
    "forward transfer": "gain in a kind not seen yet, over a newborn network",
    "performance maintenance": "change of a kind during seasons of the others",
    "savings": "how much shorter recovery is the second time",
    "relative performance": "fitness over that of a life of this season alone",
    "sample efficiency": "late rate and steps of recovery over those of such a life",
    "performance recovery": "change of recovery with each further season",
}
"""Below the name of each measure: `MEANING` in a few words."""


def study_html(study: Lifelong) -> str:
    """The page of a study: an overview, then ageing, recovery, what is retained, and tempo."""
    experiment, lives = study.plan.experiment, study.lives
    about = [f"{shown_setting(experiment.brain.hidden)} hidden neurons", f"{experiment.lifetimes:,} lifetimes each"]
    about += [f"{experiment.world.seasons} seasons", f"seed {experiment.seed}"]
    changed = {name: value for name, value in experiment.changed_settings().items() if name != "seasons"}
    about += [settings_in_words(changed)] if changed else []
    networks = [life for life in lives if life.subject.chosen is not None]
    highest = highest_test(lives)
    fading = drawn(networks, lambda group: pages.figure([fading_chart(group, name) for name in FADING]))
    tests = (
        "Fitness of the network, frozen, in each kind of season: the deeper the teal the better, white is 0, "
        f"orange is below 0; the strongest colours are {highest:z.0f} and -{highest:z.0f}."
    )
    seasons = list(zip(study.plan.world.season_names, *(life.recovery for life in lives), strict=True))
    heads = ["season", *(life.subject.short for life in lives)]
    steps = [[name, *(shown(one.steps, "{:,.0f}") for one in row)] for name, *row in seasons]
    punished = [[name, *(shown(one.punished, "{:,.0f}") for one in row)] for name, *row in seasons]
    return pages.page(
        f"{TITLE} {experiment.world.label}",
        pages.header(TITLE, f"Long lives on {experiment.world.label}: {', '.join(about)}."),
        pages.element(
            "main",
            pages.section(
                "At a glance", _overview(study), pages.details("What the words mean", pages.bullets(MEANING))
            ),
            pages.section(
                "Ageing",
                pages.figure([*drawn(lives, ageing_chart), *drawn(lives, punished_chart)]),
                pages.paragraph(
                    "How the networks change: root mean squares over neurons, and the number of kinds of hidden "
                    "neurons (neurons whose weights agree to six digits are of one kind)."
                ),
                *fading,
            ),
            pages.section(
                "Learning a season",
                pages.figure(drawn(lives, learning_chart)),
                pages.details("Steps of recovery in each season", pages.table(heads, steps)),
                pages.details("Punished choices in each season", pages.table(heads, punished)),
            ),
            pages.section(
                "What is retained", pages.figure(list(forgetting_maps(lives)), caption=tests), _retained(study)
            ),
            pages.section("Tempo", pages.figure(drawn(lives, tempo_chart))),
        ),
    )


def shown(value: Value | None, form: str) -> str:
    """A measure with its interval, or why there is none."""
    if value is None or value.value is None:
        return "-" if value is None or value.why is None else value.why
    low, high = (None if end is None else form.format(end) for end in (value.low, value.high))
    return form.format(value.value) + (f" ({low} to {high})" if low and high else "")


def _overview(study: Lifelong) -> pages.Markup:
    """The table of young and late fitness."""
    young, late = study.plan.young_and_late
    rows = [
        [
            life.subject.name,
            shown(life.young, "{:z.1f}"),
            shown(life.late, "{:z.1f}"),
            shown(life.late_over_young, "{:z.2f}"),
            life.half_life.why or f"season {life.half_life.value:z.0f}",
            shown(life.recovery[0].steps, "{:,.0f}"),
        ]
        for life in study.lives
    ]
    columns = [
        "rule",
        f"fitness, seasons {young}",
        f"seasons {late}",
        "late over young",
        "fallen to half",
        "steps to learn the first season",
    ]
    return pages.table(columns, rows, caption="95 % intervals in brackets")


def _retained(study: Lifelong) -> pages.Markup:
    """The table of what is retained; its rows are measures."""
    columns = []
    for life in study.lives:
        column = {name.replace("_", " "): shown(value, "{:+z.1f}") for name, value in life.transfer.items()}
        slopes = {kind: Value(slope) for kind, slope in life.performance_recovery.items()}
        for name, by_kind, form in (
            ("savings", life.savings, "{:+.0%}"),
            ("relative performance", life.relative_performance, "{:z.2f}"),
            ("sample efficiency", life.sample_efficiency, "{:z.2f}"),
            ("performance recovery", slopes, "{:+,.0f} steps"),
        ):
            column |= {f"{name}, {kind}": shown(value, form) for kind, value in by_kind.items()}
        columns.append(column)
    rows = [
        [
            pages.join(name, pages.element("small", SHORTLY[name.partition(",")[0]])),
            *(column[name] for column in columns),
        ]
        for name in columns[0]
    ]
    return pages.table(["measure", *(life.subject.short for life in study.lives)], rows)
