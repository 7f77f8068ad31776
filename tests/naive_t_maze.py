"""The slow T-maze: places with names, doors between them, and a reward behind some doors."""

from __future__ import annotations

from itertools import pairwise

from hebbarium.worlds.t_maze import TMaze
from naive_life import Life, live

ACTIONS = ("left", "straight", "right")
Turns = tuple[str, ...]
SENSES = {"home": 0, "corridor": 1, "turning point": 2, "arm": 3, "second turning point": 4}


class SlowTMaze:
    """Doors lead from place to place, by an action. A place is the turns so far, and a name."""

    def __init__(self, task: TMaze) -> None:
        self.double, self.punished = task.maze == "double", task.bumps == "punished"
        self.doors: dict[tuple[Turns, str, str], tuple[Turns, str]] = {}
        places = ["home"] + [f"corridor {number}" for number in range(1, task.corridor)] + ["turning point"]
        for here, there in pairwise(places):
            self.doors[(), here, "straight"] = (), there
        self.build(task, (), "turning point")
        self.here: tuple[Turns, str] = ((), "home")
        self.counted = [0, 0, 0]

    def build(self, task: TMaze, turns: Turns, name: str) -> None:
        """The arms behind a turning point."""
        for side in ("left", "right"):
            way = (*turns, side)
            end = "second turning point" if self.double and not turns else "end"
            arm = [name, *(f"arm {number}" for number in range(1, task.arm)), end]
            self.doors[turns, name, side] = way, arm[1]
            for here, there in pairwise(arm[1:]):
                self.doors[way, here, "straight"] = way, there
            if end != "end":
                self.build(task, way, end)

    def season(self, name: str) -> None:
        other = {"left": "right", "right": "left"}[name]
        self.goal = (name, other) if self.double else (name,)
        self.counted = [0, 0, 0]

    def sense(self) -> list[int]:
        bits = [0] * (5 if self.double else 4)
        name = self.here[1].rstrip("0123456789 ")
        bits[SENSES[name]] = 1
        return bits

    def behind(self, action: int) -> tuple[Turns, str] | None:
        return self.doors.get((*self.here, ACTIONS[action]))

    def judge(self, action: int) -> tuple[int, int]:
        there = self.behind(action)
        if there is None:
            return (-1, 4) if self.punished else (0, 5)
        if there[1] != "end":
            return 0, 3
        return (1, 1) if there[0] == self.goal else (-1, 2)

    def act(self, action: int) -> None:
        there = self.behind(action)
        if there is None:
            self.counted[2] += 1
        elif there[1] == "end":
            self.counted[0 if there[0] == self.goal else 1] += 1
            self.here = ((), "home")
        else:
            self.here = there


def live_t_maze(task: TMaze, hidden: int, rule: tuple[tuple[int, ...], float], seed: int, trial: int) -> Life:
    names = task.schedule.split(",")
    seasons = [names[number % len(names)] for number in range(task.seasons)]
    sizes = (5 if task.maze == "double" else 4, hidden, 3)
    return live(SlowTMaze(task), seasons, task.season_steps, sizes, task.random_action, rule, seed, trial)
