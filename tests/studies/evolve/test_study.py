"""Evolution, on lives so short that it takes seconds."""

from __future__ import annotations

import json
import re
import statistics
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import hebbarium as hb
from hebbarium.cli.evolve import Watching
from hebbarium.cli.shared_options import Common
from hebbarium.life.jobs import Jobs
from hebbarium.rules.rule import Rule
from hebbarium.search.registry import SEARCHES
from hebbarium.store import about, checksums, schema
from hebbarium.store.evaluation_rows import COLUMNS, Record
from hebbarium.store.listing import describe
from hebbarium.store.tables import export
from hebbarium.store.writing import Run, Writer
from hebbarium.studies.evolve.limits import check_room, longest_text
from hebbarium.studies.evolve.page import write_report
from hebbarium.studies.evolve.study import Evolution, State, carry_out, evolve, summary
from hebbarium.studies.plots import spent_and_best
from hebbarium.tools.errors import BadInput, RunError
from hebbarium.tools.progress import Telling
from hebbarium.worlds.registry import make_world
from lives import live_jobs

SHORT_LIFE = {"season_steps": 40, "seasons": 2, "grid_size": 12, "green": 5, "blue": 5}
LIMITS = {"genetic": {"max_generations": 4}, "racing": {"budget": 300, "first_draws": 96}}
SMALL = {
    **SHORT_LIFE,
    "search": "genetic",
    "hidden": 4,
    "individuals": 8,
    "elites": 3,
    "lifetimes": 2,
    "stale_generations": 4,
}


def small(**changes: Any) -> Evolution:
    options = {**SMALL, "runs": 2, "seed": 3, "top": 3, "rescore": 6, **changes}
    return Evolution.of("foraging", options.pop("search", "genetic"), **options)


class After:
    """Press Ctrl-C after some batches."""

    def __init__(self, batches: int) -> None:
        self.batches = batches

    def __call__(self, state: State) -> None:
        self.batches -= 1
        if self.batches == 0:
            raise KeyboardInterrupt


def evolve_with_interruptions(evolution: Evolution, out: Path, every: int) -> Run:
    for _ in range(500):
        try:
            return carry_out(evolution, out, watch=After(every), threads=1)
        except KeyboardInterrupt:
            continue
    raise AssertionError("no progress")


@pytest.fixture(scope="module")
def finished(tmp_path_factory: pytest.TempPathFactory) -> Run:
    return carry_out(small(), tmp_path_factory.mktemp("evolution") / "run", threads=2)


def without_place(run: Run) -> dict[str, Any]:
    return {name: value for name, value in summary(run).items() if name != "run"}


@pytest.mark.parametrize("threads", [1, 2, 8])
def test_threads_do_not_matter(finished: Run, tmp_path: Path, threads: int) -> None:
    assert without_place(carry_out(small(), tmp_path, threads=threads)) == without_place(finished)


@pytest.mark.parametrize("every", [1, 3])
def test_interruptions_do_not_matter(finished: Run, tmp_path: Path, every: int) -> None:
    run = evolve_with_interruptions(small(), tmp_path, every)
    assert without_place(run) == without_place(finished)
    assert run.result("curves") == finished.result("curves")


@pytest.mark.parametrize("search", list(SEARCHES))
def test_every_search_goes_on_after_interruptions(tmp_path: Path, search: str) -> None:
    if search == "catcma":
        pytest.importorskip("cmaes")
    evolution = Evolution.of(
        "foraging", search, **SHORT_LIFE, hidden=2, runs=2, seed=5, top=2, rescore=3, max_generations=2
    )
    whole = carry_out(evolution, tmp_path / "whole", threads=2)
    parts = evolve_with_interruptions(evolution, tmp_path / "parts", 2)
    assert without_place(parts) == without_place(whole)


@pytest.mark.parametrize("search", ["random", "genetic"])
def test_the_work_left_is_foretold(tmp_path: Path, search: str) -> None:
    """Exactly where a search has a fixed length: at every moment done and left make the same whole."""
    limit = {"evaluations": 96} if search == "random" else {"stale_generations": 50, "max_generations": 5}
    evolution = Evolution.of("foraging", search, **SHORT_LIFE, hidden=2, runs=2, top=3, rescore=4, lifetimes=2, **limit)
    wholes: list[int] = []
    carry_out(evolution, tmp_path, threads=1, watch=lambda state: wholes.append(state.lifetimes + state.lifetimes_left))
    if search == "random":
        assert set(wholes) == {2 * (96 * 2 + 3 * 4)}
    else:
        assert wholes[-1] == 2 * ((30 + 4 * 20) * 2 + 3 * 4)
        assert all(abs(whole - wholes[-1]) <= 2 * 10 * 2 * 5 for whole in wholes)


def test_more_runs_extend_a_finished_run(tmp_path: Path, finished: Run) -> None:
    carry_out(small(runs=1), tmp_path)
    assert without_place(carry_out(small(runs=2), tmp_path)) == without_place(finished)


def test_an_extended_run_has_no_table_until_it_is_finished(tmp_path: Path) -> None:
    finished = carry_out(small(runs=1), tmp_path)
    assert finished.table("rules")
    with pytest.raises(KeyboardInterrupt):
        carry_out(small(runs=2), tmp_path, watch=After(1))
    with pytest.raises(RunError, match="has no table of rules yet: it is not finished"):
        finished.table("rules")
    with pytest.raises(RunError, match="is not finished"):
        write_report(finished)
    # The best of few lifetimes is the luckiest.
    scored = max(record.mean for record in finished.evaluations() if record.lifetimes >= 5)
    assert describe(tmp_path)["best"]["fitness"] == scored < max(record.mean for record in finished.evaluations())
    assert carry_out(small(runs=2), tmp_path).table("rules")


def test_a_finished_run_of_another_arithmetic_is_still_read_and_reported(tmp_path: Path, monkeypatch) -> None:
    run = carry_out(small(runs=1), tmp_path)
    monkeypatch.setattr("hebbarium.store.about.ARITHMETIC", 99)
    assert carry_out(small(runs=1), tmp_path, watch=After(1)).digest() == run.digest()
    assert write_report(run).is_file()
    assert export(run, tmp_path / "rules.csv", "rules") == len(run.result("rules"))
    with pytest.raises(RunError, match="arithmetic 99"):
        carry_out(small(runs=2), tmp_path)
    assert run.finished


def test_a_finished_run_is_only_read(tmp_path: Path) -> None:
    carry_out(small(runs=1), tmp_path)
    before = (tmp_path / "run.sqlite").read_bytes()
    assert carry_out(small(runs=1), tmp_path, watch=After(1)).finished
    assert (tmp_path / "run.sqlite").read_bytes() == before


def test_other_settings_are_refused(tmp_path: Path) -> None:
    carry_out(small(runs=1), tmp_path)
    with pytest.raises(RunError, match="elites is 3 there and 2 here"):
        carry_out(small(runs=1, elites=2), tmp_path)
    with pytest.raises(RunError, match="season-steps is 40 there and 41 here"):
        carry_out(small(runs=1, season_steps=41), tmp_path)
    with pytest.raises(
        RunError, match=r"other settings: search is genetic there and random here\. Use the same settings"
    ):
        carry_out(Evolution.of("foraging", "random", **SHORT_LIFE, hidden=4, seed=3, top=3, rescore=6), tmp_path)


def test_every_search_has_a_folder_of_its_own() -> None:
    assert small().folder == Path("runs/evolve-foraging-genetic-3")
    assert Evolution.of("foraging", seed=3).folder == Path("runs/evolve-foraging-racing-3")


def test_plain_lines_count_every_lifetime(tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch) -> None:
    monkeypatch.setattr("hebbarium.tools.progress.FIRST_LINE_SECONDS", 0.0)
    evolution = small(runs=1)
    run = carry_out(evolution, tmp_path, report=Watching(Common(), evolution))
    lived = run.totals()[1]
    assert f"evolving: {lived:,} of {lived:,} lifetimes" in capsys.readouterr().err.splitlines()[-1]


def test_what_is_stored_can_be_lived_again(finished: Run) -> None:
    task = small().world
    for stage in ("search", "rescore"):
        record = finished.evaluations(stage)[-1]
        counts = live_jobs(task, 4, Jobs.of_rule(record.rule, record.lifetimes, record.seed, record.first_trial)).counts
        assert np.array_equal(counts, record.counts)
        assert record.scores == tuple(task.life_fitness(counts).tolist())


def test_every_lifetime_is_fresh(finished: Run) -> None:
    lived = [
        (record.seed, record.first_trial + number)
        for record in finished.evaluations()
        for number in range(record.lifetimes)
    ]
    assert len(set(lived)) == len(lived)


def test_rules_that_share_lifetimes_share_them(tmp_path: Path) -> None:
    run = carry_out(small(runs=1, trials="generation"), tmp_path)
    for record in run.evaluations("search"):
        assert record.first_trial == record.generation * 2


def test_the_table_says_what_the_store_holds(finished: Run) -> None:
    """The whole table again, from the stored evaluations alone."""
    fresh = finished.evaluations("rescore")
    rows = finished.result("rules")
    assert sum(row["count"] for row in rows) == len(fresh) == 6
    assert [row["median"] for row in rows] == sorted((row["median"] for row in rows), reverse=True)
    for row in rows:
        instances = [record for record in fresh if record.rule.notation == row["rule"]]
        means = [np.mean(record.scores) for record in instances]
        etas = [record.rule.eta for record in instances]
        scores = np.concatenate([record.scores for record in instances])
        assert row["count"] == len(instances)
        assert row["median"] == pytest.approx(statistics.median(means))
        assert (row["max"], row["min"]) == (pytest.approx(max(means)), pytest.approx(min(means)))
        assert row["std"] == pytest.approx(np.std(means, ddof=1) if len(means) > 1 else 0)
        assert row["eta_mean"] == pytest.approx(np.mean(etas))
        assert row["eta_std"] == pytest.approx(np.std(etas, ddof=1) if len(etas) > 1 else 0)
        assert row["fitness"]["mean"] == pytest.approx(scores.mean())
        assert row["fitness"]["sem"] == pytest.approx(scores.std(ddof=1) / np.sqrt(len(scores)))


def test_the_best_are_those_the_search_scored_best(finished: Run) -> None:
    for run, best in enumerate(finished.result("best")):
        searched = finished.evaluations("search", run)
        assert best == max(searched, key=lambda record: record.mean).rule.notation


def test_without_fresh_lifetimes_the_search_scores_stand(tmp_path: Path) -> None:
    run = carry_out(small(runs=1, rescore=0), tmp_path)
    rows = run.result("rules")
    assert run.totals("rescore") == (0, 0)
    assert all(row["fitness"] is None and row["median"] == row["searched"]["median"] for row in rows)


def stopped_early(folder: Path) -> Writer:
    with pytest.raises(KeyboardInterrupt):
        carry_out(small(), folder, watch=After(3))
    return Writer.begin(folder, "evolve", small().configuration())


def test_resuming_says_from_where(tmp_path: Path) -> None:
    said: list[str] = []
    with pytest.raises(KeyboardInterrupt):
        carry_out(small(runs=1), tmp_path, report=Telling(watch=After(3), say=said.append))
    assert said == []
    _, lifetimes = Run.open(tmp_path).totals()
    carry_out(small(runs=1), tmp_path, report=Telling(say=said.append))
    assert said == [f"Resuming {tmp_path}: {lifetimes:,} lifetimes are already done."]
    carry_out(small(runs=1), tmp_path, report=Telling(say=said.append))
    assert "was finished on" in said[1]


def test_an_evaluation_that_other_code_stored_is_noticed(tmp_path: Path) -> None:
    with stopped_early(tmp_path) as writer:
        altered = replace(writer.evaluations("search", 0)[1], rule=Rule(0, 0.5))
        checksums.replace(writer._connection, schema.EVALUATIONS, [altered.row()])
    with pytest.raises(RunError, match=r"search evaluation 1 of run 0 in .* does not match the run's settings"):
        carry_out(small(), tmp_path)


def test_an_evaluation_that_nobody_asked_for_is_noticed(tmp_path: Path) -> None:
    with stopped_early(tmp_path) as writer:
        writer.save([replace(writer.evaluations("search", 0)[1], stage="elsewhere")])
    with pytest.raises(RunError, match=r"1 of the evaluations in .* does not match"):
        carry_out(small(), tmp_path)
    assert not Run.open(tmp_path).finished


@pytest.mark.parametrize("search", ["genetic", "racing"])
def test_gaps_anywhere_are_lived_again(tmp_path: Path, search: str) -> None:
    """As a repair leaves them: of the evaluations that are there none is lived again."""
    evolution = Evolution.of(
        "foraging", search, **SHORT_LIFE, hidden=2, runs=2, seed=5, top=2, rescore=3, **LIMITS[search]
    )
    whole = carry_out(evolution, tmp_path, threads=2)
    before, expected = whole.evaluations(), without_place(whole)
    lost = {record.name for record in before[::7]}
    with Writer.begin(tmp_path, "evolve", evolution.configuration()) as writer:
        checksums.clear(writer._connection, schema.EVALUATIONS)
        checksums.replace(writer._connection, schema.ABOUT, about.rows(finished=None))
        writer.save([record for record in before if record.name not in lost])
    lived: list[State] = []
    assert without_place(carry_out(evolution, tmp_path, watch=lived.append)) == expected
    assert lived[-1].evaluations == len(lost)


def test_a_configuration_comes_back(finished: Run) -> None:
    assert Evolution.of_configuration(finished.configuration) == small()


@pytest.mark.parametrize(
    ("changes", "words"),
    [
        ({"runs": 0}, "runs is 0"),
        ({"seed": -1}, "seed is -1"),
        ({"top": 0}, "top is 0"),
        ({"rescore": -5}, "rescore is -5"),
        ({"search": "genetics"}, "did you mean 'genetic'"),
        ({"hidden": -1}, "hidden is -1"),
        ({"elites": 9}, "elites is 9"),
        ({"rescore": 10**12}, "rescore is 1000000000000, which would not fit in memory; the nearest that fits is"),
        ({"lifetimes": 10**12}, "lifetimes is 1000000000000, which would not fit in memory; the nearest that fits is"),
        ({"runs": 100_000, "top": 6000, "rescore": 10**5}, "rescore is 100000, which would not fit"),
    ],
)
def test_bad_input_is_refused_before_anything_is_made(tmp_path: Path, changes: dict[str, Any], words: str) -> None:
    with pytest.raises(BadInput, match=words):
        carry_out(small(**changes), tmp_path / "run")
    assert not (tmp_path / "run").exists()


def test_the_limit_named_is_one_that_is_taken() -> None:
    with pytest.raises(BadInput) as caught:
        check_room(small(rescore=10**12))
    most = int(re.search(r"the nearest that fits is (\d+)", str(caught.value))[1])
    check_room(small(rescore=most))
    with pytest.raises(BadInput):
        check_room(small(rescore=most + 1))


@pytest.mark.parametrize("task", ["foraging", "prey-predator"])
def test_a_row_is_never_longer_than_foreseen(task: str) -> None:
    """The longest score, and in every season as much of everything as there are steps."""
    world = make_world(task, season_steps=9_999)
    counts = np.full((50, world.seasons, len(world.counts)), 9_999)
    row = Record("search", 0, 0, Rule(0, 0.5), 1, 0, (-1.2345678901234567e-100,) * 50, counts).row()
    texts = row[COLUMNS.index("scores")] + row[COLUMNS.index("counts")]
    assert 0 < len(texts) - 4 <= 50 * longest_text(world)


def test_numbers_of_numpy_are_taken_as_they_are_meant(finished: Run, tmp_path: Path) -> None:
    whole = {"runs": 2, "seed": 3, "top": 3, "rescore": 6, "hidden": 4, "individuals": 8, "elites": 3, "lifetimes": 2}
    numpy = {name: np.int64(number) for name, number in whole.items()}
    floats = {"crossover_probability": np.float32(0.5), "max_generations": np.int32(10**6)}
    run = carry_out(small(**numpy), tmp_path, threads=np.int64(1))
    assert without_place(run) == without_place(finished)
    assert json.loads(json.dumps(small(**floats).configuration())) == small(**floats).configuration()
    assert type(small(**floats).settings.crossover_probability) is float


def test_a_setting_nobody_has_is_refused() -> None:
    with pytest.raises(BadInput, match="did you mean 'elites'"):
        Evolution.of("foraging", "genetic", elite=3)
    with pytest.raises(BadInput, match="did you mean 'season_steps'"):
        Evolution.of("foraging", season_step=3)


def test_evolve_takes_everything_by_name(finished: Run, tmp_path: Path) -> None:
    run = evolve("foraging", out=tmp_path, **SMALL, runs=2, seed=3, top=3, rescore=6)
    assert run.digest() == finished.digest()


def test_rules_of_the_table_are_rules(finished: Run) -> None:
    for row in finished.result("rules"):
        rule = Rule(row["rule"])
        assert (row["index"], row["entries"]) == (rule.index, list(rule.entries))


def test_searches_are_drawn_with_the_spread_of_their_runs(finished: Run) -> None:
    spent, best = spent_and_best(finished)
    curves = finished.result("curves")
    assert best.shape == (len(curves), len(spent))
    np.testing.assert_array_equal(best[:, -1], [curve[-1]["best"] for curve in curves])
    lived = [sum(one.lifetimes for one in finished.evaluations("search", run)) for run in range(len(curves))]
    assert spent[-1] == max(lived)
    (axes,) = hb.draw_searches({"one": finished, "again": finished}).axes
    assert [text.get_text() for text in axes.get_legend().get_texts()] == [
        f"{name} ({len(curves)} runs)" for name in ("one", "again")
    ]
    table = hb.latex(finished.frame("rules"), ["rule", "count", "median"])
    assert table.count(r"\texttt{") == len(finished.frame("rules"))
    assert r"rule & count & median \\" in table
