"""The atlas that comes with the package, and a sample of it lived again."""

from __future__ import annotations

import json
import subprocess
import sys

import numpy as np
import pytest

import hebbarium as hb
import hebbarium.cli
from hebbarium.brains.base import Brain
from hebbarium.life.jobs import Jobs
from hebbarium.studies.atlas.analysis import is_fair, search_atlas
from hebbarium.studies.atlas.finished_atlas import SHIPPED, Atlas, shipped
from hebbarium.studies.atlas.interventions import intervene
from hebbarium.studies.atlas.page import shipped_analysis
from hebbarium.studies.atlas.stages import FRESH, make_plan
from lives import live_jobs

FILE = SHIPPED / "atlas-foraging.npz"
# Above 40 at five etas and 8 lifetimes each, by a program of its own.
TOP_FIVE = {"00+-/0000", "-0+-/0000", "+0+-/0000", "-++-/0000", "0++-/0000"}


@pytest.fixture(scope="module")
def atlas() -> Atlas:
    return Atlas.of("foraging")


def test_it_is_complete_small_and_made_by_the_default_plan(atlas):
    assert atlas.complete
    assert FILE.stat().st_size < 1_000_000
    settings = make_plan(hb.make_world("foraging"), seed=1).settings()
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
    task = hb.make_world("foraging")
    outcome = live_jobs(task, 20, jobs)
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


ALL = sorted(SHIPPED.glob("atlas-*.npz"))
"""Every atlas that comes with the package."""


@pytest.fixture
def nothing_lives(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in (
        "executors.base.run",
        "executors.threads.Threads",
        "studies.atlas.interventions.run",
        "studies.atlas.analysis.found_by",
    ):
        monkeypatch.setattr(f"hebbarium.{name}", None)


@pytest.mark.usefixtures("nothing_lives")
@pytest.mark.parametrize("file", ALL, ids=lambda file: file.stem)
def test_every_map_is_shown_at_once_with_every_section(file, tmp_path, monkeypatch, capsys):
    opened: list[str] = []
    monkeypatch.setattr("webbrowser.open", lambda url: opened.append(url) or True)
    monkeypatch.chdir(tmp_path)
    atlas = Atlas.load(file)
    hidden = [] if atlas.layers == "same" else ["--hidden", str(atlas.about["hidden"])]
    assert hb.cli.main(["atlas", atlas.task, "--show", "--layers", atlas.layers, *hidden]) == 0
    name = f"atlas-{atlas.task}.html"
    assert capsys.readouterr() == (f"The map: {name}\n", "")
    page = (tmp_path / name).read_text(encoding="utf-8")
    assert opened == [(tmp_path / name).as_uri()]
    own = ("Why rules fail", "born alike") if atlas.layers == "same" else ("Compared with rules for both layers",)
    for words in ("What each entry is worth", *own, "The landscape", "What searches find"):
        assert words in page


def test_the_files_of_the_atlases_are_small():
    assert len(ALL) == 4
    assert sum(path.stat().st_size for path in SHIPPED.iterdir()) < 2_000_000


@pytest.mark.usefixtures("nothing_lives")
def test_where_the_analysis_is_missing_it_is_said_and_left_out(tmp_path, monkeypatch, capsys):
    monkeypatch.setattr("webbrowser.open", lambda url: True)
    monkeypatch.setattr("hebbarium.studies.atlas.page.SHIPPED", tmp_path)
    assert hb.cli.main(["atlas", "foraging", "--show", "--out", str(tmp_path / "map.html")]) == 0
    assert "has no analysis of this atlas" in capsys.readouterr().err
    page = (tmp_path / "map.html").read_text(encoding="utf-8")
    assert "Why rules fail" in page
    assert "born alike" not in page
    assert "What searches find" not in page


def test_searches_are_simulated_only_where_drawn_scores_can_stand_for_real_ones():
    assert [is_fair(Atlas.load(file)) for file in ALL] == ["prey-predator" not in file.stem for file in ALL]
    assert [bool(shipped_analysis(Atlas.load(file))[1]) for file in ALL] == [is_fair(Atlas.load(file)) for file in ALL]


def test_prey_predators_interventions_live_again():
    atlas = Atlas.of("prey-predator")
    why, _ = shipped_analysis(atlas)
    row = why["named"]["collapsed"][0]
    assert row["rule"] == atlas.top(1)[0]["rule"]
    task, rule = hb.make_world("prey-predator"), hb.Rule(row["rule"], row["eta"])
    again = intervene(task, Brain.of(task, 50), rule, "none", lifetimes=row["lifetimes"], seed=1)
    assert again["scores"].mean() == row["none"]["mean"]


def test_the_shipped_interventions_are_those_of_this_atlas_and_live_again(atlas):
    why, searches = shipped_analysis(atlas)
    row = why["named"]["diverse"][0]
    task = hb.make_world("foraging")
    rule = hb.Rule(row["rule"], row["eta"])
    again = intervene(task, Brain.of(task, 20), rule, "born alike", lifetimes=row["lifetimes"], seed=1, executor=1)
    assert again["scores"].mean() == row["born alike"]["mean"]
    racing = next(one for one in searches if one.search == "random")
    assert search_atlas(atlas, "random", runs=racing.runs) == racing


def test_no_map_is_shown_where_no_atlas_is_shipped(capsys, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    assert hb.cli.main(["atlas", "t-maze", "--show"]) == 2
    assert "no atlas of t-maze comes with the package" in capsys.readouterr().err
    assert not list(tmp_path.iterdir())


def test_other_tasks_say_that_there_is_none():
    missing = [task for task in hb.WORLDS if shipped(task) is None]
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


@pytest.mark.parametrize("hidden", [20, 200])
def test_the_atlas_of_output_rules_comes_with_it(hidden: int) -> None:
    atlas = Atlas.of("foraging", "output", hidden)
    assert atlas.complete
    assert (SHIPPED / f"atlas-foraging-output-{hidden}.npz").stat().st_size < 300_000
    settings = make_plan(hb.make_world("foraging"), seed=1, layers="output", hidden=hidden).settings()
    assert {name: atlas.about[name] for name in settings} == json.loads(json.dumps(settings))
    best = int(atlas.order[0])
    rule = hb.LayeredRule(None, hb.Rule(best, float(atlas.eta[best])))
    lives = live_jobs(hb.make_world("foraging"), hidden, Jobs.of_rule(rule, int(atlas.lifetimes[best]), 1, FRESH))
    assert hb.make_world("foraging").life_fitness(lives.counts).mean() == atlas.mean[best]
    if hidden == 20:
        assert hb.explain(f"frozen,{hb.Rule(best)}").rank == 1
