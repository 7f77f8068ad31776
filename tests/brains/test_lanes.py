"""Eight networks in lanes: sums made before weights are scaled, and hidden neurons that have become the same."""

from __future__ import annotations

import numpy as np
import pytest

from hebbarium.brains.fast import alike_in_lanes as alike
from hebbarium.brains.fast import plain_in_lanes as lanes
from hebbarium.brains.fast.plain_in_lanes import LANES
from hebbarium.kernels.compile import kernel
from hebbarium.kernels.vectors import bits_of, fill, load, magnitude, mask_of, store


@kernel
def change_once(weights, table, active_alone, heard, fires, early, late, certain):
    """One change of eight networks; early, late: float64 [block, lane], the sums made with it and those made after."""
    inputs, blocks = weights.shape[1], weights.shape[2]
    layer = lanes.new_layer(blocks, inputs, np.zeros(2 * inputs, np.uint8))
    for lane in range(LANES):
        lanes.take(layer, weights[lane], lane)
        layer.spared[lane] = 1.0
    store(layer.least, 0, lanes.least_size(layer.weights, layer.weights.shape[0]))
    layer.table[:], layer.heard[:], layer.fires[:] = table, heard, fires
    margin = lanes.change(layer, blocks, inputs, mask_of(0xFF), False, active_alone)
    for block in range(blocks):
        sums = load(layer.sums, block * LANES)
        store(early, block * LANES, sums)
        certain[block] = bits_of(magnitude(sums) > margin)
    lanes.activate(layer, blocks, inputs)
    late[:] = layer.sums
    for lane in range(LANES):
        lanes.give_back(layer, weights[lane], lane)


def test_sums_are_certain_only_where_scaling_cannot_turn_them_round() -> None:
    chance, wrong, sure = np.random.default_rng(4), 0, 0
    for _ in range(400):
        weights = chance.integers(-3, 4, (LANES, 6, 5)) / 10.0  # sums of these are often as good as 0
        weights[:, -1] += 0.1
        heard = chance.integers(0, 256, 12).astype(np.uint8)
        heard[[5, 11]] = 255
        early, late, certain = np.zeros(5 * LANES), np.zeros(5 * LANES), np.zeros(5, np.int64)
        table = np.repeat(chance.integers(-1, 2, 4) * 0.1, LANES)
        fires = chance.integers(0, 256, 5).astype(np.uint8)
        change_once(weights, table, False, heard, fires, early, late, certain)
        is_certain = (certain[:, None] >> np.arange(LANES) & 1).astype(bool).ravel()
        turned = (early > 0) != (late > 0)
        assert not (turned & is_certain).any()
        wrong, sure = wrong + turned.sum(), sure + is_certain.sum()
    assert wrong > 10  # so it matters
    assert sure > 0.7 * 400 * 5 * LANES


@kernel
def look_at(weights, scaled):
    """Returns how many places are left; scaled: gets the weights back, float64 [lane, pre, post]"""
    inputs, neurons = weights.shape[1], weights.shape[2]
    layer = lanes.new_layer(neurons, inputs, np.zeros(2 * inputs, np.uint8))
    places = alike.new_places(neurons, inputs)
    for lane in range(LANES):
        lanes.take(layer, weights[lane], lane)
    computed = alike.look(places, layer, inputs, neurons)
    again = alike.look(places, layer, inputs, computed)
    for place in range(computed):  # as a change would
        store(layer.factor, place * LANES, fill(0.5))
    for lane in range(LANES):
        alike.give_back(places, layer, again, scaled[lane], lane)
    return computed, again


@pytest.mark.parametrize("neurons", [2, 9, 40, 90])
@pytest.mark.parametrize("kinds", [1, 2, 7])
def test_only_neurons_that_are_the_same_share_a_place(neurons: int, kinds: int) -> None:
    chance = np.random.default_rng(neurons * kinds)
    for inputs in (1, 2, 7):
        weights = chance.integers(1, kinds + 1, (LANES, inputs, neurons)) / 8.0
        scaled = np.zeros_like(weights)
        computed, again = look_at(weights, scaled)
        differing = max(len(np.unique(weights[lane], axis=1).T) for lane in range(LANES))
        assert computed == again == (neurons if differing > alike.MOST_PLACES else differing)
        assert np.array_equal(scaled, weights / 2)
