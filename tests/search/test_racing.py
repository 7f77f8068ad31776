"""The racing search's memory, its moves and its race."""

from __future__ import annotations

import dataclasses
import itertools
import json
import tracemalloc
from collections import Counter

import numpy as np
import pytest
from scipy import stats

from hebbarium.rules.rule import Rule
from hebbarium.search.base import Evaluation, Request
from hebbarium.search.racing import MOST, REFINED, USUAL, Racing, RacingSettings
from hebbarium.search.racing_memory import SHARED, Memory, SparseMemory, judged, memory_of, summed
from hebbarium.search.racing_relatives import Family
from hebbarium.search.space import LAYERINGS, SAME, Space
from hebbarium.tools.errors import BadInput
from search.landscape import GOAL, Score, flat, noisy, run, value

LIKELY = 1e-4


def racing(seed: int = 1, space: Space = SAME, **settings: object) -> Racing:
    return Racing(RacingSettings(**settings), seed, space=space)


def explored(seed: int = 1, rounds: int = 12, **settings: object) -> Racing:
    search = racing(seed, **settings)
    run(search, rounds=rounds)
    return search


# Levels of eta.


def test_levels_cover_eta_evenly_on_a_logarithmic_scale() -> None:
    etas = RacingSettings().etas()
    assert len(etas) == 32
    assert np.diff(np.log10(etas)) == pytest.approx(1 / 8, abs=1e-3)
    # Each stands in the middle of its part of [0.0001, 1).
    assert np.log10(etas[0]) == pytest.approx(-4 + 1 / 16, abs=1e-3)
    assert np.log10(etas[-1]) == pytest.approx(-1 / 16, abs=1e-3)


@pytest.mark.parametrize(("levels", "smallest"), [(1, 0.5), (1, 1e-12), (100, 0.01), (3, 0.3)])
def test_any_levels_are_different_etas_below_1(levels: int, smallest: float) -> None:
    etas = RacingSettings(levels=levels, smallest_eta=smallest).etas()
    assert etas == sorted(set(etas))
    assert 0 < etas[0] <= etas[-1] < 1


def test_first_draws_are_uniform_over_rules_and_levels() -> None:
    told = [each for seed in range(8) for each in run(racing(seed), rounds=4)]
    assert len(told) == 8 * 256
    for place in range(8):
        counts = Counter(each.request.rule.entries[place] for each in told)
        assert stats.chisquare([counts[entry] for entry in (-1, 0, 1)]).pvalue > LIKELY
    levels = Counter(each.request.rule.eta for each in told)
    assert stats.chisquare([levels[eta] for eta in RacingSettings().etas()]).pvalue > LIKELY


# Memory and estimates.


def test_memory_keeps_every_try() -> None:
    memory = Memory(32)
    memory.add((7, 3), [1.0, 2.0])
    memory.add((7, 3), [6.0])
    assert memory.tried((7, 3)) == 3
    assert memory.mean((7, 3)) == 3.0
    again = Memory(32)
    again.read(memory.write())
    assert again.write() == memory.write()
    assert (again.number == memory.number).all()
    assert (again.squares == memory.squares).all()


def test_the_prior_is_the_mean_of_pairs_and_the_noise_within_them() -> None:
    random = np.random.default_rng(1)
    memory = Memory(32)
    for rule in range(400):
        memory.add((rule, 5), random.normal(rule % 10, 3.0, size=4))
    prior = memory.prior()
    assert prior.mean == pytest.approx(4.5, abs=0.3)
    assert prior.noise == pytest.approx(9.0, rel=0.15)


def test_an_estimate_is_the_mean_of_the_tries_and_one_average_try() -> None:
    memory = Memory(32)
    memory.add((10, 4), [9.0, 11.0])
    memory.add((20, 4), [1.0])
    average = (10.0 + 1.0) / 2
    found = memory.estimates()
    by_pair = {
        (rule, level): (mean, deviation)
        for rule, level, mean, deviation in zip(
            found.rules.tolist(), found.levels.tolist(), found.mean, found.deviation, strict=True
        )
    }
    assert by_pair[10, 4][0] == pytest.approx((20 + average) / 3)
    assert by_pair[20, 4][0] == pytest.approx((1 + average) / 2)
    assert by_pair[10, 4][1] == pytest.approx(np.sqrt(2.0 / 3))
    # A try counts in part for the level beside it.
    assert by_pair[10, 5][0] == pytest.approx((SHARED[0] * 20 + average) / (SHARED[0] * 2 + 1))
    assert (10, 9) not in by_pair


def test_one_lucky_lifetime_is_believed_less_than_a_good_mean() -> None:
    memory = Memory(32)
    for rule in range(100):
        memory.add((rule, 16), [0.0])
    memory.add((200, 16), [28.0, 32.0] * 20)
    memory.add((300, 16), [33.0])
    assert next(memory.estimates().ranked()) == (200, 16)
    assert next(memory.estimates().ranked(optimism=50.0))[0] != 200


# Rounds.


def test_a_round_is_shared_out() -> None:
    search = explored(rounds=20)
    before = search.memory.number.copy()
    pairs = [search.pair_of(request.rule) for request in search.ask()]
    assert len(pairs) == 64
    assert all(request.lifetimes == 1 for request in search.ask())
    hopeful = list(search.memory.estimates().ranked(search.settings.optimism))
    assert pairs[0] == hopeful[0]
    retried = Counter(rule for rule, _ in pairs[:19])
    assert max(retried.values()) <= 2
    assert set(pairs[:19]) <= set(hopeful[:200])
    new = [pair for pair in pairs[19:] if before[pair] == 0]
    assert len(new) > 40


def test_relatives_are_what_they_are_called() -> None:
    search = explored(rounds=20)
    family = Family(search, search.memory.estimates())
    parent = Rule("-0+-/+0-0").index
    for _ in range(50):
        assert distance(parent, family.changed(parent, 1)) == 1
        assert distance(parent, family.changed(parent, 2)) == 2
        redrawn = Rule(family.with_half_redrawn(parent))
        assert redrawn.punished == Rule(parent).punished or redrawn.rewarded == Rule(parent).rewarded
        joined = Rule(family.of_two_halves()[0])
        assert joined.punished in {Rule(rule).punished for rule, _ in family.by_half[0]}
        assert joined.rewarded in {Rule(rule).rewarded for rule, _ in family.by_half[1]}


def test_every_half_is_drawn_anew_alike() -> None:
    search = explored(rounds=5)
    family = Family(search, search.memory.estimates())
    parent = Rule("----/----").index
    drawn = [Rule(family.with_half_redrawn(parent)) for _ in range(8_000)]
    rewarded = Counter(rule.rewarded for rule in drawn if rule.rewarded != (-1,) * 4)
    assert (
        stats.chisquare(
            [rewarded[half] for half in itertools.product((-1, 0, 1), repeat=4) if any(h != -1 for h in half)]
        ).pvalue
        > LIKELY
    )
    assert stats.binomtest(sum(rewarded.values()), 8_000, 0.5 * 80 / 81).pvalue > LIKELY


def test_changed_entries_take_both_other_values_alike() -> None:
    search = explored(rounds=5)
    family = Family(search, search.memory.estimates())
    parent = Rule("0000/0000")
    counts = Counter(family.changed(parent.index, 1) for _ in range(8_000))
    assert stats.chisquare([counts[rule.index] for rule in parent.neighbours()]).pvalue > LIKELY


def test_the_better_are_parents_more_often() -> None:
    search = explored(rounds=20)
    family = Family(search, search.memory.estimates())
    best_first = [(rule, 0) for rule in range(16)]
    counts = Counter(family.ranked(best_first)[0] for _ in range(8_000))
    expected = np.diff(np.sqrt(np.arange(17) / 16)) * 8_000
    assert stats.chisquare([counts[rule] for rule in range(16)], expected).pvalue > LIKELY


def test_another_eta_is_near_or_anywhere() -> None:
    search = explored(rounds=5)
    family = Family(search, search.memory.estimates())
    levels = Counter(family.elsewhere(16) for _ in range(8_000))
    # Beyond 11 steps the Gaussian reaches hardly ever: there a level is drawn only as anywhere.
    far = [levels[level] for level in range(32) if abs(level - 16) > 11]
    assert stats.chisquare(far).pvalue > LIKELY
    assert stats.binomtest(sum(far), 8_000, 0.5 * len(far) / 32).pvalue > LIKELY
    assert levels[16] + levels[15] + levels[17] > 1_500


# The final race.


def test_the_worse_half_drops_out_in_every_heat() -> None:
    search = racing()
    while not search.racers:
        run(search, rounds=1)
        search.ask()
    sizes, lifetimes = [], []
    while requests := search.ask():
        sizes.append(len(requests))
        lifetimes.append(requests[0].lifetimes)
        racers = list(search.racers)
        search.tell([Evaluation(request, noisy(request, 0)) for request in requests])
        stay = sorted(racers, key=lambda pair: -search.memory.mean(pair))[: (len(racers) + 1) // 2]
        assert search.racers == stay
    assert sizes == [32, 16, 8, 4, 2]
    assert lifetimes == sorted(lifetimes)
    assert search.best is not None
    assert search.pair_of(search.best.rule) == search.racers[0]


def test_finalists_are_the_best_rules_at_their_best_levels() -> None:
    search = racing()
    while not search.racers:
        run(search, rounds=1)
        search.ask()
    assert Counter(Counter(rule for rule, _ in search.racers).values()) == {4: 8}
    ranked = search.memory.estimates().ranked()
    rules = list(dict.fromkeys(rule for rule, _ in ranked))[:8]
    assert {rule for rule, _ in search.racers} == set(rules)


@pytest.mark.parametrize("budget", [1, 2, 7, 60, 300, 1000])
@pytest.mark.parametrize("final_share", [0.0, 0.25, 0.9])
def test_the_budget_is_never_passed(budget: int, final_share: float) -> None:
    told = run(racing(budget=budget, final_share=final_share))
    lived = sum(len(each.scores) for each in told)
    assert 0 < lived <= budget
    assert lived >= 0.7 * budget


def test_a_flat_landscape_is_no_trouble() -> None:
    search = racing(budget=600)
    run(search, flat)
    assert search.finished


# Noise.


def very_noisy(request: Request, trial: int) -> tuple[float, ...]:
    """As `noisy`, but with a deviation between lifetimes that is more than half of what the goal is worth."""
    return tuple(5 * score - 4 * value(request.rule) for score in noisy(request, trial))


def measured(score: Score, space: Space = SAME) -> Racing:
    """A search that has just measured the noise."""
    search = racing(space=space)
    while not search.measured:
        run(search, score, rounds=1)
        search.ask()
    return search


def test_little_noise_costs_nothing_more() -> None:
    search = measured(noisy)
    assert (search.budget, search.lifetimes) == (7500, 1)
    assert all(request.lifetimes == 1 for request in search.ask())


def test_much_noise_costs_more_tries() -> None:
    search = measured(very_noisy)
    assert search.budget == 45_000
    assert [request.lifetimes for request in search.ask()] == [1] * 384
    assert search.lifetimes_left() == 45_000 - search.spent
    assert RacingSettings().cost() == "7,500 lifetimes a run, and up to 45,000 if lives are noisy"


def test_a_round_under_noise_is_shared_out() -> None:
    search = measured(very_noisy)
    before, judgement = search.memory.number.copy(), search.judgement()
    assert judgement is not None
    pairs = [search.pair_of(request.rule) for request in search.ask()]
    assert pairs[0] == next(judgement.estimates().ranked(search.settings.optimism))
    promising = pairs[115 + 38 :]
    assert max(before[pair] for pair in promising) <= 1
    assert promising[0] == judgement.hardly_tried(1)[0]
    assert max(Counter(rule for rule, _ in promising).values()) <= 2


def test_where_there_are_too_many_rules_to_judge_all_a_try_says_more() -> None:
    search = measured(lambda request, trial: very_noisy(_output_only(request), trial), space=Space("two-etas"))
    assert (search.budget, search.lifetimes) == (45_000, 2)
    assert search.judgement() is None
    assert {request.lifetimes for request in search.ask()} == {2}


def test_rules_that_are_worth_nothing_cost_all_that_is_allowed() -> None:
    assert measured(lambda request, trial: (-1.0,) * request.lifetimes).budget == 45_000


@pytest.mark.parametrize("budget", [300, 20_000])
def test_a_given_budget_is_kept_whatever_the_noise(budget: int) -> None:
    """And spent as in version 0.1, so that runs begun by it go on alike."""
    search = racing(budget=budget)
    run(search, very_noisy, rounds=60)
    assert (search.budget, search.measured, search.lifetimes) == (budget, 0, 1)
    assert search.settings.cost() == f"{budget:,} lifetimes a run"


def test_a_search_that_has_measured_the_noise_goes_on_alike() -> None:
    search, again = measured(very_noisy), racing()
    again.restore(json.loads(json.dumps(search.state())))
    for one in (search, again):
        run(one, very_noisy, rounds=2)
    assert again.ask() == search.ask()
    assert again.staleness() == search.staleness()


def noisy_race() -> Racing:
    """A search under noise that is about to race."""
    search = measured(very_noisy)
    search.spent = search.explored()  # as if it had explored: the race needs no more than it knows
    search.tell([Evaluation(request, very_noisy(request, 0)) for request in search.ask()])
    return search


def test_a_noisy_race_is_refined_once_between_the_levels() -> None:
    search, sizes = noisy_race(), []
    while requests := search.ask():
        sizes.append(len(requests))
        before = list(search.racers)
        search.tell([Evaluation(request, very_noisy(request, len(sizes))) for request in requests])
        if len(before) == 2 * REFINED:
            finer = [pair for pair in search.racers if search.is_finer(pair)]
            best = list(dict.fromkeys(rule for rule, _ in search.racers))[:4]
            assert {rule for rule, _ in finer} <= set(best)
    halved = [(size + 1) // 2 for size in sizes[:-1]]
    halved[2] += len(finer)
    assert sizes[1:] == halved
    assert 4 * REFINED < sizes[0] <= 64
    assert len(sizes) == search.heats_of(sizes[0])
    assert search.spent <= search.budget
    etas = {search.rule_of(pair).eta for pair in finer}
    assert not etas & set(search.etas)
    for pair in finer:
        rule = search.rule_of(pair)
        assert search.pair_of(rule) == pair
        # At most two thirds of a level from the one that was best.
        assert min(abs(np.log10(rule.eta / eta)) for eta in search.etas) < 1 / 8


def test_a_noisy_race_keeps_to_what_is_left_of_the_budget() -> None:
    """However little: more take part once it is refined, which must be paid for, too."""
    before = measured(very_noisy)
    asked = sum(request.lifetimes for request in before.ask())
    refined = []
    for left in (1, 2, 8, 24, 53, 54, 60, 100, 143, 144, 200, 500):
        search = racing()
        search.restore(json.loads(json.dumps(before.state())))
        search.spent = search.budget - left - asked
        while requests := search.ask():
            search.tell([Evaluation(request, very_noisy(request, left)) for request in requests])
        lived = left - (search.budget - search.spent)
        assert left / 2 <= lived <= left
        assert len(search.racers) == 1 or lived == left
        refined.append(bool(search.refined.tries))
    assert refined == sorted(refined)
    assert refined[-1]
    assert not refined[0]


@pytest.mark.parametrize("settings", [{"levels": 1, "smallest_eta": 0.5}, {"finalists": 1}, {"finalist_levels": 1}])
def test_a_small_noisy_race_ends(settings: dict[str, float]) -> None:
    search = racing(**settings)
    while not search.measured:
        run(search, very_noisy, rounds=1)
        search.ask()
    search.spent = search.explored()
    trial = 0
    while requests := search.ask():
        search.tell([Evaluation(request, very_noisy(request, trial)) for request in requests])
        trial += 1
    assert search.more > 1
    assert len(search.racers) == 1
    assert search.spent <= search.budget
    # Only a race that begins with more than it would refine is refined.
    assert bool(search.refined.tries) == (search.settings.finalists > 1)


def test_a_refined_race_goes_on_alike() -> None:
    search, again = noisy_race(), racing()
    while not search.refined.tries:
        search.tell([Evaluation(request, very_noisy(request, 7)) for request in search.ask()])
    again.restore(json.loads(json.dumps(search.state())))
    for one in (search, again):
        one.tell([Evaluation(request, very_noisy(request, 9)) for request in one.ask()])
    assert again.ask() == search.ask()
    assert again.top(5) == search.top(5)
    assert again.state() == search.state()


@pytest.mark.parametrize("worth", [1e-170, 1e-160, 5e-324])
@pytest.mark.parametrize(("noise", "needed"), [(0.0, 1), (1.0, MOST)])
def test_any_noise_is_much_beside_a_best_rule_worth_next_to_nothing(worth: float, noise: float, needed: int) -> None:
    """Its square is too small for a float."""
    search = racing()
    for rule in range(400):
        search.memory.add((rule, 5), (worth + noise, worth - noise))
    assert search.needed() == needed


@pytest.mark.parametrize("name", LAYERINGS)
@pytest.mark.parametrize("budget", [None, 2000])
def test_what_a_search_remembers_fits_in_what_it_says(name: str, budget: int | None) -> None:
    """Of runs as noisy as can be."""
    space = Space(name)
    search = racing(space=space, budget=budget)
    tracemalloc.start()
    search.memory = memory_of(space, len(search.etas))
    draw, pairs = np.random.default_rng(1), budget or MOST * USUAL
    for _ in range(pairs):
        pair = int(draw.integers(space.size)), int(draw.integers(len(search.etas) ** space.etas))
        search.memory.add(pair, (float(draw.random()),))
    if isinstance(search.memory, Memory) and budget is None:
        search.judged = judged(search.memory)
    taken, _ = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert 0.4 < taken / search.settings.memory_bytes(space) < 1.05


def test_sums_are_added_up_one_by_one() -> None:
    values = np.random.default_rng(3).normal(size=(5, 40, 1)) * 10.0 ** np.arange(40)[:, None]
    for axis in (0, 1):
        found = 0.0
        for one in np.moveaxis(values, axis, 0):
            found = found + one
        assert (summed(values, axis) == np.expand_dims(found, axis)).all()


def test_single_lifetimes_of_before_count_in_part() -> None:
    memory = SparseMemory(32)
    memory.add((10, 4), [8.0])
    memory.lifetimes = 2
    memory.add((20, 4), [4.0, 6.0])
    assert not memory.is_known((10, 5))
    assert memory.is_known((10, 4))  # half a try
    memory.lifetimes = 3
    assert not memory.is_known((10, 4))
    found = memory.estimates()
    average = (8.0 + 5.0) / 2
    assert found.mean[(found.rules == 20) & (found.levels == 4)] == pytest.approx((10 + 3 * average) / 5)


# What it is for.


def test_it_finds_the_goal_under_noise() -> None:
    found = []
    for seed in range(1, 6):
        search = racing(seed, budget=3000)
        run(search)
        assert search.best is not None
        found.append(search.best.rule)
    assert [rule.notation for rule in found] == [GOAL.notation] * 5
    assert min(value(rule) for rule in found) > 44


def test_shares_beyond_a_whole_are_refused() -> None:
    with pytest.raises(BadInput, match="add up to"):
        racing(retries=0.6, draws=0.6)
    with pytest.raises(BadInput, match="joined-halves"):
        racing(joined_halves=0.9, other_eta=0.3)


def test_a_request_is_read_back_as_its_pair() -> None:
    search = racing()
    for pair in [(0, 0), (3442, 20), (6560, 31)]:
        assert search.pair_of(search.rule_of(pair)) == pair
        assert isinstance(search.requests([pair])[0], Request)


def _output_only(request: Request) -> Request:
    return dataclasses.replace(request, rule=request.rule.layers[-1])


def distance(one: int, other: int) -> int:
    return sum(a != b for a, b in zip(Rule(one).entries, Rule(other).entries, strict=True))
