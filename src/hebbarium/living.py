"""Let agents live under one rule: the results as a small record of arrays."""

from __future__ import annotations

import hashlib
import os
import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

from hebbarium.errors import BadInput, check_integer
from hebbarium.lifetime import Jobs, check_hidden, check_threads, live_jobs, prepare
from hebbarium.networks import Networks
from hebbarium.rule import Rule
from hebbarium.tasks.base import Task
from hebbarium.tasks.registry import make_task

FROZEN = Rule("0000/0000", 0.0)
"""The rule that changes nothing."""
MOST_LIFETIMES = 100_000_000
LARGEST_SEED = 2**63 - 1


@dataclass(frozen=True)
class Lives:
    """What became of some lifetimes under one rule."""

    task: Task
    rule: Rule
    hidden: int
    seed: int
    frozen: bool
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
        return hashlib.sha256(self.counts.astype("<i8").tobytes()).hexdigest()

    def summary(self) -> dict[str, Any]:
        """What `hebbarium live --json` prints."""
        lives = self.life_fitness
        spread = self.fitness.ravel() if self.task.std_over == "seasons" else lives
        return {
            "task": self.task.name,
            "rule": self.rule.notation,
            "eta": self.rule.eta,
            "hidden": self.hidden,
            "lifetimes": len(lives),
            "seed": self.seed,
            "frozen": self.frozen,
            "settings": self.task.changed_settings(),
            "fitness": {"mean": float(lives.mean()), "std": _std(spread), "sem": _sem(lives)},
            "seasons": self._seasons(),
            "distinct_hidden": {"mean": float(self.distinct_hidden.mean()), "min": int(self.distinct_hidden.min())},
            "steps": self.steps,
            "seconds": self.seconds,
            "steps_per_second": self.steps / max(self.seconds, 1e-9),
            "digest": self.digest,
        }

    def _seasons(self) -> list[dict[str, Any]]:
        return [
            {
                "season": name,
                "fitness": _mean_and_std(self.fitness[:, season]),
                **{count: _mean_and_std(self.counts[:, season, place]) for place, count in enumerate(self.task.counts)},
            }
            for season, name in enumerate(self.task.season_names)
        ]


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

    task: a name, with any of its `settings` as further arguments, or a finished Task.
    rule: a Rule, notation, index or one of the paper's names; without an eta of its own it needs `eta`.
    hidden, lifetimes: the task's own number of hidden neurons and 100 lifetimes, or those of `networks`.
    frozen: live without plasticity; no rule is needed then.
    networks: live on with these instead of newborn ones (a Networks, or the path of a saved file).
    done: told after each batch how many lifetimes it held.

    >>> lives = live("foraging", "foraging:1", lifetimes=2, seed=7, season_steps=500)
    >>> lives.counts.shape
    (2, 4, 3)
    """
    task = make_task(task, **settings)
    rule = _rule_to_live_by(rule, eta, frozen)
    born = Networks.load(networks) if isinstance(networks, (str, os.PathLike)) else networks
    hidden, lifetimes = _sizes(task, hidden, lifetimes, born)
    check_integer("seed", seed, 0, LARGEST_SEED)
    check_threads(threads)
    check_hidden(task, hidden, lifetimes if keep_networks else 0)
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


def _rule_to_live_by(rule: str | int | Rule | None, eta: float | None, frozen: bool) -> Rule:
    if rule is None and frozen:
        return FROZEN
    if rule is None:
        raise BadInput("a rule is missing: give one such as foraging:1, or 00+-/0000 with an eta.")
    whole = Rule(rule, eta)
    if whole.eta is None and not frozen:
        raise BadInput(f"rule {whole} needs an eta to live by: a number from 0 up to, but not including, 1.")
    return whole


def _sizes(task: Task, hidden: int | None, lifetimes: int | None, born: Networks | None) -> tuple[int, int]:
    """Hidden neurons and lifetimes: as asked for, else those of the loaded networks, else the usual."""
    if born is None:
        hidden = task.default_hidden if hidden is None else hidden
        lifetimes = 100 if lifetimes is None else lifetimes
        check_integer("hidden", hidden, 1)
        check_integer("lifetimes", lifetimes, 1, MOST_LIFETIMES)
        return hidden, lifetimes
    expected = {"task": born.task, "inputs": born.hidden.shape[2] - 1, "outputs": born.output.shape[1]}
    found = {"task": task.name, "inputs": task.inputs, "outputs": task.outputs}
    for name in expected:
        if expected[name] != found[name]:
            raise BadInput(f"the loaded networks are for {name} {expected[name]}, but this life has {found[name]}.")
    for name, value, loaded in (("hidden", hidden, born.neurons), ("lifetimes", lifetimes, len(born))):
        if value is not None and value != loaded:
            raise BadInput(f"{name} is {value}, but the loaded networks have {loaded}; leave it out to use those.")
    return born.neurons, len(born)


def _std(values: np.ndarray) -> float | None:
    """With n - 1, as in the paper; None where one value shows no spread."""
    return float(values.std(ddof=1)) if values.size > 1 else None


def _sem(lives: np.ndarray) -> float | None:
    return float(lives.std(ddof=1) / np.sqrt(lives.size)) if lives.size > 1 else None


def _mean_and_std(values: np.ndarray) -> dict[str, float | None]:
    return {"mean": float(values.mean()), "std": _std(values)}
