"""Evolutions in which each rule has its own blame and eligibility: stopped, killed, merged, reported, exported."""

from __future__ import annotations

import csv
import html
import json
import re
import shlex
import signal
import sys
import time
from pathlib import Path
from typing import Any

import pytest

import hebbarium as hb
from commands import started
from hebbarium.cli import main
from hebbarium.rules.graded import GradedRule, read_graded, weights_text
from hebbarium.rules.layered import read_rule
from hebbarium.store.tables import export
from hebbarium.store.writing import Run
from hebbarium.studies.evolve.one_search import lifetime_seed
from hebbarium.studies.evolve.page import command, write_report
from hebbarium.studies.evolve.study import Evolution, State, asked_for, carry_out, summary
from hebbarium.tools.errors import BadInput, RunError
from hebbarium.watch.evolution import Evolving

SMALL: dict[str, Any] = {
    "season_steps": 40, "seasons": 2, "grid_size": 12, "green": 5, "blue": 5, "hidden": 4, "runs": 2, "seed": 3,
    "top": 3, "rescore": 4,
}  # fmt: skip
LIMITS: dict[str, dict[str, Any]] = {
    "genetic": {"individuals": 8, "elites": 3, "max_generations": 4},
    "random": {"evaluations": 40},
    "catcma": {"individuals": 8, "generations": 4},
}
GENES = "blame,eligibility"


def small(layers: str = "separate", search: str = "genetic", genes: str = GENES, **changes: Any) -> Evolution:
    return Evolution.of("foraging", search, layers=layers, genes=genes, **{**SMALL, **LIMITS[search], **changes})


class Stopped(Exception):
    pass


def stopped_after(batches: int) -> Any:
    left = iter(range(batches, 0, -1))

    def stop(state: State) -> None:
        if next(left) == 1:
            raise Stopped

    return stop


@pytest.fixture(scope="module")
def whole(tmp_path_factory: pytest.TempPathFactory) -> Run:
    return carry_out(small(), tmp_path_factory.mktemp("whole") / "run", threads=1)


@pytest.mark.parametrize(
    ("layers", "search"),
    [("same", "genetic"), ("two-etas", "genetic"), ("separate", "genetic"), ("output", "random"), ("same", "catcma")],
)
def test_it_is_resumed_to_the_same_end(layers: str, search: str, tmp_path: Path) -> None:
    evolution = small(layers, search)
    whole = carry_out(evolution, tmp_path / "whole", threads=2)
    with pytest.raises(Stopped):
        carry_out(evolution, tmp_path / "parts", threads=1, watch=stopped_after(3))
    parts = carry_out(evolution, tmp_path / "parts", threads=1)
    assert parts.digest() == whole.digest()
    assert parts.results() == whole.results()
    assert parts.result("rules") == whole.result("rules")
    assert asked_for(parts) == evolution


def test_a_kill_loses_nothing(whole: Run, tmp_path: Path) -> None:
    rest = "import time, runpy; from hebbarium.executors import base; run = base.run"
    rest += "; base.run = lambda *a, **b: (time.sleep(0.3), run(*a, **b))[1]"
    rest += "; runpy.run_module('hebbarium', run_name='__main__', alter_sys=True)"
    words = [f"--{name.replace('_', '-')}={value}" for name, value in (SMALL | LIMITS["genetic"]).items()]
    words = ["evolve", "foraging", "--search=genetic", "--layers=separate", f"--genes={GENES}", "--json", "-q", *words]
    out = tmp_path / "run"
    with started([sys.executable, "-c", rest, *words, "--threads=1", f"--out={out}"]) as process:
        while process.poll() is None and not ((out / "run.sqlite").exists() and Run.open(out).totals()[0]):
            time.sleep(0.01)
    assert process.returncode == -signal.SIGKILL
    assert 0 < Run.open(out).totals()[0] < whole.totals()[0]
    assert main([*words, "--threads=2", f"--out={out}"]) == 0
    assert Run.open(out).digest() == whole.digest()


def test_workers_give_what_threads_give(whole: Run, tmp_path: Path) -> None:
    with hb.cluster("local:1") as cluster:
        assert carry_out(small(), tmp_path / "run", threads=cluster).digest() == whole.digest()


def test_runs_made_apart_are_merged(tmp_path: Path) -> None:
    for seed in (3, 5):
        carry_out(small(seed=seed, runs=1), tmp_path / str(seed), threads=1)
    merged = hb.merge(tmp_path / "5", tmp_path / "3", out=tmp_path / "merged")
    together = carry_out(small(seed=(3, 5), runs=2), tmp_path / "together", threads=2)
    assert merged.digest() == together.digest()
    assert merged.result("rules") == together.result("rules")
    carry_out(small(seed=7, runs=1, genes="blame"), tmp_path / "7", threads=1)
    with pytest.raises(RunError, match="genes is"):
        hb.merge(tmp_path / "5", tmp_path / "7", out=tmp_path / "other")


def test_genes_are_told_only_where_there_are_some(whole: Run, tmp_path: Path) -> None:
    assert len(whole.configuration["genes"]) == 16
    assert "genes" not in small(genes="").configuration()
    assert small(genes="").folder == Path("runs/evolve-foraging-genetic-separate-3")
    assert small().folder == Path("runs/evolve-foraging-genetic-separate-genes-3")
    assert f"--genes {GENES}" in command(small(), small().folder)
    with pytest.raises(RunError, match="genes is"):
        carry_out(small(genes="blame"), whole.folder, threads=1)
    without = carry_out(small(genes=""), tmp_path / "run", threads=1)
    assert "best" not in without.result("rules")[0]
    assert all(not isinstance(record.rule, GradedRule) for record in without.evaluations())


def test_every_rule_lives_with_its_own_weights(whole: Run) -> None:
    """Each evaluation is what `live` gives for the same rule, blame and eligibility."""
    records = whole.evaluations("search")
    assert len({record.rule.text for record in records}) == len(records)
    life = {name: SMALL[name] for name in ("season_steps", "seasons", "grid_size", "green", "blue", "hidden")}
    first = [record for record in records if record.first_trial == 0]
    assert len(first) == SMALL["runs"]
    for record in first:
        rule = record.rule
        assert isinstance(rule, GradedRule)
        weights: dict[str, Any] = {"blame": rule.blame, "eligibility": rule.eligibility}
        lives = hb.live("foraging", rule.rule, seed=record.seed, lifetimes=record.lifetimes, **weights, **life)
        assert lives.life_fitness.tolist() == list(record.scores)


def test_the_best_of_each_rule_is_reproduced_by_its_command(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """With weights that all rules have beside the genes. The best of a run meets trials 0, 1, ... of its seed."""
    weights = {"blame": {"open-turn": 0.0123456789}, "eligibility": {"missed": 0.5}}
    genes = "blame:wall-turn,blame:missed,eligibility:taken"
    evolution = small("two-etas", genes=genes, top=1, season_steps=400, **weights)
    found = summary(carry_out(evolution, tmp_path / "run", threads=1))
    seeds = [lifetime_seed(3, run, "rescore") for run in range(2)]
    for best in (row["best"] for row in found["rules"]):
        assert set(best["blame"]) == {"wall-turn", "missed"}
        assert set(best["eligibility"]) == {"taken"}
        assert best["eta"] == read_rule(best["rule"]).eta
        assert "turning in the open counts 0.0123456789 times" in best["words"][0]
        assert "0.5 times after leaving a wanted item in view" in best["words"][1]
        words = shlex.split(best["live"])[1:]
        scores = [_mean([*words, f"--seed={seed}"], capsys) for seed in seeds]
        assert best["fitness"] != 0
        assert best["fitness"] in [pytest.approx(score, rel=1e-12) for score in scores]


def _mean(words: list[str], capsys: pytest.CaptureFixture[str]) -> float:
    assert main([*words, "--lifetimes=4", "--json", "-q"]) == 0
    mean: float = json.loads(capsys.readouterr().out)["fitness"]["mean"]
    return mean


def test_it_is_reported_and_printed(whole: Run, capsys: pytest.CaptureFixture[str]) -> None:
    found = summary(whole)
    assert found["genes"] == whole.configuration["genes"]
    assert found["atlas"] is None
    page = html.unescape(write_report(whole).read_text(encoding="utf-8"))
    text = " ".join(page.replace("<span>", "").replace("</span>", "").split())
    assert main([*_again(), f"--out={whole.folder}", "-q"]) == 0
    printed = capsys.readouterr().out
    for row in found["rules"][:5]:
        assert row["best"]["live"] in text
    best = found["rules"][0]["best"]
    assert best["live"] in printed
    assert printed.count("hebbarium live") == 1  # those of the other rules are in the report
    for group, weight in best["blame"].items():
        assert re.search(rf"^ {group} +{re.escape(f'{weight:.2g}')} ", printed, re.MULTILINE)
    assert all(words in page for words in best["words"])
    assert page.count("<script") == 0


def _again() -> list[str]:
    words = [f"--{name.replace('_', '-')}={value}" for name, value in (SMALL | LIMITS["genetic"]).items()]
    return ["evolve", "foraging", "--search=genetic", "--layers=separate", f"--genes={GENES}", *words]


def test_it_is_exported(whole: Run, tmp_path: Path) -> None:
    records = [*whole.evaluations("search"), *whole.evaluations("rescore")]  # in the order lived
    rows = _rows(whole, tmp_path / "evaluations.csv", "evaluations")
    for row, record in zip(rows, records, strict=True):
        assert isinstance(record.rule, GradedRule)
        assert row["rule"] == record.rule.notation
        assert (row["blame"], row["eligibility"]) == (
            weights_text(record.rule.blame), weights_text(record.rule.eligibility),
        )  # fmt: skip
        text = f"{record.rule.rule.text};blame:{row['blame']};eligibility:{row['eligibility']}"
        assert read_graded(text) == record.rule
    assert _rows(whole, tmp_path / "lifetimes.csv", "lifetimes")[0]["blame"] == rows[0]["blame"]
    best = _rows(whole, tmp_path / "rules.csv", "rules")[0]
    assert best["best_blame"].startswith("open-straight=")
    assert read_rule(best["best_rule"]).notation == best["rule"]
    export(whole, tmp_path / "rules.parquet", "rules")
    export(whole, tmp_path / "evaluations.parquet")


def _rows(run: Run, path: Path, what: str) -> list[dict[str, str]]:
    export(run, path, what)
    with path.open(encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file))


def test_the_page_puts_them_into_the_world_with_their_weights(whole: Run) -> None:
    seen = Evolving(whole.folder).look()
    for row in (seen["found"][0], seen["population"][0]):
        assert ";" not in row["rule"]
        assert row["weights"]["blame"].count(":") == row["weights"]["eligibility"].count(":") == 8


def test_the_command_refuses_in_one_sentence(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    out = tmp_path / "run"
    for words, said in (
        ("--genes blame --search racing", "use genetic, random or catcma"),
        ("--genes blame --blame missed=1", "fixed with --blame and a gene as well"),
        ("--genes eligibility --eligibility 0.3", "fixed with --eligibility and a gene as well"),
        ("--genes blame:neutral", "never rewarded or punished"),
    ):
        assert main(["evolve", "foraging", *words.split(), "--out", str(out)]) == 2
        told = capsys.readouterr().err.strip()
        assert said in told
        assert len(told.splitlines()) <= 3
    assert not out.exists()
    with pytest.raises(BadInput, match="must be one of"):
        hb.evolve("foraging", genes="weights", out=out)


@pytest.mark.parametrize(("search", "layers"), [("catcma", "same"), ("genetic", "separate")])
def test_real_entries_are_searched_reported_and_exported(search: str, layers: str, tmp_path: Path) -> None:
    run = carry_out(small(layers, search, "entries", runs=1), tmp_path / "run", threads=1)
    found = summary(run)
    assert found["atlas"] is None
    for row in found["rules"]:
        rule = read_rule(row["rule"])
        assert not rule.is_ternary
        assert rule.notation == row["rule"]
    write_report(run)
    export(run, tmp_path / "rules.csv", "rules")
    rows = list(csv.DictReader((tmp_path / "rules.csv").open()))
    assert [float(row["punished_10"]) for row in rows] == [row["entries"][2] for row in found["rules"]]


def test_the_atlas_is_not_about_other_brains(tmp_path: Path) -> None:
    evolution = Evolution.of("foraging", "random", **{**SMALL, "runs": 1, "hidden": (3, 2), "evaluations": 20})
    assert summary(carry_out(evolution, tmp_path / "run", threads=1))["atlas"] is None
    with pytest.raises(BadInput, match="there is one layer only"):
        small(hidden=0)


@pytest.mark.parametrize(("search", "layers"), [("genetic", "separate"), ("catcma", "two-etas")])
def test_each_of_several_layers_has_its_rule_and_each_rule_its_trace(search: str, layers: str, tmp_path: Path) -> None:
    """Each evaluation is what `live` gives for the same rule and trace; reported, exported and watched."""
    genes = "trace,blame:missed" if search == "genetic" else "trace"
    evolution = small(layers, search, genes, hidden=(3, 2), top=1)
    run = carry_out(evolution, tmp_path / "run", threads=1)
    assert asked_for(run) == evolution
    life = {name: SMALL[name] for name in ("season_steps", "seasons", "grid_size", "green", "blue")}
    for record in [one for one in run.evaluations("search") if one.first_trial == 0]:
        rule = record.rule
        assert isinstance(rule, GradedRule)
        assert len(rule.parts) == 3
        assert rule.trace
        own = {"trace": rule.trace, "blame": rule.blame, "hidden": (3, 2)}
        lives = hb.live("foraging", rule.rule, seed=record.seed, lifetimes=record.lifetimes, **own, **life)
        assert lives.life_fitness.tolist() == list(record.scores)
    found = summary(run)
    best = found["rules"][0]["best"]
    assert f"--trace {best['trace']}" in best["live"]
    assert best["live"] in html.unescape(write_report(run).read_text()).replace("<span>", "").replace("</span>", "")
    rows = _rows(run, tmp_path / "evaluations.csv", "evaluations")
    assert all(0 < float(row[name]) < 1 for row in rows for name in ("eta_hidden1", "eta_hidden2", "eta_output"))
    assert [float(row["trace"]) for row in rows] == [
        record.rule.trace for stage in ("search", "rescore") for record in run.evaluations(stage)
    ]
    row = _rows(run, tmp_path / "rules.csv", "rules")[0]
    assert [int(row[f"hidden2_{name}"]) for name in ("punished_00", "rewarded_11")] == [
        found["rules"][0]["hidden2_entries"][place] for place in (0, 7)
    ]
    seen = Evolving(run.folder)
    assert seen.look()["found"][0]["weights"]["trace"] == str(best["trace"])
    assert seen.best()["rule"] == best["rule"]
    assert seen.best()["hidden"] == "3,2"


def test_the_page_lives_with_the_brain_of_the_run(tmp_path: Path) -> None:
    evolution = small("same", "random", "", runs=1, activation="sign", recurrent=True, evaluations=8)
    run = carry_out(evolution, tmp_path / "run", threads=1)
    assert {"activation": "sign", "recurrent": "true"}.items() <= Evolving(run.folder).best().items()
