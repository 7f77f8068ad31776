"""What rules are worth where lives are noisy, judged by rules like them."""

from __future__ import annotations

import numpy as np
import pytest

from hebbarium.rules.rule import RULES, Rule
from hebbarium.search.racing import Racing
from hebbarium.search.racing_memory import EXPECTED, GENERAL, HALF, LIKE, SHARED, Memory, Pair, judged
from search.landscape import GOAL, run
from search.test_racing import very_noisy

LEVELS = 6


def remembered(tries: dict[tuple[str, int], list[float]]) -> Memory:
    memory = Memory(LEVELS)
    for (notation, level), scores in tries.items():
        memory.add((Rule(notation).index, level), scores)
    return memory


def naive(memory: Memory, wanted: Pair) -> float:
    """What one pair is worth, in the words of the module and pair by pair."""
    tried = [(int(rule), int(level)) for rule, level in np.argwhere(memory.number > 0)]
    usual = np.median([memory.mean(pair) for pair in tried])
    worth = {pair: max(memory.mean(pair), usual) for pair in tried}
    weight = {pair: memory.tried(pair) / (memory.tried(pair) + 1) for pair in tried}
    general = sum(weight[pair] * worth[pair] for pair in tried) / sum(weight.values())
    alike = {pair: weight[pair] * likeness(pair[0], wanted[0]) * beside(pair[1], wanted[1]) for pair in tried}
    expected = (sum(alike[pair] * worth[pair] for pair in tried) + GENERAL * general) / (sum(alike.values()) + GENERAL)
    lived = memory.tried(wanted)
    return (lived * worth.get(wanted, 0.0) + EXPECTED * expected) / (lived + EXPECTED)


def likeness(one: int, other: int) -> float:
    """Nearly the same entries, or the same half."""
    halves = zip(divmod(one, 81), divmod(other, 81), strict=True)
    return float(LIKE ** differing(one, other) + HALF * sum(mine == its for mine, its in halves))


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
        assert judgement.mean[pair] == pytest.approx(naive(memory, pair), rel=1e-7)
        assert judgement.number[pair] == memory.tried(pair)


def test_all_that_are_worse_than_most_count_alike() -> None:
    bad = {(f"{entries}/----", 1): [0.0] for entries in ("++++", "++00", "00++")}
    worse = {("----/++++", 1): [-10.0], ("----/++00", 1): [-10.0]}
    worst = {("----/++++", 1): [-1e6], ("----/++00", 1): [-1e9]}
    assert (judged(remembered({**bad, **worse})).mean == judged(remembered({**bad, **worst})).mean).all()


def test_noise_is_that_of_the_better_pairs() -> None:
    memory = remembered({("++++/0000", 1): [40.0, 44.0], ("0000/0000", 1): [0.0, 0.0], ("----/0000", 1): [-900.0, 0.0]})
    assert judged(memory).noise == pytest.approx(8.0)


def test_of_those_hardly_tried_the_likes_of_the_best_come_first() -> None:
    good, once = Rule("0-+0/0-00"), Rule("0-+0/0-0+")
    tries = {(good.notation, 3): [40.0, 42.0], (once.notation, 3): [1.0], ("++--/++--", 3): [0.0]}
    memory = remembered({**tries, ("+---/++--", 0): [0.0]})
    found = judged(memory).hardly_tried(20)
    assert set(found[:2]) == {(good.index, 2), (good.index, 4)}
    assert found == sorted(found, key=lambda pair: -judged(memory).mean[pair])
    assert {differing(rule, good.index) for rule, _ in found} == {0, 1}
    # One bad lifetime may be bad luck; two tries are enough to leave it to the retries.
    everything = judged(memory).hardly_tried(RULES * LEVELS)
    assert (once.index, 3) in everything
    assert (good.index, 3) not in everything
    assert len(everything) == RULES * LEVELS - 1


def test_a_rule_with_the_better_half_is_expected_to_be_better() -> None:
    memory = remembered({("0-+0/++++", 2): [30.0] * 5, ("++--/++++", 2): [0.0] * 5, ("++--/----", 2): [0.0] * 5})
    judgement = judged(memory)
    # Four entries from any that was tried: only the half it shares tells it from the other.
    assert judgement.mean[Rule("0-+0/--0-").index, 2] > judgement.mean[Rule("++0-/--0-").index, 2] + 1


def test_when_all_are_tried_none_is_left() -> None:
    memory = Memory(1)
    for rule in range(RULES):
        memory.add((rule, 0), [1.0, 1.0])
    assert judged(memory).hardly_tried(10) == []


def test_estimates_are_of_what_was_tried_whatever_the_next_level_is_worth() -> None:
    memory = remembered({("0-+0/0-00", 1): [40.0, 20.0], ("0-+0/0-00", 0): [-10.0] * 50, ("++--/++--", 3): [0.0]})
    found = judged(memory).estimates()
    pairs = list(zip(found.rules.tolist(), found.levels.tolist(), strict=True))
    first, second = Rule("0-+0/0-00").index, Rule("++--/++--").index
    assert sorted(pairs) == sorted([(first, 0), (first, 1), (second, 3)])
    assert next(found.ranked()) == (first, 1)
    # The neighbour's fifty lifetimes are part of what is expected, which counts for three.
    assert found.mean[pairs.index((first, 1))] > 60 / 5
    assert found.deviation[pairs.index((first, 1))] == pytest.approx(np.sqrt(200.0 / (2 + EXPECTED)))


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
    assert 44_700 < search.spent <= search.budget == 45_000
