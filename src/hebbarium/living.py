"""Let agents live under one rule: the results as a small record of arrays."""

from __future__ import annotations

import hashlib
import os
import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

from hebbarium import statistics
from hebbarium.errors import BadInput, check_integer, check_seed, check_switch, shown
from hebbarium.etas import missing_eta
from hebbarium.lifetime import FROZEN, Jobs, check_hidden, check_threads, live_jobs, prepare, total_memory
from hebbarium.networks import Networks
from hebbarium.rule import Rule
from hebbarium.tasks.base import Task
from hebbarium.tasks.registry import make_task

USUAL_LIFETIMES = 100


@dataclass(frozen=True, repr=False)
class Lives:
    """What became of some lifetimes under one rule."""

    task: Task
    rule: Rule
    hidden: int
    """Hidden neurons."""
    seed: int
    frozen: bool
    """Whether they lived without plasticity."""
    counts: np.ndarray
    """int64 [lifetime, season, count]: what was counted, in the order of `task.counts`."""
    distinct_hidden: np.ndarray
    """int64 [lifetime]: hidden neurons with different incoming weights at the end of life."""
    seconds: float
    """Time spent living, without imports and compiling."""
    networks: Networks | None = None
    """The grown networks, where `keep_networks` asked for them."""

    @property
    def fitness(self) -> np.ndarray:
        """float64 [lifetime, season]"""
        return self.task.fitness(self.counts)

    @property
    def life_fitness(self) -> np.ndarray:
        """float64 [lifetime]: the fitness of each whole life."""
        return self.task.life_fitness(self.counts)

    @property
    def steps(self) -> int:
        """Steps lived in all."""
        return len(self.counts) * self.task.steps

    @property
    def digest(self) -> str:
        """SHA-256 of the counts, the same for any number of threads, batches or machines."""
        return hashlib.sha256(np.ascontiguousarray(self.counts, "<i8").tobytes()).hexdigest()

    def __repr__(self) -> str:
        many = f"{len(self.counts)} lifetime{'' if len(self.counts) == 1 else 's'} of seed {self.seed}"
        return f"{type(self).__name__}({self.task.name}, {self._who()}, {many}, fitness {self.life_fitness.mean():.2f})"

    def _who(self) -> str:
        return "frozen" if self.frozen else f"rule {self.rule} at eta {self.rule.eta:g}"

    def summary(self) -> dict[str, Any]:
        """What `hebbarium live --json` prints."""
        lives = self.life_fitness
        return {
            "task": self.task.name,
            "rule": self.rule.notation,
            "eta": self.rule.eta,
            "hidden": self.hidden,
            "lifetimes": len(lives),
            "seed": self.seed,
            "frozen": self.frozen,
            "settings": self.task.changed_settings(),
            "fitness": {
                "mean": statistics.mean(lives),
                "std": fitness_std(self.task, self.counts),
                "sem": statistics.sem(lives),
            },
            "seasons": self._seasons(),
            "distinct_hidden": {"mean": float(self.distinct_hidden.mean()), "min": int(self.distinct_hidden.min())},
            "steps": self.steps,
            "seconds": self.seconds,
            "steps_per_second": self.steps / self.seconds,
            "digest": self.digest,
        }

    def _seasons(self) -> list[dict[str, Any]]:
        columns = {"fitness": self.fitness} | {
            name: self.counts[:, :, place] for place, name in enumerate(self.task.counts)
        }
        return [
            {"season": name} | {column: _mean_and_std(values[:, season]) for column, values in columns.items()}
            for season, name in enumerate(self.task.season_names)
        ]


def fitness_std(task: Task, counts: np.ndarray) -> float | None:
    """The standard deviation that the paper gives beside a task's fitness: over (life, season), or over lives."""
    return statistics.std(task.fitness(counts) if task.std_over == "seasons" else task.life_fitness(counts))


def _mean_and_std(values: np.ndarray) -> dict[str, float | None]:
    return {"mean": statistics.mean(values), "std": statistics.std(values)}


def live(
    task: str | Task = "foraging",
    rule: str | int | Rule | None = None,
    *,
    eta: float | None = None,
    hidden: int | None = None,
    lifetimes: int | None = None,
    seed: int = 1,
    threads: int | None = None,
    frozen: bool = False,
    networks: Networks | str | os.PathLike[str] | None = None,
    keep_networks: bool = False,
    done: Callable[[int], None] | None = None,
    **settings: Any,
) -> Lives:
    """Let agents live a task under one rule.

    task: a name or a Task, with any of its settings as further arguments.
    rule: a Rule, notation, index or one of the paper's names; without an eta of its own it needs `eta`.
    hidden, lifetimes: the task's usual number of hidden neurons and 100 lifetimes, or those of `networks`.
    seed: with the number of the trial it fixes each life to the last bit, whatever the `threads`.
    frozen: live without plasticity; no rule is needed then.
    networks: live on with these instead of newborn ones (a Networks, or the path of a saved file).
    keep_networks: hand back the grown networks, too.
    done: told after each batch how many lifetimes it held.

    >>> lives = live("foraging", "foraging:1", lifetimes=2, seed=7, season_steps=500)
    >>> lives.counts.shape
    (2, 4, 3)
    """
    task = make_task(task, **settings)
    frozen, seed = check_switch("frozen", frozen), check_seed(seed)
    rule = rule_to_live_by(task, rule, eta, frozen)
    born = read_networks(networks)
    hidden, lifetimes = sizes(task, hidden, lifetimes, born)
    check_life(task, hidden, lifetimes, seed, threads, keep_networks)
    prepare(task)
    jobs = Jobs.of_rule(FROZEN if frozen else rule, lifetimes, seed)
    start = time.perf_counter()
    outcome = live_jobs(
        task, hidden, jobs, threads=threads, networks=born, keep_networks=keep_networks, distinct=True, done=done
    )
    seconds = time.perf_counter() - start
    assert outcome.distinct_hidden is not None
    return Lives(
        task, rule, hidden, seed, frozen, outcome.counts, outcome.distinct_hidden, seconds, networks=outcome.networks
    )


def rule_to_live_by(task: Task, rule: str | int | Rule | None, eta: float | None, frozen: bool) -> Rule:
    """A rule with an eta; frozen lives need neither."""
    if rule is None and frozen:
        return FROZEN
    if rule is None:
        raise BadInput("a rule is missing: give one such as foraging:1, or 00+-/0000 with an eta.")
    whole = Rule(rule, eta)
    if whole.eta is None and not frozen:
        raise missing_eta(whole, task.name)
    return whole


def read_networks(networks: Networks | str | os.PathLike[str] | None) -> Networks | None:
    return Networks.load(networks) if isinstance(networks, (str, os.PathLike)) else networks


def sizes(task: Task, hidden: int | None, lifetimes: int | None, born: Networks | None) -> tuple[int, int]:
    """Hidden neurons and lifetimes: as asked for, else those of the loaded networks, else the usual."""
    if born is not None:
        _check_fit(task, born)
    return (
        _size("hidden", hidden, None if born is None else born.neurons, task.default_hidden),
        _size("lifetimes", lifetimes, None if born is None else len(born), USUAL_LIFETIMES),
    )


def _size(name: str, asked: int | None, loaded: int | None, usual: int) -> int:
    if asked is None:
        return usual if loaded is None else loaded
    size = check_integer(name, asked, 1)
    if loaded is not None and size != loaded:
        raise BadInput(f"{name} is {size}, but the loaded networks have {loaded}; leave it out to use those.")
    return size


def _check_fit(task: Task, born: Networks) -> None:
    if born.task != task.name:
        raise BadInput(f"the loaded networks have lived {born.task}, but this life is {task.name}.")
    loaded, needed = (born.hidden.shape[2] - 1, born.output.shape[1]), (task.inputs, task.outputs)
    if loaded != needed:
        raise BadInput(
            f"the loaded networks have {loaded[0]} inputs and {loaded[1]} outputs, "
            f"but {task.name} as it is set needs {needed[0]} and {needed[1]}."
        )


def check_life(
    task: Task, hidden: int, lifetimes: int, seed: int, threads: int | None, keep_networks: bool = False, times: int = 1
) -> None:
    """Refuse at once what makes no sense or would not fit in memory. times: how often the lifetimes are lived."""
    check_integer("lifetimes", lifetimes, 1)
    check_seed(seed)
    check_threads(threads)
    memory = total_memory()
    if memory is not None:
        # Counts, fitness and the copies that statistics make, and the description of each life.
        most = int(memory * 0.5 / (8 * task.seasons * (2 * len(task.counts) + 4) + 200) / times)
        if lifetimes > most:
            raise BadInput(
                f"lifetimes is {shown(lifetimes)}, which would not fit in memory; the nearest that fits is {most}."
            )
    check_hidden(task, hidden, lifetimes if keep_networks else 0)
