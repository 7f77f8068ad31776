"""A world in one file outside the package has every verb, with no edit inside the package."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import hebbarium as hb
from hebbarium.cli import main
from hebbarium.life.batch import Batch
from hebbarium.life.rehearsal import check_world
from hebbarium.worlds.picture import text_of

LAMP = str(Path(__file__).parent / "lamp.py")
RULE = "00+-/0000@0.1"
Captured = pytest.CaptureFixture[str]


def told(capsys: Captured, *words: str) -> dict[str, Any]:
    code = main([*words, "--json", "--quiet"])
    out, err = capsys.readouterr()
    assert code == 0, err
    answer: dict[str, Any] = json.loads(out)
    return answer


def test_live_and_its_files(tmp_path: Path, capsys: Captured) -> None:
    files = ["--plot", f"{tmp_path}/a.svg", "--weights", f"{tmp_path}/b.png", "--save", f"{tmp_path}/c.npz"]
    answer = told(capsys, "live", LAMP, "--rule", RULE, "--lifetimes", "9", *files)
    assert [season["season"] for season in answer["seasons"]] == ["day1", "night1", "day2", "night2"]
    assert answer["fitness"]["mean"] > 60
    assert {file.name for file in tmp_path.iterdir()} == {"a.svg", "b.png", "c.npz"}
    loaded = told(capsys, "live", LAMP, "--frozen", "--load", f"{tmp_path}/c.npz", "--schedule", "night")
    assert loaded["fitness"]["mean"] > 60
    assert main(["live", LAMP, "--rule", RULE, "--lifetimes", "2"]) == 0
    assert "night 2" in capsys.readouterr().out


def test_agents(capsys: Captured) -> None:
    scores = {
        agent: told(capsys, "live", LAMP, "--agent", agent, "--lifetimes", "20")["fitness"]["mean"]
        for agent in ("perfect", "random")
    }
    assert scores["perfect"] > 95
    assert abs(scores["random"]) < 10


def test_trace_and_picture() -> None:
    life = hb.trace(LAMP, RULE, seed=3)
    assert life.steps is not None
    assert np.array_equal(life.steps.lit, life.steps.senses[:, 0])
    assert np.array_equal(life.counts[-1], hb.live(LAMP, RULE, seed=3, lifetimes=1).counts[0].sum(axis=0))
    experiment = hb.live(LAMP, RULE, lifetimes=1).experiment
    assert experiment is not None
    batch = Batch(experiment.world, experiment.brain, experiment.jobs())
    batch.advance(7)
    assert text_of(batch.picture(), experiment.world.legend) in (".\nstep 7", "*\nstep 7")


def test_evolve_export_and_what_an_edit_does(tmp_path: Path, capsys: Captured) -> None:
    file = tmp_path / "lamp.py"
    text = Path(LAMP).read_text(encoding="utf-8")
    file.write_text(text, encoding="utf-8")
    run = str(tmp_path / "run")
    words = ["evolve", str(file), "--search", "racing", "--budget", "150", "--rescore", "5", "--out", run]
    answer = told(capsys, *words)
    assert answer["task"] == "lamp"
    assert answer["rules"][0]["fitness"]["mean"] > 60
    assert f"hebbarium live {file} " in re.sub("<[^>]*>", "", Path(answer["report"]).read_text(encoding="utf-8"))
    assert told(capsys, *words) == answer
    rows = tmp_path / "rows.csv"
    assert main(["export", run, "--what", "lifetimes", "--to", str(rows)]) == 0
    assert "night2_wrong" in rows.read_text()
    file.write_text(f"{text}\n# edited\n", encoding="utf-8")
    assert main(words) == 2
    assert "other code of the world lamp, which has been edited since" in capsys.readouterr().err
    file.unlink()  # what is exported needs no world
    before = rows.read_text()
    assert main(["export", run, "--what", "lifetimes", "--to", str(rows)]) == 0
    assert rows.read_text() == before


def test_compare_sweep_explain_and_atlas(tmp_path: Path, capsys: Captured) -> None:
    assert main(["compare", LAMP, RULE, "0000/0000@0.1", "--agent", "perfect", "--lifetimes", "5"]) == 0
    capsys.readouterr()
    told(capsys, "sweep", LAMP, "--rule", RULE, "--over", "blinking=1,9", "--lifetimes", "5")
    explained = told(capsys, "explain", RULE, "--task", LAMP, "--measure", "--lifetimes", "5")
    assert (explained["task"], explained["rank"]) == ("lamp", None)
    assert explained["fitness"]["mean"] > 60
    assert told(capsys, "explain", "00+-/0000", "--task", LAMP)["fitness"] is None
    words = ["--limit", "12", "--effort", "0.1", "--etas", "0.1", "--out", str(tmp_path / "atlas")]
    assert told(capsys, "atlas", LAMP, *words)["task"] == "lamp"


def test_lifelong_and_a_replay(tmp_path: Path, capsys: Captured) -> None:
    words = ["--lifetimes", "3", "--seasons", "8", "--out", str(tmp_path / "long")]
    assert told(capsys, "lifelong", LAMP, RULE, *words)["kinds"] == ["day", "night"]
    page = tmp_path / "lamp.html"
    assert main(["watch", LAMP, "--rule", RULE, "--record", str(page), "--every", "50", "--quiet"]) == 0
    assert "night" in page.read_text(encoding="utf-8")


def test_it_wants_an_eta(capsys: Captured) -> None:
    assert main(["live", LAMP, "--rule", "00+-/0000"]) == 2
    assert "needs an eta" in capsys.readouterr().err


def test_a_cache_that_is_deleted_meanwhile_does_no_harm(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """As by `hebbarium cache --clear` in another terminal, while this world is rehearsed."""
    monkeypatch.setattr("hebbarium.kernels.cache.cache_folder", lambda sources: tmp_path / "gone")
    monkeypatch.setattr("hebbarium.life.rehearsal.rehearse", lambda world: None)
    check_world(hb.make_world(LAMP, season_steps=123))
    assert not (tmp_path / "gone").exists()
