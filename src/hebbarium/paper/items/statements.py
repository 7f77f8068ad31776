"""What the paper says in words, as numbers."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

import numpy as np

from hebbarium.paper.items.base import Figure, Item, PlainTable, Results, Scale, Section, Works
from hebbarium.paper.items.hidden_neurons import sizes_works
from hebbarium.paper.items.judging_statements import Row, above_zero, difference, judged, like_a_number, ratio
from hebbarium.paper.items.our_searches import Found, evolutions_of, resample, without_error
from hebbarium.paper.items.shared_reductions import FORAGING, HUNTING, hill_climbs, percent, rule_lives, trials
from hebbarium.paper.items.statements_on_lives import BIN, EARLY, life_works, settling, within_lives
from hebbarium.paper.items.weights import weights_work
from hebbarium.paper.single_lives import DIAGONAL, PUNISHED, REWARDED, STRAIGHT_ON
from hebbarium.paper.works import Arrays
from hebbarium.rules.rule import Rule
from hebbarium.show.pages import Line, line_chart
from hebbarium.tools.statistics import estimate_mean, estimate_std, rank_sum

_THRESHOLDS = "Where the paper's words give no number, we chose the threshold; it is given below the statement."
_SAME, _SIMILAR = 1.5, 2.0
"""Factors within which a ratio is reproduced, and close."""


class Statements(Item):
    name = "statements"
    title = "What the paper says in words"
    where = "Text"
    about = "Statements of the text that can be measured, each with our number."

    def works(self, scale: Scale, seed: int) -> Works:
        return {
            **rule_lives(scale, seed, *range(1, 19)),
            **life_works(scale, seed),
            **{f"size {size}": work for size, work in sizes_works(scale, seed).items() if size in ("5", "20", "50")},
            "weights": weights_work(scale, seed),
            "climbs": hill_climbs(scale, seed),
            "hunting climbs": hill_climbs(scale, seed, "prey-predator"),
            "hunting rule 1": rule_lives(scale, seed, 1, task="prey-predator")["rule 1"],
            "foraging evolutions": evolutions_of("foraging", scale, seed),
            "prey-predator evolutions": evolutions_of("prey-predator", scale, seed),
        }

    def reduce(self, scale: Scale, results: Results) -> Section:
        rows = [*_numbers(results), *searched(results), *_directions(results), *within_lives(results, scale)]
        hits = _hits(results["course 1"]["counts"])
        steps = BIN * np.arange(1, hits.shape[2] + 1)
        walls = line_chart(
            [
                Line("first season", steps, hits[:, 0].mean(axis=0), "third", dashed=True),
                Line("later seasons", steps, hits[:, 1:].mean(axis=(0, 1)), "first"),
            ],
            title="Rule 1: wall hits in 250 steps",
            x_label="step of the season",
            y_label="wall hits",
            from_zero=True,
        )
        names = ((REWARDED, "rewarded"), (PUNISHED, "punished"), (STRAIGHT_ON, "straight on"), (DIAGONAL, "diagonal"))
        shares = [results[f"prey-predator behaviour {rule}"]["shares"] for rule in (1, 2)]
        behaviour = [(name, *(percent(float(of_rule[:, place].mean())) for of_rule in shares)) for place, name in names]
        return Section(
            ran=f"{trials(scale.lives, 'lives')} for each rule, {trials(scale.climbs, 'climbs')}, {scale.traced} "
            "prey-predator lives recorded step by step.",
            comparisons=[comparison for comparison, _ in rows],
            figures=[Figure("When the wall is hit", [walls])],
            tables=[PlainTable("Steps of a prey-predator life", ("Share of steps", "Rule 1", "Rule 2"), behaviour)],
            remarks=[_THRESHOLDS, settling(results), _collapse(results), _best_etas()],
            row_notes={comparison.row: criterion for comparison, criterion in rows},
        )


def _numbers(results: Results) -> Iterator[Row]:
    """Statements that give a number."""
    yield from gains({size: results[f"size {size}"] for size in (5, 20, 50)})
    falls = estimate_mean(results["climbs"]["fitness"][:, 1:, 0])
    yield like_a_number("When the season changes, hill climbing falls to about -55", "-55", falls)
    climbed = estimate_mean(FORAGING.fitness(results["climbs"]["marks"][:, :, -1]))
    learnt = estimate_mean(FORAGING.fitness(results["rule 1"]["counts"]))
    yield like_a_number("Rules reach about 74 % of hill climbing", "0.74", ratio(learnt, climbed))
    climbed = estimate_mean(HUNTING.fitness(results["hunting climbs"]["marks"][:, :, -1]))
    learnt = estimate_mean(HUNTING.life_fitness(results["hunting rule 1"]["counts"]))
    yield like_a_number("Prey-predator's rule 1 reaches about 74 % of hill climbing", "0.74", ratio(learnt, climbed))


def gains(sizes: Mapping[int, Arrays]) -> Iterator[Row]:
    """What more hidden neurons bring. sizes: lives with 5, 20 and 50"""
    means = {size: estimate_mean(FORAGING.fitness(arrays["counts"])) for size, arrays in sizes.items()}
    yield like_a_number("From 5 to 20 hidden neurons fitness gains 13 points", "13", difference(means[20], means[5]))
    yield like_a_number("From 20 to 50 hidden neurons it gains another 3", "3", difference(means[50], means[20]))


def searched(results: Results) -> Iterator[Row]:
    """What the paper says about the rules that its searches found."""
    foraging, hunting = (Found(results[f"{task} evolutions"]) for task in ("foraging", "prey-predator"))
    yield like_a_number("300 rules from 30 searches are of 15 types", "15", foraging.types(), "search", 30)
    yield like_a_number("Prey-predator's 70 rules from 7 searches are of 6 types", "6", hunting.types(), "search", 7)
    share = foraging.share("00+-/0000")
    yield judged(
        "More than half of all rules found are rule 1",
        share,
        share.low > 0.5,
        False,
        "share of our pooled instances: reproduced when its interval is above half, not when it is below half",
        unknown=share.low <= 0.5 <= share.high,
        kind="search",
    )
    means = []
    for found in (hunting, foraging):
        etas = found.eta.reshape(len(found.runs), -1)
        means.append(resample(len(etas), lambda runs, etas=etas: float(etas[runs].mean())))  # type: ignore[misc]
    ours = ratio(*means)
    apart = max(ours.value / 10, 10 / ours.value)
    yield judged(
        "Prey-predator's learning rates are ten times foraging's",
        ours,
        apart <= _SAME,
        apart <= _SIMILAR,
        f"ratio of mean eta in our own searches: reproduced within a factor of {_SAME}, close within {_SIMILAR}",
        kind="search",
    )


def _directions(results: Results) -> Iterator[Row]:
    """Statements about what is larger, mostly or never."""
    output = results["weights"]["output"][:, 1:]
    share = estimate_mean((output >= 0).reshape(len(output), -1).mean(axis=1))
    yield judged(
        "The output layer's weights end in [0, 1]",
        share,
        share.value >= 0.9,
        share.value >= 0.6,
        "share of its weights that are not negative at the ends of seasons: reproduced from 90 %, close from 60 %",
    )
    small, large = (estimate_std(FORAGING.fitness(results[f"size {size}"]["counts"])) for size in (5, 50))
    yield above_zero(
        "The spread falls as hidden neurons are added",
        difference(small, large),
        "std with 5 minus std with 50 hidden neurons",
    )
    yield from _rule_orders(results)
    hits = _hits(results["course 1"]["counts"])
    early = estimate_mean(hits[:, :, : EARLY // BIN].sum(axis=(1, 2)) / np.maximum(1, hits.sum(axis=(1, 2))))
    even = EARLY / FORAGING.season_steps
    yield judged(
        "Wall hits come early in each season",
        early,
        early.low > 2 * even,
        early.low > even,
        f"wall hits in the first {EARLY} of {FORAGING.season_steps} steps: reproduced above {percent(2 * even)}"
        f", close above the even {percent(even)}",
    )


def _rule_orders(results: Results) -> Iterator[Row]:
    lives = {rule: FORAGING.life_fitness(results[f"rule {rule}"]["counts"]) for rule in range(1, 19)}
    means = {rule: estimate_mean(values) for rule, values in lives.items()}
    worst_level = max(rank_sum(lives[16], lives[rule]).p for rule in (17, 18))
    better = means[16].value > max(means[17].value, means[18].value)
    yield judged(
        "Rule 16 is significantly better than 17 and 18",
        without_error(worst_level, means[16].lives),
        better and worst_level < 0.05,
        False,
        "larger of two rank-sum p-values: reproduced below 0.05",
    )
    found = range(4, 16)
    best = max(found, key=lambda rule: means[rule].value)
    worst = min((1, 2, 3), key=lambda rule: means[rule].value)
    yield above_zero(
        "Rules that act on reward do worse on foraging",
        difference(means[worst], means[best]),
        f"rule {worst}, the worst that acts on punishment only, minus rule {best}, the best other one",
    )
    yield above_zero(
        "Rule 17 is not better than the worst evolved rule, 15",
        difference(means[15], means[17]),
        "rule 15 minus rule 17, each at its published eta",
    )
    yield above_zero("Rule 17 is better than 18", difference(means[17], means[18]), "rule 17 minus rule 18")
    yield above_zero("Rule 16 is worse than rule 1", difference(means[1], means[16]), "rule 1 minus rule 16")
    fitness = FORAGING.fitness(results["rule 6"]["counts"])
    worst_season = min((estimate_mean(season) for season in fitness.T), key=lambda season: season.value)
    yield above_zero(
        "Rule 6 takes both kinds of items, and in each season more of the correct one",
        worst_season,
        "correct minus incorrect items in its worst season",
    )
    beaten = sum(means[16].value > means[rule].value for rule in range(1, 16))
    yield judged(
        "Rule 16 does better than most evolved rules",
        without_error(beaten, means[16].lives),
        beaten >= 8,
        False,
        "number of the 15 that it beats: reproduced from 8",
    )


def _hits(counts: np.ndarray) -> np.ndarray:
    """Wall hits in each part of each season, [life, season, part]. counts: [life, moment, count], since birth."""
    walls = np.diff(counts[:, :, 2], axis=1, prepend=0)
    parts: np.ndarray = walls.reshape(len(walls), FORAGING.seasons, -1)
    return parts


def _collapse(results: Results) -> str:
    distinct = {rule: float(results[f"rule {rule}"]["distinct"].mean()) for rule in range(1, 19)}
    on_punishment = np.mean([distinct[rule] for rule in (1, 2, 3)])
    on_reward = np.mean([distinct[rule] for rule in range(4, 16)])
    return (
        "The paper suspects forgetting where rules act on reward. What we see is collapse: of 20 hidden neurons "
        f"{on_punishment:z.1f} are still distinct at the end of a life under rules 1 to 3, and {on_reward:z.1f} under "
        "rules 4 to 15. That alone is only a correlation. The experiments of the atlas (docs/atlas.md, 'hebbarium "
        "atlas foraging') show that the collapse limits how good a rule can be: rules that learn stop learning when "
        "it is forced on them. But preventing it gains little, so it does not explain why most rules are bad."
    )


def _best_etas() -> str:
    from hebbarium.studies.atlas.table import Atlas

    atlas = Atlas.of("foraging")
    best = {name: float(atlas.mean[Rule(f"foraging:{name}").index]) for name in (15, 17)}
    return (
        "Rules 15 and 17 are compared at their published etas. In the atlas, each at its best eta, they score "
        f"{best[15]:z.1f} and {best[17]:z.1f}: the order is reversed."
    )
