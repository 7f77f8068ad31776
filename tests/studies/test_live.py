"""`live`: the same lives whatever the threads, and clear words about what cannot be lived."""

from __future__ import annotations

import hashlib
import json
from typing import Any

import numpy as np
import pytest

import hebbarium as hb
from hebbarium.studies.atlas.stages import make_plan
from hebbarium.studies.live import live_agent
from hebbarium.worlds.registry import make_world
from lives import some_rule


@pytest.mark.parametrize("task", sorted(hb.WORLDS))
def test_the_digest_does_not_depend_on_threads(task: str) -> None:
    digests = {
        hb.live(task, some_rule(task, 2), lifetimes=37, seed=3, season_steps=120, threads=threads).digest
        for threads in (1, 2, 3, 8)
    }
    assert len(digests) == 1


def test_the_digest_is_that_of_the_counts() -> None:
    lives = hb.live("foraging", "foraging:1", lifetimes=3, season_steps=400)
    plain = b"".join(int(count).to_bytes(8, "little", signed=True) for count in lives.counts.ravel())
    assert lives.digest == hashlib.sha256(plain).hexdigest()


def test_numbers_of_numpy_come_out_as_json() -> None:
    """Wherever a whole number is taken, one of numpy is, too: what comes out must not know the difference."""
    size = {"hidden": np.int64(5), "lifetimes": np.int32(2), "seed": np.uint8(7), "threads": np.int64(1)}
    short = {"season_steps": np.int64(50)}
    lives = hb.live("foraging", "foraging:1", frozen=np.bool_(False), **size, **short)
    plain = hb.live("foraging", "foraging:1", hidden=5, lifetimes=2, seed=7, season_steps=50)
    assert lives.digest == plain.digest
    told = [
        lives.summary(),
        hb.compare("foraging", "foraging:1", "foraging:2", **size, **short).summary(),
        hb.sweep("foraging", "foraging:1", "hidden", np.arange(4, 6), lifetimes=np.int64(2), **short).summary(),
        live_agent("foraging", "random", **(size | {"hidden": None}), **short).summary(),
        hb.explain("foraging:1", measure=True, **size).to_json(),
        make_plan(make_world("foraging"), hidden=np.int64(5), seed=np.int64(2), limit=np.int64(9)).settings(),
    ]
    for summary in told:
        assert json.loads(json.dumps(summary)) == summary


def test_more_lifetimes_begin_with_the_same_ones() -> None:
    few = hb.live("foraging", "foraging:6", lifetimes=5, season_steps=200, seed=2**63 - 1)
    many = hb.live("foraging", "foraging:6", lifetimes=21, season_steps=200, seed=2**63 - 1)
    assert np.array_equal(few.counts, many.counts[:5])


def test_a_rule_may_be_given_in_any_form() -> None:
    forms: list[Any] = ["00+-/0000", "00+-0000", 3442, "3442", hb.Rule("foraging:1"), (0, 0, 1, -1, 0, 0, 0, 0)]
    digests = {hb.live("foraging", form, eta=0.02, lifetimes=2, season_steps=300).digest for form in forms}
    assert len(digests) == 1


def test_frozen_lives_are_those_of_a_rule_that_changes_nothing() -> None:
    frozen = hb.live("foraging", frozen=True, lifetimes=4, season_steps=300)
    nothing = hb.live("foraging", "0000/0000", eta=0.5, lifetimes=4, season_steps=300)
    assert frozen.digest == nothing.digest
    assert frozen.frozen
    assert not nothing.frozen


def test_settings_of_a_finished_task_can_be_changed() -> None:
    task = hb.make_world("foraging", season_steps=100, green=10)
    lives = hb.live(task, "foraging:1", lifetimes=1, seasons=2)
    assert (lives.task.season_steps, lives.task.seasons, lives.task.green) == (100, 2, 10)


@pytest.mark.parametrize(
    ("arguments", "expected"),
    [
        ({"task": "forage"}, "did you mean 'foraging'"),
        ({"rule": None}, "a rule is missing"),
        ({"rule": "frozen,00+-/0000"}, "needs an eta in each layer that learns"),
        ({"rule": "00+-/0000@0.04", "eta": 0.03}, "cannot be given as well"),
        ({"eta": float("nan")}, "not a number"),
        ({"seasons": -1}, "the nearest is 1"),
        ({"season_step": 10}, "did you mean 'season_steps'"),
        ({"hidden": -1}, "the nearest is 0"),
        ({"hidden": 10**15}, "would not fit in memory"),
        ({"hidden": 10**5000}, "hidden is a number of thousands of digits, but must be a whole number of at least 0"),
        ({"keep_networks": 2}, "keep-networks is 2, but must be True or False"),
        ({"lifetimes": True}, "must be a whole number"),
        ({"lifetimes": 0}, "the nearest is 1"),
        ({"seed": -1}, "the nearest is 0"),
        ({"networks": "nowhere.npz"}, "cannot read networks"),
        ({"blame": np.array([1.0, 2.0])}, r"blame is array\(.*, but must be a dict of numbers by group"),
        ({"eligibility": np.zeros((2, 0))}, r"eligibility is array\(.*, but must be a dict of numbers by group"),
        ({"networks": 0}, "networks is 0, but must be hebbarium.Networks or the path"),
    ],
)
def test_what_cannot_be_lived(arguments: dict[str, Any], expected: str) -> None:
    with pytest.raises(hb.BadInput, match=expected):
        hb.live(**{"task": "foraging", "rule": "foraging:1", **arguments})


def test_done_is_told_of_every_lifetime() -> None:
    told: list[int] = []
    hb.live("foraging", "foraging:1", lifetimes=77, season_steps=10, done=told.append)
    assert sum(told) == 77


def test_lives_print_as_one_line():
    lives = hb.live("foraging", "foraging:1", lifetimes=2, seed=7, season_steps=100)
    mean = lives.life_fitness.mean()
    assert repr(lives) == f"Lives(foraging, rule 00+-/0000 at eta 0.0375, 2 lifetimes of seed 7, fitness {mean:.2f})"
    assert "random agent, 1 lifetime of seed 1" in repr(live_agent("foraging", "random", lifetimes=1))
