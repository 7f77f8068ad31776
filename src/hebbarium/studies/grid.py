"""Two settings at once, every value of one with every value of the other."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from hebbarium.experiment import Experiment, check_lifetimes
from hebbarium.rules.layered import RuleLike
from hebbarium.rules.rule import AnyRule
from hebbarium.studies.engine import Kernels, Lab, Study
from hebbarium.studies.etas import Chosen
from hebbarium.studies.live import Lives, LiveStudy
from hebbarium.studies.sweep import Value, checked_over, experiment_at, value_of
from hebbarium.tools.errors import BadInput, option_name
from hebbarium.worlds.base import World


@dataclass(frozen=True, repr=False)
class Grid:
    """What `hebbarium sweep` shows of two settings."""

    task: World
    rule: AnyRule
    over: tuple[str, str]
    """The settings that vary."""
    values: tuple[Sequence[Value], Sequence[Value]]
    lives: Sequence[Sequence[Lives]]
    """[first value][second value]"""
    eta_source: str | None = None
    """Where the eta comes from, as in `Lives`; None where it is what varies."""

    def means(self) -> np.ndarray:
        """float64 [first value, second value]: mean fitness."""
        return np.array([[lives.life_fitness.mean() for lives in row] for row in self.lives])

    def summary(self) -> dict[str, Any]:
        """What `hebbarium sweep --json` prints."""
        names = [option_name(name) for name in self.over]
        rows = [
            {
                "value": dict(zip(names, point, strict=True)),
                "fitness": lives.summary()["fitness"],
                "digest": lives.digest,
            }
            for point, lives in self.points()
        ]
        lives = self.lives[0][0]
        return {
            "task": self.task.name,
            "rule": self.rule.notation,
            "eta": None if "eta" in self.over else self.rule.eta,
            "eta_source": self.eta_source,
            "over": names,
            "lifetimes": len(lives.counts),
            "seed": lives.seed,
            "settings": self.same_settings(),
            "values": rows,
        }

    def same_settings(self) -> dict[str, Any]:
        """What differs from the usual life in this world at every pair of values."""
        return {name: value for name, value in self.lives[0][0].changed_settings().items() if name not in self.over}

    def points(self) -> list[tuple[tuple[Value, Value], Lives]]:
        """Every pair of values and what lived with it."""
        first, second = self.values
        return [((one, two), self.lives[i][j]) for i, one in enumerate(first) for j, two in enumerate(second)]

    def frame(self) -> Any:
        """A row for each life at each pair of values; polars or pandas, whichever is installed."""
        from hebbarium.show.columns import of_grid
        from hebbarium.tools.frames import data_frame

        return data_frame(of_grid(self))

    def __repr__(self) -> str:
        sizes = " x ".join(
            f"{len(values)} values of {name}" for name, values in zip(self.over, self.values, strict=True)
        )
        return f"Grid({self.task.name}, rule {self.rule}, {sizes})"

    def _repr_html_(self) -> str:
        """What Jupyter shows."""
        from hebbarium.show.notebooks import of_grid

        return of_grid(self)


def grid_of(
    task: World,
    rule: RuleLike,
    over: Mapping[str, Sequence[Value]],
    *,
    eta: float | None,
    **usual: Any,
) -> GridStudy:
    """What lives for each pair of values; nonsense is refused at once.

    usual: what is the same for all of them, as in `experiment_of`"""
    if len(over) != 2:
        raise BadInput(f"over has {len(over)} settings, but a sweep takes one or two.")
    chosen = checked_over(task, rule, over, eta, usual.get("hidden"))
    (one, first), (two, second) = over.items()
    experiments = [[experiment_at(task, chosen, usual, {one: a, two: b}) for b in second] for a in first]
    for row in experiments:
        for experiment in row:
            check_lifetimes(experiment.world, experiment.lifetimes, len(first) * len(second))
    return GridStudy(task, chosen, over, experiments)


@dataclass(frozen=True)
class GridStudy(Study[Grid]):
    """A rule with each pair of values of two settings."""

    task: World
    chosen: Chosen
    over: Mapping[str, Sequence[Value]]
    experiments: Sequence[Sequence[Experiment]]

    kind = "sweep"
    doing = "sweeping"

    @property
    def size(self) -> float:
        return sum(experiment.lifetimes for row in self.experiments for experiment in row)

    def kernels(self) -> list[Kernels]:
        return [Kernels.of(experiment) for row in self.experiments for experiment in row]

    def reduce(self, lab: Lab) -> Grid:
        one, two = self.over
        first = [value_of(row[0], one, value) for row, value in zip(self.experiments, self.over[one], strict=True)]
        second = [value_of(cell, two, value) for cell, value in zip(self.experiments[0], self.over[two], strict=True)]
        lives = [[LiveStudy(experiment).reduce(lab) for experiment in row] for row in self.experiments]
        return Grid(self.task, self.chosen.rule, (one, two), (first, second), lives, self.chosen.source)
