"""How brains and anybody's environments fit together."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import gymnasium
from gymnasium import spaces

from hebbarium.errors import BadInput, nearest_word, shown
from hebbarium.gym.encoders import Encoder, make_encoder
from hebbarium.gym.functions import is_function, load_function
from hebbarium.gym.reinforcement import Judge, make_judges

Env = gymnasium.Env[Any, Any]


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
        probe = make()
        try:
            actions = probe.action_space
            if not isinstance(actions, spaces.Discrete):
                raise BadInput(f"env {env} must have discrete actions, but has {shown(actions)}.")
            encoder = make_encoder(encode, probe)
        finally:
            probe.close()
        return cls(make, encoder, make_judges(reinforce), int(actions.n), int(actions.start))


def _maker(env: str) -> Callable[[], Env]:
    try:
        gymnasium.spec(env) if ":" not in env else gymnasium.make(env).close()
    except (gymnasium.error.Error, ImportError) as error:
        nearest = nearest_word(env, gymnasium.registry)
        hint = f"; did you mean {nearest!r}?" if nearest else f" ({error})."
        raise BadInput(f"env is {env!r}, but Gymnasium cannot make it{hint}") from None
    return lambda: gymnasium.make(env)
