"""Hill climbing's one step of its own: a candidate is the kept network, every weight a little different."""

from __future__ import annotations

import numpy as np

from hebbarium.core.compile import inlined, kernel
from hebbarium.core.normal import draw_normal
from hebbarium.core.random import BRAIN, mix, open_stream

_CLIMB = np.uint64(0xC11AB5)


@kernel
def open_climbs(streams, seed, trials):
    """A random stream for each climb, apart from those of any life. streams: uint64 [run, 2]."""
    for i in range(trials.shape[0]):
        open_stream(streams[i], mix(np.uint64(seed) ^ _CLIMB), trials[i], BRAIN)


@kernel
def perturb(streams, kept, candidates, deviation):
    """kept, candidates: float64 [run, post, pre]."""
    for i in range(kept.shape[0]):
        for post in range(kept.shape[1]):
            for pre in range(kept.shape[2]):
                candidates[i, post, pre] = kept[i, post, pre] + deviation * draw_normal(streams[i])
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
