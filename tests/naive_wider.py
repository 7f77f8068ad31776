"""The slow twin, wider: a foraging life with a rule for each layer, blame, eligibility, other kinds of biases, noise
in the weights, and random actions of other kinds. The world is `naive_foraging.py`'s; all else is written again here.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, field

from hebbarium.worlds.foraging import Foraging
from naive import BRAIN, WORLD, Layer, Stream, draw_gap, first_largest, mix, random_layer, scaled, totals
from naive_foraging import LEFT, RIGHT, SENSOR_BITS, STRAIGHT, Life, World, reinforcement

NOISE = 0x4015E


@dataclass(frozen=True)
class Nature:
    """What lives, and how it learns. Layers: hidden, then output."""

    entries: tuple[tuple[int, ...], tuple[int, ...]]
    eta: tuple[float, float]
    hidden: int
    bias: tuple[str, str] = ("plastic", "plastic")
    noise: float = 0.0
    born_alike: bool = False
    blame: dict[str, float] = field(default_factory=dict)
    eligibility: dict[str, float] = field(default_factory=dict)


def live(task: Foraging, nature: Nature, seed: int, trial: int) -> Life:
    world = World(task, Stream(seed, trial, WORLD))
    brain = Stream(seed, trial, BRAIN)
    noise = Stream(mix(seed ^ NOISE), trial, BRAIN)
    layers = [random_layer(7, nature.hidden, brain), random_layer(nature.hidden + 1, 3, brain)]
    gap = draw_gap(brain, task.random_action)
    for layer, bias in zip(layers, nature.bias, strict=True):
        if bias == "none":
            for neuron in range(len(layer)):
                layer[neuron] = scaled([*layer[neuron][:-1], 0.0])
    if nature.born_alike:
        layers[0] = [list(layers[0][0]) for _ in layers[0]]
    before: tuple[list[int], list[int], int] | None = None
    counts = []
    for number in range(task.seasons):
        names = task.schedule.split(",")
        season = names[number % len(names)].strip()
        world.collected, world.hits = {2: 0, 1: 0}, 0
        for _ in range(task.season_steps):
            sensed = world.sense()
            senses = [bit for thing in sensed for bit in SENSOR_BITS[thing]]
            active = [1 if total > 0.0 else 0 for total in totals(layers[0], senses)]
            may_be_random = task.random_where == "always" or not any(senses)
            is_random = may_be_random and gap == 0
            if is_random:
                choices = [LEFT, RIGHT] if task.random_kind == "turn" else [LEFT, STRAIGHT, RIGHT]
                action = choices[brain.below(len(choices))]
                gap = draw_gap(brain, task.random_action)
            else:
                gap -= may_be_random
                action = first_largest(totals(layers[1], active))
            m, association = reinforcement(season, sensed, action, task.priority)
            world.move(action)
            if m != 0 and not is_random:
                group = group_of(association, action, m)
                learn(layers, nature, m, (str(association), group), (senses, active, action), before, noise)
            before = (senses, active, action)
        counts.append([world.collected[2], world.collected[1], world.hits])
    return Life(counts, [], layers[0], layers[1])


def group_of(association: int, action: int, m: int) -> str:
    if association == 1:
        return "open-straight"
    if association == 2:
        return "open-turn"
    if association <= 8:
        if m > 0:
            return "wall-turn"
        return "wall-hit" if {4: STRAIGHT, 6: LEFT, 8: RIGHT}[association] == action else "beside-wall"
    taking = association % 2 == 1
    if m == 0:
        return "neutral"
    if m > 0:
        return "taken"
    return "wrong" if taking else "missed"


Moment = tuple[list[int], list[int], int]
"""Senses, hidden activities and action of a step."""


def learn(
    layers: list[Layer],
    nature: Nature,
    m: int,
    names: tuple[str, str],
    now: Moment,
    before: Moment | None,
    noise: Stream,
) -> None:
    """names: the association's id and the group."""
    blame = weight_of(nature.blame, names, 1.0)
    reach = blame * weight_of(nature.eligibility, names, 0.0) if before is not None else 0.0
    if blame == 0.0:
        return
    for number, layer in enumerate(layers):
        half = nature.entries[number][:4] if m < 0 else nature.entries[number][4:]
        if half == (0, 0, 0, 0):
            continue
        changes = [nature.eta[number] * entry for entry in half]
        bias = nature.bias[number]
        rows = len(layer[0]) - (bias in ("unchanged", "fixed", "none"))
        for moment, weight in ((now, blame), (before, reach)):
            if moment is None or weight == 0.0:
                continue
            pre, post = sides(moment, number)
            for i in range(len(layer)):
                for j in range(rows):
                    layer[i][j] += weight * changes[2 * pre[j] + post[i]]
        if nature.noise > 0.0:
            for j in range(rows):
                for i in range(len(layer)):
                    layer[i][j] += nature.noise * normal(noise)
        kept = len(layer[0]) - (bias in ("unscaled", "fixed", "none"))
        for i in range(len(layer)):
            layer[i] = [*scaled(layer[i][:kept]), *layer[i][kept:]]


def weight_of(weights: dict[str, float], names: tuple[str, str], usual: float) -> float:
    for name in names:
        if name in weights:
            return weights[name]
    return usual


def sides(moment: Moment, layer: int) -> tuple[list[int], list[int]]:
    """What was active before and behind the synapses of a layer; the bias always was."""
    senses, active, action = moment
    if layer == 0:
        return [*senses, 1], active
    return [*active, 1], [1 if output == action else 0 for output in range(3)]


def normal(stream: Stream) -> float:
    """Karney's algorithm N: a whole number, a fraction and a sign."""
    limit = 0.6065306597126334  # exp(-1/2)
    while True:
        whole = 0
        while stream.unit() < limit:
            whole += 1
        trials, below = whole * (whole - 1), 0
        while below < trials and stream.unit() < limit:
            below += 1
        if below < trials:
            continue
        part = stream.unit()
        if all(_even_run(stream, whole, part) for _ in range(whole + 1)):
            return whole + part if stream.word() >> 63 else -(whole + part)


def _even_run(stream: Stream, whole: int, part: float) -> bool:
    before, even = part, True
    while True:
        after = stream.unit()
        if after >= before or stream.unit() >= (2 * whole + part) / (2 * whole + 2):
            return even
        before, even = after, not even


assert math.isclose(0.6065306597126334, math.exp(-0.5))
