"""Atlases of one's own, wherever the one of the package is used."""

from __future__ import annotations

import dataclasses
import os
import sys
from pathlib import Path

import pytest

import hebbarium as hb
from hebbarium.cli import main
from hebbarium.rules.rule import Rule
from hebbarium.studies.atlas import finished_atlas as hands
from hebbarium.studies.atlas.finished_atlas import at_hand, use_atlas
from hebbarium.studies.choosing_eta import rule_to_live_by

sys.path.insert(0, str(Path(__file__).parent))
from invented import invented

FAST = hb.make_world("foraging", season_steps=500)
RULE = "00+-/0000"


@pytest.fixture(autouse=True)
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(hands, "_named", {})
    return tmp_path


def own(eta: float, **world: int) -> hb.Atlas:
    made = invented()
    made.about["world"] = hb.make_world("foraging", **world).settings()
    made.eta[Rule(RULE).index] = eta
    return made


def test_one_made_in_runs_is_found_where_it_fits(here: Path) -> None:
    before = rule_to_live_by(FAST, RULE)
    assert before.found.differs(FAST) == "season-steps 5000 (here 500)"
    (here / "runs" / "mine").mkdir(parents=True)
    (here / "runs" / "broken").mkdir()
    (here / "runs" / "broken" / "atlas.npz").write_bytes(b"no atlas")
    own(0.2, season_steps=500).save(here / "runs" / "mine" / "atlas.npz")
    found = rule_to_live_by(FAST, RULE)
    assert found.rule.eta == 0.2
    assert f"from the atlas {Path('runs/mine')})." in str(found.remark)
    assert found.found.differs(FAST) == ""
    usual = rule_to_live_by(hb.make_world("foraging"), RULE)
    assert "(from the atlas)." in str(usual.remark)


def test_one_made_in_runs_is_read_once_until_it_is_written_again(here: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    file = here / "runs" / "mine" / "atlas.npz"
    file.parent.mkdir(parents=True)
    own(0.2, season_steps=500).save(file)
    read, load = [], hb.Atlas.load
    monkeypatch.setattr(hb.Atlas, "load", lambda path: read.append(path) or load(path))
    etas = [rule_to_live_by(FAST, rule).rule.eta for rule in (RULE, "-0+-/0000", RULE)]
    assert etas[0] == etas[2] == 0.2
    assert read.count(file) == 1
    own(0.3, season_steps=500).save(file)
    os.utime(file, ns=(0, 0))
    assert rule_to_live_by(FAST, RULE).rule.eta == 0.3


def test_one_that_is_named_goes_first(here: Path, capsys: pytest.CaptureFixture[str]) -> None:
    own(0.3, season_steps=500).save(here / "atlas.npz")
    asked = ["live", "foraging", "--rule", RULE, "--lifetimes", "1", "--seasons", "1", "--season-steps", "20"]
    assert main([*asked, "--atlas", str(here), "--json"]) == 0
    out, err = capsys.readouterr()
    assert '"eta": 0.3' in out
    assert "made with season-steps 500" in err
    assert hb.explain(RULE, "foraging").known.eta == 0.3
    assert main(["atlas", "foraging", "--show", "--atlas", "atlas.npz", "--json", "--out", "map.html"]) == 0
    assert "123,456 lifetimes" in (here / "map.html").read_text(encoding="utf-8")


def test_what_says_little_is_refused(here: Path) -> None:
    made = own(0.1)
    part = {name: getattr(made, name)[:9] for name in hb.studies.atlas.finished_atlas._COLUMNS}
    dataclasses.replace(made, **part).save(here / "part.npz")
    with pytest.raises(hb.BadInput, match="not of all rules"):
        use_atlas(here / "part.npz")


def test_an_eta_at_the_end_of_those_tried_is_marked() -> None:
    made = own(0.3)
    row = Rule(RULE).index
    made.eta_high[row] = float("nan")
    hands._named["foraging"] = hands.AtHand(made, "the atlas")
    assert made.row(row)["eta_edge"] == "highest"
    assert "the highest that was tried." in str(rule_to_live_by(hb.make_world("foraging"), RULE).remark)
    assert at_hand(FAST) is hands._named["foraging"]


@pytest.mark.parametrize(
    "words",
    [
        "live foraging --rule",
        "compare foraging 0++-/0000@0.1",
        "explain --measure",
        "sweep foraging --over cue=0,0.5 --rule",
    ],
)
def test_every_setting_that_the_atlas_does_not_have_is_named(words: str, capsys: pytest.CaptureFixture[str]) -> None:
    """Those that are newer than the atlas, and those of the brain, too."""
    own = "--season-lengths random --season-steps 40 --seasons 2 --random-kind turn --hidden 5 --blame 3=0.5"
    assert main([*words.split(), RULE, *own.split(), "--lifetimes", "2"]) == 0
    err = capsys.readouterr().err
    assert err.count("another eta may be better here: ") == 1
    named = err.partition("better here: ")[2]
    for differs in ("season-steps 5000 (here 40)", "season-lengths fixed (here random)", "hidden 20 (here 5)"):
        assert differs in named
    assert "random-kind any (here turn)" in named
    assert "blame none (here 3=0.5)" in named
    assert ("cue 0.0 (here 0.0, 0.5)" in named) is words.startswith("sweep")
    assert "random-action" not in named
