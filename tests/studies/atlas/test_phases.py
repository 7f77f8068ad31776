"""Phase diagrams: atlases at several points, what is best where, and whether neighbours know it."""

from __future__ import annotations

import dataclasses
import sys
from pathlib import Path

import numpy as np
import pytest

import hebbarium as hb
from hebbarium.rules.rule import Rule
from hebbarium.studies.atlas import phases
from hebbarium.studies.atlas.phases import Phases, Point, make_phases
from hebbarium.studies.sweep import read_over

sys.path.insert(0, str(Path(__file__).parent))
from invented import invented

FORAGING = hb.make_world("foraging")


def point(best: str, values: tuple[float, ...], *, near: str | None = None) -> Point:
    """Where a rule scores 60 and all others up to 48.3; near: one that may be as good."""
    made = invented()
    row = Rule(best).index
    made.mean[row], made.rank_first[row] = 60.0, 1
    made.rank_first[:] = np.where(np.arange(len(made)) == row, 1, 2)
    if near is not None:
        made.mean[Rule(near).index], made.rank_first[Rule(near).index] = 59.5, 1
    return Point(values, made, Path("somewhere"))


def test_a_diagram_is_made_resumed_and_drawn(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(phases, "SHORT", 30)
    over = {"season_steps": [30, 60]}
    asked = {"limit": 12, "effort": 0.1, "hidden": 2, "seasons": 2, "threads": 1}
    made = make_phases("foraging", tmp_path, over, **asked)
    folders = sorted(path.name for path in tmp_path.iterdir() if path.is_dir())
    assert folders == ["screening-season-steps=30", "season-steps=30", "season-steps=60"]  # one screening for both
    short, long = (one.atlas for one in made.points)
    assert len(short) == len(long) == 12
    assert short.rules.tolist() == long.rules.tolist()
    assert [one.about["world"]["season_steps"] for one in (short, long)] == [30, 60]

    page = (tmp_path / phases.PAGE).read_text(encoding="utf-8")
    assert 'href="#p1"' in page
    assert 'id="p1"' in page
    monkeypatch.setattr("hebbarium.studies.engine.executor_of", None)  # nothing is lived again
    again = make_phases("foraging", tmp_path, over, **asked)
    assert again.summary() == made.summary()
    with pytest.raises(hb.RunError, match="seed"):
        make_phases("foraging", tmp_path, over, **asked, seed=2)


def test_points_kept_out_are_guessed_from_their_neighbours() -> None:
    punished, rewarded = "00+-/0000", "0000/000+"
    points = [point(punished, (1, 1)), point("+0+-/0000", (1, 2)), point(punished, (2, 1)), point(rewarded, (2, 2))]
    found = Phases(FORAGING, {"seasons": [1, 2], "hidden": [1, 2]}, points)
    assert [other.values for other in found.neighbours(points[0])] == [(1, 2), (2, 1)]
    assert found.predicted(points[0]) == ("punishment-only, anti-Hebbian", "+0+-/0000")
    assert found.predicted(points[1]) is None  # one neighbour says this, the other that
    figures = found.prediction()
    assert (figures["certain"], figures["predicted"], figures["family_right"]) == (4, 2, 1)
    assert (figures["most_frequent_right"], figures["rule_right"]) == (1, 0)
    kept = points[0].atlas.mean[Rule("+0+-/0000").index]
    assert figures["losses"][0] == pytest.approx(60 - kept)


def test_an_uncertain_order_is_grey() -> None:
    sure = point("00+-/0000", (1,), near="+0+-/0000")
    unsure = point("00+-/0000", (2,), near="0000/000+")
    few = dataclasses.replace(unsure, atlas=dataclasses.replace(unsure.atlas, lifetimes=unsure.atlas.lifetimes.copy()))
    few.atlas.lifetimes[Rule("0000/000+").index] = 4
    assert (len(sure.families), len(unsure.families), len(few.families)) == (1, 2, 1)
    found = Phases(FORAGING, {"seasons": [1, 2]}, [sure, unsure])
    from hebbarium.studies.atlas.phases import phases_html

    page = phases_html(found)
    assert page.count("phase family-0") == page.count("phase unsure") == 1
    assert [row["family"] for row in found.summary()["points"]] == ["punishment-only, anti-Hebbian", None]


@pytest.mark.parametrize(
    ("over", "words"),
    [
        ({"eta": [0.1]}, "eta is what varies"),
        ({"hidden": [1], "seasons": [1], "season_steps": [9]}, "one or two"),
        ({"hidden": range(1, 102)}, "at most 100"),
        ({"hidden": []}, "no values"),
        ({"season_steps": [0]}, "season-steps"),
        ({"hidden": [20, 5, 20]}, "over has hidden 20 twice"),
    ],
)
def test_nonsense_is_refused_before_anything_is_lived(tmp_path: Path, over: dict[str, list[int]], words: str) -> None:
    with pytest.raises(hb.BadInput, match=words):
        make_phases("foraging", tmp_path / "run", over)
    assert not (tmp_path / "run").exists()
    with pytest.raises(hb.BadInput, match=r"etas is 0\.1,0\.1, but must be ascending"):
        make_phases("foraging", tmp_path / "run", {"hidden": [5, 20]}, etas=[0.1, 0.1])
    assert not (tmp_path / "run").exists()


def test_values_on_a_log_scale_are_round() -> None:
    assert read_over("season-steps=300:20000:log", FORAGING)[1] == [300, 500, 1000, 2000, 5000, 10000, 20000]
    with pytest.raises(hb.BadInput, match="start:stop:log"):
        read_over("season-steps=0:20000:log", FORAGING)
