"""What every registered search must do, tested the day it registers."""

from __future__ import annotations

import dataclasses
import json
import math
import subprocess
import sys

import pytest

from hebbarium.search.base import Evaluation, Search
from hebbarium.search.registry import SEARCHES, make_search
from hebbarium.tools.errors import BadInput
from search.landscape import asked, flat, noisy, run, step, value

every_search = pytest.mark.parametrize("name", list(SEARCHES))


def through_json(search: Search, seed: int = 1) -> Search:
    """A new search that took over another's state, as a file would carry it."""
    other = type(search)(search.settings, seed=999)
    other.restore(json.loads(json.dumps(search.state(), allow_nan=False)))
    return other


@every_search
def test_the_same_seed_and_run_search_the_same(name: str) -> None:
    first, second = make_search(name, seed=3, run=1), make_search(name, seed=3, run=1)
    assert asked(run(first, rounds=6)) == asked(run(second, rounds=6))
    assert first.state() == second.state()


@every_search
@pytest.mark.parametrize(("seed", "run_number"), [(4, 0), (3, 1)])
def test_another_seed_or_run_searches_otherwise(name: str, seed: int, run_number: int) -> None:
    first, second = make_search(name, seed=3), make_search(name, seed=seed, run=run_number)
    assert asked(run(first, rounds=1)) != asked(run(second, rounds=1))


@every_search
def test_it_finishes_and_improves(name: str) -> None:
    search = make_search(name, seed=1)
    told = run(search)
    assert search.finished
    assert search.ask() == []
    best = search.best
    assert best is not None
    assert best == search.top(1)[0]
    mean_first = sum(value(each.request.rule) for each in told[:30]) / 30
    assert value(best.rule) > mean_first + 5


@every_search
def test_requests_can_be_lived(name: str) -> None:
    told = run(make_search(name, seed=2))
    generations = [each.request.generation for each in told]
    assert generations == sorted(generations)
    assert set(generations) == set(range(generations[-1] + 1))
    for each in told:
        assert each.request.rule.eta is not None
        assert 0 <= each.request.rule.eta < 1
        assert each.request.lifetimes >= 1


@every_search
def test_asking_twice_asks_the_same(name: str) -> None:
    search, other = make_search(name, seed=5), make_search(name, seed=5)
    for _ in range(3):
        assert search.ask() == search.ask()
        step(search, 0)
        step(other, 0)
    assert search.state() == other.state()


@every_search
def test_a_state_goes_on_from_any_moment(name: str) -> None:
    search, unbroken = make_search(name, seed=7), make_search(name, seed=7)
    trial = 0
    rounds = 0
    while unbroken.ask():
        # At every moment of the first rounds, and now and then later.
        broken = rounds < 5 or rounds % 16 == 0
        search = through_json(search) if broken else search
        assert search.ask() == unbroken.ask()
        search = through_json(search) if broken else search
        evaluations = []
        for request in search.ask():
            evaluations.append(Evaluation(request, noisy(request, trial)))
            trial += request.lifetimes
        search.tell(evaluations)
        unbroken.tell(evaluations)
        if broken:
            assert search.state() == unbroken.state()
            assert (search.best, search.mean_fitness) == (unbroken.best, unbroken.mean_fitness)
        rounds += 1
    assert search.state() == unbroken.state()
    assert through_json(search).finished
    assert rounds > 3


@every_search
def test_replaying_stored_evaluations_rebuilds_it(name: str) -> None:
    search = make_search(name, seed=8)
    told = run(search, rounds=5)
    again = make_search(name, seed=8)
    while told:
        size = len(again.ask())
        again.tell(told[:size])
        told = told[size:]
    assert again.state() == search.state()


@every_search
def test_max_generations_stops_it(name: str) -> None:
    search = make_search(name, max_generations=2)
    told = run(search)
    assert {each.request.generation for each in told} == {0, 1}
    assert search.finished


@every_search
def test_it_says_how_far_it_is(name: str) -> None:
    search = make_search(name, seed=1)
    assert search.best is None
    assert math.isnan(search.mean_fitness)
    run(search, rounds=4)
    assert search.generation == 4
    assert search.best is not None
    assert search.mean_fitness <= search.best.fitness
    stale, limit = search.staleness()
    assert 0 <= stale <= limit


@every_search
def test_top_is_ranked(name: str) -> None:
    search = make_search(name, seed=1)
    run(search)
    ten = search.top(10)
    assert len(ten) == 10
    assert search.top(3) == ten[:3]
    assert set(ten) <= set(search.population())
    worth = [value(individual.rule) for individual in ten]
    everybody = [value(individual.rule) for individual in search.population()]
    assert sum(worth) / 10 >= sum(everybody) / len(everybody)


@every_search
def test_only_answers_are_told(name: str) -> None:
    search = make_search(name)
    requests = search.ask()
    answers = [Evaluation(request, noisy(request, 0)) for request in requests]
    with pytest.raises(ValueError, match="every request"):
        search.tell(answers[:-1])
    with pytest.raises(ValueError, match="every request"):
        search.tell(answers[::-1])
    with pytest.raises(ValueError, match="scores"):
        search.tell([Evaluation(requests[0], ()), *answers[1:]])
    search.tell(answers)


@every_search
def test_states_of_other_searches_are_refused(name: str) -> None:
    state = {**make_search(name).state(), "search": "another"}
    with pytest.raises(BadInput, match="another"):
        make_search(name).restore(state)


@every_search
def test_settings_are_options(name: str) -> None:
    settings = SEARCHES[name].settings_class()
    json.dumps(settings.settings())
    assert SEARCHES[name].settings_class(**settings.settings()) == settings
    for field in dataclasses.fields(settings):
        if isinstance(field.default, int):
            with pytest.raises(BadInput, match=field.name.replace("_", "-")):
                dataclasses.replace(settings, **{field.name: -1})
        if isinstance(field.default, str):
            with pytest.raises(BadInput, match=field.name.replace("_", "-")):
                dataclasses.replace(settings, **{field.name: "nonsense"})


def test_unknown_searches_and_settings_get_the_nearest() -> None:
    with pytest.raises(BadInput, match="genetic"):
        make_search("genetik")
    with pytest.raises(BadInput, match="elites"):
        make_search("genetic", elite=3)


@every_search
def test_lifetimes_left_are_those_that_come(name: str) -> None:
    """On a flat landscape nothing better is ever found, so the count is exact but for rounds of unlike size."""
    search = make_search(name, seed=1, **({"budget": 2000} if name == "racing" else {}))
    run(search, flat, rounds=3)
    search.ask()
    expected = search.lifetimes_left()
    lived = sum(each.request.lifetimes for each in run(search, flat))
    assert lived == pytest.approx(expected, rel=0.05)


def test_the_registry_needs_no_numpy() -> None:
    """Help must come at once, and numpy is slow to import."""
    code = "import sys, hebbarium.search.registry; sys.exit('numpy' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0
