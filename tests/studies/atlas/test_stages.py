"""The stages, on an invented landscape whose truth is known: no lives are lived here."""

from __future__ import annotations

import dataclasses

import numpy as np
import pytest

from hebbarium.studies.atlas.making import brackets, paired, rank_intervals, summed_up
from hebbarium.studies.atlas.stages import (
    FRESH,
    HIGHEST_ETA,
    LOWEST_ETA,
    Plan,
    Requests,
    Scores,
    make_plan,
    means,
    requests,
    rounds,
)
from hebbarium.tools.errors import BadInput
from hebbarium.worlds.registry import make_world

LIMIT = 300
BEST = 0.05
TWO_PEAKS, NARROW = 10, 0.0057


def truth(rule: np.ndarray, eta: np.ndarray) -> np.ndarray:
    """Rule 7 is best, 8 next, ...; each has its own best eta, and one of them a narrow peak elsewhere."""
    height = 40.0 * np.exp(-((rule - 7) % LIMIT) / 20)
    broad = height * np.exp(-(np.log(eta / own_eta(rule)) ** 2))
    narrow = height * np.exp(-((np.log(eta / NARROW) / 0.12) ** 2))
    return np.where(rule == TWO_PEAKS, np.maximum(0.75 * broad, narrow), broad)


def own_eta(rule: np.ndarray) -> np.ndarray:
    return BEST * 1.02 ** (rule % 60)


def lived(wanted: Requests) -> Scores:
    """Noise is a function of the life's trial, mostly the same for all rules, as in paired lifetimes."""
    shared = np.random.default_rng(5).normal(0, 5, 4096)[wanted.trial % 4096]
    keys = wanted.rule * 7919 + wanted.trial + (wanted.eta * 1e6).astype(int) * 104729
    own = np.array([np.random.default_rng(key).normal(0, 2) for key in keys])
    score = truth(wanted.rule, wanted.eta) + shared + own
    return Scores(wanted.rule, wanted.eta, wanted.trial, score, np.full(len(wanted), 20))


@pytest.fixture(scope="module")
def plan() -> Plan:
    return make_plan(make_world("foraging"), rules=range(LIMIT), effort=0.5)


@pytest.fixture(scope="module")
def lives(plan) -> Scores:
    lives = Scores.none()
    for stage in plan.stages:
        for _ in range(rounds(stage)):
            wanted = requests(plan, stage, lives)
            if not len(wanted):
                break
            lives = Scores.joined([lives, lived(wanted)])
    return lives


@pytest.fixture(scope="module")
def atlas(plan, lives):
    return summed_up(plan, lives, np.full(LIMIT, 20.0), "digest")


def test_the_survey_tries_every_rule_at_every_eta(plan, lives):
    survey = means(lives[: plan.surveyed])
    assert len(survey) == LIMIT * len(plan.etas)
    assert (survey.lifetimes == plan.stages[0].lifetimes).all()
    assert not len(requests(plan, plan.stages[0], lives))


def test_no_life_is_lived_twice(lives):
    keys = set(zip(lives.rule.tolist(), lives.eta.tolist(), lives.trial.tolist(), strict=True))
    assert len(keys) == len(lives)


def test_the_best_rules_come_out_first_and_in_order(atlas):
    assert atlas.order[:5].tolist() == [7, 8, 9, 10, 11]
    assert atlas.ranks[7] == 1


def test_the_best_eta_is_found_and_bracketed(atlas):
    top = np.setdiff1d(atlas.order[:5], [TWO_PEAKS])
    assert np.abs(np.log(atlas.eta[top] / own_eta(top))).max() < np.log(1.25)
    assert (atlas.eta_low[top] < atlas.eta[top]).all()
    assert (atlas.eta_high[top] > atlas.eta[top]).all()
    assert (atlas.eta_high[top] / atlas.eta_low[top] < 1.8).all()


def test_a_narrow_peak_between_the_etas_of_the_survey_is_found(plan, atlas):
    assert min(max(eta / NARROW, NARROW / eta) for eta in plan.etas) > 1.1
    assert abs(np.log(atlas.eta[TWO_PEAKS] / NARROW)) < np.log(1.06)


def test_a_scan_is_made_although_the_survey_tried_the_same_etas():
    """With fewer lifetimes each: what counts is whether each rule has the scan's."""
    plan = make_plan(make_world("foraging"), rules=range(40), etas=(LOWEST_ETA, 0.9))
    stage = next(stage for stage in plan.stages if stage.name == "scan")
    finer = dataclasses.replace(plan, etas=tuple(plan.scanned(stage)))
    assert finer.scanned(stage) == list(finer.etas)
    known = lived(requests(finer, finer.stages[0], Scores.none()))
    wanted = requests(finer, stage, known)
    assert len(np.unique(wanted.rule)) == finer.kept(stage) == 10
    summed = means(Scores.joined([known, lived(wanted)]))
    for rule in np.unique(wanted.rule):
        assert (summed.lifetimes[summed.rows_of(int(rule))] == stage.lifetimes).all()
    leading = Scores.joined([known, lived(wanted)])
    again = requests(finer, stage, leading)
    assert not set(again.rule) & set(wanted.rule)


def test_better_rules_get_more_lifetimes(plan, atlas):
    assert atlas.lifetimes.min() == plan.stages[-3].lifetimes
    assert (atlas.lifetimes[atlas.order[:5]] == plan.stages[-1].lifetimes).all()
    assert atlas.lifetimes.sum() < LIMIT * plan.stages[-1].lifetimes / 4


def test_scores_rest_on_fresh_lives_only(atlas, lives):
    rule = 7
    fresh = lives.fresh()
    mine = fresh.score[fresh.rule == rule]
    assert atlas.mean[rule] == pytest.approx(mine.mean())
    assert atlas.sem[rule] == pytest.approx(mine.std(ddof=1) / np.sqrt(len(mine)))
    assert fresh.trial.min() == FRESH
    assert len(np.unique(fresh.eta[fresh.rule == rule])) == 1


def test_the_best_of_noisy_means_flatters_and_fresh_lives_do_not(plan, lives, atlas):
    poor = np.arange(200, 260)  # no eta helps them: their truth is 0
    survey = means(lives[: plan.surveyed]).mean.reshape(LIMIT, -1)[poor]
    shared = np.random.default_rng(5).normal(0, 5, 4096)
    flattered = (survey.max(axis=1) - shared[: plan.stages[0].lifetimes].mean()).mean()
    honest = (atlas.mean[poor] - shared[(FRESH + np.arange(atlas.lifetimes.min())) % 4096].mean()).mean()
    assert flattered > 1.5
    assert abs(honest) < 0.5


def test_an_eta_at_the_end_of_the_allowed_stays_there(plan):
    stage = next(stage for stage in plan.stages if stage.name == "settle")
    rules = np.repeat(np.arange(LIMIT), 9)
    etas = np.tile(np.geomspace(0.3, HIGHEST_ETA, 9), LIMIT)
    rising = Scores(rules, etas, np.zeros(len(rules), np.int64), etas.copy(), rules)
    wanted = requests(plan, stage, rising)
    assert wanted.eta.max() == HIGHEST_ETA
    falling = dataclasses.replace(rising, eta=np.tile(np.geomspace(LOWEST_ETA, 0.1, 9), LIMIT), score=-etas)
    assert requests(plan, stage, falling).eta.min() == LOWEST_ETA


def test_rank_intervals_by_pairs_are_narrower_than_without():
    rng = np.random.default_rng(2)
    shared = rng.normal(0, 10, 400)
    scores = np.array([shared + rng.normal(level, 1, 400) for level in (3.0, 2.0, 1.0, 0.0)])
    mean, sem = scores.mean(axis=1), scores.std(axis=1, ddof=1) / 20
    none = (np.zeros(0, np.int64), np.zeros((0, 400)))
    assert rank_intervals(mean, sem, none)[1][0] > 1
    first, last = rank_intervals(mean, sem, (np.arange(4), scores))
    assert first.tolist() == last.tolist() == [1, 2, 3, 4]


def test_paired_scores_are_in_the_order_of_trials():
    fresh = Scores(
        np.array([4, 4, 2, 2, 3]),
        np.ones(5),
        FRESH + np.array([1, 0, 0, 1, 0]),
        np.array([10.0, 20, 30, 40, 50]),
        np.ones(5),
    )
    rules, scores = paired(fresh, 2)
    assert rules.tolist() == [2, 4]
    assert scores.tolist() == [[30, 40], [20, 10]]


def test_brackets_ignore_etas_tried_less_often():
    tried = means(
        Scores(np.zeros(5, np.int64), np.array([0.1, 0.1, 0.2, 0.2, 0.15]), np.arange(5), np.arange(5.0), np.ones(5))
    )
    low, high = brackets(tried, np.array([0.2]))
    assert low[0] == 0.1
    assert np.isnan(high[0])


def test_a_small_atlas_keeps_its_share_of_rules(plan):
    assert [plan.kept(stage) for stage in plan.stages] == [300, 300, 300, 14, 14, 10, 10, 300, 12, 10]


@pytest.mark.parametrize(
    ("settings", "expected"),
    [
        ({"limit": 0}, "the nearest is 1"),
        ({"limit": 6562}, "the nearest is 6561"),
        ({"limit": 3, "rules": [1]}, "cannot be used together"),
        ({"rules": []}, "rules is empty"),
        ({"rules": ["foraging:99"]}, "foraging:99"),
        ({"etas": []}, "etas is empty"),
        ({"etas": [0.2, 0.1]}, "must be ascending"),
        ({"etas": [0.1, 1.5]}, "the nearest is 0.995"),
        ({"effort": 0}, "the nearest is 0.1"),
        ({"seed": -1}, "the nearest is 0"),
    ],
)
def test_bad_plans(settings, expected):
    with pytest.raises(BadInput, match=expected):
        make_plan(make_world("foraging"), **settings)
