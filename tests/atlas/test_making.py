"""A small atlas, really lived: made, stopped, resumed, refused, saved."""

from __future__ import annotations

import json
import shutil
import sqlite3
import sys
from pathlib import Path

import numpy as np
import pytest

from hebbarium.atlas import making
from hebbarium.atlas.making import MAP, TABLE, make_atlas, read_lives
from hebbarium.atlas.plan import make_plan
from hebbarium.atlas.table import Atlas
from hebbarium.cli import main
from hebbarium.errors import BadInput, RunError
from hebbarium.lifetime import Jobs, live_jobs
from hebbarium.rule import Rule
from hebbarium.runs.store import Run, Writer
from hebbarium.tasks.foraging import Foraging

sys.path.insert(0, str(Path(__file__).parent))
from invented import ETAS, invented

TASK = Foraging(season_steps=60, seasons=2)
SMALL = {"limit": 12, "etas": (0.01, 0.04, 0.16), "effort": 0.1, "seed": 5}


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    return tmp_path_factory.mktemp("atlas") / "run"


@pytest.fixture(scope="module")
def atlas(folder) -> Atlas:
    return make_atlas(TASK, folder, threads=1, **SMALL)


def test_every_rule_is_there(atlas):
    assert len(atlas) == 12
    assert sorted(atlas.ranks.tolist()) == list(range(1, 13))
    assert not atlas.complete
    assert atlas.survey_mean.shape == atlas.survey_distinct.shape == (12, 3)


def test_a_rule_can_be_measured_again_to_the_last_bit(atlas):
    index = int(atlas.order[0])
    rule = Rule(index, float(atlas.eta[index]))
    jobs = Jobs.of_rule(rule, int(atlas.lifetimes[index]), 5, first_trial=1_000_000)
    outcome = live_jobs(TASK, 20, jobs, distinct=True)
    assert TASK.life_fitness(outcome.counts).mean() == atlas.mean[index]
    assert outcome.distinct_hidden.mean() == pytest.approx(atlas.distinct[index])


@pytest.mark.parametrize("stop_after", [1, 3, 6])
def test_stopped_and_resumed_with_other_threads_it_is_the_same(atlas, tmp_path, monkeypatch, stop_after):
    monkeypatch.setattr(making, "CHUNK_STEPS", 3600)
    chunks = 0

    def pull_the_plug(*_):
        nonlocal chunks
        chunks += 1
        if chunks == stop_after:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        make_atlas(TASK, tmp_path / "run", threads=2, tell=pull_the_plug, **SMALL)
    assert Run.open(tmp_path / "run").finished is None
    lived = []
    monkeypatch.setattr(making, "live_jobs", lambda *args, **kwargs: lived.append(1) or live_jobs(*args, **kwargs))
    again = make_atlas(TASK, tmp_path / "run", threads=3, **SMALL)
    assert again.about == atlas.about
    assert again.to_bytes() == atlas.to_bytes()
    assert len(lived) > 0


def test_a_finished_atlas_is_read_not_lived(atlas, folder, monkeypatch):
    monkeypatch.setattr(making, "live_jobs", None)
    remarks = []
    again = make_atlas(TASK, folder, remark=remarks.append, **SMALL)
    assert again.to_bytes() == atlas.to_bytes()
    assert "finished" in remarks[0]


def test_a_map_that_was_thrown_away_is_drawn_again(tmp_path):
    settings = {"etas": ETAS, "seed": 1}
    with Writer.begin(tmp_path / "run", "atlas", make_plan(TASK, **settings).settings()) as store:
        store.finish()
    invented().save(tmp_path / "run" / TABLE)
    assert make_atlas(TASK, tmp_path / "run", **settings).complete
    assert "Why rules fail" in (tmp_path / "run" / MAP).read_text(encoding="utf-8")


def test_a_finished_atlas_of_other_kernels_is_still_read(atlas, folder, tmp_path):
    copy = shutil.copytree(folder, tmp_path / "run")
    with sqlite3.connect(copy / "run.sqlite") as connection:
        connection.execute("UPDATE about SET value = json_set(value, '$.kernels', 'other') WHERE name = 'versions'")
    connection.close()
    assert make_atlas(TASK, copy, **SMALL).to_bytes() == atlas.to_bytes()


def test_a_folder_of_another_kind_is_refused_before_anything_is_lived(tmp_path, capsys, monkeypatch):
    Writer.begin(tmp_path / "run", "evolve", {}).close()
    (tmp_path / "file").write_text("mine")
    monkeypatch.setattr(making, "live_jobs", None)
    monkeypatch.setattr(making, "prepare", None)
    for place, words in (("run", "holds a run of `evolve`"), ("file", "is a file"), ("file/run", "not a directory")):
        assert main(["atlas", "foraging", "--out", str(tmp_path / place)]) == 2
        assert words in capsys.readouterr().err


def test_other_settings_are_refused(atlas, folder):
    with pytest.raises(RunError, match="seed"):
        make_atlas(TASK, folder, **{**SMALL, "seed": 6})


def test_the_store_gives_every_life_back(atlas, folder):
    plan = make_plan(TASK, **SMALL)
    lives = read_lives(Run.open(folder), plan)
    assert len(lives) == atlas.about["lifetimes"]
    fresh = lives.fresh()
    assert fresh.score[fresh.rule == 3].mean() == atlas.mean[3]


def test_lives_of_another_atlas_are_refused(atlas, folder):
    with pytest.raises(RunError, match="of another atlas"):
        read_lives(Run.open(folder), make_plan(TASK, **{**SMALL, "limit": 13}))


def test_an_unfinished_atlas_cannot_be_read(tmp_path):
    plan = make_plan(TASK, **SMALL)
    Writer.begin(tmp_path / "run", "atlas", plan.settings()).close()
    with pytest.raises(RunError, match="not finished"):
        read_lives(Run.open(tmp_path / "run"), plan)


def test_saved_and_loaded(atlas, folder):
    loaded = Atlas.load(folder / TABLE)
    assert loaded.top(12) == atlas.top(12)
    assert np.array_equal(loaded.survey_mean, atlas.survey_mean)


def test_a_file_that_is_no_atlas(tmp_path):
    path = tmp_path / "other.npz"
    np.savez(path, a=1)
    with pytest.raises(BadInput, match="does not hold an atlas"):
        Atlas.load(path)
    with pytest.raises(BadInput, match="cannot read"):
        Atlas.load(tmp_path / "nowhere.npz")


def test_an_atlas_of_some_rules_says_first_that_it_has_no_map(tmp_path, capsys):
    words = ["atlas", "foraging", "--limit", "3", "--season-steps", "20", "--effort", "0.1", "--etas", "0.02,0.1"]
    assert main([*words, "--out", str(tmp_path / "run")]) == 0
    out, err = capsys.readouterr()
    assert "Only 3 of 6,561 rules: there will be a table, but no map" in err
    assert "atlas.npz" in out
    assert not (tmp_path / "run" / MAP).exists()


def test_the_command_prints_its_contract(tmp_path, capsys):
    words = ["atlas", "foraging", "--limit", "5", "--season-steps", "40", "--effort", "0.1"]
    words += ["--etas", "0.02,0.1", "--json", "-q"]
    assert main([*words, "--out", str(tmp_path / "run")]) == 0
    result = json.loads(capsys.readouterr().out)
    assert result["rules"] == 5
    assert [row["rank"] for row in result["top"]] == [1, 2, 3, 4, 5]
    assert {"rank", "rule", "eta", "mean", "sem"} <= set(result["top"][0])
    assert len(result["digest"]) == 64
    assert result["lifetimes"] >= 5 * 2 * 2
    assert main([*words, "--out", str(tmp_path / "run")]) == 0
    assert json.loads(capsys.readouterr().out) == result


def test_a_person_is_told_how_long_and_reads_a_table(tmp_path, capsys):
    words = ["atlas", "foraging", "--limit", "3", "--season-steps", "40", "--effort", "0.1"]
    assert main([*words, "--out", str(tmp_path / "run")]) == 0
    out, err = capsys.readouterr()
    assert "this takes about" in err
    assert "The best of 3 rules on foraging" in out
    assert Rule(2).notation in out


@pytest.mark.parametrize(
    ("words", "expected"),
    [
        ("--limit 0", "the nearest is 1"),
        ("--etas 0.1,x", "must be numbers with commas"),
        ("--effort 1000", "the nearest is 100"),
        ("--hidden 0", "hidden is 0"),
    ],
)
def test_bad_input_leaves_no_folder(words, expected, tmp_path, capsys):
    assert main(["atlas", "foraging", *words.split(), "--out", str(tmp_path / "run")]) == 2
    assert expected in capsys.readouterr().err
    assert not (tmp_path / "run").exists()
