"""Results as columns of a data frame: one row for each life and season, step, pair or value."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING, Any

import numpy as np

from hebbarium.tools.errors import BadInput, check_choice

if TYPE_CHECKING:
    from hebbarium.studies.compare import SideBySide
    from hebbarium.studies.live import Lives
    from hebbarium.studies.sweep import Swept
    from hebbarium.studies.trace import Trace

Columns = dict[str, Any]


def of_rows(rows: Iterable[Mapping[str, Any]]) -> Columns:
    """Rows with the same names, as columns."""
    whole = list(rows)
    return {name: [row[name] for row in whole] for name in whole[0]} if whole else {}


def of_lives(lives: Lives) -> Columns:
    """A row for each life and season."""
    count, seasons, _ = lives.counts.shape
    counts = {name: lives.counts[:, :, place].ravel() for place, name in enumerate(lives.task.counts)}
    return {
        "lifetime": np.repeat(np.arange(count), seasons),
        "season": list(lives.task.season_names) * count,
        **({"season_steps": lives.season_lengths.ravel()} if lives.task.season_lengths == "random" else {}),
        "fitness": lives.fitness.ravel(),
        **counts,
    }


def of_trace(life: Trace, what: str) -> Columns:
    """what: `steps`, a row for each step, or `snapshots`."""
    check_choice("table", what, ("steps", "snapshots"))
    if what == "snapshots":
        counts = {name: life.counts[:, place] for place, name in enumerate(life.task.counts)}
        return {"step": life.lived, **counts, "distinct_hidden": life.distinct_hidden}
    if not vars(life.steps):
        raise BadInput("this trace has no steps, because it was made with keep_steps=False; frame('snapshots') works.")
    spans = life.calendar.spans()
    seasons = np.repeat([place for place, _, _ in spans], [end - start for _, start, end in spans])
    return {"step": np.arange(life.task.steps), "season": seasons, **vars(life.steps)}


def of_comparison(result: SideBySide, what: str) -> Columns:
    """what: `lives`, a row for each life of each contender, or `pairs`."""
    check_choice("table", what, ("lives", "pairs"))
    if what == "pairs":
        return of_rows(
            {
                "a": pair.a,
                "b": pair.b,
                "difference": pair.difference.value,
                "low": pair.difference.low,
                "high": pair.difference.high,
                "wins": pair.wins,
                "rank_sum_p": pair.rank_sum_corrected,
                "signed_rank_p": pair.signed_rank_corrected,
            }
            for pair in result.pairs
        )
    many = len(result.contenders[0].fitness)
    return {
        "name": [contender.name for contender in result.contenders for _ in range(many)],
        "lifetime": np.tile(np.arange(many), len(result.contenders)),
        "fitness": np.concatenate([contender.fitness for contender in result.contenders]),
    }


def of_sweep(result: Swept) -> Columns:
    """A row for each life at each value, or pair of values."""
    points = result.points()
    many = len(points[0][1].counts)
    columns = {
        name: [values[place] for values, _ in points for _ in range(many)] for place, name in enumerate(result.axes)
    }
    return {
        **columns,
        "lifetime": np.tile(np.arange(many), len(points)),
        "fitness": np.concatenate([lives.life_fitness for _, lives in points]),
    }
