"""How brains and Gymnasium's environments fit together."""

from __future__ import annotations

import contextlib
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import gymnasium
from gymnasium import spaces

from hebbarium.gym.answers import reset
from hebbarium.gym.encoders import SAMPLING_SEED, Encoder, make_encoder, usual_encoder
from hebbarium.gym.judges import WORDS as JUDGES
from hebbarium.gym.judges import Judge, Transition, make_judges
from hebbarium.gym.named_functions import is_function, load_function
from hebbarium.kernels.user_errors import blaming
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
        make = _maker(env)
        with blaming(called=f"env {env}"), contextlib.closing(_made(env)) as probe:
            actions = probe.action_space
            if not isinstance(actions, spaces.Discrete):
                raise BadInput(f"env {env} must have discrete actions, but has {shown(actions)}.")
            if actions.n > MOST_ACTIONS:
                raise BadInput(f"env {env} has {actions.n} actions, but at most {MOST_ACTIONS} are allowed.")
            encoder = make_encoder(encode, probe)
            # Try it once, so that what does not fit is reported now and not in a life.
            observation = reset(probe, SAMPLING_SEED)
            encoder.encode(observation)
            judges = make_judges(reinforce, env)
            if reinforce.partition(":")[0] in JUDGES:
                judges()(Transition(observation, int(actions.start), 0.0, observation, False, False, {}))
        return cls(make, encoder, judges, int(actions.n), int(actions.start))


def usual_encode(env: str) -> str:
    """The encoder that fits an environment."""
    with blaming(called=f"env {env}"), contextlib.closing(_made(env)) as probe:
        return usual_encoder(probe.observation_space)


def _made(env: str) -> Env:
    with blaming(called=f"env {env}"):
        made = _maker(env)()
    if not isinstance(made, gymnasium.Env):
        raise BadInput(f"env {env} made {shown(made)}, but must make an environment of Gymnasium's.")
    return made


def _maker(env: str) -> Callable[[], Env]:
    if is_function(env):
        return load_function("env", env)

    def make() -> Env:
        # MiniGrid's environments are registered once it is imported, which their ids do not say.
        minigrid = env.startswith(("MiniGrid-", "BabyAI-")) and env not in gymnasium.registry
        try:
            return gymnasium.make(f"minigrid:{env}" if minigrid else env)
        except Exception as error:
            nearest = None if env in gymnasium.registry else nearest_word(env, gymnasium.registry)
            reason = " ".join(str(error).split()).rstrip(".")
            hint = f"; did you mean {nearest!r}?" if nearest else f" ({reason or type(error).__name__})."
            raise BadInput(f"env is {env!r}, but Gymnasium cannot make it{hint}") from error

    return make
