"""Foraging lives, fast: a declared acceleration of the generic loop, to the same bits.

There are two ways: `foraging_alone.py` for lives whose weights change rarely, `foraging_together.py` for lives whose
weights change at nearly every step.
"""

from __future__ import annotations

import numpy as np

from hebbarium.brains.lanes import LANES
from hebbarium.kernels.compile import kernel
from hebbarium.life.foraging_alone import live_alone
from hebbarium.life.foraging_alone import new_scratch as new_alone
from hebbarium.life.foraging_together import live_together
from hebbarium.life.foraging_together import new_scratch as new_together


@kernel
def advance_foraging(constants, state, streams, brains, season, steps, counts):
    """Let every lifetime live on for `steps` steps of one season. counts: int64 [lifetime, count], added to."""
    neurons, outputs = brains.hidden.shape[2], brains.output.shape[2]
    alone, together = new_alone(neurons), new_together(neurons, outputs)
    group = np.empty(LANES, np.int64)
    size = 0
    for i in range(counts.shape[0]):
        if not (brains.plastic[i, 0, 1] or brains.plastic[i, 1, 1]):
            if brains.only_unseeing:
                live_alone(constants, state, streams[i], brains, i, season, steps, counts[i], alone, True)
            else:
                live_alone(constants, state, streams[i], brains, i, season, steps, counts[i], alone, False)
            continue
        group[size] = i
        size += 1
        if size == LANES:
            live_together(constants, state, streams, brains, group, season, steps, counts, together)
            size = 0
    if size > 0:
        live_together(constants, state, streams, brains, group[:size], season, steps, counts, together)
