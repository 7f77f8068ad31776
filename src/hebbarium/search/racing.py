"""Racing: a search that finds the best rule reliably although every lifetime is luck.

One lifetime says little, but most rules are so bad that one is enough to leave them alone. So:

1. A try is one lifetime of a rule at one of the levels of eta, which are even on a logarithmic scale.
   Every try is remembered: what is tried again is known better, not anew.
2. What a rule is worth at a level is estimated from its tries there and beside it, and from what rules
   are worth in general: one lucky lifetime is believed less than a good mean of many (empirical Bayes).
3. Each round of tries goes, in fixed shares, to re-tries of what may be the best (the highest upper bound
   of the estimate), to rules drawn at random, so that no corner is given up, and to relatives of the best:
   a half of one rule with a half of another, a half drawn anew, the same rule at another eta, one or two
   entries changed.
4. The last part of the budget is a race of the best: all live, the worse half drops out, and so on, until
   one is left (sequential halving: Karnin, Koren and Somekh 2013).

Nothing in it knows a task.
"""

from __future__ import annotations

import bisect
import itertools
import math
from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, ClassVar

from hebbarium.errors import BadInput, check_integer, check_number
from hebbarium.rule import ENTRIES, RULES, Rule
from hebbarium.search.base import Evaluation, Individual, Request, Search, Settings

if TYPE_CHECKING:
    from hebbarium.search.memory import Estimates, Pair

HALVES: int = 3 ** (ENTRIES // 2)
"""How many punished halves there are, and rewarded ones; an index is punished * HALVES + rewarded."""
DRAWS = 10
"""Relatives drawn in the hope of one that was not tried yet."""


@dataclass(frozen=True, kw_only=True)
class RacingSettings(Settings):
    """The budget and how it is shared out."""

    budget: int = 7500
    """Lifetimes in all, re-tries and the final race included."""
    round_size: int = 64
    """Lifetimes in a round before the final race."""
    first_draws: int = 256
    """Rules drawn at random before anything else is tried."""
    retries: float = 0.3
    """Share of a round that tries again what may be the best."""
    draws: float = 0.2
    """Share of a round that is drawn at random; what is left are relatives of the best."""
    optimism: float = 2.0
    """How many standard deviations above its estimate the upper bound of a rule lies."""
    retried_levels: int = 2
    """At most so many levels of eta of one rule are tried again in a round."""
    parents: int = 24
    """The best rules (and halves of rules), whose relatives are tried; the better, the more often."""
    joined_halves: float = 0.2
    """Share of relatives that join the punished half of one rule and the rewarded half of another."""
    redrawn_half: float = 0.2
    """Share of relatives with one half drawn anew."""
    other_eta: float = 0.2
    """Share of relatives that are a rule at another level of eta."""
    two_entries: float = 0.15
    """Share of relatives with two entries changed; what is left has one changed."""
    levels: int = 8
    """Levels of eta in each factor of ten."""
    smallest_eta: float = 0.0001
    """Where the lowest level of eta begins; the highest ends at 1."""
    finalists: int = 8
    """Rules in the final race."""
    finalist_levels: int = 4
    """Levels of eta with which each of them takes part."""
    final_share: float = 0.25
    """Share of the budget that is kept for the final race."""

    def check(self) -> None:
        check_integer("budget", self.budget, 1)
        check_integer("round_size", self.round_size, 1)
        check_integer("first_draws", self.first_draws, 1)
        _check_shares(retries=self.retries, draws=self.draws)
        check_number("optimism", self.optimism, 0, 100)
        check_integer("retried_levels", self.retried_levels, 1)
        check_integer("parents", self.parents, 1)
        _check_shares(
            joined_halves=self.joined_halves,
            redrawn_half=self.redrawn_half,
            other_eta=self.other_eta,
            two_entries=self.two_entries,
        )
        check_integer("levels", self.levels, 1, 100)
        check_number("smallest_eta", self.smallest_eta, 1e-12, 0.5)
        check_integer("finalists", self.finalists, 1, RULES)
        check_integer("finalist_levels", self.finalist_levels, 1)
        check_number("final_share", self.final_share, 0, 0.9)

    def explored(self) -> int:
        """Lifetimes before the final race."""
        return max(1, round(self.budget * (1 - self.final_share)))

    def etas(self) -> list[float]:
        """Each level's eta, the smallest first: the middle of its part of [smallest_eta, 1) in log eta."""
        count = max(1, round(-math.log10(self.smallest_eta) * self.levels))
        # Rounded, so that the last bit of a machine's powers cannot matter.
        return [float(f"{10 ** ((0.5 - step) / self.levels):.4g}") for step in range(count, 0, -1)]


class Racing(Search):
    """Many single tries, more for the promising, and a final race."""

    name: ClassVar[str] = "racing"
    summary: ClassVar[str] = "finds the best rule reliably: single tries, more for the promising, a final race"
    settings_class: ClassVar[type[Settings]] = RacingSettings
    settings: RacingSettings

    def __init__(self, settings: RacingSettings | None = None, seed: int = 1, run: int = 0) -> None:
        from hebbarium.search.memory import Memory

        super().__init__(settings, seed, run)
        self.etas = self.settings.etas()
        self.memory = Memory(len(self.etas))
        self.spent = 0
        self.racers: list[Pair] = []
        """Those still in the final race; empty before it."""
        self.dropped: list[Pair] = []
        """Those who dropped out, the last one first."""
        self.heat_size = 0
        """Lifetimes in each heat of the final race."""
        self.heats = 0
        """Heats lived."""

    # A round.

    def propose(self) -> list[Request]:
        if not self.racers and self.exploring() < 1:
            self.begin_race()
        return self.heat() if self.racers else self.explore()

    def learn(self, evaluations: Sequence[Evaluation]) -> None:
        for told in evaluations:
            self.memory.add(self.pair_of(told.request.rule), told.scores)
            self.spent += len(told.scores)
        if self.racers:
            self.heats += 1
            self.drop_the_worse_half()

    def is_over(self) -> bool:
        return self.spent >= self.settings.budget or (self.heats > 0 and len(self.racers) == 1)

    def requests(self, pairs: Iterable[Pair], lifetimes: int = 1) -> list[Request]:
        return [Request(self.rule_of(pair), lifetimes, self.generation) for pair in pairs]

    # Exploring.

    def exploring(self) -> int:
        """Lifetimes left before the final race."""
        return self.settings.explored() - self.spent

    def explore(self) -> list[Request]:
        size = min(self.settings.round_size, self.exploring())
        if self.spent < self.settings.first_draws:
            return self.requests(self.random_pair() for _ in range(size))
        estimates = self.memory.estimates()
        retries = self.retries(estimates, int(self.settings.retries * size))
        draws = [self.random_pair() for _ in range(int(self.settings.draws * size))]
        family = Family(self, estimates)
        relatives = [family.relative() for _ in range(size - len(retries) - len(draws))]
        return self.requests([*retries, *draws, *relatives])

    def random_pair(self) -> Pair:
        return int(self.random.integers(RULES)), int(self.random.integers(len(self.etas)))

    def retries(self, estimates: Estimates, size: int) -> list[Pair]:
        hopeful = estimates.ranked(self.settings.optimism)
        return _at_most_per_rule(hopeful, self.settings.retried_levels)[:size]

    # The final race.

    def begin_race(self) -> None:
        ranked = self.memory.estimates().ranked()
        rules = {rule for rule, _ in _at_most_per_rule(ranked, 1)[: self.settings.finalists]}
        theirs = [pair for pair in ranked if pair[0] in rules]
        self.racers = _at_most_per_rule(theirs, self.settings.finalist_levels)
        left = self.settings.budget - self.spent
        while len(self.racers) * _heats(len(self.racers)) > max(1, left):
            self.racers.pop()
        self.heat_size = left // _heats(len(self.racers))

    def heat(self) -> list[Request]:
        return self.requests(self.racers, max(1, self.heat_size // len(self.racers)))

    def drop_the_worse_half(self) -> None:
        best_first = sorted(self.racers, key=lambda pair: -self.memory.mean(pair))
        stay = (len(best_first) + 1) // 2
        self.racers, self.dropped = best_first[:stay], best_first[stay:] + self.dropped

    # What others see.

    def staleness(self) -> tuple[int, int]:
        """Rounds done, and rounds in all."""
        rounds = -(-self.settings.explored() // self.settings.round_size)
        return self.generation, rounds + _heats(self.settings.finalists * self.settings.finalist_levels)

    def lifetimes_left(self) -> int:
        left = self.settings.budget - self.spent
        return left if self.settings.max_generations is None else min(left, super().lifetimes_left())

    def top(self, n: int) -> list[Individual]:
        """The best rules, each once: first those of the final race, the longer they lasted the better."""
        if self.spent == 0:
            return []
        ranked = [*self.racers, *self.dropped, *self.memory.estimates().ranked()]
        tried = [pair for pair in ranked if self.memory.tried(pair)]
        return [
            Individual(self.rule_of(pair), self.memory.mean(pair), self.memory.tried(pair))
            for pair in _at_most_per_rule(tried, 1)[:n]
        ]

    def population(self) -> list[Individual]:
        return self.top(self.settings.parents)

    def rule_of(self, pair: Pair) -> Rule:
        return Rule(pair[0], self.etas[pair[1]])

    def pair_of(self, rule: Rule) -> Pair:
        assert rule.eta is not None
        return rule.index, self.etas.index(rule.eta)

    def write_state(self) -> dict[str, Any]:
        return {
            "memory": self.memory.write(),
            "spent": self.spent,
            "racers": [list(pair) for pair in self.racers],
            "dropped": [list(pair) for pair in self.dropped],
            "heat_size": self.heat_size,
            "heats": self.heats,
        }

    def read_state(self, own: Any) -> None:
        self.memory.read(own["memory"])
        self.spent = own["spent"]
        self.racers = [(rule, level) for rule, level in own["racers"]]
        self.dropped = [(rule, level) for rule, level in own["dropped"]]
        self.heat_size = own["heat_size"]
        self.heats = own["heats"]


class Family:
    """The best of the moment, and relatives of them."""

    def __init__(self, search: Racing, estimates: Estimates) -> None:
        self.search, self.settings, self.random = search, search.settings, search.random
        ranked = estimates.ranked()
        size = self.settings.parents
        self.parents = _at_most_per_rule(ranked, 1)[:size]
        self.punished = _first_of_each(ranked, lambda rule: rule // HALVES)[:size]
        self.rewarded = _first_of_each(ranked, lambda rule: rule % HALVES)[:size]

    def relative(self) -> Pair:
        """One that was not tried yet, where chance finds one."""
        pair = self.draw()
        for _ in range(DRAWS):
            if not self.search.memory.tried(pair):
                break
            pair = self.draw()
        return pair

    def draw(self) -> Pair:
        settings = self.settings
        kinds = (settings.joined_halves, settings.redrawn_half, settings.other_eta, settings.two_entries)
        kind = bisect.bisect_right(list(itertools.accumulate(kinds)), float(self.random.random()))
        if kind == 0:
            return self.of_two_halves()
        rule, level = self.ranked(self.parents)
        if kind == 1:
            return self.with_half_redrawn(rule), self.near(level, 1.5)
        if kind == 2:
            return rule, self.elsewhere(level)
        return self.changed(rule, 2 if kind == 3 else 1), self.near(level, 1.5)

    def with_half_redrawn(self, rule: int) -> int:
        half = int(self.random.integers(HALVES))
        return rule // HALVES * HALVES + half if self.random.random() < 0.5 else half * HALVES + rule % HALVES

    def of_two_halves(self) -> Pair:
        punished, rewarded = self.ranked(self.punished), self.ranked(self.rewarded)
        level = (punished if self.random.random() < 0.5 else rewarded)[1]
        return punished[0] // HALVES * HALVES + rewarded[0] % HALVES, self.near(level, 1.5)

    def changed(self, rule: int, changes: int) -> int:
        entries = list(Rule(rule).entries)
        for place in self.random.permutation(ENTRIES)[:changes].tolist():
            entries[place] = (entries[place] + 1 + int(self.random.integers(1, 3))) % 3 - 1
        return Rule(entries).index

    def elsewhere(self, level: int) -> int:
        """Some steps away or, as often, anywhere: a rule's best eta may lie far from where it was first met."""
        anywhere = self.random.random() < 0.5
        return int(self.random.integers(len(self.search.etas))) if anywhere else self.near(level, 3.0)

    def near(self, level: int, deviation: float) -> int:
        moved = level + round(deviation * float(self.random.standard_normal()))
        return min(max(moved, 0), len(self.search.etas) - 1)

    def ranked(self, best_first: Sequence[Pair]) -> Pair:
        """The better, the more often: half of the draws are among the first quarter."""
        return best_first[int(len(best_first) * float(self.random.random()) ** 2)]


def _at_most_per_rule(ranked: Iterable[Pair], limit: int) -> list[Pair]:
    """The first `limit` pairs of each rule."""
    seen: Counter[int] = Counter()
    kept = []
    for pair in ranked:
        if seen[pair[0]] < limit:
            seen[pair[0]] += 1
            kept.append(pair)
    return kept


def _first_of_each(ranked: Iterable[Pair], half: Callable[[int], int]) -> list[Pair]:
    """The first pair of each half, in the order of the halves' best."""
    first: dict[int, Pair] = {}
    for pair in ranked:
        first.setdefault(half(pair[0]), pair)
    return list(first.values())


def _heats(racers: int) -> int:
    """Heats until one of so many is left; at least one."""
    return max(1, (racers - 1).bit_length())


def _check_shares(**shares: float) -> None:
    """Shares of one whole, whose rest goes elsewhere."""
    for name, share in shares.items():
        check_number(name, share, 0, 1)
    if sum(shares.values()) > 1 + 1e-9:
        names = ", ".join(name.replace("_", "-") for name in shares)
        raise BadInput(f"{names} are shares of one whole, but add up to {sum(shares.values()):g}; the most is 1.")
