"""Each operator of the genetic algorithm against the distribution the paper asks of it."""

from __future__ import annotations

import itertools
import math
from collections import Counter
from collections.abc import Iterable

import numpy as np
import pytest
from scipy import stats

from hebbarium.rules.rule import Rule
from hebbarium.search.base import Evaluation, Individual, Request
from hebbarium.search.genetic import LARGEST_ETA, GeneticAlgorithm, GeneticSettings
from hebbarium.search.registry import make_search
from hebbarium.tools.errors import BadInput
from search.landscape import flat, noisy, run, step

LIKELY = 1e-4
"""A right operator falls below this p-value once in ten thousand seeds; the seeds are fixed."""
MIDDLE = Rule("0000/0000", 0.5)
LOW, HIGH = Rule("----/----", 0.25), Rule("++++/++++", 0.75)


def genetic(seed: int = 1, **settings: object) -> GeneticAlgorithm:
    return GeneticAlgorithm(GeneticSettings(**settings), seed)


def with_fitness(search: GeneticAlgorithm, fitness: Iterable[float]) -> GeneticAlgorithm:
    """A population of these fitness values, told apart by their eta."""
    search.individuals = [Individual(Rule("0000/0000", place / 100), one, 5) for place, one in enumerate(fitness)]
    return search


# The first generation.


def test_genes_begin_uniform_in_their_domains() -> None:
    rules = [request.rule for seed in range(100) for request in genetic(seed).ask()]
    assert len(rules) == 3000
    for place in range(8):
        counts = Counter(rule.entries[place] for rule in rules)
        assert stats.chisquare([counts[entry] for entry in (-1, 0, 1)]).pvalue > LIKELY
    assert stats.kstest([rule.eta for rule in rules], "uniform").pvalue > LIKELY


def test_thirty_individuals_of_five_lifetimes_then_twenty_children() -> None:
    told = run(genetic(), rounds=4)
    assert Counter(each.request.generation for each in told) == {0: 30, 1: 20, 2: 20, 3: 20}
    assert {each.request.lifetimes for each in told} == {5}


def test_fitness_is_the_mean_over_the_lifetimes() -> None:
    search = genetic()
    told, _ = step(search, 0)
    for individual, each in zip(search.individuals, told, strict=True):
        assert individual.rule == each.request.rule
        assert individual.fitness == pytest.approx(np.mean(each.scores))


# Elitism.


def test_the_ten_best_are_copied_with_their_fitness() -> None:
    search = genetic(seed=2)
    _, trial = step(search, 0)
    for _ in range(10):
        before = sorted(search.individuals, key=lambda individual: -individual.fitness)
        told, trial = step(search, trial)
        assert search.individuals[:10] == before[:10]
        assert [individual.rule for individual in search.individuals[10:]] == [each.request.rule for each in told]
        assert len(search.individuals) == 30


def test_elites_can_be_measured_again() -> None:
    search = genetic(seed=2, elite_fitness="again")
    _, trial = step(search, 0)
    elites = search.top(10)
    told, _ = step(search, trial)
    assert len(told) == 30
    assert [each.request.rule for each in told[:10]] == [elite.rule for elite in elites]
    assert [individual.fitness for individual in search.individuals] == [each.fitness for each in told]
    assert [individual.fitness for individual in search.individuals[:10]] != [elite.fitness for elite in elites]


# Roulette wheel selection.


def spins(search: GeneticAlgorithm, number: int = 20_000) -> list[int]:
    wheel = search.roulette_wheel()
    counts = Counter(search.spin(wheel) for _ in range(number))
    return [counts[place] for place in range(len(search.individuals))]


def expect_shares(counts: list[int], shares: list[float]) -> None:
    drawn = [(count, share) for count, share in zip(counts, shares, strict=True) if share > 0]
    assert sum(count for count, _ in drawn) == sum(counts), "somebody without a share was drawn"
    expected = np.array([share for _, share in drawn]) / sum(shares) * sum(counts)
    assert stats.chisquare([count for count, _ in drawn], expected).pvalue > LIKELY


def test_roulette_shares_are_fitness_above_the_minimum() -> None:
    search = with_fitness(genetic(individuals=5, elites=1), [-4.0, 0.0, 1.0, 6.0, 20.0])
    expect_shares(spins(search), [0, 4, 5, 10, 24])


def test_roulette_shares_can_be_fitness_above_zero() -> None:
    search = with_fitness(genetic(individuals=5, elites=1, roulette="zero"), [-4.0, 0.0, 1.0, 6.0, 20.0])
    expect_shares(spins(search), [0, 0, 1, 6, 20])


@pytest.mark.parametrize("fitness", [[3.0] * 4, [0.0] * 4])
@pytest.mark.parametrize("roulette", ["minimum", "zero"])
def test_equals_have_equal_shares(fitness: list[float], roulette: str) -> None:
    search = with_fitness(genetic(individuals=4, elites=1, roulette=roulette), fitness)
    expect_shares(spins(search), [1, 1, 1, 1])


def test_both_parents_are_drawn_by_roulette() -> None:
    """With crossover and mutation told apart from selection: a child's eta is one of its parents'."""
    search = genetic(individuals=3, elites=1, eta_mutation=0.0, redraw_probability=0.0)
    with_fitness(search, [0.0, 1.0, 3.0])
    counts = Counter(search.child().eta for _ in range(8_000))
    assert stats.chisquare([counts[0.01], counts[0.02]], [2_000, 6_000]).pvalue > LIKELY
    search.settings = GeneticSettings(individuals=3, elites=1, eta_mutation=0.0, crossover_probability=1.0)
    counts = Counter(search.child().eta for _ in range(8_000))
    assert stats.chisquare([counts[0.01], counts[0.02]], [2_000, 6_000]).pvalue > LIKELY


# Uniform crossover.


def crossings(search: GeneticAlgorithm, number: int = 4_000) -> np.ndarray:
    """bool [crossing, gene]: which of the nine genes came from the second parent."""
    children = [search.crossed(LOW, HIGH) for _ in range(number)]
    return np.array([[*(entry == 1 for entry in child.entries), child.eta == 0.75] for child in children])


def test_each_gene_comes_from_either_parent_evenly_and_by_itself() -> None:
    from_second = crossings(genetic())
    for gene in range(9):
        assert stats.binomtest(int(from_second[:, gene].sum()), len(from_second), 0.5).pvalue > LIKELY
    for one, other in itertools.combinations(range(9), 2):
        alike = int((from_second[:, one] == from_second[:, other]).sum())
        assert stats.binomtest(alike, len(from_second), 0.5).pvalue > LIKELY


def test_a_pair_can_be_crossed_with_a_probability() -> None:
    from_second = crossings(genetic(crossover="pair", crossover_probability=0.3))
    # Half of the crossed pairs' genes; a crossed pair gives the first parent once in 512.
    share = from_second.any(axis=1)
    assert stats.binomtest(int(share.sum()), len(share), 0.3 * (1 - 2**-9)).pvalue > LIKELY
    crossed = from_second[share]
    assert stats.binomtest(int(crossed[:, 8].sum()), len(crossed), 0.5 / (1 - 2**-9)).pvalue > LIKELY


# Mutation.


def test_eta_always_moves_by_a_gaussian_of_deviation_a_tenth() -> None:
    search = genetic()
    moves = [_eta(search.mutated(MIDDLE)) - 0.5 for _ in range(5_000)]
    assert stats.kstest(moves, stats.norm(0, 0.1).cdf).pvalue > LIKELY
    assert 0 not in moves


def test_a_tenth_can_be_the_variance() -> None:
    search = genetic(eta_mutation=0.01, eta_mutation_is="variance")
    moves = [_eta(search.mutated(MIDDLE)) - 0.5 for _ in range(5_000)]
    assert stats.kstest(moves, stats.norm(0, 0.1).cdf).pvalue > LIKELY


@pytest.mark.parametrize("entry", [-1, 0, 1])
def test_each_entry_is_redrawn_uniformly_with_the_same_value_allowed(entry: int) -> None:
    search = genetic(seed=entry + 2)
    children = [search.mutated(Rule([entry] * 8, 0.5)) for _ in range(4_000)]
    for place in range(8):
        counts = Counter(child.entries[place] for child in children)
        expected = dict.fromkeys((-1, 0, 1), 4000 * 0.05)
        expected[entry] += 4_000 * 0.85
        assert stats.chisquare([counts[e] for e in (-1, 0, 1)], list(expected.values())).pvalue > LIKELY
    changed = np.array([[new != entry for new in child.entries] for child in children])
    number = Counter(int(each) for each in changed.sum(axis=1).clip(max=3))
    binomial = [stats.binom.pmf(k, 8, 0.1) for k in range(3)]
    shares = np.array([*binomial, 1 - sum(binomial)])
    assert stats.chisquare([number[k] for k in range(4)], shares * 4_000).pvalue > LIKELY


@pytest.mark.parametrize("entry", [-1, 0, 1])
def test_a_redraw_can_exclude_the_same_value(entry: int) -> None:
    search = genetic(redraw="different")
    counts = Counter(search.mutated(Rule([entry] * 8, 0.5)).entries[3] for _ in range(4_000))
    others = [other for other in (-1, 0, 1) if other != entry]
    expected = [3_400, 300, 300]
    assert stats.chisquare([counts[entry], *(counts[other] for other in others)], expected).pvalue > LIKELY


@pytest.mark.parametrize(
    ("boundary", "expected"),
    [
        ("reflect", {-0.03: 0.03, 0.0: 0.0, 0.4: 0.4, 1.0: 0.0, 1.07: 0.07}),
        ("floor", {-0.03: 0.0001, 0.0: 0.0, 0.4: 0.4, 1.0: 0.0, 1.07: 0.07}),
        ("clip", {-0.03: 0.0, 0.0: 0.0, 0.4: 0.4, 1.0: LARGEST_ETA, 1.07: LARGEST_ETA}),
    ],
)
def test_eta_stays_in_its_domain(boundary: str, expected: dict[float, float]) -> None:
    search = genetic(eta_boundary=boundary)
    for eta, kept in expected.items():
        assert search.bounded(eta) == pytest.approx(kept, abs=1e-12)
        assert 0 <= search.bounded(eta) < 1


def test_a_mutation_of_a_small_eta_is_folded_at_zero() -> None:
    search = genetic()
    etas = [_eta(search.mutated(Rule("0000/0000", 0.02))) for _ in range(5_000)]
    assert stats.kstest(etas, stats.foldnorm(0.2, scale=0.1).cdf).pvalue > LIKELY


def test_a_scaled_eta_is_so_many_times_its_gene() -> None:
    """Drawn and mutated in the gene's domain; everything else draws the same numbers."""
    usual, scaled = genetic(), genetic(eta_scale=0.1)
    for one, other in zip(usual.ask(), scaled.ask(), strict=True):
        assert other.rule.entries == one.rule.entries
        assert _eta(other.rule) == pytest.approx(0.1 * _eta(one.rule), rel=1e-15)
    for gene in (0.02, 0.5, 0.98):
        before, after = usual.mutated(Rule("0000/0000", gene)), scaled.mutated(Rule("0000/0000", 0.1 * gene))
        assert after.entries == before.entries
        assert _eta(after) == pytest.approx(0.1 * _eta(before), rel=1e-12)


def test_the_usual_scale_is_not_written_down() -> None:
    """So that runs stored before there was one can be resumed."""
    assert "eta_scale" not in genetic().settings.settings()
    assert genetic(eta_scale=0.1).settings.settings()["eta_scale"] == 0.1


def test_etas_on_a_logarithmic_scale_are_not_scaled() -> None:
    with pytest.raises(BadInput, match=r"eta-scale is 0\.1, but with layers two-etas"):
        make_search("genetic", layers="two-etas", eta_scale=0.1)
    with pytest.raises(BadInput, match="eta-scale is 2"):
        genetic(eta_scale=2)


# A whole generation.


def test_children_are_selected_crossed_and_mutated() -> None:
    """Through ask: of two parents, one of no share, every child is a mutation of the other."""
    search = genetic(individuals=200, elites=1)
    search.individuals = [Individual(LOW, 0.0, 5)] * 199 + [Individual(HIGH, 8.0, 5)]
    search.generation = 1
    rules = [request.rule for request in search.ask()]
    assert len(rules) == 199
    kept = sum(entry == 1 for rule in rules for entry in rule.entries)
    assert stats.binomtest(kept, 199 * 8, 0.9).pvalue > LIKELY
    assert stats.kstest([rule.eta for rule in rules], stats.norm(0.75, 0.1).cdf).pvalue > LIKELY


# Stopping.


def test_it_stops_after_exactly_thirty_generations_without_improvement() -> None:
    search = genetic()
    improved_last = 12

    def rising(request: Request, trial: int) -> tuple[float, ...]:
        return (float(min(request.generation, improved_last)),) * request.lifetimes

    told = run(search, rising)
    assert search.finished
    assert told[-1].request.generation == improved_last + 30
    assert search.best is not None
    assert search.best.fitness == improved_last


def test_an_equal_best_is_no_improvement() -> None:
    assert run(genetic(), flat)[-1].request.generation == 30


def test_an_equal_best_can_be_an_improvement() -> None:
    search = genetic(improvement="equal", max_generations=50)
    assert run(search, flat)[-1].request.generation == 49
    assert search.stale == 0


def test_a_worse_generation_never_lowers_the_best() -> None:
    search = genetic(stale_generations=4)
    told = run(search, lambda request, trial: (-float(request.generation),) * request.lifetimes)
    assert told[-1].request.generation == 4
    assert search.best is not None
    assert search.best.fitness == 0


# Lifetimes.


@pytest.mark.parametrize(("trials", "expected"), [("fresh", [None] * 3), ("generation", [0, 5, 10]), ("run", [0] * 3)])
def test_lifetimes_can_be_shared(trials: str, expected: list[int | None]) -> None:
    told = run(genetic(trials=trials), noisy, rounds=3)
    by_generation = {each.request.generation: each.request.first_trial for each in told}
    assert list(by_generation.values()) == expected


def test_impossible_settings_are_refused() -> None:
    with pytest.raises(BadInput, match="nearest is 29"):
        genetic(elites=30)
    with pytest.raises(BadInput, match="redraw-probability"):
        genetic(redraw_probability=1.5)
    with pytest.raises(BadInput, match="reflect"):
        genetic(eta_boundary="reflekt")
    with pytest.raises(BadInput, match="lifetimes"):
        genetic(lifetimes=0)


def test_a_lifetime_of_nothing_is_told_as_it_is() -> None:
    search = genetic()
    search.tell([Evaluation(request, (math.pi,) * 5) for request in search.ask()])
    assert search.mean_fitness == pytest.approx(math.pi)


def _eta(rule: Rule) -> float:
    assert rule.eta is not None
    return rule.eta
