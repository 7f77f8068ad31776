"""Any lives that faster loops cover, drawn at random: to the bits of the generic loop.

For more of them than a test has time for: `python tests/life/test_any_lives.py 2000`.
"""

from __future__ import annotations

import random
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from hebbarium.brains.base import Brain
from hebbarium.life.batch import Batch
from hebbarium.life.jobs import Jobs
from hebbarium.rules.layered import read_rule
from hebbarium.worlds.registry import make_world

ROOT = Path(__file__).parents[2]
WORLDS: dict[str, dict[str, st.SearchStrategy[Any]]] = {
    "t-maze": {
        "corridor": st.integers(1, 3),
        "arm": st.integers(1, 2),
        "maze": st.sampled_from(["single", "double"]),
        "bumps": st.sampled_from(["punished", "ignored"]),
        "schedule": st.sampled_from(["left,right", "right", "left,left,right"]),
    },
    "association": {
        "bits": st.sampled_from([2, 3, 4, 6, 8, 9, 16, 62, 63, 64]),
        "answers": st.sampled_from([2, 3, 8, 9, 16]),
        "stimuli": st.integers(1, 4),
        "overlap": st.sampled_from([0.0, 0.5]),
    },
    "foraging": {
        "grid_size": st.integers(14, 30),
        "schedule": st.sampled_from(["summer,winter", "winter", "summer,summer,winter"]),
    },
    str(ROOT / "src/hebbarium/worlds/pond.py"): {"food": st.sampled_from([0.0, 0.3, 0.7, 1.0])},
    str(ROOT / "examples/slippery.py"): {"slip": st.sampled_from([0.0, 0.1]), "grid_size": st.integers(14, 30)},
    str(ROOT / "benchmarks/meadow.py"): {"side": st.integers(4, 20), "items": st.integers(0, 4)},
    str(ROOT / "tests/worlds/belt.py"): {"cells": st.sampled_from([2, 12, 50]), "longest": st.sampled_from([1, 6, 30])},
}
ENTRIES = st.text("+-0", min_size=8, max_size=8).map(lambda signs: f"{signs[:4]}/{signs[4:]}")
PUNISHED = st.text("+-0", min_size=4, max_size=4).map(lambda signs: f"{signs}/0000")
LAYER = st.builds("{}@{}".format, ENTRIES | PUNISHED, st.sampled_from([0.0, 1e-200, 1e-3, 0.0118, 0.04, 0.3, 0.99]))
RULES = LAYER | st.builds("{},{}".format, LAYER | st.just("frozen"), LAYER)


@dataclass(frozen=True)
class Some:
    """Lives that share a world and a kind of network."""

    task: str
    settings: dict[str, Any]
    hidden: int
    brain: dict[str, Any]
    rules: list[str]
    blamed: bool
    seed: int


@st.composite
def some_lives(draw: st.DrawFn) -> Some:
    task = draw(st.sampled_from(list(WORLDS)))
    own = {name: draw(values) for name, values in WORLDS[task].items()}
    own["random_action"] = draw(st.sampled_from([0.0, 0.02, 0.3, 1.0]))
    own["random_where"] = draw(st.sampled_from(["always", "nothing-sensed"]))
    if task in ("t-maze", "foraging"):
        own["random_kind"] = draw(st.sampled_from(["any", "turn"]))
    own["season_steps"], own["seasons"] = draw(st.sampled_from([(1, 3), (37, 3), (450, 2), (900, 1)]))
    blamed = task == "foraging" and draw(st.booleans())
    ties = (
        draw(st.sampled_from(["first", "random"])) if task in ("t-maze", "association") or "belt" in task else "first"
    )
    rules = draw(st.lists(RULES, min_size=1, max_size=6))
    many = draw(st.sampled_from([1, 3, 8, 9, 17]))
    return Some(
        task,
        own,
        draw(st.sampled_from([1, 2, 7, 8, 9, 20, 33])),
        {"ties": ties},
        [rules[life % len(rules)] for life in range(many)],
        blamed,
        draw(st.integers(0, 2**64 - 1)),
    )


def check_same(some: Some) -> bool:
    """Live both ways, the fast one in slices. Returns whether any faster loop was used."""
    world = make_world(some.task, **some.settings)
    brain = Brain.of(world, some.hidden, arithmetic="plain", **some.brain)
    jobs = Jobs.of([read_rule(rule) for rule in some.rules], [some.seed] * len(some.rules), range(len(some.rules)))
    if some.blamed:
        blame = np.linspace(0.0, 2.0, len(world.judgements))
        jobs = jobs.with_blame(blame, np.linspace(0.5, 0.0, len(world.judgements)))
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("hebbarium.life.batch._WORTH", 0)  # lives move to the loop that suits them
        fast, slow = (Batch(world, brain, jobs, fast=quick) for quick in (True, False))
    chance = random.Random(some.seed)
    while fast.step < world.steps:
        fast.advance(chance.choice([1, 40, 700]))
    slow.advance(world.steps)
    assert not slow.accelerations
    assert np.array_equal(fast.counts, slow.counts)
    for name in ("hidden", "output", "stream", "gap", "punished"):
        assert getattr(fast.brains, name).tobytes() == getattr(slow.brains, name).tobytes(), name
    assert fast.streams.tobytes() == slow.streams.tobytes()
    for name in fast.state._fields:
        if name != "seen":  # foraging's loops keep elsewhere what is seen now
            assert getattr(fast.state, name).tobytes() == getattr(slow.state, name).tobytes(), name
    return bool(fast.accelerations)


@settings(max_examples=60, suppress_health_check=list(HealthCheck))
@given(some_lives())
def test_any_lives_are_those_of_the_generic_loop(some: Some) -> None:
    check_same(some)


if __name__ == "__main__":
    lived: list[int] = []

    @settings(max_examples=int(sys.argv[1]), derandomize=False, deadline=None, suppress_health_check=list(HealthCheck))
    @given(some_lives())
    def many(some: Some) -> None:
        lived.append(len(some.rules) * check_same(some))

    many()
    print(f"{len(lived)} batches, {sum(lived)} lives on faster loops: all the same.")
