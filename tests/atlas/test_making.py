"""A small atlas, really lived: made, stopped, resumed, refused, saved."""

from __future__ import annotations

import dataclasses
import json
import shutil
import sys
from pathlib import Path

import numpy as np
import pytest

from hebbarium.atlas import making
from hebbarium.atlas.making import MAP, TABLE, make_atlas, read_lives
from hebbarium.atlas.plan import make_plan, sample
from hebbarium.atlas.scores import FRESH
from hebbarium.atlas.table import Atlas
from hebbarium.cli import main
from hebbarium.errors import BadInput, RunError
from hebbarium.executors.base import run
from hebbarium.layered import LayeredRule
from hebbarium.life.jobs import Jobs
from hebbarium.rule import RULES, Rule
from hebbarium.runs import schema, sealed
from hebbarium.runs.store import Run, Writer
from hebbarium.worlds.foraging import Foraging
from hebbarium.worlds.registry import make_world
from lives import live_jobs

sys.path.insert(0, str(Path(__file__).parent))
from invented import ETAS, invented

TASK = Foraging(season_steps=60, seasons=2)
SMALL = {"rules": range(12), "etas": (0.01, 0.04, 0.16), "effort": 0.1, "seed": 5}


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
    outcome = live_jobs(TASK, 20, jobs)
    assert TASK.life_fitness(outcome.counts).mean() == atlas.mean[index]
    assert outcome.distinct_hidden.mean() == pytest.approx(atlas.distinct[index])


@pytest.mark.parametrize(("stop_after", "threads"), [(1, 2), (3, 2), (6, 8)])
def test_stopped_and_resumed_with_other_threads_it_is_the_same(atlas, tmp_path, monkeypatch, stop_after, threads):
    monkeypatch.setattr(making, "CHUNK_STEPS", 3600)
    chunks = 0

    def pull_the_plug(*_):
        nonlocal chunks
        chunks += 1
        if chunks == stop_after:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        make_atlas(TASK, tmp_path / "run", threads=threads, tell=pull_the_plug, **SMALL)
    assert Run.open(tmp_path / "run").finished is None
    lived = []
    monkeypatch.setattr(making, "run", lambda *args, **kwargs: lived.append(1) or run(*args, **kwargs))
    again = make_atlas(TASK, tmp_path / "run", threads=3, **SMALL)
    assert again.about == atlas.about
    assert again.to_bytes() == atlas.to_bytes()
    assert len(lived) > 0


def test_a_finished_atlas_is_read_not_lived(atlas, folder, monkeypatch):
    monkeypatch.setattr(making, "run", None)
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


def test_a_finished_atlas_of_another_arithmetic_is_still_read(atlas, folder, tmp_path, monkeypatch):
    copy = shutil.copytree(folder, tmp_path / "run")
    monkeypatch.setattr("hebbarium.runs.about.ARITHMETIC", 99)
    assert make_atlas(TASK, copy, **SMALL).to_bytes() == atlas.to_bytes()


def test_a_folder_of_another_kind_is_refused_before_anything_is_lived(tmp_path, capsys, monkeypatch):
    Writer.begin(tmp_path / "run", "evolve", {}).close()
    (tmp_path / "file").write_text("mine")
    monkeypatch.setattr(making, "run", None)
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
    with pytest.raises(RunError, match=r"piece lives/000000 in .* does not match the run's settings"):
        read_lives(Run.open(folder), make_plan(TASK, **{**SMALL, "rules": range(13)}))


def test_other_lives_of_the_same_number_are_refused(atlas, folder):
    """Which a comparison of lengths would not tell."""
    with pytest.raises(RunError, match="does not match"):
        read_lives(Run.open(folder), make_plan(TASK, **{**SMALL, "etas": (0.01, 0.04, 0.17)}))


def test_chunks_that_are_missing_anywhere_are_lived_again(atlas, tmp_path, monkeypatch):
    monkeypatch.setattr(making, "CHUNK_STEPS", 12_000)
    plan = make_plan(TASK, **SMALL)
    make_atlas(TASK, tmp_path / "run", **SMALL)
    (tmp_path / "run" / TABLE).unlink()
    with Writer.begin(tmp_path / "run", "atlas", plan.settings()) as store:
        before = {name: store.piece(name) for name in store.pieces()}
        lost = list(before)[::5]
        sealed.clear(store._connection, schema.PIECES)
        store.save(pieces=dict(found for name, found in before.items() if name not in lost))
    lived = []
    monkeypatch.setattr(making, "run", lambda *args, **kwargs: lived.append(1) or run(*args, **kwargs))
    assert make_atlas(TASK, tmp_path / "run", **SMALL).to_bytes() == atlas.to_bytes()
    assert len(lived) == len(lost) > 1


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
    assert "A random sample of 3 of 6,561 rules: there will be a table, but no map" in err
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
    assert "The best of 3 rules drawn at random (seed 1) on foraging" in out
    assert all(Rule(index).notation in out for index in sample(3, seed=1))


def test_a_sample_is_drawn_by_the_seed_and_grows(tmp_path):
    few, more = sample(20, seed=3), sample(40, seed=3)
    assert set(few) < set(more)
    assert sample(40, seed=4) != more
    assert max(more) > 3000
    assert sample(RULES, seed=3) == tuple(range(RULES))


def test_a_sample_costs_in_proportion():
    whole = make_plan(make_world("foraging")).expected_lifetimes()
    for count in (400, 1000, 3000):
        share = make_plan(make_world("foraging"), limit=count).expected_lifetimes() / whole
        assert share == pytest.approx(count / RULES, rel=0.1)


def test_a_row_of_a_sample_is_its_own_rule_s(tmp_path):
    """A rule scores the same in a sample and where it is asked for alone, for it lives the same trials."""
    small = {"etas": (0.01, 0.04), "effort": 0.1, "seed": 5}
    drawn = make_atlas(TASK, tmp_path / "drawn", limit=4, **small)
    assert drawn.rules.tolist() == list(sample(4, 5))
    row = drawn.row(2)
    rule = Rule(row["rule"], row["eta"])
    assert rule.index == drawn.rules[2]
    assert drawn.rank(rule) == row["rank"]
    assert drawn.rank(Rule(next(index for index in range(RULES) if index not in drawn.rules))) is None
    outcome = live_jobs(TASK, 20, Jobs.of_rule(rule, row["lifetimes"], 5, first_trial=1_000_000))
    assert TASK.life_fitness(outcome.counts).mean() == row["mean"]
    lives = read_lives(Run.open(tmp_path / "drawn"), make_plan(TASK, limit=4, **small))
    assert set(lives.rule) == set(drawn.rules)
    assert Atlas.load(tmp_path / "drawn" / TABLE).top(4) == drawn.top(4)


@pytest.mark.parametrize("rules", [[1, 2], [3, 1, 2, 7], [1, 2, 3, 9999], "all", [1, 2, 3, 3]])
def test_rules_that_do_not_fit_are_refused(rules, tmp_path, atlas):
    some = dataclasses.replace(make_part(atlas, 4), about={**atlas.about, "rules": rules})
    some.save(tmp_path / "some.npz")
    with pytest.raises(BadInput, match="its rules are"):
        Atlas.load(tmp_path / "some.npz")


def make_part(atlas: Atlas, rows: int) -> Atlas:
    columns = {field.name: getattr(atlas, field.name)[:rows] for field in dataclasses.fields(atlas)[1:]}
    return Atlas(atlas.about, **columns)


def test_a_sample_leaves_the_folder_of_the_whole_alone(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    words = ["--limit", "2", "--season-steps", "20", "--effort", "0.1", "--etas", "0.02", "--quiet"]
    assert main(["atlas", "foraging", *words]) == 0
    assert [path.name for path in (tmp_path / "runs").iterdir()] == ["atlas-foraging-1-sample-2"]


@pytest.mark.parametrize(
    ("words", "expected"),
    [
        ("--limit 0", "the nearest is 1"),
        ("--show --season-steps 50", "so --season-steps cannot be changed"),
        ("--etas 0.1,x", "must be numbers with commas"),
        ("--effort 1000", "the nearest is 100"),
        ("--hidden 0", "hidden is 0"),
    ],
)
def test_bad_input_leaves_no_folder(words, expected, tmp_path, capsys):
    assert main(["atlas", "foraging", *words.split(), "--out", str(tmp_path / "run")]) == 2
    assert expected in capsys.readouterr().err
    assert not (tmp_path / "run").exists()


def test_an_atlas_of_output_rules_freezes_the_hidden_layer(tmp_path: Path) -> None:
    atlas = make_atlas(TASK, tmp_path / "run", threads=1, layers="output", hidden=5, **SMALL)
    assert atlas.layers == "output"
    assert (atlas.kinds == 5).all()
    index = int(atlas.order[0])
    assert atlas.row(index)["rule"] == f"frozen,{Rule(index)}"
    rule = LayeredRule(None, Rule(index, float(atlas.eta[index])))
    lives = live_jobs(TASK, 5, Jobs.of_rule(rule, int(atlas.lifetimes[index]), 5, FRESH))
    assert TASK.life_fitness(lives.counts).mean() == atlas.mean[index]
    assert Atlas.load(tmp_path / "run" / TABLE).layers == "output"
    assert atlas.about["digest"] != make_atlas(TASK, tmp_path / "same", threads=1, hidden=5, **SMALL).about["digest"]
    with pytest.raises(BadInput, match="--layers output --hidden 7"):
        Atlas.of("foraging", "output", 7)
    with pytest.raises(BadInput, match="output"):
        make_plan(TASK, layers="outputs")
