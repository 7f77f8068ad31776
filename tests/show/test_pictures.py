"""What the pictures of one life say beside their lines."""

from __future__ import annotations

import numpy as np
from matplotlib.figure import Figure

import hebbarium as hb
from hebbarium.studies.plots import draw_comparison, draw_life, draw_sweep, draw_weights, mosaic


def test_the_inputs_of_foraging_are_named_by_cell_and_bit() -> None:
    life = hb.trace("foraging", "foraging:1", season_steps=20, seasons=1)
    axes = draw_weights(life).axes[0]
    assert [label.get_text() for label in axes.get_xticklabels()] == [*life.task.input_names, "bias"]
    assert life.task.input_names[:3] == ("left green or wall", "left blue or wall", "front green or wall")


def test_the_inputs_of_prey_predator_have_the_shape_of_its_field_of_view() -> None:
    life = hb.trace("prey-predator", "prey-predator:1", season_steps=20, seasons=1)
    assert life.hidden_weights is not None
    above, *_ = draw_weights(life).axes
    drawn = above.images[0].get_array().filled(np.nan)
    tile = drawn[:5, :9]  # the first neuron at birth: four rows ahead, and its own
    born = life.hidden_weights[0, 0]
    assert (tile[4, :4] == born[2 * 36 : 2 * 40 : 2]).all()
    assert (tile[0] == born[0:18:2]).all()
    assert tile[4, 4] == born[-1]
    assert np.isnan(drawn[5, :9]).all()
    assert np.isnan(drawn[:5, 9]).all()


def test_every_weight_is_in_one_of_the_two_mosaics() -> None:
    view = hb.make_world("prey-predator", view_width=5, view_depth=3).view
    values = np.arange(7 * 29.0).reshape(7, 29)
    both = [mosaic(values, view, bit) for bit in (0, 1)]
    shown = np.concatenate([tiles[~np.isnan(tiles)] for tiles in both])
    assert sorted(set(shown)) == sorted(values.ravel())


def texts(figure: Figure) -> list[str]:
    return [axes.get_ylabel().replace("\n", " ") for axes in figure.axes]


def test_axes_say_what_they_count() -> None:
    foraging = draw_life(hb.trace("foraging", "foraging:1", season_steps=20))
    assert texts(foraging) == ["items collected since birth", "wall hits", "distinct hidden neurons"]
    hunting = draw_life(hb.trace("prey-predator", "prey-predator:1", season_steps=20))
    assert texts(hunting) == ["prey collected since birth", "times caught", "wall hits", "distinct hidden neurons"]
    sweep = draw_sweep(hb.sweep("foraging", "foraging:1", "hidden", [2, 3], lifetimes=4, season_steps=20))
    assert sweep.axes[0].get_xlabel() == "hidden neurons"


def test_titles_carry_lifetimes_and_seed() -> None:
    sweep = draw_sweep(hb.sweep("foraging", "foraging:1", "hidden", [2, 3], lifetimes=4, seed=9, season_steps=20))
    assert "4 lifetimes each, seed 9" in sweep.axes[0].get_title("left")
    pair = draw_comparison(hb.compare("foraging", "foraging:1", "foraging:2", lifetimes=4, seed=9, season_steps=20))
    assert "4 lifetimes each, seed 9" in pair.axes[0].get_title("left")
    life = draw_life(hb.trace("foraging", "foraging:1", season_steps=20, seed=9))
    assert life.get_suptitle().startswith("One life")
    assert life.get_suptitle().endswith("seed 9")


def test_the_axis_of_neurons_ends_with_how_many_there_are() -> None:
    life = hb.trace("foraging", "foraging:1", season_steps=20, hidden=7)
    assert list(draw_life(life).axes[2].get_yticks()) == [0, 3, 7]
