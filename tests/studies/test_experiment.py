"""What an experiment refuses about blame, before anybody lives."""

from __future__ import annotations

from pathlib import Path

import pytest

import hebbarium as hb
from hebbarium.brains.base import Brain
from hebbarium.cli import main
from hebbarium.experiment import Experiment, check_arithmetic, check_weights
from hebbarium.worlds import pond
from hebbarium.worlds.foraging import Foraging
from hebbarium.worlds.prey_predator import PreyPredator

RULE = hb.Rule("foraging:1")


def test_an_association_that_is_not_there_cannot_be_blamed(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(hb.BadInput, match="association 0, which prey-predator does not have; the nearest is 1"):
        check_weights("blame", {"0": 0.3}, PreyPredator())
    life = ["live", "prey-predator", "--rule", "1", "--eta", "0.1", "--lifetimes", "1", "--season-steps", "9"]
    assert main([*life, "--blame", "0=0.3"]) == 2
    assert "association 0" in capsys.readouterr().err
    with pytest.raises(hb.BadInput, match="must be one of 1, 2, 3"):
        check_weights("blame", {"missed": 0.3}, PreyPredator())


def test_one_number_for_all_associations_still_works(capsys: pytest.CaptureFixture[str]) -> None:
    life = ["live", "prey-predator", "--rule", "1", "--eta", "0.1", "--lifetimes", "1", "--season-steps", "9"]
    assert main([*life, "--eligibility", "0.5", "--json"]) == 0
    assert "0" not in PreyPredator().group_names


def test_the_usual_arithmetic_gives_way_to_blame_but_not_one_that_was_asked_for() -> None:
    usual = Experiment(
        world=PreyPredator(), brain=Brain.of(PreyPredator()), rule=RULE, lifetimes=1, seed=1, blame={"1": 2}
    )
    assert usual.brain.arithmetic == "plain"
    world = Foraging()
    asked = Brain.of(world, arithmetic="tallied")
    with pytest.raises(hb.BadInput, match=r"arithmetic is 'tallied', but .* need the plain one"):
        Experiment(world=world, brain=asked, rule=RULE, lifetimes=1, seed=1, blame={"missed": 2})
    with pytest.raises(hb.BadInput, match="need the plain one"):
        check_arithmetic("tallied", True)
    check_arithmetic("tallied", False)
    check_arithmetic(None, True)


def test_wrong_groups_are_noticed_before_anything_is_computed_with_them(tmp_path: Path) -> None:
    text = Path(pond.__file__).read_text(encoding="utf-8")
    own = "    def group_table(self):\n        return np.full((2, 4, 2), 9)\n\n    def constants(self):"
    file = tmp_path / "pond.py"
    file.write_text(text.replace("    def constants(self):", own), encoding="utf-8")
    with pytest.raises(hb.BadInput, match=r"pond\.py, line \d+: group_table has 9 to 9"):
        hb.live(str(file), "000-/0000@0.04", lifetimes=1, season_steps=9, blame={"1": 0.5})
