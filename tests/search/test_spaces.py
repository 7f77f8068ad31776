"""The wider spaces: every search works in each, and goes on from its state."""

from __future__ import annotations

import json
import random

import numpy as np
import pytest

from hebbarium.rules.rule import AnyRule
from hebbarium.search.base import Evaluation, Search
from hebbarium.search.registry import SEARCHES, make_search
from hebbarium.search.space import LAYERINGS, space_of
from hebbarium.tools.errors import BadInput

WANTED = {"hidden": ((0, 0, 1, -1, 0, 0, 0, 0), 0.005), "output": ((0, 0, 1, -1, 0, 0, 0, 1), 0.08)}
SMALL = {
    "genetic": {"max_generations": 25},
    "racing": {"budget": 1500},
    "random": {"evaluations": 200},
    "catcma": {"generations": 12},
}
every_space = pytest.mark.parametrize("layers", LAYERINGS)
every_search = pytest.mark.parametrize("name", list(SEARCHES))


def value(rule: AnyRule) -> float:
    """How near the layers are to what is wanted: entries, and a little for etas within a factor of three."""
    total = 0.0
    for layer, (entries, eta) in zip(rule.layers, WANTED.values(), strict=True):
        total += sum(one == two for one, two in zip(layer.entries, entries, strict=True))
        total += 2.0 * (eta / 3 < (layer.eta or 0.0) < eta * 3)
    return total


def step(search: Search, chance: random.Random) -> bool:
    asked = search.ask()
    search.tell(
        [Evaluation(one, tuple(value(one.rule) + chance.gauss(0, 1) for _ in range(one.lifetimes))) for one in asked]
    )
    return bool(asked)


@every_space
def test_rules_are_taken_apart_and_put_together(layers: str) -> None:
    search = make_search("random", layers=layers, evaluations=40)
    space = space_of(layers)
    for request in search.ask():
        rule = request.rule
        assert space.rule(space.entries_of(rule), space.etas_of(rule)) == rule
        assert space.rule(space.entries_at(space.index(rule)), space.etas_of(rule)) == rule
        assert rule.is_layered == (layers != "same")
        assert rule.frozen_hidden == (layers == "output")
        assert all(0 <= part.eta < 1 for part in rule.learning)


@every_space
@every_search
def test_every_search_improves_in_every_space(name: str, layers: str) -> None:
    search, chance = make_search(name, 2, 0, layers, **SMALL[name]), random.Random(1)
    first = search.ask()
    mean = sum(value(one.rule) for one in first) / len(first)
    while step(search, chance) and not search.finished:
        pass
    assert search.best is not None
    assert value(search.best.rule) > mean + 2


@every_space
@every_search
def test_a_search_goes_on_from_its_state(name: str, layers: str) -> None:
    search, chance = make_search(name, 2, 0, layers), random.Random(1)
    for _ in range(6):
        step(search, chance)
    search.ask()
    other = make_search(name, 9, 0, layers)
    other.restore(json.loads(json.dumps(search.state(), allow_nan=False)))
    for one in (search, other):
        again = random.Random(7)
        for _ in range(3):
            step(one, again)
    assert [one.rule.text for one in search.ask()] == [one.rule.text for one in other.ask()]
    assert search.top(5) == other.top(5)


@pytest.mark.parametrize("depth", [3, 4])
@every_space
@every_search
def test_every_search_knows_networks_of_more_layers(name: str, layers: str, depth: int) -> None:
    search, chance = make_search(name, 2, 0, layers, depth=depth), random.Random(1)
    for _ in range(3):
        asked = search.ask()
        for request in asked:
            rule, space = request.rule, search.space
            assert space.rule(space.entries_of(rule), space.numbers_of(rule)) == rule
            assert len(rule.for_layers(depth)) == depth
            assert rule.frozen_hidden == (layers == "output")
            parts, etas = (len({getattr(part, name) for part in rule.parts if part}) for name in ("entries", "eta"))
            assert parts == 1 or layers == "separate"
            assert etas == 1 or layers in ("two-etas", "separate")
        search.tell([Evaluation(one, tuple(chance.random() for _ in range(one.lifetimes))) for one in asked])
    other = make_search(name, 9, 0, layers, depth=depth)
    other.restore(json.loads(json.dumps(search.state(), allow_nan=False)))
    assert [one.rule.text for one in search.ask()] == [one.rule.text for one in other.ask()]


def test_one_layer_has_one_rule_and_racing_has_a_limit() -> None:
    assert make_search("racing", depth=1).space.parts == 1
    with pytest.raises(BadInput, match="there is one layer only; use same"):
        make_search("genetic", layers="two-etas", depth=1)
    with pytest.raises(BadInput, match="racing cannot number the rules of 6 layers"):
        make_search("racing", layers="separate", depth=6)
    assert make_search("racing", layers="two-etas", depth=6).space.etas == 6


def test_another_word_is_refused() -> None:
    with pytest.raises(BadInput, match="two-etas"):
        make_search("genetic", layers="two-eta")


@pytest.mark.parametrize("layers", LAYERINGS)
def test_real_entries_are_numbers_like_the_etas(layers: str) -> None:
    space = space_of(layers, ("entries",))
    assert (space.entries, len(space.scales)) == (0, space.etas + 8 * space.parts)
    rule = space.draw(np.random.default_rng(5))
    assert space.rule(space.entries_of(rule), space.numbers_of(rule)) == rule
    assert all(-1 <= entry <= 1 for part in rule.learning for entry in part.entries)
    assert not rule.is_ternary


@pytest.mark.parametrize("name", ["genetic", "random", "catcma"])
def test_searches_climb_on_real_entries(name: str) -> None:
    """The sum of one rule's distances to another, as a fitness."""
    search = make_search(name, seed=3, genes=("entries",))
    best = []
    for _ in range(12):
        wanted = search.ask()
        fitness = [-sum(abs(entry - 0.3) for entry in one.rule.layers[0].entries) for one in wanted]
        search.tell([Evaluation(one, (score,) * one.lifetimes) for one, score in zip(wanted, fitness, strict=True)])
        best.append(max(fitness))
    assert search.best.fitness > best[0]


def test_racing_refuses_real_entries() -> None:
    with pytest.raises(BadInput, match="real entries"):
        make_search("racing", genes=("entries",))
