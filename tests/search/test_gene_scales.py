"""The scales that numbers are drawn, moved and rounded on."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from hebbarium.search.space import LOGARITHMIC, SIGNED, WEIGHTS, Scale

BLAME, ELIGIBILITY = WEIGHTS["blame"], WEIGHTS["eligibility"]
ENDS = {"blame": (-1.5, 1.5), "eligibility": (0.0, 1.0)}
every_scale = pytest.mark.parametrize(
    "scale",
    [BLAME, ELIGIBILITY, LOGARITHMIC, WEIGHTS["trace"], SIGNED],
    ids=["blame", "eligibility", "eta", "trace", "entries"],
)


@pytest.mark.parametrize("kind", list(ENDS))
def test_it_goes_from_end_to_end_through_zero(kind: str) -> None:
    scale = WEIGHTS[kind]
    assert (scale.number(scale.low), scale.number(scale.high)) == ENDS[kind]
    assert str(scale.number(-0.0)) == "0.0"
    places = np.linspace(scale.low, scale.high, 501)
    numbers = [scale.number(float(place)) for place in places]
    assert numbers == sorted(numbers)
    largest = ENDS[kind][1]
    assert scale.number(2 / 3) / largest == pytest.approx(99 / 999, rel=1e-3)
    assert scale.number(1 / 3) / largest == pytest.approx(9 / 999, rel=1e-3)


def test_blame_is_the_same_on_both_sides() -> None:
    assert all(BLAME.number(-place) == -BLAME.number(place) for place in (0.001, 0.25, 0.7, 1.0))


@given(st.floats(-1, 1))
def test_numbers_are_short_and_come_back_to_themselves(place: float) -> None:
    number = BLAME.number(place)
    assert float(f"{number:.4g}") == number
    assert BLAME.number(BLAME.place(number)) == number
    assert BLAME.place(number) == pytest.approx(place, abs=1e-4)


@given(st.floats(-1, 1))
def test_real_entries_are_exactly_zero_in_the_middle(place: float) -> None:
    number = SIGNED.number(place)
    assert (number == 0) == (abs(place) <= 0.2 + 0.8 * 5e-324)
    assert SIGNED.number(SIGNED.place(number)) == pytest.approx(number, abs=1e-4)
    assert (SIGNED.number(-1), SIGNED.number(-0.6), SIGNED.number(1)) == (-1, -0.5, 1)


@every_scale
@given(start=st.floats(0, 1), move=st.floats(-9, 9))
def test_whatever_moves_stays_on_the_scale(scale: Scale, start: float, move: float) -> None:
    number = scale.moved(scale.number(start), move)
    assert scale.number(scale.low) <= number <= scale.number(scale.high)


@every_scale
def test_both_ends_reflect(scale: Scale) -> None:
    for end, inward in ((scale.low, 1), (scale.high, -1)):
        start = scale.number(end + 0.1 * inward)
        assert scale.moved(start, -0.3 * inward) == pytest.approx(scale.number(end + 0.2 * inward), rel=2e-3)


def test_draws_are_uniform_on_the_scale() -> None:
    random = np.random.default_rng(1)
    places = np.array([BLAME.place(BLAME.draw(random)) for _ in range(4000)])
    counts, _ = np.histogram(places, bins=8, range=(-1, 1))
    assert counts.min() > 420
    assert counts.max() < 580
