"""Two settings at once, every value of one with every value of the other."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from hebbarium.rules.rule import AnyRule
from hebbarium.studies.live import Lives
from hebbarium.tools.errors import option_name
from hebbarium.worlds.base import World

if TYPE_CHECKING:
    from hebbarium.studies.sweep import Value


@dataclass(frozen=True, repr=False)
class Grid:
    """What `hebbarium sweep` shows of two settings."""

    task: World
    rule: AnyRule | None
    """None for an agent without one."""
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
            **lives.who_lived(self.over),
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
        from hebbarium.show.frame_columns import of_grid
        from hebbarium.tools.data_frames import data_frame

        return data_frame(of_grid(self))

    def __repr__(self) -> str:
        sizes = " x ".join(
            f"{len(values)} values of {name}" for name, values in zip(self.over, self.values, strict=True)
        )
        return f"Grid({self.task.name}, {self.lives[0][0].short_who}, {sizes})"

    def _repr_html_(self) -> str:
        """What Jupyter shows."""
        from hebbarium.show.notebooks import of_grid

        return of_grid(self)
