"""The general network against its twin in plain Python, and against the paper's network where both are the same."""

from __future__ import annotations

import copy
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from hebbarium.brains.base import Brain, bear, bear_specially, new_brains, new_extras, weights_of, write_rules
from hebbarium.brains.network_files import Networks
from hebbarium.kernels.random import gap_table
from hebbarium.life.batch import Batch
from hebbarium.life.jobs import Jobs
from hebbarium.life.stepwise import ByHand
from hebbarium.rules.layered import LayeredRule
from hebbarium.rules.rule import AnyRule, Rule
from hebbarium.tools.errors import BadInput
from hebbarium.worlds.foraging import Foraging
from naive_general import NaiveBrain, naive_tanh

KINDS = (
    ("step", "unit", "first"),
    ("step", "clip", "random"),
    ("sign", "oja", "first"),
    ("sign", "none", "first"),
    ("tanh", "unit", "random"),
    ("tanh", "oja", "first"),
)
"""Each is compiled, so not all combinations: all activations, scalings and ties."""
EACH = 50
STEPS = 40
BIASES = ("plastic", "plastic", "unscaled", "unchanged", "fixed", "none")


def drawn_rule(random: np.random.Generator, layers: int) -> AnyRule:
    """Ternary or real, with or without neutral entries, one for all layers or one for each, some frozen."""

    def one() -> Rule:
        count = int(random.choice([8, 12]))
        real = random.random() < 0.4
        entries = random.normal(0, 1, count) * (random.random(count) < 0.7) if real else random.integers(-1, 2, count)
        return Rule(entries.tolist(), float(random.choice([0.004, 0.04, 0.3])))

    if layers == 1 or random.random() < 0.5:
        return one()
    parts = [None if random.random() < 0.2 else one() for _ in range(layers)]
    return LayeredRule(*parts) if any(parts) else one()


def drawn_brain(random: np.random.Generator, kind: tuple[str, str, str]) -> Brain:
    activation, scaling, ties = kind
    hidden: Any = [0, 1, 4, (5, 3), (3, 4, 2)][random.integers(0 if activation == "step" else 1, 5)]
    return Brain(
        hidden=hidden,
        activation=activation,
        scaling=scaling,
        ties=ties,
        recurrent=bool(hidden and random.random() < 0.4),
        trace=float(random.choice([0.0, 0.0, 0.5, 0.9])),
        hidden_bias=str(random.choice(BIASES)) if hidden else "plastic",
        output_bias=str(random.choice(BIASES)),
        weight_noise=float(random.choice([0.0, 0.0, 0.02])),
        born_alike=bool(hidden and random.random() < 0.1),
    )


@pytest.mark.parametrize("kind", KINDS, ids="-".join)
def test_three_hundred_brains_agree_with_their_twins_bit_for_bit(kind: tuple[str, str, str]) -> None:
    check_twins(kind, KINDS.index(kind), EACH)


def check_twins(kind: tuple[str, str, str], seed: int, count: int) -> None:
    random = np.random.default_rng([24, seed])
    for number in range(count):
        inputs, outputs = int(random.integers(1, 6)), int(random.integers(2, 4))
        brain = drawn_brain(random, kind)
        rule = drawn_rule(random, brain.layers)
        jobs = Jobs.of([rule], [number], [3], brain.layers)
        brains = new_brains(1, brain, inputs, outputs, gap_table(0.1), np.arange(outputs), general=True)
        judgements = random.integers(0, 2, (1, 3, outputs)).astype(np.int16)
        blame = random.choice([1.0, 1.0, 0.0, -0.5, 2.0], (1, 2))
        eligibility = random.choice([0.0, 0.0, 0.5], (1, 2)) * (brain.trace == 0)
        extras = new_extras(brain, inputs, outputs, judgements, blame, eligibility, jobs.seed, jobs.trial)
        write_rules(brains, jobs.entries, jobs.eta)
        bear(brains, jobs.seed, jobs.trial)
        bear_specially(brain, brains)
        born = [layer[0].tolist() for layer in weights_of(brains)]
        twin = NaiveBrain(brain, rule.for_layers(brain.layers), born, copy.deepcopy(extras.stream[0]))
        by_hand = ByHand(brain, brains, extras)
        for step in range(STEPS):
            bits = random.integers(0, 2, inputs)
            action = by_hand.act(0, bits)
            sums = twin.outputs(bits.tolist())
            if not by_hand.random:
                assert sums[action] == max(sums)
                assert brain.ties == "random" or action == sums.index(max(sums))
            signal, association = int(random.integers(-1, 2)), int(random.integers(0, 3))
            judgement = judgements[0, association, action]
            with np.errstate(over="ignore"):
                by_hand.reinforce(0, signal, 0, association)
                twin.learn(action, by_hand.random, signal, float(blame[0, judgement]), float(eligibility[0, judgement]))
            for layer, theirs in zip(weights_of(brains), twin.weights, strict=True):
                assert layer[0].tolist() == theirs, (number, step, brain, rule)


LIKE_THE_PAPERS = (
    ("foraging:1", {}),
    ("foraging:6", {}),
    ("frozen,000-/000+@0.03", {}),
    ("0:0:0.86:-0.74/0:0:0.1:0@0.0375", {}),
    ("1000:1e-12:-3:0/0:-200:0.5:1e-9@0.5", {}),
    ("0:0:1e-9:-900/0:0:0:0@0.9", {}),
    ("00+-/0-0+@0.02", {"hidden_bias": "fixed", "weight_noise": 0.01}),
)


@pytest.mark.parametrize(("rule", "settings"), LIKE_THE_PAPERS)
def test_the_general_network_is_the_papers_where_nothing_else_is_asked(rule: str, settings: dict[str, Any]) -> None:
    from hebbarium.rules.layered import read_rule

    world = Foraging(seasons=2, season_steps=400)
    brain = Brain.of(world, **settings)
    jobs = Jobs.of_rule(read_rule(rule), 6, seed=5)
    found = []
    for fast, general in ((True, False), (False, False), (True, True)):
        batch = Batch.of(world, brain, jobs, fast=fast, general=general)
        batch.live()
        found.append((batch.counts.tobytes(), *(layer.tobytes() for layer in batch.networks().layers)))
    assert found[0] == found[1] == found[2]


def test_tanh_is_the_hyperbolic_tangent() -> None:
    places = np.linspace(-30, 30, 6001)
    found = np.array([naive_tanh(float(place)) for place in places])
    assert np.abs(found - np.tanh(places)).max() < 1e-15


@pytest.mark.parametrize(
    ("settings", "told"),
    [
        ({"hidden": -1}, "at least 0"),
        ({"hidden": (20, 0)}, "at least 1"),
        ({"hidden": "20;10"}, "such as 20, 20,10 or 0"),
        ({"hidden": 0, "recurrent": True}, "no hidden neurons"),
        ({"hidden": 0, "activation": "sign"}, "no hidden neurons"),
        ({"activation": "sine"}, "did you mean 'sign'?"),
        ({"scaling": "ojas"}, "did you mean 'oja'?"),
        ({"scaling": "there/is/none.py"}, "cannot read the scaling"),
        ({"trace": 1.0}, "up to, but not including, 1"),
        ({"arithmetic": "tallied", "trace": 0.5}, "choose arithmetic plain"),
    ],
)
def test_what_makes_no_sense_is_refused(settings: dict[str, Any], told: str) -> None:
    with pytest.raises(BadInput, match=told.replace("?", r"\?")):
        Brain(**{"hidden": 20, **settings})


def test_hidden_layers_as_they_are_given() -> None:
    assert Brain(hidden="20,10") == Brain(hidden=[20, 10]) == Brain(hidden=(20, 10))
    assert Brain(hidden="20").hidden == Brain(hidden=(20,)).hidden == 20
    assert Brain(hidden=(20, 10), recurrent=True).shapes(6, 3) == [(27, 20), (31, 10), (11, 3)]
    assert Brain(hidden=0).shapes(6, 3) == [(7, 3)]


def test_a_rule_has_as_many_layers_as_the_network_or_one_for_all() -> None:
    with pytest.raises(BadInput, match="is for 2 layers, but the network has 3"):
        Jobs.of([LayeredRule("frozen", "foraging:1")], [1], [1], 3)
    assert Jobs.of([Rule("foraging:1")], [1], [1], 3).entries.shape == (1, 3, 12)


@pytest.mark.parametrize("hidden", [0, 4, (3, 2), (2, 3, 4)])
def test_networks_of_any_depth_are_saved_and_read_back(hidden: Any, tmp_path: Path) -> None:
    random = np.random.default_rng(1)
    shapes = Brain(hidden=hidden, recurrent=bool(hidden)).shapes(5, 3)
    grown = Networks("foraging", *(random.normal(size=(2, post, pre)) for pre, post in shapes))
    grown.save(tmp_path / "a.npz")
    again = Networks.load(tmp_path / "a.npz")
    assert all(map(np.array_equal, grown.layers, again.layers))
    assert again.neurons == hidden
    assert again.distinct_hidden().tolist() == [sum(np.atleast_1d(hidden))] * 2
    assert Networks.joined([again[:1], again[1:]]).by_name().keys() == grown.by_name().keys()
