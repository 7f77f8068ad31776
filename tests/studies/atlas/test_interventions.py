"""The collapse of the hidden neurons, really lived, and what becomes of it when one interferes."""

from __future__ import annotations

import contextlib
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from hebbarium.brains.base import HIDDEN, Brain
from hebbarium.brains.network_files import Networks, kinds_of
from hebbarium.life.jobs import Jobs
from hebbarium.rules.rule import Rule
from hebbarium.studies.atlas.interventions import INTERVENTIONS, intervene, kinds_over_life, study_interventions
from hebbarium.studies.atlas.making import AtlasStudy
from hebbarium.studies.atlas.page import sections, why_words
from hebbarium.studies.atlas.stages import make_plan
from hebbarium.studies.engine import Lab
from hebbarium.tools.progress import Report
from hebbarium.tools.signals import Stop
from hebbarium.worlds.foraging import Foraging
from hebbarium.worlds.registry import make_world
from lives import batch_of

sys.path.insert(0, str(Path(__file__).parent))
from invented import invented

TASK = Foraging()
SHORT = Foraging(season_steps=300, seasons=2)
BRAIN = Brain(hidden=20)


def test_rule_6_collapses_within_a_season_and_rule_1_never():
    moments = [1, 100, 5000, 20000]
    found = kinds_over_life(TASK, BRAIN, [Rule("foraging:1"), Rule("foraging:6")], moments, lifetimes=8, seed=2)
    assert found[0] == pytest.approx([20, 20, 20, 20])
    assert found[1, 0] == 20
    assert found[1, 2] < 4
    assert found[1, 3] < 1.5


@pytest.mark.parametrize(
    ("intervention", "rule", "expected"),
    [
        ("frozen", "foraging:6", 20),
        ("own noise", "foraging:6", 20),
        ("shared noise", "foraging:6", 1),
        ("born alike", "foraging:1", 1),
    ],
)
def test_interventions_break_or_force_the_collapse(intervention, rule, expected):
    lived = intervene(TASK, BRAIN, Rule(rule), intervention, lifetimes=4, seed=2)
    assert lived["kinds"].tolist() == [expected] * 4


def test_neurons_that_agree_to_six_digits_are_of_one_kind():
    one = np.full((1, 3, 7), 0.25)
    one[0, 1] += 1e-9
    one[0, 2] += 1e-3
    assert kinds_of(one).tolist() == [2]
    assert kinds_of(np.array([[[0.0, -0.0]], [[-0.0, 1e-12]]]).reshape(1, 2, 2)).tolist() == [1]


def test_at_a_small_eta_neurons_do_the_same_before_their_last_bits_agree():
    """Counted by bits this rule would pass for one that keeps its neurons different."""
    batch = batch_of(TASK, 20, Jobs.of_rule(Rule("00+-/--++", 0.001), 4, 2))
    batch.live()
    assert batch.distinct_hidden().min() > 10
    assert kinds_of(batch.networks().hidden).max() == 1


def test_none_is_the_ordinary_life():
    lived = intervene(SHORT, BRAIN, Rule("foraging:6"), "none", lifetimes=3, seed=9)
    batch = batch_of(SHORT, 20, Jobs.of_rule(Rule("foraging:6"), 3, 9))
    batch.live()
    assert lived["scores"].tolist() == SHORT.life_fitness(batch.counts.swapaxes(0, 1)).tolist()


def test_a_frozen_layer_keeps_every_bit_and_the_output_still_learns():
    jobs = Jobs.of_rule(Rule("foraging:6"), 2, 4)
    jobs.entries[:, HIDDEN] = 0
    batch = batch_of(SHORT, 20, jobs)
    born = batch.networks()
    batch.live()
    grown = batch.networks()
    assert grown.hidden.tobytes() == born.hidden.tobytes()
    assert (grown.output != born.output).mean() > 0.9
    lived = intervene(SHORT, BRAIN, Rule("foraging:6"), "frozen", lifetimes=2, seed=4)
    assert lived["scores"].tolist() == SHORT.life_fitness(batch.counts.swapaxes(0, 1)).tolist()


def test_weights_that_are_set_have_unit_length_after_the_next_change():
    """Prey-predator's brains carry running sums of their weights along: those must be of the weights that were set."""
    world = make_world("prey-predator")
    batch = batch_of(world, 50, Jobs.of_rule(Rule("prey-predator:1", 0.05), 4, 3))
    batch.advance(300)
    noise = np.random.default_rng(5).normal(0.0, 0.05, batch.networks().hidden.shape)
    hidden = batch.networks().hidden + noise
    hidden /= np.sqrt((hidden**2).sum(axis=2, keepdims=True))
    batch.set_networks(Networks(world.name, hidden, batch.networks().output))
    changes = batch.brains.changes.copy()
    while (batch.brains.changes == changes).any():
        batch.advance(1)
    assert np.allclose((batch.networks().hidden ** 2).sum(axis=2), 1.0, atol=1e-9)


def test_forced_to_collapse_the_best_rule_loses_most_of_its_fitness():
    rule = Rule("foraging:1")
    free = intervene(TASK, BRAIN, rule, "none", lifetimes=24, seed=3)["scores"]
    alike = intervene(TASK, BRAIN, rule, "born alike", lifetimes=24, seed=3)["scores"]
    assert (free - alike).mean() > 25


def studied(threads: int) -> dict[str, Any]:
    with contextlib.ExitStack() as stack:
        lab = Lab(AtlasStudy(make_plan(SHORT)), None, threads, Report(), stack, Stop())
        return study_interventions(invented(), SHORT, lab, sample=3, lifetimes=2)


def test_a_study_tells_all_interventions_for_both_kinds():
    told = studied(2)
    assert set(told["named"]) == set(told["drawn"]) == {"collapsed", "diverse"}
    row = told["named"]["diverse"][0]
    assert row["rule"] == "00+-/0000"
    assert set(INTERVENTIONS) <= set(row)
    assert row["none"]["change"] == 0
    assert told["drawn"]["diverse"]["rules"] == 3
    assert len(told["over_life"]["diverse"][0]["kinds"]) == len(told["moments"])
    assert studied(1) == told
    assert all(isinstance(sentence, str) for sentence in why_words(told))
    assert "born alike" in "".join(sections(invented(), told))
    assert np.isfinite(told["drawn"]["collapsed"]["frozen"]["change"])
