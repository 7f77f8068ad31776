"""Racing: a search that finds the best rule reliably although every lifetime is luck.

One lifetime says little, but most rules are so bad that one is enough to leave them alone. So:

1. A try is one lifetime of a rule at one of the levels of eta, which are even on a logarithmic scale.
   Every try is remembered: what is tried again is known better, not anew. Where lifetimes of one rule turn out to
   differ much, beside what the best rules are worth, there are more tries.
2. What a rule is worth at a level is estimated from its tries there and beside it, and from what rules
   are worth in general: one lucky lifetime is believed less than a good mean of many (empirical Bayes).
3. Each round of tries goes, in fixed shares, to re-tries of what may be the best (the highest upper bound
   of the estimate), to rules drawn at random, so that no corner is given up, and to relatives of the best:
   a half of one rule with a half of another, a half drawn anew, the same rule at another eta, one or two
   entries changed (`search/racing_relatives.py`). Where lives are noisy, those are tried instead of which rules like
   them let expect most (`search/racing_relatives.py`).
4. The last part of the budget is a race of the best: all live, the worse half drops out, and so on, until
   one is left (sequential halving: Karnin, Koren and Somekh 2013). Where lives are noisy, more take part, and the
   last few are joined by the same rules at etas between the levels, as peaks may be narrower than a level.

Nothing in it knows a task. Rules of two layers have four halves, which are joined and redrawn in the same way, and with
two etas a level stands for both of them.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, ClassVar

from hebbarium.rules.rule import RULES, AnyRule
from hebbarium.search.base import Evaluation, Individual, Request, Search, Settings
from hebbarium.search.racing_relatives import Family, at_most_per_rule
from hebbarium.search.space import SAME, Space, digits, number_of
from hebbarium.tools.errors import BadInput, check_integer, check_number

if TYPE_CHECKING:
    from hebbarium.search.racing_memory import Estimates, Judgement, Memory, Pair, SparseMemory

USUAL = 7500
"""The budget, unless one is given or lives are noisy."""
MOST = 6
"""What it is multiplied by, where lives are as noisy as can be."""
GOOD = 0.2
"""A deviation between lifetimes that asks for nothing more, as a share of what the best rule is worth."""
MEASURED = 0.4
"""Share of the budget after which the noise is measured."""
KEPT = 4096
"""Rules that are kept as they were made."""
MANY = 8
"""Pairs looked through for each that is tried, as there may be many levels of one rule among them."""
FINER = 3
"""Etas to each level where the last of a noisy race are refined."""
REFINED = 8
"""Racers of a noisy race whose etas are refined, once so few are left; a race that begins with no more is not."""
REFINED_RULES = 4
"""The best of their rules, which bring four finer etas each."""
MOST_REFINED = REFINED + 4 * REFINED_RULES
"""Racers after that."""


@dataclass(frozen=True, kw_only=True)
class RacingSettings(Settings):
    """The budget and how it is shared out."""

    budget: int | None = None
    """Lifetimes in all, re-tries and the final race included; without it 7500, up to 45000 where lives are noisy."""
    round_size: int = 64
    """Tries in a round before the final race."""
    first_draws: int = 256
    """Rules drawn at random before anything else is tried."""
    retries: float = 0.3
    """Share of a round that tries again what may be the best."""
    draws: float = 0.2
    """Share of a round that is drawn at random (half of it where lives are noisy); what is left are relatives of the
    best."""
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
    """Rules in the final race; twice as many where lives are noisy."""
    finalist_levels: int = 4
    """Levels of eta with which each of them takes part."""
    final_share: float = 0.25
    """Share of the budget that is kept for the final race."""

    def check(self) -> None:
        if self.budget is not None:
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

    def cost(self) -> str:
        if self.budget is not None:
            return f"{self.budget:,} lifetimes a run"
        return f"{USUAL:,} lifetimes a run, and up to {MOST * USUAL:,} if lives are noisy"

    def memory_bytes(self, space: Space = SAME) -> int:
        """Roughly what one run of the search keeps in memory until it ends, for callers that start many at once."""
        from hebbarium.search.racing_memory import memory_bytes

        most = self.budget or MOST * USUAL
        return memory_bytes(space, len(self.etas()), most, judged=self.budget is None)

    def etas(self, finer: int = 1) -> list[float]:
        """Each level's eta, the smallest first: the middle of its part of [smallest_eta, 1) in log eta.

        finer: levels in the place of one; of an odd number the middle one is the level as it was."""
        count = finer * max(1, round(-math.log10(self.smallest_eta) * self.levels))
        # Rounded, so that the last bit of a machine's powers cannot matter.
        return [float(f"{10 ** ((0.5 - step) / (finer * self.levels)):.4g}") for step in range(count, 0, -1)]


class Racing(Search):
    """Many single tries, more for the promising, and a final race."""

    name: ClassVar[str] = "racing"
    summary: ClassVar[str] = "finds the best rule reliably: single tries, more for the promising, a final race"
    settings_class: ClassVar[type[Settings]] = RacingSettings
    takes_genes: ClassVar[bool] = False  # it counts on levels of etas and on tries of equal rules
    settings: RacingSettings

    def __init__(
        self, settings: RacingSettings | None = None, seed: int = 1, run: int = 0, space: Space = SAME
    ) -> None:
        from hebbarium.search.racing_memory import SparseMemory, memory_of

        super().__init__(settings, seed, run, space)
        self.etas = self.settings.etas()
        self.finer_etas = self.settings.etas(FINER)
        """Their levels are counted on from those of `etas`."""
        self.memory = memory_of(space, len(self.etas))
        self.refined = SparseMemory(len(self.etas))
        """Tries at finer etas, which only a noisy race has."""
        self.budget = self.settings.budget or USUAL
        """Lifetimes in all, as far as is known."""
        self.lifetimes = 1
        """Of a try."""
        self.measured = 0
        """Lifetimes lived when their noise was measured; 0 before."""
        self.spent = 0
        self.judged: Judgement | None = None
        """What was last made of all tries, until there are others; so the next two."""
        self.estimated: Estimates | None = None
        self.best_first: list[Individual] = []
        """What `top` last found."""
        self.rules: dict[Pair, AnyRule] = {}
        self.pairs: dict[AnyRule, Pair] = {}
        """Those made lately: most are asked for again."""
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
        if self.settings.budget is None and not self.measured and self.spent >= MEASURED * self.budget:
            self.measure_noise()
        if not self.racers and self.exploring() < 1:
            self.begin_race()
        return self.heat() if self.racers else self.explore()

    def learn(self, evaluations: Sequence[Evaluation]) -> None:
        self.think_again()
        for evaluation in evaluations:
            pair = self.pair_of(evaluation.request.rule)
            self.known(pair).add(pair, evaluation.scores)
            self.spent += len(evaluation.scores)
        if self.racers:
            self.heats += 1
            self.drop_the_worse_half()

    def is_over(self) -> bool:
        return self.spent >= self.budget or (self.heats > 0 and len(self.racers) == 1)

    def requests(self, pairs: Iterable[Pair], lifetimes: int = 1) -> list[Request]:
        return [Request(self.rule_of(pair), lifetimes, self.generation) for pair in pairs]

    def measure_noise(self) -> None:
        """Where lives are noisy there have to be more of them."""
        from hebbarium.search.racing_memory import SparseMemory

        self.think_again()
        self.measured = self.spent
        needed = self.needed()
        self.budget = USUAL * needed
        if isinstance(self.memory, SparseMemory):
            # Too many rules to judge them all by their likes: there a try has to say more.
            self.lifetimes = self.memory.lifetimes = math.isqrt(needed)

    def needed(self) -> int:
        """What the usual budget has to be multiplied by: the variance within rules over what is good enough."""
        best = float(f"{self.memory.estimates().mean.max():.8g}")
        if best <= 0:
            return MOST
        good, noise = (GOOD * best) ** 2, self.memory.prior().noise
        if not good:  # too small for a float: beside next to nothing any noise is too much
            return MOST if noise else 1
        return max(1, int(min(MOST, noise / good)))

    # What is known.

    def known(self, pair: Pair) -> Memory | SparseMemory:
        """The memory that holds a pair's tries."""
        return self.refined if self.is_finer(pair) else self.memory

    def is_finer(self, pair: Pair) -> bool:
        return pair[1] >= len(self.etas) and self.space.etas == 1

    def judgement(self) -> Judgement | None:
        """Where lives are noisy, of all rules; none elsewhere, nor where there are too many rules for it."""
        from hebbarium.search.racing_memory import Memory, judged

        if self.judged is None and self.noisy:
            assert isinstance(self.memory, Memory)
            self.judged = judged(self.memory)
        return self.judged

    def estimates(self) -> Estimates:
        if self.estimated is None:
            judgement = self.judgement()
            self.estimated = self.memory.estimates() if judgement is None else judgement.estimates()
        return self.estimated

    def think_again(self) -> None:
        """There are other tries, or they are looked at in another way."""
        self.judged, self.estimated, self.best_first = None, None, []

    @property
    def more(self) -> int:
        """What the usual budget was multiplied by."""
        return 1 if self.settings.budget else self.budget // USUAL

    @property
    def noisy(self) -> bool:
        """Whether lives were found to be noisy, among rules few enough to judge each by all others."""
        return self.more > 1 and self.space.fits_tables

    # Exploring.

    def explored(self) -> int:
        """Lifetimes before the final race."""
        return max(1, round(self.budget * (1 - self.settings.final_share)))

    def exploring(self) -> int:
        """How many lifetimes are left before the final race."""
        return self.explored() - self.spent

    def explore(self) -> list[Request]:
        size = min(self.settings.round_size * self.more, max(1, self.exploring() // self.lifetimes))
        if self.spent < self.settings.first_draws:
            return self.requests(self.random_pair() for _ in range(size))
        estimates = self.estimates()
        retries = self.retries(estimates, int(self.settings.retries * size))
        share = self.settings.draws / (1 if self.judgement() is None else 2)  # likeness looks everywhere, too
        draws = [self.random_pair() for _ in range(int(share * size))]
        others = self.promising(estimates, size - len(retries) - len(draws))
        return self.requests([*retries, *draws, *others], self.lifetimes)

    def promising(self, estimates: Estimates, size: int) -> list[Pair]:
        """What was hardly tried yet, but may be good."""
        judgement = self.judgement()
        if judgement is None:
            family = Family(self, estimates)
            return [family.relative() for _ in range(size)]
        found = at_most_per_rule(judgement.hardly_tried(MANY * size), self.settings.retried_levels, size)
        return [*found, *(self.random_pair() for _ in range(size - len(found)))]

    def random_pair(self) -> Pair:
        levels = len(self.etas) ** self.space.etas
        return int(self.random.integers(self.space.size)), int(self.random.integers(levels))

    def retries(self, estimates: Estimates, size: int) -> list[Pair]:
        hopeful = estimates.ranked(self.settings.optimism)
        return at_most_per_rule(hopeful, self.settings.retried_levels, size)

    # The final race.

    def begin_race(self) -> None:
        self.best_first = []
        ranked = list(self.estimates().ranked())
        rules = {rule for rule, _ in at_most_per_rule(ranked, 1, self.finalists)}
        theirs = [pair for pair in ranked if pair[0] in rules]
        self.racers = at_most_per_rule(theirs, self.settings.finalist_levels)
        left = self.budget - self.spent
        while self.largest_heat(len(self.racers)) * self.heats_of(len(self.racers)) > max(1, left):
            self.racers.pop()
        self.heat_size = left // self.heats_of(len(self.racers))

    @property
    def finalists(self) -> int:
        """Rules in the final race."""
        return self.settings.finalists * (2 if self.noisy else 1)

    def is_refined(self, racers: int) -> bool:
        """Whether a race of so many will be refined."""
        return self.noisy and racers > REFINED

    def heats_of(self, racers: int) -> int:
        """Heats of a race of so many, at most."""
        if not self.is_refined(racers):
            return _heats(racers)
        return (-(-racers // REFINED) - 1).bit_length() + _heats(MOST_REFINED)

    def largest_heat(self, racers: int) -> int:
        """How many take part in one heat of a race of so many, at most."""
        return max(racers, MOST_REFINED) if self.is_refined(racers) else racers

    def heat(self) -> list[Request]:
        return self.requests(self.racers, max(1, self.heat_size // len(self.racers)))

    def drop_the_worse_half(self) -> None:
        best_first = sorted(self.racers, key=lambda pair: -self.known(pair).mean(pair))
        stay = (len(best_first) + 1) // 2
        self.racers, self.dropped = best_first[:stay], best_first[stay:] + self.dropped
        if self.is_refined(len(best_first)) and stay <= REFINED and not self.refined.tries:
            self.refine()

    def refine(self) -> None:
        """The best rules left get two finer etas on either side of their best level."""
        count, finest = len(self.etas), len(self.finer_etas)
        for rule, level in at_most_per_rule(self.racers, 1, REFINED_RULES):
            middle = FINER * level + FINER // 2
            near = (middle + step for step in (-2, -1, 1, 2))
            self.racers += [(rule, count + place) for place in near if 0 <= place < finest]

    # What others see.

    def staleness(self) -> tuple[int, int]:
        """Rounds of the race done, and rounds in all."""
        tries = self.measured + (self.explored() - self.measured) // (self.lifetimes * self.more)
        rounds = -(-tries // self.settings.round_size)
        return self.generation, rounds + self.heats_of(self.finalists * self.settings.finalist_levels)

    def lifetimes_left(self) -> int:
        left = self.budget - self.spent
        return left if self.settings.max_generations is None else min(left, super().lifetimes_left())

    def top(self, n: int) -> list[Individual]:
        """The best rules, each once: first those of the final race, the longer they lasted the better."""
        if self.spent == 0:
            return []
        if len(self.best_first) < n:
            ranked = itertools.chain(self.racers, self.dropped, self.estimates().ranked())
            tried = (pair for pair in ranked if self.known(pair).tried(pair))
            self.best_first = [
                Individual(self.rule_of(pair), self.known(pair).mean(pair), self.known(pair).tried(pair))
                for pair in at_most_per_rule(tried, 1, max(n, self.settings.parents))
            ]
        return self.best_first[:n]

    def population(self) -> list[Individual]:
        return self.top(self.settings.parents)

    def rule_of(self, pair: Pair) -> AnyRule:
        if pair not in self.rules:
            if len(self.rules) == KEPT:
                self.rules.clear()
                self.pairs.clear()
            self.rules[pair] = self.space.rule(self.space.entries_at(pair[0]), self.etas_of(pair))
            if not self.is_finer(pair):  # a finer eta may happen to be one of the levels
                self.pairs[self.rules[pair]] = pair
        return self.rules[pair]

    def etas_of(self, pair: Pair) -> list[float]:
        if self.is_finer(pair):
            return [self.finer_etas[pair[1] - len(self.etas)]]
        return [self.etas[level] for level in digits(pair[1], len(self.etas), self.space.etas)]

    def pair_of(self, rule: AnyRule) -> Pair:
        if rule in self.pairs:
            return self.pairs[rule]
        etas = self.space.etas_of(rule)
        if len(etas) == 1 and etas[0] not in self.etas:
            return self.space.index(rule), len(self.etas) + self.finer_etas.index(etas[0])
        levels = [self.etas.index(eta) for eta in etas]
        return self.space.index(rule), number_of(levels, len(self.etas))

    def write_state(self) -> dict[str, Any]:
        return {
            "memory": self.memory.write(),
            "refined": self.refined.write(),
            "budget": self.budget,
            "lifetimes": self.lifetimes,
            "measured": self.measured,
            "spent": self.spent,
            "racers": [list(pair) for pair in self.racers],
            "dropped": [list(pair) for pair in self.dropped],
            "heat_size": self.heat_size,
            "heats": self.heats,
        }

    def read_state(self, own: Any) -> None:
        from hebbarium.search.racing_memory import SparseMemory

        self.think_again()
        self.memory.read(own["memory"])
        self.refined.read(own["refined"])
        self.budget, self.lifetimes, self.measured = own["budget"], own["lifetimes"], own["measured"]
        if isinstance(self.memory, SparseMemory):
            self.memory.lifetimes = self.lifetimes
        self.spent = own["spent"]
        self.racers = [(rule, level) for rule, level in own["racers"]]
        self.dropped = [(rule, level) for rule, level in own["dropped"]]
        self.heat_size = own["heat_size"]
        self.heats = own["heats"]


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
