"""From observations of an environment to bits, which is all that our networks sense.

An encoder is named by text: `identity`, `one-hot`, `thermometer:N`, `quantiles:N`, `goal` for the view of a MiniGrid
world, or `module:function` for a user's function that takes an observation and returns 0s and 1s. `auto` is the one
that fits the environment.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import gymnasium
import numpy as np
from gymnasium import spaces

from hebbarium.gym import minigrid
from hebbarium.gym.env_answers import as_array, numbers_in, reset, step
from hebbarium.gym.named_functions import is_function, load_function
from hebbarium.tools.errors import BadInput, check_choice, check_integer, shown

USUAL_BINS, MOST_BINS = 8, 256
MOST_BITS = 65_536
"""That an observation may become: each is an input of the network."""
SAMPLED_STEPS, SAMPLING_SEED = 5000, 1
"""Steps of a random policy from which quantiles are taken."""
Encode = Callable[[Any], np.ndarray]
AUTO = "auto"
WORDS = ("identity", "one-hot", "thermometer", "quantiles", "goal", AUTO)


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
    whole = number.isdecimal() and len(number) < 10
    bins = check_integer("encode", int(number) if whole else number or USUAL_BINS, 2, MOST_BINS)
    space = env.observation_space
    if word == AUTO:
        word = usual_encoder(space)
    elif number and word not in ("thermometer", "quantiles"):
        raise BadInput(f"encode is {text!r}, but {word} takes nothing after a colon.")
    if word == "goal":
        if not _shows_cells(space):
            raise _unfit("goal", space, "the view of a MiniGrid world (a Dict with an image)")
        return Encoder(lambda observation: minigrid.bits_of(observation).astype(np.uint8), minigrid.BITS)
    if word == "identity":
        return _identity(space)
    if word == "one-hot":
        return _one_hot(space)
    if not (isinstance(space, spaces.Box) and space.shape):
        raise _unfit(word, space, "numbers (a Box)")
    _check_bits(word, int(np.prod(space.shape)) * (bins - (word == "thermometer")))
    return _binned(word, _even_edges(space, bins) if word == "thermometer" else _quantiles(env, space, bins))


def usual_encoder(space: spaces.Space[Any]) -> str:
    """What fits these observations."""
    if isinstance(space, spaces.MultiBinary):
        return "identity"
    if isinstance(space, (spaces.Discrete, spaces.MultiDiscrete)):
        return "one-hot"
    return "goal" if _shows_cells(space) else "quantiles"


def _shows_cells(space: spaces.Space[Any]) -> bool:
    image = space.spaces.get("image") if isinstance(space, spaces.Dict) else None
    return isinstance(image, spaces.Box) and len(image.shape) == 3


def _own(function: Callable[[Any], Any], text: str, env: gymnasium.Env[Any, Any]) -> Encoder:
    def bits_of(observation: Any) -> np.ndarray:
        bits = as_array(function(observation))
        if bits.ndim != 1 or not _are_bits(bits):
            raise BadInput(f"encode {text} gave {shown(bits)}, but must give a row of numbers that are 0 or 1 each.")
        return bits.astype(np.uint8)

    def encode(observation: Any) -> np.ndarray:
        bits = bits_of(observation)
        if len(bits) != many:
            raise BadInput(f"encode {text} gave {len(bits)} numbers, but {many} at first: it must give as many always.")
        return bits

    many = _check_bits(text, len(bits_of(reset(env, SAMPLING_SEED))))
    return Encoder(encode, many)


def _identity(space: spaces.Space[Any]) -> Encoder:
    binary = isinstance(space, spaces.MultiBinary) or (
        isinstance(space, spaces.Box) and bool(np.isin([space.low, space.high], (0, 1)).all())
    )
    if not binary or space.shape is None:
        raise _unfit("identity", space, "zeros and ones (MultiBinary, or a Box from 0 to 1)")
    many = _check_bits("identity", int(np.prod(space.shape)))

    def encode(observation: Any) -> np.ndarray:
        numbers = as_array(observation).ravel()
        if len(numbers) != many or not _are_bits(numbers):  # a Box may hold anything between 0 and 1
            needed = f"{many} numbers that are 0 or 1 each"
            raise BadInput(f"encode identity needs {needed}, but the environment showed {shown(numbers)}.")
        return numbers.astype(np.uint8)

    return Encoder(encode, many)


def _are_bits(numbers: np.ndarray) -> bool:
    return bool(((numbers == 0) | (numbers == 1)).all())


def _check_bits(encode: str, bits: int) -> int:
    if not 0 < bits <= MOST_BITS:
        raise BadInput(f"encode {encode} makes {bits} bits of an observation, but must make 1 to {MOST_BITS}.")
    return bits


def _one_hot(space: spaces.Space[Any]) -> Encoder:
    """One bit for each value that each number can have."""
    if isinstance(space, spaces.Discrete):
        lows, sizes = [int(space.start)], [int(space.n)]
    elif isinstance(space, spaces.MultiDiscrete):
        lows, sizes = space.start.ravel().tolist(), space.nvec.ravel().tolist()
    elif isinstance(space, spaces.Box) and np.issubdtype(space.dtype, np.integer):
        lows, highs = space.low.ravel().tolist(), space.high.ravel().tolist()
        sizes = [high - low + 1 for low, high in zip(lows, highs, strict=True)]  # Python's numbers never overflow
    else:
        raise _unfit("one-hot", space, "whole numbers (Discrete, MultiDiscrete or a Box of them)")
    bits = _check_bits("one-hot", sum(sizes))
    least, most = np.array(lows), np.array(lows) + np.array(sizes) - 1
    firsts = np.cumsum(sizes) - np.array(sizes) - least

    def encode(observation: Any) -> np.ndarray:
        numbers = as_array(observation).ravel()
        whole = numbers.dtype.kind in "iu" and numbers.shape == least.shape
        if not whole or not ((numbers >= least) & (numbers <= most)).all():
            raise BadInput(
                f"encode one-hot needs what is in {shown(space)}, but the environment showed {shown(numbers)}."
            )
        row = np.zeros(bits, np.uint8)
        row[firsts + numbers.astype(np.int64)] = 1
        return row

    return Encoder(encode, bits)


def _binned(word: str, edges: np.ndarray) -> Encoder:
    """For each number either all edges below it are 1, or only the bin that it is in. edges: float64 [number, edge]"""
    numbers, inner = edges.shape
    places = np.arange(numbers) * (inner + 1)

    def fill(observation: Any) -> np.ndarray:
        return (_numbers(word, observation, numbers).reshape(-1, 1) > edges).astype(np.uint8)

    def encode(observation: Any) -> np.ndarray:
        row = np.zeros(numbers * (inner + 1), np.uint8)
        row[places + fill(observation).sum(axis=1, dtype=np.int64)] = 1
        return row

    if word == "thermometer":
        return Encoder(lambda observation: fill(observation).ravel(), edges.size)
    return Encoder(encode, numbers * (inner + 1))


def _numbers(word: str, observation: Any, many: int) -> np.ndarray:
    """float64 [number]"""
    numbers = numbers_in(observation)
    if numbers is None or len(numbers) != many:
        raise BadInput(f"encode {word} needs {many} numbers, but the environment showed {shown(observation)}.")
    return numbers


def _even_edges(space: spaces.Box, bins: int) -> np.ndarray:
    low, high = space.low.ravel().astype(np.float64), space.high.ravel().astype(np.float64)
    if not np.isfinite([low, high]).all():
        raise BadInput("encode thermometer needs numbers that have bounds, but some have none; try quantiles.")
    result: np.ndarray = np.linspace(low, high, bins + 1)[1:-1].T
    return result


def _quantiles(env: gymnasium.Env[Any, Any], space: spaces.Box, bins: int) -> np.ndarray:
    """Edges between which a random policy finds each number equally often."""
    random = np.random.default_rng(SAMPLING_SEED)
    actions = env.action_space
    assert isinstance(actions, spaces.Discrete)
    many = int(np.prod(space.shape))
    seen = np.empty((1 + SAMPLED_STEPS, many))
    observation = reset(env, SAMPLING_SEED)
    seen[0] = _numbers("quantiles", observation, many)
    for place in range(1, len(seen)):
        observation, _, terminated, truncated, _ = step(env, int(actions.start + random.integers(actions.n)))
        if terminated or truncated:
            observation = reset(env)
        seen[place] = _numbers("quantiles", observation, many)
    if not np.isfinite(seen).all():
        raise BadInput("encode quantiles needs finite numbers, but the environment showed infinite ones.")
    result: np.ndarray = np.quantile(seen, np.arange(1, bins) / bins, axis=0).T
    return np.ascontiguousarray(result)


def _unfit(word: str, space: object, needed: str) -> BadInput:
    hint = "; give a function of your own, as `module:function`"
    return BadInput(f"encode {word} needs {needed}, but this environment shows {shown(space)}{hint}.")
