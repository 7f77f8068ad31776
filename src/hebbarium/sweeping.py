"""One setting over several values, everything else the same."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from hebbarium.errors import BadInput, check_choice, check_integer, option_name
from hebbarium.living import Lives, live
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
            "eta": self.rule.eta,
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

    >>> [round(e.value) for e in sweep("foraging", "foraging:1", "season_steps", [100, 200], lifetimes=2).estimates()]
    [0, 1]
    """
    world = make_task(task, **settings)
    over = over.replace("-", "_")
    check_choice("over", over, names_of(world))
    check_integer("lifetimes", lifetimes, 1)
    if over != "eta":
        rule = Rule(rule, eta)
    variants = [_variant(world, over, value, eta, hidden) for value in values]  # all checked before any is lived
    lives = [
        live(variant, rule, eta=own_eta, hidden=own_hidden, lifetimes=lifetimes, seed=seed, threads=threads, done=done)
        for variant, own_eta, own_hidden in variants
    ]
    return Sweep(world, Rule(rule), over, list(values), lives)


def names_of(task: Task) -> tuple[str, ...]:
    """What can be swept."""
    return ("eta", "hidden", *(field.name for field in dataclasses.fields(task)))


def _variant(
    task: Task, over: str, value: Value, eta: float | None, hidden: int | None
) -> tuple[Task, float | None, int | None]:
    """The task, eta and hidden neurons of one value."""
    if over == "eta":
        Rule("0000/0000", value)  # type: ignore[arg-type]
        return task, float(value), hidden
    if over == "hidden":
        check_integer("hidden", value, 1)
        return task, eta, int(value)
    return make_task(task, **{over: value}), eta, hidden


def read_over(text: str, task: Task) -> tuple[str, list[Value]]:
    """`hidden=5:50:5` or `eta=0.01,0.02,0.04`: a setting's name and its values.

    >>> read_over("hidden=5:20:5", make_task("foraging"))
    ('hidden', [5, 10, 15, 20])
    """
    name, equals, values = text.partition("=")
    name = name.strip().replace("-", "_")
    if not equals or not values:
        raise BadInput(f"over is {text!r}, but must name a setting and its values, such as hidden=5:50:5.")
    check_choice("over", name, names_of(task))
    read = _read_range(values) if ":" in values else [_read_value(word) for word in values.split(",")]
    if len(read) > MOST_VALUES:
        raise BadInput(f"over has {len(read)} values, but at most {MOST_VALUES} are allowed.")
    return name, read


def _read_range(text: str) -> list[Value]:
    """start:stop:step, the stop included."""
    parts = [_read_value(part) for part in text.split(":")]
    numbers = [part for part in parts if isinstance(part, (int, float)) and not isinstance(part, bool)]
    if len(numbers) != 3 or len(parts) != 3 or numbers[2] <= 0 or numbers[1] < numbers[0]:
        raise BadInput(f"range {text!r} must be start:stop:step with a step above zero, such as 5:50:5.")
    start, stop, step = numbers
    count = int((stop - start) / step + 1e-9) + 1
    if count > MOST_VALUES:
        raise BadInput(f"range {text!r} has {count} values, but at most {MOST_VALUES} are allowed.")
    whole = all(isinstance(number, int) for number in numbers)
    return [start + place * step if whole else round(start + place * step, 12) for place in range(count)]


def _read_value(word: str) -> Value:
    """A whole number, a number, yes or no, or a word."""
    word = word.strip()
    for kind in (int, float):
        try:
            return kind(word)
        except ValueError:
            continue
    return {"true": True, "yes": True, "false": False, "no": False}.get(word.lower(), word)
