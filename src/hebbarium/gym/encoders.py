"""From what an environment shows to bits, which is all that our networks sense.

An encoder is named by text: `identity`, `one-hot`, `thermometer:N`, `quantiles:N`, or `module:function` for a function
of one's own that takes an observation and gives 0s and 1s.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import gymnasium
import numpy as np
from gymnasium import spaces

from hebbarium.errors import BadInput, check_choice, check_integer, shown
from hebbarium.gym.functions import is_function, load_function

USUAL_BINS, MOST_BINS = 8, 256
SAMPLED_STEPS, SAMPLING_SEED = 5000, 1
"""Steps of a random policy from which quantiles are taken."""
Encode = Callable[[Any], np.ndarray]
WORDS = ("identity", "one-hot", "thermometer", "quantiles")


@dataclass(frozen=True)
class Encoder:
    """From an observation to bits, of which there are always as many."""

    encode: Encode
    """Gives uint8 [bit]."""
    bits: int


def make_encoder(text: str, env: gymnasium.Env[Any, Any]) -> Encoder:
    """env: whose observations are encoded; it is stepped where quantiles are asked for."""
    word, _, number = text.partition(":")
    if word not in WORDS and is_function(text):
        return _own(load_function("encode", text), text, env)
    check_choice("encode", word, (*WORDS, "module:function"))
    bins = check_integer("encode", int(number) if number.isdigit() else number or USUAL_BINS, 2, MOST_BINS)
    space = env.observation_space
    if word == "identity":
        return _identity(space)
    if word == "one-hot":
        return _one_hot(space)
    if not (isinstance(space, spaces.Box) and space.shape):
        raise _unfit(word, space, "numbers (a Box)")
    return _binned(_even_edges(space, bins) if word == "thermometer" else _quantiles(env, bins), word == "thermometer")


def _own(function: Callable[[Any], Any], text: str, env: gymnasium.Env[Any, Any]) -> Encoder:
    def encode(observation: Any) -> np.ndarray:
        bits = np.asarray(function(observation))
        if bits.ndim != 1 or not ((bits == 0) | (bits == 1)).all():
            raise BadInput(f"encode {text} gave {shown(bits)}, but must give a row of numbers that are 0 or 1 each.")
        return bits.astype(np.uint8)

    observation, _ = env.reset(seed=SAMPLING_SEED)
    return Encoder(encode, len(encode(observation)))


def _identity(space: spaces.Space[Any]) -> Encoder:
    binary = isinstance(space, spaces.MultiBinary) or (
        isinstance(space, spaces.Box) and bool(np.isin([space.low, space.high], (0, 1)).all())
    )
    if not binary or space.shape is None:
        raise _unfit("identity", space, "zeros and ones (MultiBinary, or a Box from 0 to 1)")
    return Encoder(
        lambda observation: (np.asarray(observation).ravel() > 0).astype(np.uint8), int(np.prod(space.shape))
    )


def _one_hot(space: spaces.Space[Any]) -> Encoder:
    """One bit for each value that each number can have."""
    if isinstance(space, spaces.Discrete):
        lows, sizes = np.array([space.start]), np.array([space.n])
    elif isinstance(space, spaces.MultiDiscrete):
        lows, sizes = space.start.ravel(), space.nvec.ravel()
    elif isinstance(space, spaces.Box) and np.issubdtype(space.dtype, np.integer):
        lows, sizes = space.low.ravel().astype(np.int64), (space.high.astype(np.int64) - space.low + 1).ravel()
    else:
        raise _unfit("one-hot", space, "whole numbers (Discrete, MultiDiscrete or a Box of them)")
    firsts, bits = np.cumsum(sizes) - sizes - lows, int(sizes.sum())

    def encode(observation: Any) -> np.ndarray:
        row = np.zeros(bits, np.uint8)
        row[firsts + np.asarray(observation).ravel()] = 1
        return row

    return Encoder(encode, bits)


def _binned(edges: np.ndarray, thermometer: bool) -> Encoder:
    """For each number either all edges below it are 1, or only the bin that it is in. edges: float64 [number, edge]"""
    numbers, inner = edges.shape
    places = np.arange(numbers) * (inner + 1)

    def fill(observation: Any) -> np.ndarray:
        return (np.asarray(observation, np.float64).reshape(-1, 1) > edges).astype(np.uint8)

    def encode(observation: Any) -> np.ndarray:
        row = np.zeros(numbers * (inner + 1), np.uint8)
        row[places + fill(observation).sum(axis=1, dtype=np.int64)] = 1
        return row

    if thermometer:
        return Encoder(lambda observation: fill(observation).ravel(), edges.size)
    return Encoder(encode, numbers * (inner + 1))


def _even_edges(space: spaces.Box, bins: int) -> np.ndarray:
    low, high = space.low.ravel().astype(np.float64), space.high.ravel().astype(np.float64)
    if not np.isfinite([low, high]).all():
        raise BadInput("encode thermometer needs numbers that have bounds, but some have none; try quantiles.")
    result: np.ndarray = np.linspace(low, high, bins + 1)[1:-1].T
    return result


def _quantiles(env: gymnasium.Env[Any, Any], bins: int) -> np.ndarray:
    """Edges between which a random policy finds each number equally often."""
    random = np.random.default_rng(SAMPLING_SEED)
    actions = env.action_space
    assert isinstance(actions, spaces.Discrete)
    observation, _ = env.reset(seed=SAMPLING_SEED)
    seen = [np.ravel(observation)]
    for _ in range(SAMPLED_STEPS):
        observation, _, terminated, truncated, _ = env.step(int(actions.start + random.integers(actions.n)))
        if terminated or truncated:
            observation, _ = env.reset()
        seen.append(np.ravel(observation))
    result: np.ndarray = np.quantile(np.array(seen, np.float64), np.arange(1, bins) / bins, axis=0).T
    return np.ascontiguousarray(result)


def _unfit(word: str, space: object, needed: str) -> BadInput:
    hint = "; give a function of your own, as `module:function`"
    return BadInput(f"encode {word} needs {needed}, but this environment shows {shown(space)}{hint}.")
