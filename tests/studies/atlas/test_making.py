"""A small atlas, really lived: made, stopped, resumed, refused, saved."""

from __future__ import annotations

import contextlib
import dataclasses
import functools
import json
import shutil
import sys
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest

from hebbarium.cli import main
from hebbarium.executors.base import run
from hebbarium.life.jobs import Jobs
from hebbarium.rules.layered import LayeredRule
from hebbarium.rules.rule import RULES, Rule
from hebbarium.store import checksums, schema
from hebbarium.store.writing import Run, Writer
from hebbarium.studies.atlas import ages as ageing
from hebbarium.studies.atlas import interventions, making
from hebbarium.studies.atlas.ages import Ages
from hebbarium.studies.atlas.finished_atlas import Atlas
from hebbarium.studies.atlas.interventions import intervene
from hebbarium.studies.atlas.making import MAP, TABLE, AtlasStudy, Making, make_atlas
from hebbarium.studies.atlas.stages import FRESH, Plan, Scores, Stage, make_plan, sample
from hebbarium.studies.engine import Lab
from hebbarium.tools.errors import BadInput, RunError
from hebbarium.tools.progress import Report, Telling
from hebbarium.tools.signals import Stop
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

    def pull_the_plug(self, *args, **kwargs):
        nonlocal chunks
        save(self, *args, **kwargs)
        chunks += 1
        if chunks == stop_after:
            raise KeyboardInterrupt

    save = Writer.save
    monkeypatch.setattr(Writer, "save", pull_the_plug)

    with pytest.raises(KeyboardInterrupt):
        make_atlas(TASK, tmp_path / "run", threads=threads, **SMALL)
    monkeypatch.setattr(Writer, "save", save)
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
    again = make_atlas(TASK, folder, report=Telling(say=remarks.append), **SMALL)
    assert again.to_bytes() == atlas.to_bytes()
    assert not remarks


def test_a_map_that_was_thrown_away_is_drawn_again(tmp_path, monkeypatch):
    """With the searches it had, which take a while."""
    monkeypatch.setattr(making, "SEARCHED", ("random",))
    settings = {"etas": ETAS, "seed": 1}
    asked = make_plan(TASK, **settings).settings()
    there = dataclasses.replace(invented(), about={**invented().about, **asked})
    with Writer.begin(tmp_path / "run", "atlas", asked) as store, contextlib.ExitStack() as stack:
        making.draw(there, lab_of(make_plan(TASK, **settings), store, stack))
        store.save(results={"top": there.top(100), "digest": "0" * 64, "lifetimes": 123456})
        store.finish()
    there.save(tmp_path / "run" / TABLE)
    page = (tmp_path / "run" / MAP).read_bytes()
    (tmp_path / "run" / MAP).unlink()
    monkeypatch.setattr(making, "found_by", None)
    assert make_atlas(TASK, tmp_path / "run", **settings).complete
    assert b"Why rules fail" in page
    assert (tmp_path / "run" / MAP).read_bytes() == page


def lab_of(plan: Plan, run: Run, stack: contextlib.ExitStack) -> Lab:
    return Lab(AtlasStudy(plan), run, 1, Report(), stack, Stop())


def other_digest(atlas: Atlas) -> Atlas:
    return dataclasses.replace(atlas, about={**atlas.about, "digest": "f" * 64})


def other_settings(atlas: Atlas) -> Atlas:
    return dataclasses.replace(atlas, about={**atlas.about, "seed": 77})


def other_figures(atlas: Atlas) -> Atlas:
    return dataclasses.replace(atlas, mean=atlas.mean + 1)


@pytest.mark.parametrize("change", [other_digest, other_settings, other_figures, None])
def test_a_table_that_is_not_the_stores_is_made_again(atlas, folder, tmp_path, monkeypatch, change):
    copy = shutil.copytree(folder, tmp_path / "run")
    if change is None:
        (copy / TABLE).write_bytes(b"PK\x03\x04 nothing that can be read")
    else:
        change(atlas).save(copy / TABLE)
    monkeypatch.setattr(making, "run", None)
    remarks: list[str] = []
    assert make_atlas(TASK, copy, report=Telling(say=remarks.append), **SMALL).to_bytes() == atlas.to_bytes()
    assert "made again from the lives" in remarks[0]
    assert (copy / TABLE).read_bytes() == atlas.to_bytes()
    remarks.clear()
    assert make_atlas(TASK, copy, report=Telling(say=remarks.append), **SMALL).to_bytes() == atlas.to_bytes()
    assert not remarks


def test_a_lost_table_is_made_again_without_a_life(atlas, folder, tmp_path, monkeypatch):
    copy = shutil.copytree(folder, tmp_path / "run")
    (copy / TABLE).unlink()
    monkeypatch.setattr(making, "run", None)
    assert make_atlas(TASK, copy, **SMALL).to_bytes() == atlas.to_bytes()


def test_a_finished_atlas_of_another_arithmetic_is_still_read(atlas, folder, tmp_path, monkeypatch):
    copy = shutil.copytree(folder, tmp_path / "run")
    monkeypatch.setattr("hebbarium.store.about.ARITHMETIC", 99)
    assert make_atlas(TASK, copy, **SMALL).to_bytes() == atlas.to_bytes()


def test_a_folder_of_another_kind_is_refused_before_anything_is_lived(tmp_path, capsys, monkeypatch):
    Writer.begin(tmp_path / "run", "evolve", {}).close()
    (tmp_path / "file").write_text("mine")
    monkeypatch.setattr(making, "run", None)
    for place, words in (("run", "holds a run of `evolve`"), ("file", "is a file"), ("file/run", "not a directory")):
        assert main(["atlas", "foraging", "--out", str(tmp_path / place)]) == 2
        assert words in capsys.readouterr().err


def test_other_settings_are_refused(atlas, folder):
    with pytest.raises(RunError, match="seed"):
        make_atlas(TASK, folder, **{**SMALL, "seed": 6})


def read_lives(run: Run, plan: Plan) -> Scores:
    """The lives a finished run holds; `rule` is the rule's index."""
    with contextlib.ExitStack() as stack:
        made = Making(plan, lab_of(plan, run, stack))
        made.live()
        made.kinds()
    return dataclasses.replace(made.lives, rule=np.array(plan.rules)[made.lives.rule])


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
        checksums.clear(store._connection, schema.PIECES)
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
    assert {"rank", "rule", "eta", "fitness", "sem"} <= set(result["top"][0])
    assert len(result["digest"]) == 64
    assert result["lifetimes"] >= 5 * 2 * 2
    assert main([*words, "--out", str(tmp_path / "run")]) == 0
    assert json.loads(capsys.readouterr().out) == result


def test_a_person_reads_a_table(tmp_path, capsys):
    words = ["atlas", "foraging", "--limit", "3", "--season-steps", "40", "--effort", "0.1"]
    assert main([*words, "--out", str(tmp_path / "run")]) == 0
    out, _ = capsys.readouterr()
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
    assert TASK.life_fitness(outcome.counts).mean() == row["fitness"]
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
        ("--top -1", "the nearest is 1"),
        ("--top 6562 --limit 5", "the nearest is 6561"),
        ("--ages --limit 5", "--ages needs the whole atlas"),
        ("--ages --layers output", "--ages needs the whole atlas"),
        ("--show --season-steps 50", "so --season-steps cannot be changed"),
        ("--etas 0.1,x", "must be numbers with commas"),
        ("--effort 1000", "the nearest is 100"),
        ("--hidden -1", "hidden is '-1'"),
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


def test_the_best_are_a_number_of_them(atlas):
    assert len(atlas.top(RULES)) == len(atlas)
    for count in (0, -1, RULES + 1, 2.5):
        with pytest.raises(BadInput, match="top is"):
            atlas.top(count)


@pytest.fixture(scope="module")
def whole(tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[Path, Atlas]]:
    """A complete atlas with a coarse plan, and its folder."""
    folder = tmp_path_factory.mktemp("whole") / "run"
    with pytest.MonkeyPatch.context() as monkeypatch:
        monkeypatch.setattr("hebbarium.studies.atlas.stages.STAGES", {"foraging": COARSE})
        monkeypatch.setattr(making, "SEARCHED", ("random",))
        few = functools.partial(interventions.study_interventions, sample=3, lifetimes=4)
        monkeypatch.setattr(interventions, "study_interventions", few)
        yield folder, make_atlas(TASK, folder, **WHOLE)


COARSE = (Stage("survey", RULES, 2), Stage("score all", RULES, 2))
WHOLE = {"etas": (0.02, 0.1), "hidden": 4, "seed": 3}


def test_interventions_are_kept_one_by_one(whole, monkeypatch):
    folder, atlas = whole
    run = Run.open(folder)
    why = run.result("why")
    drawn = sum(some["rules"] for some in why["drawn"].values())
    named = sum(map(len, why["named"].values()))
    names = [name for name in run.pieces() if name.startswith("why/")]
    assert len(names) == 5 * (named + drawn) + sum(map(bool, why["over_life"].values()))
    # Asked for again, none is lived.
    for name in ("intervene", "kinds_over_life"):
        monkeypatch.setattr(f"hebbarium.studies.atlas.interventions.{name}", None)
    with contextlib.ExitStack() as stack:
        lab = lab_of(make_plan(TASK, **WHOLE), run, stack)
        assert interventions.study_interventions(atlas, TASK, lab, seed=WHOLE["seed"]) == why


def test_a_stopped_study_resumes_with_the_next_intervention(whole, tmp_path, monkeypatch):
    folder, atlas = whole
    plan, run = make_plan(TASK, **WHOLE), Run.open(folder)
    with Writer.begin(tmp_path / "run", "atlas", plan.settings()) as store:
        pieces = {name: run.piece(name) for name in run.pieces()}
        kept = [name for name in pieces if name.startswith("why/")][3:]
        store.save(pieces=dict(found for name, found in pieces.items() if name not in kept))
    lived = []
    monkeypatch.setattr(interventions, "intervene", lambda *a, **k: lived.append(1) or intervene(*a, **k))
    again = make_atlas(TASK, tmp_path / "run", **WHOLE)
    assert again.to_bytes() == atlas.to_bytes()
    assert 0 < len(lived) <= len(kept)
    assert Run.open(tmp_path / "run").result("why") == run.result("why")


def test_a_study_stored_as_a_whole_is_accepted(whole, tmp_path, monkeypatch):
    """As earlier versions did it."""
    folder, atlas = whole
    plan, run = make_plan(TASK, **WHOLE), Run.open(folder)
    with Writer.begin(tmp_path / "run", "atlas", plan.settings()) as store:
        pieces = {name: run.piece(name) for name in run.pieces() if not name.startswith("why/")}
        store.save(pieces=dict(pieces.values()), results={"why": run.result("why")})
    monkeypatch.setattr(interventions, "intervene", None)
    assert make_atlas(TASK, tmp_path / "run", **WHOLE).to_bytes() == atlas.to_bytes()
    assert (tmp_path / "run" / MAP).read_bytes() == (folder / MAP).read_bytes()


AGED = b'"aged":"'


def test_ages_are_added_to_the_map_of_ones_own_atlas(whole, capsys, monkeypatch):
    folder, atlas = whole
    monkeypatch.setattr(ageing, "SEASONS", 8)
    monkeypatch.setattr(ageing, "GRID", (1.0,))
    monkeypatch.setattr(ageing, "ROUNDS", ())
    monkeypatch.setattr(ageing, "SCORED", ((1.0, 2),))
    words = ["atlas", "foraging", "--season-steps", "60", "--seasons", "2", "--etas", "0.02,0.1", "--hidden", "4"]
    words += ["--seed", "3", "--out", str(folder)]
    assert AGED not in (folder / MAP).read_bytes()
    assert main([*words, "--ages"]) == 0
    ages = Ages.load(folder / "ages.npz")
    assert ages.rule.tolist() == [index for index in atlas.order[:300].tolist() if any(Rule(index).entries)]
    page = (folder / MAP).read_bytes()
    assert AGED in page
    assert Run.open(folder / "ages").finished
    # A second time nothing is lived, and whenever the map is drawn again it has them.
    monkeypatch.setattr(ageing, "run", None)
    (folder / MAP).unlink()
    assert main([*words, "--ages"]) == 0
    assert (folder / MAP).read_bytes() == page
