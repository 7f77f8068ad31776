"""One setting over several values, everything else the same."""

from __future__ import annotations

import dataclasses
import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, TypeGuard

import numpy as np

from hebbarium.errors import BadInput, check_choice, check_integer, option_name, real_number, shown
from hebbarium.living import Lives, check_life, live, rule_to_live_by
from hebbarium.rule import Rule
from hebbarium.statistics import Estimate, estimate_mean
from hebbarium.tasks.base import Task
from hebbarium.tasks.registry import make_task

MOST_VALUES = 1000
Value = float | int | str | bool


@dataclass(frozen=True)
class Sweep:
    """What `hebbarium sweep` shows."""

    task: Task
    rule: Rule
    over: str
    """The setting that varies."""
    values: Sequence[Value]
    lives: Sequence[Lives]
    """For each value."""

    def estimates(self) -> list[Estimate]:
        return [estimate_mean(lives.life_fitness) for lives in self.lives]

    def summary(self) -> dict[str, Any]:
        """What `hebbarium sweep --json` prints."""
        rows = []
        for value, lives, estimate in zip(self.values, self.lives, self.estimates(), strict=True):
            result = lives.summary()
            interval = {
                name: bound if np.isfinite(bound) else None
                for name, bound in (("low", estimate.low), ("high", estimate.high))
            }
            rows.append(
                {
                    "value": value,
                    "fitness": {**result["fitness"], **interval},
                    "distinct_hidden": result["distinct_hidden"],
                    "digest": result["digest"],
                }
            )
        return {
            "task": self.task.name,
            "rule": self.rule.notation,
            "eta": None if self.over == "eta" else self.rule.eta,
            "over": option_name(self.over),
            "lifetimes": len(self.lives[0].counts),
            "seed": self.lives[0].seed,
            "settings": self.task.changed_settings(),
            "values": rows,
        }


def sweep(
    task: str | Task,
    rule: str | int | Rule,
    over: str,
    values: Sequence[Value],
    *,
    eta: float | None = None,
    hidden: int | None = None,
    lifetimes: int = 100,
    seed: int = 1,
    threads: int | None = None,
    done: Callable[[int], None] | None = None,
    **settings: Any,
) -> Sweep:
    """Let agents live under one rule once for each value of a setting, of `hidden` or of `eta`.

    >>> short, long = sweep("foraging", "foraging:1", "season_steps", [100, 5000], lifetimes=8).estimates()
    >>> short.high < long.low
    True
    """
    world = make_task(task, **settings)
    over = over.replace("-", "_") if isinstance(over, str) else over
    if over in settings:
        raise _given_beside(over)
    variants = variants_of(
        world, rule, over, values, eta=eta, hidden=hidden, lifetimes=lifetimes, seed=seed, threads=threads
    )
    lives = [
        live(one.task, one.rule, hidden=one.hidden, lifetimes=lifetimes, seed=seed, threads=threads, done=done)
        for one in variants
    ]
    return Sweep(world, Rule(rule, eta), over, [one.value for one in variants], lives)


def names_of(task: Task) -> tuple[str, ...]:
    """What can be swept."""
    return ("eta", "hidden", *(field.name for field in dataclasses.fields(task)))


def _given_beside(over: str) -> BadInput:
    return BadInput(f"{option_name(over)} is what varies, so it cannot have a value of its own: leave that out.")


@dataclass(frozen=True)
class Variant:
    """What lives for one value."""

    value: Value
    task: Task
    rule: Rule
    hidden: int


def variants_of(
    task: Task,
    rule: str | int | Rule,
    over: str,
    values: Sequence[Value],
    *,
    eta: float | None,
    hidden: int | None,
    lifetimes: int,
    seed: int,
    threads: int | None,
) -> list[Variant]:
    """One for each value; what makes no sense or would not fit in memory is refused at once."""
    check_choice("over", over, names_of(task))
    if {"eta": eta, "hidden": hidden}.get(over) is not None or over in task.changed_settings():
        raise _given_beside(over)
    whole, neurons = Rule(rule, eta), task.default_hidden if hidden is None else hidden
    variants = [_variant(task, whole, neurons, over, value) for value in values]
    if not variants:
        raise BadInput(f"there are no values of {option_name(over)} to sweep over: give at least one.")
    for one in variants:
        rule_to_live_by(one.task, one.rule, None, frozen=False)
        check_life(one.task, one.hidden, lifetimes, seed, threads, times=len(variants))
    return variants


def _variant(task: Task, rule: Rule, hidden: int, over: str, value: Value) -> Variant:
    if over == "eta":
        rule = rule.with_eta(value)  # type: ignore[arg-type]
        return Variant(rule.eta or 0.0, task, rule, hidden)
    if over == "hidden":
        hidden = check_integer("hidden", value, 1)
        return Variant(hidden, task, rule, hidden)
    own = make_task(task, **{over: value})
    return Variant(getattr(own, over), own, rule, hidden)


def read_over(text: str, task: Task) -> tuple[str, list[Value]]:
    """`hidden=5:50:5` or `eta=0.01,0.02,0.04`: a setting's name and its values.

    >>> read_over("hidden=5:20:5", make_task("foraging"))
    ('hidden', [5, 10, 15, 20])
    """
    name, equals, values = text.partition("=")
    name = name.strip().replace("-", "_")
    if not equals or not values:
        raise BadInput(f"over is {shown(text)}, but must name a setting and its values, such as hidden=5:50:5.")
    check_choice("over", option_name(name), tuple(map(option_name, names_of(task))))
    read = _read_range(values) if ":" in values else [_read_value(word) for word in values.split(",")]
    if len(read) > MOST_VALUES:
        raise BadInput(f"over has {len(read)} values, but at most {MOST_VALUES} are allowed.")
    return name, read


def _read_range(text: str) -> list[Value]:
    """start:stop:step, the stop included."""
    parts = [_read_value(part) for part in text.split(":")]
    numbers = [part for part in parts if _is_finite(part)]
    if len(numbers) != 3 or len(parts) != 3 or numbers[2] <= 0 or numbers[1] < numbers[0]:
        raise BadInput(f"range {shown(text)} must be start:stop:step with a step above zero, such as 5:50:5.")
    start, stop, step = numbers
    steps = (float(stop) - float(start)) / float(step) + 1e-9
    if steps >= MOST_VALUES:
        raise BadInput(f"range {shown(text)} has too many values: at most {MOST_VALUES} are allowed.")
    whole = all(isinstance(number, int) for number in numbers)
    return [start + place * step if whole else round(start + place * step, 12) for place in range(int(steps) + 1)]


def _is_finite(value: Value) -> TypeGuard[int | float]:
    number = real_number(value)
    return number is not None and math.isfinite(number)


def _read_value(word: str) -> Value:
    """A whole number, a number, yes or no, or a word."""
    word = word.strip()
    for kind in (int, float):
        try:
            return kind(word)
        except ValueError:
            continue
    return {"true": True, "yes": True, "false": False, "no": False}.get(word.lower(), word)
