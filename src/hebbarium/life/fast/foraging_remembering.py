"""One foraging life on its own, for when weights change rarely.

The rules' reward halves are all `0`, or the network is frozen. The action of each of the 64 sensory states is
remembered until a weight changes, and a straight run over empty cells is jumped in one go. States are thought about
eight at a time, since sooner or later most of the eight are met: then a lane of a vector is a state. When the network
learns, a lane is a neuron. Where the hidden layer never changes, its activities are computed once.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from hebbarium.brains.fast import plain_in_blocks as blocks
from hebbarium.brains.fast.plain_in_blocks import Blocks
from hebbarium.brains.fast.plain_in_lanes import LANES
from hebbarium.kernels.bits import leading_zeros, trailing_zeros, word_at
from hebbarium.kernels.compile import creating, inlined, kernel
from hebbarium.kernels.random import draw_gap, peek_below
from hebbarium.kernels.vectors import bits_of, choose, fill, mask_of, spread
from hebbarium.worlds.foraging import SENSES, STATES, move, row_of, see
from hebbarium.worlds.grid import DIRECTION, EMPTY, POSITION, STRAIGHT, WALL

INPUTS = SENSES + 1
"""With the bias."""


def _rarity(state: int) -> tuple[int, int, int]:
    """Most of a life nothing is in view, then one wall, then one item."""
    cells = [state >> 4, state >> 2 & 3, state & 3]
    return sum(cell != EMPTY for cell in cells), -cells.count(WALL), -state


LANE_STATES = np.array(sorted(range(STATES), key=_rarity)).reshape(-1, LANES)
"""int64 [group, lane]: which eight states are thought about together."""
GROUPS = len(LANE_STATES)
_GROUPS = np.argsort(LANE_STATES.ravel()) // LANES
"""int64 [state]: its group."""
_SENSED = np.array(
    [[(states >> SENSES - 1 - j & 1) @ (1 << np.arange(LANES)) for j in range(SENSES)] for states in LANE_STATES]
)
"""int64 [group, sense]: in which of the group's lanes the sensor is active."""
_WORDS = np.array(
    [sum((state >> SENSES - 1 - j & 1) << j for j in range(SENSES)) | 1 << SENSES for state in range(STATES)]
)
"""int64 [state]: bit j for input j, the bias among them."""


class Scratch(NamedTuple):
    """Room for a life while it runs."""

    network: Blocks
    remembered: np.ndarray
    """int8 [state]: the action of each state, -1 where not known."""
    fires: np.ndarray
    """uint8 [group of states, neuron]: one bit a lane, where the hidden layer never changes."""
    felt: np.ndarray
    """bool [group of states]: whether that is known."""


@creating
def new_scratch(neurons):
    return Scratch(
        blocks.new_blocks(INPUTS, neurons, 3),
        np.zeros(STATES, np.int8),
        np.zeros((GROUPS, neurons), np.uint8),
        np.zeros(GROUPS, np.bool_),
    )


@kernel
def advance_foraging_alone(constants, state, streams, brains, season, steps, counts, lives):
    """Let these lives live on for `steps` steps of one season. lives: int64, which; counts: [lifetime, count]"""
    scratch = new_scratch(brains.hidden.shape[2])
    for i in lives:
        _live(constants, state, streams[i], brains, i, season, steps, counts[i], scratch, False)


@kernel
def advance_foraging_alone_unseeing(constants, state, streams, brains, season, steps, counts, lives):
    """The same where actions are random only while nothing is sensed."""
    scratch = new_scratch(brains.hidden.shape[2])
    for i in lives:
        _live(constants, state, streams[i], brains, i, season, steps, counts[i], scratch, True)


@inlined
def _live(constants, state, stream, brains, i, season, steps, counts, scratch, unseeing):
    """One life. Position, direction and gap are held in registers and written back at the end.

    unseeing: whether actions are random only where nothing is seen. Callers give it as a constant, which makes two
    loops of this one: asked at every step it would cost a few per cent."""
    neurons = brains.hidden.shape[2]
    hidden, output, remembered = scratch.network.hidden, scratch.network.output, scratch.remembered
    remembered[:] = -1
    scratch.felt[:] = False
    blocks.take(hidden, brains.hidden[i])
    blocks.take(output, brains.output[i])
    gap, position, direction = brains.gap[i], state.agent[i, POSITION], state.agent[i, DIRECTION]
    learns = brains.plastic[i, 0, 0] or brains.plastic[i, 1, 0]
    senses_change = brains.plastic[i, 0, 0]
    own = brains.stream[i]
    # The next random action is drawn before it is due, so that no step waits for it (1.02 x).
    chosen = brains.choices[peek_below(own, brains.choices.shape[0])]
    t = punished = 0
    while t < steps:
        seen = see(constants, state, i, position, direction)
        free = not unseeing or seen == 0
        random = free and gap == 0
        if random:
            action = chosen
            own[0] += own[1]
            gap = draw_gap(own, brains.gaps)
            chosen = brains.choices[peek_below(own, brains.choices.shape[0])]
        else:
            action = np.int64(remembered[seen])
            if action < 0:
                if senses_change:
                    _decide(hidden, output, neurons, _GROUPS[seen], remembered)
                else:
                    _decide_frozen(scratch, neurons, _GROUPS[seen])
                action = np.int64(remembered[seen])
            if seen == 0 and action == STRAIGHT:
                run = min(open_run(constants, state, i, position, direction), steps - t, gap)
                position += run * constants.ahead[direction]
                gap -= run
                t += run
                continue
            gap -= free
        signal = constants.reinforcement[season, seen, action]
        position, direction = move(constants, state, i, position, direction, action, counts, stream)
        if signal < 0 and not random:
            punished += 1
            if learns:
                delta, plastic = brains.delta[i, :, 0], brains.plastic[i, :, 0]
                blocks.feel(scratch.network, INPUTS, neurons, _WORDS[seen])
                blocks.learn(scratch.network, INPUTS, neurons, _WORDS[seen], action, delta, plastic)
                remembered[:] = -1
        t += 1
    brains.punished[i] += punished
    brains.gap[i], state.agent[i, POSITION], state.agent[i, DIRECTION] = gap, position, direction
    blocks.give_back(hidden, brains.hidden[i])
    blocks.give_back(output, brains.output[i])


@inlined
def open_run(constants, state, i, position, direction):
    """Straight steps until something comes into view, where nothing is in view now; at least one.

    Going along a line of a bit board, something is in view from a place when a bit of the lines beside it is set there,
    or one of its own at the place after. 64 bits are read from a byte on, towards where the agent goes: after shifting
    at least 56 of them count, and most runs are shorter, so that one look is nearly always enough. The wall ends every
    run.
    """
    row = row_of(constants, position)
    column = position - row * constants.side
    along_row, onward = direction & 1 == 1, direction == 1 or direction == 2
    line, place = (row, column) if along_row else (column, row)
    lines = state.lines[i]
    width = 8 * lines.shape[2]
    start = ((lines.shape[1] if along_row else 0) + line) * width
    run = 1
    while True:
        ahead = place + run if onward else place - run
        byte = start + (ahead >> 3) - (0 if onward else 7)
        beside, own = word_at(lines, byte) | word_at(lines, byte + 2 * width), word_at(lines, byte + width)
        up = (beside | own >> np.uint64(1)) >> np.uint64(ahead & 7)
        down = (beside | own << np.uint64(1)) << np.uint64(7 - (ahead & 7))
        if (up if onward else down) != np.uint64(0):
            return run + (trailing_zeros(up) if onward else leading_zeros(down))
        run += 56


@inlined
def _decide(hidden, output, neurons, group, remembered):
    """Remember what the network does in each of a group's eight states. A lane is a state here.

    An inactive neuron adds nothing to a sum, so lanes where it is inactive are left as they are.
    """
    nothing = fill(0.0)
    left, straight, right = nothing, nothing, nothing
    sensed = _SENSED[group]
    for first in range(0, neurons, LANES):
        for lane in range(min(LANES, neurons - first)):
            weight = first * INPUTS + lane
            sums = nothing
            for j in range(SENSES):
                sums = choose(mask_of(sensed[j]), sums + spread(hidden, weight + j * LANES), sums)
            fires = sums + spread(hidden, weight + SENSES * LANES) > nothing
            out = (first + lane) * LANES
            left = choose(fires, left + spread(output, out), left)
            straight = choose(fires, straight + spread(output, out + 1), straight)
            right = choose(fires, right + spread(output, out + 2), right)
    _keep_winners(output, neurons, group, left, straight, right, remembered)


@inlined
def _keep_winners(output, neurons, group, left, straight, right, remembered):
    """What each of a group's states does, from the outputs' sums without their biases."""
    bias = neurons * LANES
    left = left + spread(output, bias)
    straight = straight + spread(output, bias + 1)
    right = right + spread(output, bias + 2)
    not_left = straight > left
    is_right = bits_of(right > choose(not_left, straight, left))
    not_left_bits = bits_of(not_left)
    for lane in range(LANES):
        remembered[np.uint64(LANE_STATES[group, lane])] = 2 if is_right >> lane & 1 else not_left_bits >> lane & 1


@inlined
def feel_group(hidden, neurons, group, fires):
    """In which of a group's states each hidden neuron fires. fires: uint8 [group, neuron]"""
    nothing, sensed = fill(0.0), _SENSED[group]
    for neuron in range(neurons):
        weight = neuron // LANES * INPUTS * LANES + neuron % LANES
        sums = nothing
        for j in range(SENSES):
            sums = choose(mask_of(sensed[j]), sums + spread(hidden, weight + j * LANES), sums)
        fires[group, neuron] = bits_of(sums + spread(hidden, weight + SENSES * LANES) > nothing)


@inlined
def _decide_frozen(scratch, neurons, group):
    """The same as `_decide`, where the hidden layer never changes."""
    if not scratch.felt[group]:
        feel_group(scratch.network.hidden, neurons, group, scratch.fires)
        scratch.felt[group] = True
    output, row = scratch.network.output, scratch.fires[group]
    left, straight, right = fill(0.0), fill(0.0), fill(0.0)
    for neuron in range(neurons):
        # Adding 0.0 changes no sum. Leaving it out would make each addition wait three cycles instead of two.
        active, out = choose(mask_of(np.int64(row[neuron])), fill(1.0), fill(0.0)), neuron * LANES
        left = left + active * spread(output, out)
        straight = straight + active * spread(output, out + 1)
        right = right + active * spread(output, out + 2)
    _keep_winners(output, neurons, group, left, straight, right, scratch.remembered)
