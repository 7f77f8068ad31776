"""Blame and eligibility as genes: which there are, and every search that takes them."""

from __future__ import annotations

import json
import math
import random
import statistics
from typing import Any

import pytest

from hebbarium.rules.graded import GradedRule, weights_of
from hebbarium.rules.rule import AnyRule
from hebbarium.search.base import Evaluation, Search
from hebbarium.search.genes import genes_of, genes_text, signalled
from hebbarium.search.genetic import GeneticAlgorithm
from hebbarium.search.registry import SEARCHES, make_search
from hebbarium.search.space import LAYERINGS, WEIGHTS, space_of
from hebbarium.studies.evolve.study import Evolution
from hebbarium.tools.errors import BadInput
from hebbarium.worlds.registry import make_world

FORAGING = make_world("foraging")
GROUPS = ("open-straight", "open-turn", "wall-turn", "wall-hit", "beside-wall", "missed", "wrong", "taken")
GENES = ("blame:wall-turn", "blame:missed", "eligibility:missed")
WANTED = {"blame": {"wall-turn": -0.06, "missed": 1.0}, "eligibility": {"missed": 0.5}}
SMALL: dict[str, dict[str, Any]] = {
    "genetic": {"max_generations": 25},
    "random": {"evaluations": 300},
    "catcma": {"generations": 15},
}
every_space = pytest.mark.parametrize("layers", LAYERINGS)
every_search = pytest.mark.parametrize("name", [name for name, search in SEARCHES.items() if search.takes_genes])


# Which there are.


def test_groups_without_a_signal_are_left_out() -> None:
    assert signalled(FORAGING) == GROUPS
    assert signalled(make_world("t-maze")) == ("high", "low", "bump")
    assert signalled(make_world("prey-predator")) == tuple("12345678")
    assert signalled(make_world("association")) == ("correct", "wrong")


def test_they_are_kept_in_full_and_in_order() -> None:
    both = tuple(f"{kind}:{group}" for kind in ("blame", "eligibility") for group in GROUPS)
    for given in ("blame,eligibility", " eligibility , blame", ["eligibility", "blame:wrong", "blame"], both[::-1]):
        assert genes_of(given, FORAGING) == both
    assert genes_text(both, FORAGING) == "blame,eligibility"
    few = genes_of("eligibility:missed,blame:missed,blame:wall-turn", FORAGING)
    assert few == GENES
    assert genes_text(few, FORAGING) == ",".join(GENES)
    for nothing in ("", (), None):
        assert genes_of(nothing, FORAGING) == ()


def test_etas_are_short_for_an_eta_of_each_layer() -> None:
    for hidden in (20, (20, 10)):
        for genes in ("etas", ["etas"]):
            asked = Evolution.of("foraging", genes=genes, hidden=hidden)
            assert asked == Evolution.of("foraging", layers="two-etas", hidden=hidden)
            assert asked.space.etas == asked.brain.layers
        more = Evolution.of("foraging", genes="etas,trace", hidden=hidden)
        assert more == Evolution.of("foraging", genes="trace", layers="two-etas", hidden=hidden)
    for layers in ("separate", "output"):  # every layer that learns has its own there
        assert Evolution.of("foraging", genes="etas", layers=layers) == Evolution.of("foraging", layers=layers)
    assert Evolution.of("foraging", genes="etas", hidden=0) == Evolution.of("foraging", hidden=0)


@pytest.mark.parametrize(
    ("genes", "said"),
    [
        ("blam", "did you mean 'blame'"), ("blame:", "one of open-straight"), ("blame,", "one of blame"),
        ("blame:wall-tun", "did you mean 'wall-turn'"), ("blame:neutral", "never rewarded or punished"),
        ([3], "such as blame"), (3, "such as blame"), ("eta", "one of blame, eligibility"),
    ],
)  # fmt: skip
def test_other_names_are_refused(genes: Any, said: str) -> None:
    with pytest.raises(BadInput, match=said):
        Evolution.of("foraging", genes=genes)


def test_a_weight_cannot_be_both_fixed_and_a_gene() -> None:
    with pytest.raises(BadInput, match="blame of missed is fixed with --blame") as refused:
        Evolution.of("foraging", genes=GENES, blame={"missed": 1})
    assert "--genes blame:wall-turn,eligibility:missed." in str(refused.value)
    with pytest.raises(BadInput, match="no genes"):
        Evolution.of("foraging", genes="eligibility:missed", eligibility={"missed": 1})
    Evolution.of("foraging", genes=GENES, blame={"open-turn": 0.1, "3": 0.1}, eligibility={"taken": 0.1})


def test_racing_says_which_searches_take_them() -> None:
    with pytest.raises(BadInput, match=r"racing cannot .* use genetic, random or catcma\.$"):
        make_search("racing", genes=GENES)
    with pytest.raises(BadInput, match="racing cannot"):
        Evolution.of("foraging", "racing", genes="blame")
    Evolution.of("foraging", "racing", genes=())


@pytest.mark.parametrize("genes", ["etas", " etas ", ["etas"], ("etas",)])
def test_racing_is_the_usual_search_for_etas_alone(genes: Any) -> None:
    assert Evolution.of("foraging", genes=genes).search == "racing"
    assert Evolution.of("foraging", genes="etas, blame").search == "genetic"


@pytest.mark.parametrize(
    ("options", "said"),
    [
        ({"genes": "trace", "trace": 0.5}, "trace is 0.5 and a gene as well"),
        ({"genes": "trace", "eligibility": {"missed": 0.5}}, "trace is a gene and there is eligibility"),
        ({"genes": "trace,eligibility"}, "trace is a gene and there is eligibility"),
        ({"genes": "trace:missed"}, "must be one of|did you mean"),
    ],
)
def test_traces_are_either_fixed_or_a_gene(options: dict[str, Any], said: str) -> None:
    with pytest.raises(BadInput, match=said):
        Evolution.of("foraging", **options)


# Searches.


def value(rule: AnyRule) -> float:
    """How near the weights are to those wanted, on their scales."""
    return -sum(
        abs(WEIGHTS[kind].place(weights_of(rule, kind)[group]) - WEIGHTS[kind].place(wanted))
        for kind, groups in WANTED.items()
        for group, wanted in groups.items()
    )


def step(search: Search, chance: random.Random) -> bool:
    asked = search.ask()
    search.tell(
        [Evaluation(one, tuple(value(one.rule) + chance.gauss(0, 0.1) for _ in range(one.lifetimes))) for one in asked]
    )
    return bool(asked)


@every_space
def test_rules_are_taken_apart_and_put_together(layers: str) -> None:
    space = space_of(layers, GENES)
    for request in make_search("random", layers=layers, genes=GENES).ask():
        rule = request.rule
        assert isinstance(rule, GradedRule)
        assert (list(rule.blame), list(rule.eligibility)) == (["wall-turn", "missed"], ["missed"])
        assert space.rule(space.entries_of(rule), space.numbers_of(rule)) == rule
        assert len(space.numbers_of(rule)) == len(space.scales) == space.etas + 3


@every_space
@every_search
def test_every_search_finds_the_weights(name: str, layers: str) -> None:
    search, chance = make_search(name, 2, 0, layers, GENES, **SMALL[name]), random.Random(1)
    first = search.ask()
    mean = statistics.fmean(value(one.rule) for one in first)
    while step(search, chance) and not search.finished:
        pass
    assert search.best is not None
    assert value(search.best.rule) > 0.5 * mean


@every_space
@every_search
def test_a_search_goes_on_from_its_state(name: str, layers: str) -> None:
    search, chance = make_search(name, 2, 0, layers, GENES), random.Random(1)
    for _ in range(4):
        step(search, chance)
    search.ask()
    other = make_search(name, 9, 0, layers, GENES)
    other.restore(json.loads(json.dumps(search.state(), allow_nan=False)))
    for one in (search, other):
        again = random.Random(7)
        for _ in range(2):
            step(one, again)
    assert [one.rule.text for one in search.ask()] == [one.rule.text for one in other.ask()]
    assert search.top(5) == other.top(5)


def test_weights_mutate_on_their_scale_as_etas_do() -> None:
    search = GeneticAlgorithm(space=space_of("two-etas", GENES))
    rule = search.space.rule([0] * 8, [0.01, 0.01, 0.05, -0.05, 0.05])
    scales, start = search.space.scales, search.space.numbers_of(rule)
    moved = [search.space.numbers_of(search.mutated(rule)) for _ in range(800)]
    for place, (scale, before) in enumerate(zip(scales, start, strict=True)):
        moves = [scale.place(one[place]) - scale.place(before) for one in moved]
        assert statistics.fmean(moves) == pytest.approx(0, abs=0.015)
        assert statistics.stdev(moves) == pytest.approx(0.1, rel=0.1)


def test_each_weight_comes_from_either_parent() -> None:
    search = GeneticAlgorithm(space=space_of("same", GENES))
    one, two = (search.space.rule([sign] * 8, [eta, eta, eta, eta]) for sign, eta in ((-1, 0.25), (1, 0.75)))
    children = [search.space.numbers_of(search.crossed(one, two)) for _ in range(200)]
    assert all(set(child) <= {0.25, 0.75} for child in children)
    assert len(set(children)) == 16
    assert math.isclose(statistics.fmean(child[3] for child in children), 0.5, abs_tol=0.05)
