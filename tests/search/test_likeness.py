"""What rules are worth where lives are noisy, judged by rules like them."""

from __future__ import annotations

import numpy as np
import pytest

from hebbarium.rule import RULES, Rule
from hebbarium.search.likeness import EXPECTED, GENERAL, LIKE, judged
from hebbarium.search.memory import SHARED, Memory, Pair
from hebbarium.search.racing import Racing
from search.landscape import GOAL, run
from search.test_racing import very_noisy

LEVELS = 6


def remembered(tries: dict[tuple[str, int], list[float]]) -> Memory:
    memory = Memory(LEVELS)
    for (notation, level), scores in tries.items():
        memory.add((Rule(notation).index, level), scores)
    return memory


def naive(memory: Memory, wanted: Pair) -> tuple[float, float]:
    """Mean and lifetimes of one pair, in the words of the module and pair by pair."""
    tried = [(int(rule), int(level)) for rule, level in np.argwhere(memory.number > 0)]
    usual = np.median([memory.mean(pair) for pair in tried])
    worth = {pair: max(memory.mean(pair), usual) for pair in tried}
    weight = {pair: memory.tried(pair) / (memory.tried(pair) + 1) for pair in tried}
    general = sum(weight[pair] * worth[pair] for pair in tried) / sum(weight.values())
    alike = {pair: weight[pair] * LIKE ** differing(pair[0], wanted[0]) * beside(pair[1], wanted[1]) for pair in tried}
    expected = (sum(alike[pair] * worth[pair] for pair in tried) + GENERAL * general) / (sum(alike.values()) + GENERAL)
    own = {pair: memory.tried(pair) * beside(pair[1], wanted[1]) for pair in tried if pair[0] == wanted[0]}
    lived = sum(own.values())
    return (sum(own[pair] * worth[pair] for pair in own) + EXPECTED * expected) / (lived + EXPECTED), lived


def differing(one: int, other: int) -> int:
    return sum(a != b for a, b in zip(Rule(one).entries, Rule(other).entries, strict=True))


def beside(one: int, other: int) -> float:
    return float(([1.0, *SHARED] + [0.0] * LEVELS)[abs(one - other)])


def test_every_pair_is_judged_as_its_naive_twin() -> None:
    random = np.random.default_rng(5)
    memory = Memory(LEVELS)
    for rule, level in zip(random.integers(0, RULES, 150), random.integers(0, LEVELS, 150), strict=True):
        memory.add((int(rule), int(level)), random.normal(-20.0, 40.0, int(random.integers(1, 5))))
    judgement = judged(memory)
    pairs = [(int(rule), int(level)) for rule, level in np.argwhere(memory.number > 0)[:40]]
    pairs += [(int(rule), int(rule) % LEVELS) for rule in random.integers(0, RULES, 40)]
    for pair in pairs:
        mean, lived = naive(memory, pair)
        assert judgement.mean[pair] == pytest.approx(mean, rel=1e-7)
        assert judgement.lived[pair] == pytest.approx(lived)


def test_all_that_are_worse_than_most_count_alike() -> None:
    bad = {(f"{entries}/----", 1): [0.0] for entries in ("++++", "++00", "00++")}
    worse = {("----/++++", 1): [-10.0], ("----/++00", 1): [-10.0]}
    worst = {("----/++++", 1): [-1e6], ("----/++00", 1): [-1e9]}
    assert (judged(remembered({**bad, **worse})).mean == judged(remembered({**bad, **worst})).mean).all()


def test_noise_is_that_of_the_better_pairs() -> None:
    memory = remembered({("++++/0000", 1): [40.0, 44.0], ("0000/0000", 1): [0.0, 0.0], ("----/0000", 1): [-900.0, 0.0]})
    assert judged(memory).noise == pytest.approx(8.0)


def test_of_those_untried_the_likes_of_the_best_come_first() -> None:
    good = Rule("0-+0/0-00")
    memory = remembered({(good.notation, 3): [40.0], ("++--/++--", 3): [0.0], ("+---/++--", 0): [0.0]})
    found = judged(memory).untried(20)
    assert not any(memory.tried(pair) for pair in found)
    assert set(found[:2]) == {(good.index, 2), (good.index, 4)}
    assert found == sorted(found, key=lambda pair: -judged(memory).mean[pair])
    assert {differing(rule, good.index) for rule, _ in found} == {0, 1}


def test_when_all_are_tried_none_is_left() -> None:
    memory = Memory(1)
    for rule in range(RULES):
        memory.add((rule, 0), [1.0])
    assert judged(memory).untried(10) == []


def test_estimates_are_of_what_has_tries_there_or_beside_it() -> None:
    memory = remembered({("0-+0/0-00", 0): [40.0, 20.0], ("++--/++--", 3): [0.0]})
    judgement = judged(memory)
    found = judgement.estimates()
    levels = sorted(zip(found.rules.tolist(), found.levels.tolist(), strict=True))
    first, second = Rule("0-+0/0-00").index, Rule("++--/++--").index
    # Two lifetimes at a distance of two steps, or one at one step, are enough.
    assert levels == sorted([(first, 0), (first, 1), (first, 2), *((second, level) for level in (1, 2, 3, 4, 5))])
    assert found.ranked()[0] == (first, 0)
    assert found.deviation[0] == pytest.approx(np.sqrt(200.0 / (2 + EXPECTED)))


def test_racing_finds_the_goal_where_a_lifetime_says_little() -> None:
    search = Racing(seed=3)
    rounds = 0
    while search.ask():
        run(search, very_noisy, rounds=1)
        rounds = rounds or (search.measured and search.staleness()[1])
    assert search.best is not None
    assert search.best.rule.notation == GOAL.notation
    # What it said it would cost when it had measured the noise.
    assert abs(search.generation - rounds) <= 2
    assert 29_900 < search.spent <= search.budget == 30_000
