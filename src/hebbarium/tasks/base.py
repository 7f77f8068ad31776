"""What every task is. To add one:

1. a frozen dataclass here in `tasks/` that derives from `Task`: the world's settings as fields (each
   becomes an option of the command line, its docstring the help), the class variables below, `fitness`
   and `check`;
2. its kernels in `core/`, a module with the functions listed under `Core` in `core/contract.py`;
3. one line in `tasks/registry.py`.

Every registered task is lived, traced, saved, evolved and tested by the same code.
Settings are plain Python: this module must stay cheap to import, for `--help`.
"""

from __future__ import annotations

import dataclasses
from collections import Counter
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, ClassVar, Literal

from hebbarium.errors import (
    BadInput,
    check_choice,
    check_integer,
    check_number,
    check_switch,
    option_name,
    plain,
    plain_number,
    shown,
)
from hebbarium.tasks.grid import SEASONS

if TYPE_CHECKING:
    import numpy as np


RAREST_ACTION = 1e-6
"""The smallest probability of a random action but 0."""


@dataclass(frozen=True)
class Association:
    """One row of a paper's table of behaviours and reinforcement signals."""

    id: int
    sensor: str
    behaviour: str
    summer: int
    winter: int


@dataclass(frozen=True, kw_only=True)
class Task:
    """A world and how long an agent lives in it. Instances are checked, immutable and comparable."""

    name: ClassVar[str]
    counts: ClassVar[tuple[str, ...]]
    """What is counted in each season, in the order of the counts array."""
    associations: ClassVar[tuple[Association, ...]]
    default_hidden: ClassVar[int]
    outputs: ClassVar[int] = 3
    std_over: ClassVar[Literal["seasons", "lifetimes"]]
    """What the paper's standard deviations of the fitness are taken over."""

    season_steps: int = 5000
    """Steps in a season."""
    seasons: int = 4
    """Seasons in a life."""
    schedule: str = "summer,winter"
    """The order of seasons, repeated as often as needed, such as 'summer,winter' or 'summer'."""
    random_action: float = 0.02
    """Probability that a step's action is random (such a step changes no weight)."""
    grid_size: int = 100
    """Cells along each side of the world."""
    wall: Literal["inside", "outside"] = "inside"
    """Whether the ring of wall lies inside the grid's cells (98 x 98 are free) or around them."""
    turn_at_wall: bool = True
    """Whether an agent that bumps into the wall still turns."""

    def __post_init__(self) -> None:
        self._make_plain()
        check_integer("season_steps", self.season_steps, 1, 10**9)
        check_integer("seasons", self.seasons, 1, 100_000)
        check_number("random_action", self.random_action, 0, 1)
        if 0 < self.random_action < RAREST_ACTION:
            # A gap is drawn as so many times 256 steps: beyond this the first draw would outlast any life.
            raise BadInput(
                f"random-action is {plain(self.random_action)}, but must be 0 or a number from {RAREST_ACTION:g} to 1; "
                "the nearest is 0."
            )
        check_integer("grid_size", self.grid_size, 4, 4096)
        check_choice("wall", self.wall, ("inside", "outside"))
        seasons = [season.strip() for season in self.schedule.split(",")]
        for season in seasons:
            check_choice("schedule", season, SEASONS)
        object.__setattr__(self, "schedule", ",".join(seasons))  # the same life is the same task, spaces or not
        self.check()

    def _make_plain(self) -> None:
        """Numbers of numpy become Python's; a number of the wrong kind is left for its own check to refuse."""
        for field in dataclasses.fields(self):
            name, value, usual = field.name, getattr(self, field.name), field.default
            if isinstance(usual, bool):
                value = check_switch(name, value)
            elif isinstance(usual, (int, float)):
                value = plain_number(value, usual)
            elif not isinstance(value, str):
                raise BadInput(f"{option_name(name)} is {shown(value)}, but must be text such as {usual!r}.")
            object.__setattr__(self, name, value)

    def check(self) -> None:
        """Raise BadInput where the task's own settings make no sense."""

    @property
    def sensed_cells(self) -> int:
        """Cells the agent sees; each gives two inputs."""
        raise NotImplementedError

    @property
    def inputs(self) -> int:
        return 2 * self.sensed_cells

    @property
    def free_side(self) -> int:
        """Free cells along each side."""
        return self.grid_size - 2 if self.wall == "inside" else self.grid_size

    @property
    def full_side(self) -> int:
        """Cells along each side, the wall included."""
        return self.free_side + 2

    @property
    def steps(self) -> int:
        """Steps in a life."""
        return self.season_steps * self.seasons

    @property
    def season_kinds(self) -> tuple[int, ...]:
        """SUMMER or WINTER for each season of a life."""
        cycle = [SEASONS.index(season) for season in self.schedule.split(",")]
        return tuple(cycle[season % len(cycle)] for season in range(self.seasons))

    @property
    def season_names(self) -> tuple[str, ...]:
        """summer1, winter1, summer2, ..."""
        seen: Counter[int] = Counter()
        names = []
        for kind in self.season_kinds:
            seen[kind] += 1
            names.append(f"{SEASONS[kind]}{seen[kind]}")
        return tuple(names)

    def fitness(self, counts: np.ndarray) -> np.ndarray:
        """counts: int64 [lifetime, season, count] -> float64 [lifetime, season]."""
        raise NotImplementedError

    def life_fitness(self, counts: np.ndarray) -> np.ndarray:
        """counts: int64 [lifetime, season, count] -> float64 [lifetime], the fitness of each whole life."""
        raise NotImplementedError

    def settings(self) -> dict[str, Any]:
        """Every setting by name, as plain values."""
        return dataclasses.asdict(self)

    def changed_settings(self) -> dict[str, Any]:
        """The settings that differ from the paper's."""
        return {
            field.name: getattr(self, field.name)
            for field in dataclasses.fields(self)
            if getattr(self, field.name) != field.default
        }


def check_room(task: Task, things: int, what: str) -> None:
    """There must be an empty cell left beside the agent and everything placed."""
    free = task.free_side**2
    if things > free - 2:
        raise BadInput(
            f"{shown(things)} {what} do not fit in {task.free_side} x {task.free_side} free cells beside the agent; "
            f"the most that fit are {free - 2}."
        )
