"""The search for the best eta, on landscapes whose peak is known."""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np
import pytest

from hebbarium.rules.layered import read_rule
from hebbarium.rules.rule import AnyRule
from hebbarium.studies.transfer.best_eta import FIRST_TRIAL, Live, etas_of, least_budget, search


def landscape(*peak: float, noise: float = 0.0) -> Live:
    """Fitness falls with the distance of the logarithms; each trial has its own luck, the same for all."""

    def live(rules: Sequence[AnyRule], first_trial: int, lives: int) -> np.ndarray:
        assert first_trial >= FIRST_TRIAL
        luck = np.random.default_rng(first_trial).normal(0, noise, (len(rules), lives))
        far = [math.dist(np.log(etas_of(rule)), np.log(peak)) for rule in rules]
        return -np.array(far)[:, None] + luck

    return live


@pytest.mark.parametrize("peak", [0.0006, 0.0123, 0.09, 0.7])
@pytest.mark.parametrize("rule", ["00+-/0000", "00+-/0000@0.5", "frozen,000-/0000"])
def test_one_eta(rule: str, peak: float) -> None:
    found = search(read_rule(rule), 300, landscape(peak))
    assert peak / 1.3 < found.etas[0] < peak * 1.3
    assert found.lifetimes <= 300


@pytest.mark.parametrize("peak", [(0.004, 0.08), (0.3, 0.0015)])
def test_an_eta_for_each_layer(peak: tuple[float, float]) -> None:
    found = search(read_rule("00+-/0000,00+-/0000"), 800, landscape(*peak))
    assert all(best / 1.6 < eta < best * 1.6 for eta, best in zip(found.etas, peak, strict=True))


def test_noise_is_averaged_out() -> None:
    found = search(read_rule("00+-/0000"), 5000, landscape(0.02, noise=0.5))
    assert 0.01 < found.etas[0] < 0.04


def test_the_etas_a_rule_came_with_take_part() -> None:
    assert search(read_rule("00+-/0000@0.01234"), 300, landscape(0.01234)).etas == (0.01234,)


@pytest.mark.parametrize("text", ["00+-/0000", "00+-/0000@0.01", "00+-/0000@0.01,000-/0000@0.1", "frozen,000-/0000"])
def test_the_least_budget_is_enough_and_one_less_is_not(text: str) -> None:
    rule = read_rule(text)
    lives_of: list[int] = []

    def live(rules: Sequence[AnyRule], first_trial: int, lives: int) -> np.ndarray:
        lives_of.append(lives)
        return np.zeros((len(rules), lives))

    least = least_budget(rule)
    assert search(rule, least, live).lifetimes <= least
    assert min(lives_of) == 1
    lives_of.clear()
    search(rule, least - 1, live)
    assert min(lives_of) == 0
