"""The charts of a study, for its page."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence

import numpy as np

from hebbarium.show.pages import Line, Markup, heat_map, line_chart
from hebbarium.show.pages.colours import season_colour
from hebbarium.studies.lifelong.long_life import LongLife
from hebbarium.studies.lifelong.works import WINDOW
from hebbarium.tools.statistics import reach

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


def ageing(lives: list[tuple[LongLife, str]]) -> Markup:
    return _by_season(lives, lambda life: life.lived.seasons.comparable, "Fitness of each season", "fitness")


def punished(lives: list[tuple[LongLife, str]]) -> Markup:
    return _by_season(lives, lambda life: life.lived.punished, "Punished choices in each season", "punished")


def _by_season(
    lives: list[tuple[LongLife, str]], values: Callable[[LongLife], np.ndarray], title: str, label: str
) -> Markup:
    lines = [
        band(life.subject.short, range(1, values(life).shape[1] + 1), values(life), colour) for life, colour in lives
    ]
    return line_chart(lines, title=title, x_label="season", y_label=label, from_zero=True)


def learning(lives: list[tuple[LongLife, str]]) -> Markup:
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


def fading(lives: list[tuple[LongLife, str]], measure: str) -> Markup:
    lines = [
        Line(life.subject.short, range(len(life.fading[measure])), life.fading[measure], colour)
        for life, colour in lives
        if life.subject.chosen is not None
    ]
    label = "neurons" if measure == "kinds_of_hidden" else "root mean square"
    return line_chart(lines, title=FADING[measure], x_label="seasons", y_label=label, from_zero=True)


def tempo(lives: list[tuple[LongLife, str]]) -> Markup:
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


def forgetting(lives: Sequence[LongLife]) -> Iterator[Markup]:
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
