"""Every public function with every argument replaced by nonsense: a result, or BadInput with one sentence.

TypeError will do for what is of no type that the argument takes, and OSError for paths, as everywhere in Python.
"""

from __future__ import annotations

import contextlib
import dataclasses
import decimal
import fractions
import inspect
import io
import random
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np

import hebbarium as hb
from attacks.base import Tally, TooLong, timed
from attacks.commands import prepared_folder
from hebbarium.tools.errors import shown

NONSENSE: list[Any] = [
    *(None, True, False, 0, -1, 1, 2, 1.5, -0.0, float("nan"), float("inf"), -float("inf"), 10**30, -(10**30), 1e308),
    *(10**5000, -(10**5000), 2**63, 2**64, "", "x", "1", "nan", "foraging", "foraging:1", "-0+-/0000", "a" * 300),
    *("\0", "\udcff", "a\nb", "[/red]", b"", b"x", (), [], {}, set(), [None], [float("nan")], {"a": 1}, [1, 2], ["x"]),
    *(1j, object(), object, len, Ellipsis, NotImplemented, Path(), Path("nowhere"), Path("pipe"), Path("zero")),
    *(np.int64(-1), np.float32("nan"), np.array(3), np.array([1, 2]), np.array("x"), np.array([np.nan])),
    *(np.zeros((2, 0)), np.datetime64("2020-01-01"), np.bool_(True), decimal.Decimal("nan"), decimal.Decimal("0.5")),
    *(fractions.Fraction(1, 3), ValueError("x"), range(3), iter([1]), lambda: 1, 0.3, "racing", "rules", hb.Rule(3)),
]
EVOLUTION = {"max_generations": 1, "lifetimes": 1, "rescore": 0, "runs": 1, "seed": 1, "top": 3}
UNTOUCHED = ("done", "watch", "tell", "remark")
"""Functions that are told of progress."""
Call = tuple[Callable[..., Any], dict[str, Any]]


def attack(count: int | None, seed: int) -> Tally:
    """count: how many calls, drawn at random; None for all."""
    tally = Tally("calls")
    with prepared_folder(), contextlib.redirect_stdout(io.StringIO()), contextlib.redirect_stderr(io.StringIO()):
        calls = [
            (function, {**usual, name: nonsense})
            for function, usual in usual_calls()
            for name in arguments_of(function, usual)
            for nonsense in NONSENSE
        ]
        chosen = calls if count is None else random.Random(seed).sample(calls, min(count, len(calls)))
        for function, arguments in chosen:
            _try(tally, function, arguments)
    return tally


def usual_calls() -> list[Call]:
    """Small work each, with arguments by name."""
    world: dict[str, Any] = {"season_steps": 3, "seasons": 2, "grid_size": 20}
    life: dict[str, Any] = {"task": "foraging", "rule": "foraging:1", **world}
    networks = hb.Networks.load("grown.npz")
    tiny = hb.make_world("foraging", **world)
    return [
        (hb.live, {**life, "lifetimes": 1}),
        (hb.trace, life),
        (_compare, {"first": "foraging:1", "second": 3, "task": "foraging", "eta": 0.1, "lifetimes": 2, **world}),
        (hb.sweep, {**life, "over": "hidden", "values": [2, 3], "lifetimes": 2}),
        (hb.explain, {"rule": "foraging:1"}),
        (hb.live_agent, {"task": "foraging", "agent": "random", "lifetimes": 1, **world}),
        (hb.evolve, {"task": "foraging", "search": "random", "out": "new", **EVOLUTION, **world}),
        (hb.make_atlas, {"task": hb.make_world("foraging", **world), "folder": "atlas", "limit": 2, "effort": 0.1}),
        (_lifelong, {"first": "foraging:1", "second": 3, "eta": 0.1, "lifetimes": 2, **world, "seasons": 4}),
        (
            _transfer,
            {"first": "foraging:1", "second": 3, "tasks": [tiny], "lifetimes": 2, "budget": 160, "out": "there"},
        ),
        (hb.record, {"path": "a.html", **life}),
        (_merge, {"first": "run", "second": "nowhere", "out": "merged"}),
        (hb.new_world, {"name": "lake", "out": "lake.py"}),
        (_reproduce, {"item": "genotype", "out": "reproduced"}),
        (hb.read_rule, {"rule": "foraging:1", "eta": None}),
        (hb.LayeredRule, {"hidden": 3, "output": 4}),
        (hb.Rule, {"rule": 3, "eta": 0.1}),
        (hb.make_world, {"task": "foraging", **world}),
        (hb.export, {"run": hb.Run.open("run"), "path": "a.csv", "what": "rules"}),
        (hb.list_runs, {"folder": "."}),
        (hb.Run.open, {"path": "run"}),
        (hb.Atlas.load, {"path": "nowhere.npz"}),
        (hb.Networks.load, {"path": "grown.npz"}),
        (_live_on, {"task": "foraging", "hidden": networks.hidden, "output": networks.output}),
    ]


def _compare(first: Any, second: Any, **rest: Any) -> Any:
    return hb.compare(rest.pop("task"), first, second, **rest)


def _lifelong(first: Any, second: Any, **rest: Any) -> Any:
    return hb.lifelong("foraging", first, second, **rest)


def _transfer(first: Any, second: Any, **rest: Any) -> Any:
    return hb.transfer(first, second, **rest)


def _merge(first: Any, second: Any, out: Any) -> Any:
    return hb.merge(first, second, out=out)


def _reproduce(item: Any, **rest: Any) -> Any:
    return hb.reproduce(item, **rest)


def _live_on(task: Any, hidden: Any, output: Any) -> Any:
    return hb.live("foraging", frozen=True, networks=hb.Networks(task, hidden, output), season_steps=3)


def arguments_of(function: Callable[..., Any], usual: dict[str, Any]) -> list[str]:
    """By name; settings of the task and options that are handed on included."""
    names = [
        name
        for name, parameter in inspect.signature(function).parameters.items()
        if parameter.kind in (parameter.POSITIONAL_OR_KEYWORD, parameter.KEYWORD_ONLY) and name not in UNTOUCHED
    ]
    settings = (
        [field.name for field in dataclasses.fields(hb.make_world("foraging"))] if "season_steps" in usual else []
    )
    return list(dict.fromkeys([*names, *usual, *settings]))


def _try(tally: Tally, function: Callable[..., Any], arguments: dict[str, Any]) -> None:
    try:
        with timed(tally):
            function(**arguments)
    except hb.HebbariumError as error:
        if "\n" in str(error) or not str(error).endswith((".", "?")):
            tally.problem((function.__name__, _shown(arguments)), f"no sentence: {error}")
        else:
            tally.outcomes["refused"] += 1
    except (TypeError, OSError) as error:
        tally.outcomes["TypeError" if isinstance(error, TypeError) else "OSError"] += 1
    except ValueError as error:
        if "null byte" in str(error):  # Python's word for a path that no system has
            tally.outcomes["OSError"] += 1
        else:
            tally.problem((function.__name__, _shown(arguments)), repr(error))
    except TooLong as error:
        if error.work:
            tally.outcomes["work"] += 1
        else:
            tally.problem((function.__name__, _shown(arguments)), "it took too long")
    except BaseException as error:
        tally.problem((function.__name__, _shown(arguments)), repr(error))
    else:
        tally.outcomes["done"] += 1


def _shown(arguments: dict[str, Any]) -> str:
    return ", ".join(f"{name}={shown(value)}" for name, value in arguments.items())
