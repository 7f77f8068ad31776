"""The general network: any number of layers, recurrent ones, other activations and scalings, traces that decay.

With one hidden layer, step neurons, unit length and no trace it does the same as the paper's (`plain.py`), to the last
bit. Each layer hears the activities of the layer below, its own last ones if it is recurrent, and the bias.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from hebbarium.brains.plain import TINY, add_noise, times
from hebbarium.kernels.compile import inlined, opened

SIGNALS = 3
"""Punished, rewarded, neutral."""


class Net(NamedTuple):
    """All layers of some lifetimes' networks, and what their neurons do."""

    weights: np.ndarray
    """float64: layer by layer [lifetime, pre, post], so that a layer of all lifetimes is one array."""
    first: np.ndarray
    """int64 [layer]: where its weights begin."""
    pre: np.ndarray
    """int64 [layer]: what each of its neurons hears, the bias included."""
    post: np.ndarray
    """int64 [layer]: its neurons."""
    own: np.ndarray
    """int64 [layer]: how many of its own last activities it hears: all, or none."""
    hears: np.ndarray
    """int64 [layer + 1]: where in `heard` begins what the layer hears; last, what the outputs do."""
    heard: np.ndarray
    """float64 [lifetime, ...]: the activities that each layer hears, and 1.0 for the output that acted."""
    before: np.ndarray
    """float64 [lifetime, ...]: the same of the step before."""
    eta: np.ndarray
    """float64 [lifetime, layer]"""
    decay: np.ndarray
    """float64 [lifetime]: of traces; 0 where there are none."""
    traces: np.ndarray
    """float64 [signal, weight]: for each signal what past steps would have changed, decayed."""
    room: np.ndarray
    """float64 [neuron of the widest layer]: scratch."""


def new_net(lifetimes: int, shapes: Sequence[tuple[int, int]], inputs: int, decay: float) -> Net:
    """shapes: (pre, post) of each layer"""
    pre, post = np.array(shapes, np.int64).T.copy()
    first = np.concatenate([[0], np.cumsum(lifetimes * pre * post)])
    hears = np.concatenate([[0], np.cumsum(pre)])
    heard = np.zeros((lifetimes, hears[-1] + post[-1]))
    heard[:, hears[1:] - 1] = 1.0  # the biases
    below = np.array([inputs, *post[:-1]])
    return Net(
        weights=np.zeros(first[-1]),
        first=first[:-1],
        pre=pre,
        post=post,
        own=pre - 1 - below,
        hears=hears,
        heard=heard,
        before=heard.copy(),
        eta=np.zeros((lifetimes, len(shapes))),
        decay=np.full(lifetimes, decay),
        traces=np.zeros((SIGNALS, first[-1] if decay else 0)),
        room=np.zeros(int(post.max())),
    )


def layer_weights(net: Net, lifetimes: int) -> list[np.ndarray]:
    """Of each layer, float64 [lifetime, pre, post]: views."""
    ends = [*net.first[1:], len(net.weights)]
    sizes = zip(net.first, ends, net.pre, net.post, strict=True)
    return [net.weights[start:end].reshape(lifetimes, pre, post) for start, end, pre, post in sizes]


def activities(net: Net, i: int) -> list[np.ndarray]:
    """Of each layer of one life in its last step: what the inputs, the hidden neurons and the outputs did."""
    below = [net.pre[0] - 1 - net.own[0], *net.post]
    return [net.heard[i, start : start + size].copy() for start, size in zip(net.hears, below, strict=True)]


def last_sums(net: Net, i: int, output: np.ndarray) -> np.ndarray:
    """The outputs' sums in the last step, with these weights. output: float64 [pre, post]"""
    sums: np.ndarray = net.heard[i, net.hears[-2] : net.hears[-1]] @ output
    return sums


@opened
def fire(total):
    """The activation: what a hidden neuron does at this sum of what it hears."""


@opened
def change(weights, table, pre, post, rows):
    """w += what the rule says for the activities of pre and post. table: float64 [pre active, post active]"""


@opened
def scale(weights, post, eta, rows, room):
    """See `scalings.py`."""


@opened
def winner(sums, stream):
    """Which output acts."""


@opened
def adjust(weights, at, pre, post, table, heard, start, above, eta, room):
    """`change`, then `scale`, of a whole layer. For other arguments see `Net`."""


@inlined
def activate(weights, at, pre, post, heard, start, sums):
    """Each neuron's sum of weights times activities (equations 1 and 2).

    The layer is not made a matrix for this: numba's `reshape` calls out of the compiled code each time, which takes as
    long as a small layer. Places are unsigned, since numba looks at each signed one whether it counts from the end."""
    sums[:post] = 0.0
    row, first = np.uint64(at), np.uint64(start)
    for j in range(np.uint64(pre)):
        activity = heard[first + j]
        if activity != 0.0:
            for i in range(np.uint64(post)):
                sums[i] += weights[row + i] * activity
        row += np.uint64(post)


@inlined
def step(total):
    return 1.0 if total > 0.0 else 0.0


@inlined
def sign(total):
    return 1.0 if total > 0.0 else -1.0


@inlined
def tanh(total):
    """From + - x / alone, so that it is the same on every machine: a Pade approximant of 1/64 of it, doubled six times;
    beyond 20 it is 1 to the last bit."""
    if abs(total) >= 20.0:
        return 1.0 if total > 0.0 else -1.0
    x = total / 64.0
    s = x * x
    t = x * (135135.0 + s * (17325.0 + s * (378.0 + s))) / (135135.0 + s * (62370.0 + s * (3150.0 + s * 28.0)))
    for _ in range(6):
        t = 2.0 * t / (1.0 + t * t)
    return t


@inlined
def change_graded(weights, table, pre, post, rows):
    """Hebb's general form: w += A pre post + B pre + C post + D, which on activities of 0 and 1 is the table."""
    d, b, c = table[0, 0], table[1, 0] - table[0, 0], table[0, 1] - table[0, 0]
    a = table[1, 1] - table[1, 0] - table[0, 1] + table[0, 0]
    for j in range(rows):
        slope, base = a * pre[j] + c, b * pre[j] + d
        for i in range(weights.shape[1]):
            weights[j, i] += slope * post[i] + base


@inlined
def adjust_apart(weights, at, pre, post, table, heard, start, above, eta, room):
    layer, does = weights[at : at + pre * post].reshape(pre, post), heard[above : above + post]
    change(layer, table, heard[start : start + pre], does, pre)
    scale(layer, does, eta, pre, room[:post])


@inlined
def adjust_to_unit_length(weights, at, pre, post, table, heard, start, above, eta, room):
    """The same in two passes instead of three, and without a matrix (see `activate`): most of the time goes here. What
    is computed, and in what order, is what `plain.change` and `plain.scale` do."""
    room[:post] = 0.0
    neurons, row, first, does = np.uint64(post), np.uint64(at), np.uint64(start), np.uint64(above)
    for j in range(np.uint64(pre)):
        fires = 1 if heard[first + j] > 0.0 else 0
        to_passive, to_active = table[fires, 0], table[fires, 1]
        for i in range(neurons):
            weight = weights[row + i] + (to_active if heard[does + i] > 0.0 else to_passive)
            weights[row + i] = weight
            room[i] += weight * weight
        row += neurons
    for i in range(neurons):
        room[i] = 1.0 / np.sqrt(room[i]) if room[i] > 0.0 else 1.0
    row = np.uint64(at)
    for _ in range(pre):
        for i in range(neurons):
            weight = weights[row + i] * room[i]
            weights[row + i] = weight if abs(weight) > TINY else 0.0
        row += neurons


@inlined
def feel(brains, i, mind):
    """The hidden layers, one after the other."""
    net = brains.net
    heard = net.heard[i]
    for j in range(brains.inputs):
        heard[j] = mind.senses[j]
    for k in range(net.post.shape[0] - 1):
        pre, post, start, above = net.pre[k], net.post[k], net.hears[k], net.hears[k + 1]
        for n in range(net.own[k]):  # what it did in the last step
            heard[start + pre - 1 - net.own[k] + n] = heard[above + n]
        activate(net.weights, net.first[k] + i * pre * post, pre, post, heard, start, net.room)
        for n in range(post):
            heard[above + n] = fire(net.room[n])


@inlined
def think(constants, state, i, season, brains, mind):
    """All layers are activated; the output with the largest sum acts."""
    feel(brains, i, mind)
    net = brains.net
    k = net.post.shape[0] - 1
    pre, post = net.pre[k], net.post[k]
    activate(net.weights, net.first[k] + i * pre * post, pre, post, net.heard[i], net.hears[k], mind.outputs)
    return winner(mind.outputs, brains.stream[i])


@inlined
def take(brains, extras, i, season, action, random, signal, association, mind):
    """Learn from what was said of an action; of a random one nothing is learnt, but traces remember it."""
    net = brains.net
    heard, acted = net.heard[i], net.hears[net.post.shape[0]]
    heard[acted:] = 0.0
    heard[acted + action] = 1.0
    if net.decay[i] > 0.0:
        mark(brains, extras, i)
    if not random:
        brains.punished[i] += signal < 0
        part = 0 if signal < 0 else (1 if signal > 0 else 2)
        learn(brains, extras, i, part, extras.judgements[season, association, action], mind)
    for j in range(heard.shape[0]):
        net.before[i, j] = heard[j]
    extras.action[i] = action


@inlined
def mark(brains, extras, i):
    """Each synapse's trace decays, and what this step would change under each signal is added to it."""
    net = brains.net
    for k in range(net.post.shape[0]):
        pre, post, start, above = net.pre[k], net.post[k], net.hears[k], net.hears[k + 1]
        at = net.first[k] + i * pre * post
        for part in range(SIGNALS):
            if brains.plastic[i, k, part]:
                trace = net.traces[part, at : at + pre * post]
                for w in range(pre * post):
                    trace[w] *= net.decay[i]
                change(
                    trace.reshape(pre, post),
                    brains.delta[i, k, part],
                    net.heard[i, start : start + pre],
                    net.heard[i, above : above + post],
                    extras.changed[k],
                )


@inlined
def learn(brains, extras, i, part, judgement, mind):
    """Change and scale each layer, as its rule says; one whose rule says nothing is neither changed nor scaled."""
    net = brains.net
    blame = extras.blame[i, judgement]
    reach = blame * extras.eligibility[i, judgement] if extras.action[i] >= 0 else 0.0
    if blame == 0.0:
        return
    usual = net.decay[i] == 0.0 and reach == 0.0 and extras.noise == 0.0
    for k in range(net.post.shape[0]):
        if brains.plastic[i, k, part]:
            pre, post, start, above = net.pre[k], net.post[k], net.hears[k], net.hears[k + 1]
            at, rows, table = net.first[k] + i * pre * post, extras.changed[k], brains.delta[i, k, part]
            if usual and rows == pre and extras.scaled[k] == pre:
                times(table, blame, mind.table)
                adjust(net.weights, at, pre, post, mind.table, net.heard[i], start, above, net.eta[i, k], net.room)
                continue
            weights = net.weights[at : at + pre * post].reshape(pre, post)
            does = net.heard[i, above : above + post]
            if net.decay[i] > 0.0:
                for w in range(rows * post):
                    net.weights[at + w] += blame * net.traces[part, at + w]
            else:
                times(table, blame, mind.table)
                change(weights, mind.table, net.heard[i, start : start + pre], does, rows)
                if reach != 0.0:
                    times(table, reach, mind.table)
                    before, did = net.before[i, start : start + pre], net.before[i, above : above + post]
                    change(weights, mind.table, before, did, rows)
            add_noise(weights, extras.noise, extras.stream[i], rows)
            scale(weights, does, net.eta[i, k], extras.scaled[k], net.room[:post])
