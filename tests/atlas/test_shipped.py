"""The atlas that comes with the package, and a sample of it lived again."""

from __future__ import annotations

import json
import subprocess
import sys

import numpy as np
import pytest

import hebbarium as hb
from hebbarium.atlas.lives import FRESH
from hebbarium.atlas.plan import make_plan
from hebbarium.atlas.table import SHIPPED, Atlas, shipped
from hebbarium.lifetime import Jobs, live_jobs

FILE = SHIPPED / "atlas-foraging.npz"
# Above 40 at five etas and 8 lifetimes each, by a program of its own.
TOP_FIVE = {"00+-/0000", "-0+-/0000", "+0+-/0000", "-++-/0000", "0++-/0000"}


@pytest.fixture(scope="module")
def atlas() -> Atlas:
    return Atlas.of("foraging")


def test_it_is_complete_small_and_made_by_the_default_plan(atlas):
    assert atlas.complete
    assert FILE.stat().st_size < 1_000_000
    settings = make_plan(hb.make_task("foraging"), seed=1).settings()
    assert {name: atlas.about[name] for name in settings} == json.loads(json.dumps(settings))


def test_rule_1_is_the_best_and_the_first_five_are_the_known_ones(atlas):
    top = atlas.top(5)
    assert top[0]["rule"] == "00+-/0000"
    assert top[0]["rank_interval"] == [1, 1]
    assert {row["rule"] for row in top} == TOP_FIVE


def test_a_sample_lived_again_is_the_same_to_the_last_bit(atlas):
    random = np.random.default_rng(2026)
    sample = np.concatenate([atlas.order[:2], random.choice(atlas.order[105:], 40, replace=False)])
    parts = [
        Jobs.of_rule(hb.Rule(int(index), float(atlas.eta[index])), int(atlas.lifetimes[index]), 1, FRESH)
        for index in sample
    ]
    jobs = Jobs(
        *(np.concatenate([getattr(part, name) for part in parts]) for name in ("entries", "eta", "seed", "trial"))
    )
    task = hb.make_task("foraging")
    outcome = live_jobs(task, 20, jobs, distinct=True)
    ends = np.cumsum([len(part) for part in parts])
    scores = np.split(task.life_fitness(outcome.counts), ends[:-1])
    distinct = np.split(outcome.distinct_hidden, ends[:-1])
    assert [score.mean() for score in scores] == atlas.mean[sample].tolist()
    assert [part.mean() for part in distinct] == pytest.approx(atlas.distinct[sample], rel=1e-6)


def test_the_best_etas_are_bracketed(atlas):
    top = atlas.order[:100]
    inside = (atlas.eta_low[top] < atlas.eta[top]) & (atlas.eta[top] < atlas.eta_high[top])
    assert inside.mean() > 0.9
    assert (atlas.lifetimes[top] >= 600).all()


def test_other_tasks_say_that_there_is_none():
    missing = [task for task in hb.TASKS if shipped(task) is None]
    for task in missing:
        with pytest.raises(hb.BadInput, match=f"hebbarium atlas {task}"):
            Atlas.of(task)


def test_explain_knows_ranks_at_once_and_without_a_compiler():
    code = (
        "import sys, json, io, contextlib; from hebbarium.cli import main; out = io.StringIO()\n"
        "with contextlib.redirect_stdout(out): main(['explain', 'foraging:1', '--json'])\n"
        "assert json.loads(out.getvalue())['rank'] == 1; sys.exit('numba' in sys.modules)"
    )
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0
