"""What is said about single lives, measured on made-up ones where the answer is known."""

from __future__ import annotations

import numpy as np

from hebbarium.paper.items import statements
from hebbarium.paper.items.statements import BIN, ETAS, PRINTED, settling
from hebbarium.paper.works import RuleLives
from hebbarium.rules.layered import read_rule

SEASONS, PARTS = 4, 5000 // BIN


def course(wrong: list[int]) -> dict[str, np.ndarray]:
    """Three lives that take so many wrong items in each part of every season, and nothing else."""
    counts = np.zeros((3, SEASONS, PARTS, 3), int)
    for season in range(SEASONS):
        counts[:, season, :, 1 - season % 2] = wrong
    return {"counts": counts.reshape(3, SEASONS * PARTS, 3).cumsum(axis=1)}


def test_wrong_items_are_those_of_the_seasons_after_a_change():
    counts = np.zeros((1, SEASONS * PARTS, 3), int)
    counts[:, 0] = (3, 5, 0)  # the first summer: not after a change
    counts[:, PARTS + 1] = (7, 9, 0)  # winter: green is wrong
    counts[:, 2 * PARTS] = (2, 4, 0)  # summer: blue is wrong
    wrong = statements._wrong({"course 1": {"counts": counts.cumsum(axis=1)}}, 1)
    assert wrong.shape == (1, 3, PARTS)
    assert wrong[0, 0].tolist() == [0, 7] + [0] * (PARTS - 2)
    assert wrong[0, 1].tolist() == [4] + [0] * (PARTS - 1)
    assert wrong[0, 2].sum() == 0


def test_by_its_own_level_a_rule_that_never_learns_settles_at_once():
    told = settling({"course 1": course([20, 15, 10, 5, *[0] * 16]), "course 6": course([10] * 20)})
    assert f"rule 1 after {4 * BIN + BIN} steps, at 0.0 a season" in told
    assert f"rule 6 after {BIN} steps, at 200.0 a season" in told


def test_fluctuation_is_what_varies_beyond_independent_catches():
    random = np.random.default_rng(1)
    kinds = np.array([1, -1, 1, -1])[None, :, None]

    def tests(level: np.ndarray) -> np.ndarray:
        """Networks that take so many wanted items in each test, and none other. level: [life, season, moment]"""
        taken = random.poisson(level)
        green, blue = np.where(kinds > 0, taken, 0), np.where(kinds > 0, 0, taken)
        return np.stack([green, blue, np.zeros_like(green)], axis=3).reshape(len(level), -1, 3)

    steady = statements._fluctuation(tests(np.full((50, SEASONS, 250), 60.0)), 20)
    swinging = statements._fluctuation(tests(60 + 30 * np.sign(random.normal(size=(50, SEASONS, 250)))), 20)
    assert steady.value < 0.08
    assert abs(swinging.value - 0.5) < 0.03


def test_the_best_eta_with_and_without_movement():
    def lives(best: float) -> dict[str, dict[str, np.ndarray]]:
        """Prey collected, the more the nearer eta is to the best."""
        collected = {eta: 10 - abs(np.log(eta / best)) for eta in ETAS}
        return {
            f"{rule}@{eta}": {"counts": np.tile([round(100 * collected[eta]), 0, 0], (6, 2, 1))}
            for rule in PRINTED
            for eta in ETAS
        }

    moving, still = lives(0.42), lives(0.05)
    results = {
        f"{name} {key}": one for name, some in (("moving", moving), ("still", still)) for key, one in some.items()
    }
    comparison, _ = statements._stochasticity(results)
    assert np.isclose(comparison.ours, 0.42 / 0.05)
    assert comparison.verdict == "reproduced"
    same = {f"{name} {key}": one for name in ("moving", "still") for key, one in moving.items()}
    comparison, _ = statements._stochasticity(same)
    assert (comparison.verdict, comparison.weak) == ("not reproduced", False)


def test_rules_act_on_what_they_have_entries_for():
    assert statements._acts("foraging:1").tolist() == [1, 0]
    assert statements._acts("prey-predator:1").tolist() == [1, 1]


def test_what_is_intervened_with_is_what_it_is_called():
    assert {rule: read_rule(text).notation for rule, text in PRINTED.items()} == {
        rule: read_rule(f"prey-predator:{rule}").notation for rule in PRINTED
    }
    hidden, output = read_rule(statements.ALL_FIRE).layers
    assert hidden == read_rule("foraging:1").layers[0]
    punished = output.entries[:4]
    assert punished[2] == punished[3] == hidden.entries[3] == -1  # silent outputs learn as active ones do


def test_a_work_may_have_settings_of_its_own():
    still = RuleLives(task="prey-predator", rule="prey-predator:1", lifetimes=1, settings=statements.STILL)
    assert still.world.settings()["move_probability"] == 0
    usual = RuleLives(task="prey-predator", rule="prey-predator:1", lifetimes=1)
    assert "settings" not in usual.piece.asked
    assert still.piece.name != usual.piece.name
