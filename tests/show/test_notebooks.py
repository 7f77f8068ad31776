"""What results show in a notebook, and the data frames they give."""

from __future__ import annotations

import base64
import re
import sys
from html.parser import HTMLParser
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import hebbarium as hb
from hebbarium.show.pages.markup import VOID
from hebbarium.studies.atlas.phases import Phases, Point
from tiny_scale import TINY, reproduce_at

SMALL = {"lifetimes": 3, "season_steps": 40, "seed": 5}


@pytest.fixture(scope="module")
def results(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Any]:
    """One of each kind."""
    atlas = hb.Atlas.of("foraging")
    return {
        "run": hb.evolve("foraging", season_steps=20, max_generations=1, rescore=2, out=tmp_path_factory.mktemp("run")),
        "lives": hb.live("foraging", "foraging:1", **SMALL),
        "rule": hb.Rule("00+-/0000@0.04"),
        "layered": hb.read_rule("00+-/0000@0.005,0++-/0000@0.08"),
        "frozen": hb.read_rule("frozen,00+-/0000@0.06"),
        "atlas": atlas,
        "phases": Phases(hb.make_world("foraging"), {"hidden": [5]}, [Point((5,), atlas, Path("somewhere"))]),
        "reproduced": reproduce_at(TINY, ["seasons"], tmp_path_factory.mktemp("reproduced"), threads=1),
        "trace": hb.trace("foraging", "foraging:1", season_steps=40, seed=5, every=20),
        "comparison": hb.compare("foraging", "foraging:1", "foraging:2", agents=["random"], **SMALL),
        "sweep": hb.sweep("foraging", "foraging:1", "hidden", [2, 5], **SMALL),
        "grid": hb.sweep("foraging", "00+-/0000", {"hidden": [2, 5, 7], "eta": [0.01, 0.04]}, **SMALL),
        "explanation": hb.explain("foraging:1"),
        "transfer": hb.transfer("foraging:1", tasks=["foraging"], lifetimes=3, budget=0, seed=5),
        "study": hb.lifelong("foraging", "foraging:1", lifetimes=2, seasons=4, season_steps=200),
    }


class Tags(HTMLParser):
    """Every tag that is opened is closed, in order."""

    def __init__(self) -> None:
        super().__init__()
        self.open: list[str] = []

    def handle_starttag(self, tag: str, attrs: Any) -> None:
        if tag not in VOID:
            self.open.append(tag)

    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop() == tag


WORDS = {
    "run": ("evolve foraging", "median fitness", "finished on"),
    "lives": ("rule 00+-/0000 at eta 0.0375", "winter2", "standard error"),
    "rule": ("00+-/0000@0.04", "punished"),
    "layered": ("00+-/0000@0.005", "rewarded"),
    "frozen": ("frozen",),
    "atlas": ("the best of 6,561 rules", "0.0343"),
    "phases": ("hidden", "00+-/0000", "punishment-only"),
    "reproduced": ("seasons", "not reproduced", "report.html"),
    "trace": ("seed 5, trial 0", "data:image/svg"),
    "comparison": ("random agent", "FDR-corrected", "signed-rank p"),
    "sweep": ("hidden", "95 % interval"),
    "grid": ("data:image/svg", "3 lifetimes each"),
    "explanation": ("punishment-only", "neighbour", "Fitness 4"),
    "transfer": ("foraging", "the perfect agent has 1"),
    "study": ("4 seasons", "late / young"),
}
ROWS = {
    "lives": 3 * 4, "rule": 8, "layered": 16, "frozen": 8, "atlas": 6561, "trace": 160, "comparison": 9, "sweep": 6,
    "grid": 18, "study": 8, "explanation": 17, "transfer": 1, "phases": 1, "reproduced": 4 * 4 * 2,
}  # fmt: skip


@pytest.mark.parametrize("name", WORDS)
def test_a_result_shows_itself(results: dict[str, Any], name: str) -> None:
    text = results[name]._repr_html_()
    tags = Tags()
    tags.feed(text)
    assert not tags.open
    shown = re.sub("<[^>]+>", "", text) + text
    assert all(word in shown for word in WORDS[name])
    assert len(repr(results[name])) < 200


@pytest.mark.parametrize("library", ["polars", "pandas"])
@pytest.mark.parametrize("name", ROWS)
def test_a_result_is_a_data_frame(
    results: dict[str, Any], name: str, library: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    wanted = pytest.importorskip(library)
    monkeypatch.setattr("hebbarium.tools.data_frames.LIBRARIES", (library,))
    frame = results[name].frame()
    assert isinstance(frame, wanted.DataFrame)
    assert len(frame) == ROWS[name]


def test_frames_hold_what_was_lived(results: dict[str, Any]) -> None:
    lives = results["lives"].frame()
    assert list(lives.columns) == ["lifetime", "season", "fitness", "green", "blue", "walls"]
    assert np.array(lives["green"]).reshape(3, 4).tolist() == results["lives"].counts[:, :, 0].tolist()
    life = results["trace"]
    assert np.array(life.frame()["action"]).tolist() == life.steps.action.tolist()
    assert np.array(life.frame("snapshots")["green"]).tolist() == life.counts[:, 0].tolist()
    pairs = results["comparison"].frame("pairs")
    assert list(pairs["difference"]) == [pair.difference.value for pair in results["comparison"].pairs]
    assert list(hb.Rule("00+-/0000").frame()["change"]) == [0, 0, 1, -1, 0, 0, 0, 0]
    study = results["study"]
    assert np.array(study.frame()["fitness"]).tolist() == study[0].lived.fitness.ravel().tolist()
    atlas = results["atlas"].frame()
    assert list(atlas["rank"])[3442] == 1


def test_a_grid_is_two_sweeps_in_one(results: dict[str, Any]) -> None:
    grid = results["grid"]
    (cell,) = hb.sweep("foraging", "00+-/0000", "eta", [0.04], hidden=5, **SMALL).lives
    assert grid.means().shape == (3, 2)
    assert grid.lives[1][1].digest == cell.digest
    assert grid.frame()["fitness"].to_list()[9:12] == cell.life_fitness.tolist()


def test_a_trace_is_drawn_as_a_curve_whatever_its_snapshots(results: dict[str, Any]) -> None:
    (chart,) = re.findall(r'base64,([^"]+)', results["trace"]._repr_html_())
    lines = re.findall(rb'<path d="([^"]+)" class="line"', base64.b64decode(chart))
    assert len(results["trace"].lived) == 9
    assert max(len(re.findall(rb"[ML]", line)) for line in lines) == 161


def test_a_search_shows_its_progress_where_a_person_watches(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    hb.evolve("foraging", season_steps=20, max_generations=1, rescore=0, out=tmp_path / "alone")
    assert capsys.readouterr().err == ""
    monkeypatch.setitem(sys.modules, "ipykernel", sys)
    hb.evolve("foraging", season_steps=20, max_generations=1, rescore=0, out=tmp_path / "watched")
    assert "evolving foraging, racing search" in capsys.readouterr().err


def test_a_trace_without_steps_says_so() -> None:
    life = hb.trace("foraging", "foraging:1", season_steps=20, keep_steps=False)
    with pytest.raises(hb.BadInput, match="has no steps"):
        life.frame()
    with pytest.raises(hb.BadInput, match="table"):
        life.frame("nothing")


def test_without_a_library_one_sentence_says_what_to_install(monkeypatch: pytest.MonkeyPatch) -> None:
    for library in ("polars", "pandas"):
        monkeypatch.setitem(sys.modules, library, None)
    with pytest.raises(hb.BadInput, match="needs polars or pandas: pip install"):
        hb.Rule("00+-/0000").frame()
