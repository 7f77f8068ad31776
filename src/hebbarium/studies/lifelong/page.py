"""A study as one page that needs nothing else."""

from __future__ import annotations

from typing import TYPE_CHECKING

from hebbarium.show.pages import (
    Markup,
    bullets,
    details,
    element,
    figure,
    header,
    join,
    page,
    paragraph,
    section,
    table,
)
from hebbarium.studies.lifelong import charts
from hebbarium.studies.lifelong.measures import Value
from hebbarium.tools.errors import settings_in_words, shown_setting

if TYPE_CHECKING:
    from hebbarium.studies.lifelong.study import Lifelong

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
    size, highest = len(charts.COLOURS), charts.highest_test(lives)
    fading = []
    for start in range(0, len(networks), size):
        group = list(zip(networks[start : start + size], charts.COLOURS, strict=False))
        fading.append(figure([charts.fading(group, name) for name in charts.FADING]))
    tests = (
        "Fitness of the network, frozen, in each kind of season: the deeper the teal the better, white is 0, "
        f"orange is below 0; the strongest colours are {highest:z.0f} and -{highest:z.0f}."
    )
    seasons = list(zip(study.plan.world.season_names, *(life.recovery for life in lives), strict=True))
    heads = ["season", *(life.subject.short for life in lives)]
    steps = [[name, *(shown(one.steps, "{:,.0f}") for one in row)] for name, *row in seasons]
    punished = [[name, *(shown(one.punished, "{:,.0f}") for one in row)] for name, *row in seasons]
    return page(
        f"{TITLE} {experiment.world.label}",
        header(TITLE, f"Long lives on {experiment.world.label}: {', '.join(about)}."),
        element(
            "main",
            section("At a glance", _overview(study), details("What the words mean", bullets(MEANING))),
            section(
                "Ageing",
                figure([*charts.drawn(lives, charts.ageing), *charts.drawn(lives, charts.punished)]),
                paragraph(
                    "How the networks change: root mean squares over neurons, and the number of kinds of hidden "
                    "neurons (neurons whose weights agree to six digits are of one kind)."
                ),
                *fading,
            ),
            section(
                "Learning a season",
                figure(charts.drawn(lives, charts.learning)),
                details("Steps of recovery in each season", table(heads, steps)),
                details("Punished choices in each season", table(heads, punished)),
            ),
            section("What is retained", figure(list(charts.forgetting(lives)), caption=tests), _retained(study)),
            section("Tempo", figure(charts.drawn(lives, charts.tempo))),
        ),
    )


def shown(value: Value | None, form: str) -> str:
    """With its interval."""
    if value is None or value.value is None:
        return "-" if value is None or value.why is None else value.why
    low, high = (None if end is None else form.format(end) for end in (value.low, value.high))
    return form.format(value.value) + (f" ({low} to {high})" if low and high else "")


def _overview(study: Lifelong) -> Markup:
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
    return table(columns, rows, caption="95 % intervals in brackets")


def _retained(study: Lifelong) -> Markup:
    """Rows are measures."""
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
        [join(name, element("small", SHORTLY[name.partition(",")[0]])), *(column[name] for column in columns)]
        for name in columns[0]
    ]
    return table(["measure", *(life.subject.short for life in study.lives)], rows)
