"""What the pictures of one life say beside their lines."""

from __future__ import annotations

import hebbarium as hb
from hebbarium.plots import collected, weights


def test_the_inputs_of_foraging_are_named_by_cell_and_bit() -> None:
    life = hb.trace("foraging", "foraging:1", season_steps=20, seasons=1)
    axes = weights.draw(life).axes[0]
    assert [label.get_text().strip() for label in axes.get_xticklabels()] == ["left", "front", "right", "bias"]
    assert [label.get_text() for label in axes.get_xticklabels(minor=True)] == ["g", "b"] * 3


def test_the_inputs_of_prey_predator_are_too_many_for_names() -> None:
    life = hb.trace("prey-predator", "prey-predator:1", season_steps=20, seasons=1)
    figure = weights.draw(life)
    assert [label.get_text() for label in figure.axes[0].get_xticklabels()] == ["1", "45", "bias"]


def test_the_axis_of_neurons_ends_with_how_many_there_are() -> None:
    life = hb.trace("foraging", "foraging:1", season_steps=20, hidden=7)
    assert list(collected.draw(life).axes[2].get_yticks()) == [0, 3, 7]
