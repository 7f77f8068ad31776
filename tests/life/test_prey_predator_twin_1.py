"""Prey-predator's kernels against the slow twin, bit for bit: part 1 of 3, so that they run beside each other."""

from __future__ import annotations

import pytest

from prey_predator_cases import NEIGHBOURHOODS, check_neighbourhood


@pytest.mark.parametrize("number", range(0, NEIGHBOURHOODS, 3))
def test_lives_are_their_twins_lives(number: int) -> None:
    check_neighbourhood(number)
