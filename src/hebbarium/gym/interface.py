"""How brains and anybody's environments fit together."""

from __future__ import annotations

import contextlib
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import gymnasium
from gymnasium import spaces

from hebbarium.gym.encoders import SAMPLING_SEED, Encoder, make_encoder
from hebbarium.gym.functions import is_function, load_function
from hebbarium.gym.reinforcement import Judge, make_judges
from hebbarium.kernels.blaming import blaming
from hebbarium.tools.errors import BadInput, nearest_word, shown

Env = gymnasium.Env[Any, Any]
MOST_ACTIONS = 65_536


@dataclass(frozen=True)
class Interface:
    """How brains and the environments of one task fit together."""

    make: Callable[[], Env]
    encoder: Encoder
    judges: Callable[[], Judge]
    actions: int
    first_action: int

    @classmethod
    def of(cls, env: str, encode: str, reinforce: str) -> Interface:
        make = load_function("env", env) if is_function(env) else _maker(env)
        with blaming():
            probe = make()
        if not isinstance(probe, gymnasium.Env):
            raise BadInput(f"env {env} made {shown(probe)}, but must make an environment of Gymnasium's.")
        with blaming(), contextlib.closing(probe):
            actions = _checked_actions(env, probe.action_space)
            encoder = make_encoder(encode, probe)
            encoder.encode(probe.reset(seed=SAMPLING_SEED)[0])  # what does not fit is better told now than in a life
        return cls(make, encoder, make_judges(reinforce), int(actions.n), int(actions.start))


def _checked_actions(env: str, actions: object) -> spaces.Discrete:
    if not isinstance(actions, spaces.Discrete):
        raise BadInput(f"env {env} must have discrete actions, but has {shown(actions)}.")
    if actions.n > MOST_ACTIONS:
        raise BadInput(f"env {env} has {actions.n} actions, but at most {MOST_ACTIONS} are allowed.")
    return actions


def _maker(env: str) -> Callable[[], Env]:
    def make() -> Env:
        try:
            return gymnasium.make(env)
        except Exception as error:
            nearest = None if env in gymnasium.registry else nearest_word(env, gymnasium.registry)
            reason = " ".join(str(error).split()).rstrip(".")
            hint = f"; did you mean {nearest!r}?" if nearest else f" ({reason or type(error).__name__})."
            raise BadInput(f"env is {env!r}, but Gymnasium cannot make it{hint}") from error

    return make
