"""An atlas with invented figures, complete and at once there."""

from __future__ import annotations

import numpy as np

from hebbarium.rules.rule import RULES, Rule
from hebbarium.studies.atlas.finished_atlas import Atlas

ETAS = [0.003, 0.0075, 0.019, 0.047, 0.12, 0.3]


def entries() -> np.ndarray:
    """int64 [rule, entry]"""
    return np.array([Rule(index).entries for index in range(RULES)])


def invented(mean: np.ndarray | None = None, seed: int = 0) -> Atlas:
    """Rule 1 best, then a smooth landscape with noise; rules that act on reward lose all but one neuron."""
    rng = np.random.default_rng(seed)
    signs = entries()
    if mean is None:
        mean = 12.0 * np.maximum(0, signs[:, 2]) - 12.0 * np.minimum(0, signs[:, 3]) - 3.0 * np.abs(signs[:, 4:]).sum(1)
        mean = mean + rng.normal(0, 2, RULES)
        mean[Rule("foraging:1").index] = 48.3
    place = np.argsort(np.argsort(-mean)) + 1
    eta = np.exp(rng.uniform(np.log(0.003), np.log(0.3), RULES))
    return Atlas(
        about={
            "task": "foraging",
            "hidden": 20,
            "seed": 1,
            "etas": ETAS,
            "lifetimes": 123456,
            "digest": "0" * 64,
            "world": {},
        },
        eta=eta,
        eta_low=eta / 1.25,
        eta_high=eta * 1.25,
        mean=mean,
        sem=np.full(RULES, 0.4),
        lifetimes=np.full(RULES, 100, np.int32),
        rank_first=np.maximum(1, place - 2).astype(np.int16),
        rank_last=np.minimum(RULES, place + 2).astype(np.int16),
        distinct=np.where(np.abs(signs[:, 4:]).sum(1) > 0, 1, 20).astype(np.float32),
        kinds=np.where(np.abs(signs[:, 4:]).sum(1) > 0, 1, 20).astype(np.float32),
        survey_mean=(mean[:, None] * np.array([0.3, 0.6, 0.9, 1, 0.5, 0.1])).astype(np.float32),
        survey_distinct=np.full((RULES, 6), 20, np.float32),
    )
