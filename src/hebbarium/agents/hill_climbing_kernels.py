"""Hill climbing's own steps: a candidate is the kept network, every weight a little different."""

from __future__ import annotations

import numpy as np

from hebbarium.kernels.compile import inlined, kernel
from hebbarium.kernels.normal import draw_normal
from hebbarium.kernels.random import BRAIN, draw_unit, mix, open_stream

_CLIMB = np.uint64(0xC11AB5)


@kernel
def open_climbs(streams, seed, trials):
    """A random stream for each climb, apart from those of any life. streams: uint64 [run, 2]."""
    for i in range(trials.shape[0]):
        open_stream(streams[i], mix(np.uint64(seed) ^ _CLIMB), trials[i], BRAIN)


@kernel
def draw_weights(streams, weights):
    """Uniform in [-1, 1), not scaled. weights: float64 [run, post, pre]."""
    for i in range(weights.shape[0]):
        for post in range(weights.shape[1]):
            for pre in range(weights.shape[2]):
                weights[i, post, pre] = 2.0 * draw_unit(streams[i]) - 1.0


@kernel
def perturb(streams, kept, candidates, deviation, scaled):
    """Candidates of hill climbing: every weight a little different.

    kept, candidates: float64 [run, post, pre]; scaled: whether candidates are scaled to unit length."""
    for i in range(kept.shape[0]):
        for post in range(kept.shape[1]):
            for pre in range(kept.shape[2]):
                candidates[i, post, pre] = kept[i, post, pre] + deviation * draw_normal(streams[i])
            if scaled:
                _to_unit_length(candidates[i, post])


@inlined
def _to_unit_length(weights):
    squares = 0.0
    for pre in range(weights.shape[0]):
        squares += weights[pre] * weights[pre]
    if squares > 0.0:
        factor = 1.0 / np.sqrt(squares)
        for pre in range(weights.shape[0]):
            weights[pre] *= factor
