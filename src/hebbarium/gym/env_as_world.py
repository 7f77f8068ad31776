"""A Gymnasium environment as a world to live in: its observations as bits, its rewards as reinforcement.

Its steps are Python's, so lives are thousands of times slower than in our own worlds; still, all verbs work with it.
"""

from __future__ import annotations

import contextlib
import dataclasses
import functools
import shlex
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, ClassVar

import gymnasium
import numpy as np
from gymnasium import spaces

from hebbarium.gym.encoders import AUTO, SAMPLING_SEED, Encoder, make_encoder, usual_encoder
from hebbarium.gym.env_answers import reset
from hebbarium.gym.judges import WORDS as JUDGES
from hebbarium.gym.judges import Judge, Transition, judge_for, make_judges
from hebbarium.gym.named_functions import HERE, is_function, load_function, name_of
from hebbarium.kernels.source_hash import module_hash
from hebbarium.kernels.user_errors import blaming
from hebbarium.tools.errors import BadInput, nearest_word, printable, shown
from hebbarium.worlds.base import Association, World

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
    @functools.lru_cache(maxsize=64)
    def of(cls, env: str, encode: str, reinforce: str) -> Interface:
        with _opened(env) as probe:
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
        return cls(_maker(env), encoder, judges, int(actions.n), int(actions.start))


@functools.lru_cache(maxsize=64)
def usual_encode(env: str) -> str:
    """The encoder that fits an environment."""
    with _opened(env) as probe:
        return usual_encoder(probe.observation_space)


@contextlib.contextmanager
def _opened(env: str) -> Iterator[Env]:
    with blaming(called=f"env {env}"):
        made = _maker(env)()
        if not isinstance(made, gymnasium.Env):
            raise BadInput(f"env {env} made {shown(made)}, but must make an environment of Gymnasium's.")
        with contextlib.closing(made):
            yield made


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


if TYPE_CHECKING:
    Named = str | Callable[..., Any]
else:
    Named = str  # a function is at once replaced by its name: the command line needs to know of text only
PARTS = 1000
"""Rewards are counted in thousandths: counts are whole numbers."""
REWARD, EPISODES, STEPS = range(3)
FUNCTIONS = ("env", "encode", "reinforce")
"""Settings that may be functions."""


@dataclass(frozen=True)
class GymTask(World):
    """A Gymnasium environment with discrete actions. A life goes through episode after episode, and keeps its weights.

    What is counted in a season: the reward in thousandths, the episodes that had a step in it, the last one cut off by
    the season's end among them, and the steps. The fitness is the reward for each of those episodes.
    """

    name: ClassVar[str] = "gymnasium"
    counts: ClassVar[tuple[str, ...]] = ("millireward", "episodes", "steps")
    counted: ClassVar[tuple[str, ...]] = ("reward in thousandths", "episodes", "steps")
    kinds: ClassVar[tuple[str, ...]] = ("season",)
    groups: ClassVar[tuple[str, ...]] = ("punished", "told nothing", "rewarded")
    associations: ClassVar[tuple[Association, ...]] = (
        Association(1, "anything", "punished", (-1,)),
        Association(2, "anything", "told nothing", (0,)),
        Association(3, "anything", "rewarded", (1,)),
    )
    default_hidden: ClassVar[int] = 20
    agents: ClassVar[tuple[str, ...]] = ("random",)
    lived_by: ClassVar[str] = "hebbarium.gym.env_lives:GymBatch"
    basic: ClassVar[tuple[str, ...]] = ("encode", "reinforce", "season_steps")
    """Settings that --help describes: without a judge hardly anything learns."""

    env: Named = "CartPole-v1"
    """An id of Gymnasium's, or `module:function`, which makes an environment; in Python the function itself."""
    encode: Named = AUTO
    """Observations to bits: identity, one-hot, thermometer:N or quantiles:N for N bins, goal (where a MiniGrid world's
    goal is), or module:function; auto is what fits."""
    reinforce: Named = "sign"
    """How a step becomes -1, 0 or 1: sign (the reward's), baseline:RATE (against its running average), lean (CartPole),
    energy (Acrobot, MountainCar), distance (MiniGrid), progress:FORMULA, or module:function."""
    seasons: int = dataclasses.field(default=1, kw_only=True)
    """Seasons in a life."""
    schedule: str = dataclasses.field(default="season", kw_only=True)
    """The order of seasons; here all are alike."""

    def __post_init__(self) -> None:
        for name in FUNCTIONS:
            value = getattr(self, name)
            if callable(value):
                object.__setattr__(self, name, name_of(value))
        super().__post_init__()

    def check(self) -> None:
        if self.encode == AUTO:  # a run says what was taken
            object.__setattr__(self, "encode", usual_encode(self.env))
        assert self.interface

    @property
    def label(self) -> str:
        return printable(str(self.env).rpartition(":")[2].replace("/", "-"))

    @property
    def typed(self) -> str:
        env = str(self.env)  # a function has been replaced by its name
        return self.name if is_function(env) else shlex.quote(printable(env))

    @property
    def interface(self) -> Interface:
        """What its environments are like."""
        return Interface.of(self.env, self.encode, self.reinforce)

    @property
    def inputs(self) -> int:
        return self.interface.encoder.bits

    @property
    def actions(self) -> tuple[str, ...]:  # type: ignore[override]
        first = self.interface.first_action
        return tuple(str(first + action) for action in range(self.interface.actions))

    def group_table(self) -> np.ndarray:
        return np.tile(np.array([0, 0, 1, 2], np.int8)[None, :, None], (1, 1, self.outputs))

    def new_state(self, lifetimes: int) -> tuple[()]:
        """The environments hold it."""
        return ()

    def fitness(self, counts: np.ndarray) -> np.ndarray:
        """Reward for each episode."""
        scores: np.ndarray = counts[:, :, REWARD] / PARTS / counts[:, :, EPISODES]
        return scores

    def settings(self) -> dict[str, Any]:
        self.check_sendable("kept in a run")
        return super().settings()

    def changed_settings(self) -> dict[str, Any]:
        """Without an id, by which the task is called anyway, and without the encoder that fits."""
        changed = super().changed_settings()
        if not is_function(str(self.env)):
            changed.pop("env", None)
        if self.encode == usual_encode(self.env):
            changed.pop("encode", None)
        return changed

    def __reduce_ex__(self, protocol: Any) -> Any:
        self.check_sendable("sent to another process")
        return super().__reduce_ex__(protocol)

    def judged(self, signals: Sequence[int], heeded: Sequence[bool] = (True, True)) -> str:
        kinds = dict(zip(("punished", "neither punished nor rewarded", "rewarded"), signals, strict=True))
        always = [kind for kind, steps in kinds.items() if steps == sum(signals)]
        halves = zip(("punishment", "reward"), ("punished", "rewarded"), heeded, strict=True)
        lost = {entries: kind for entries, kind, heeds in halves if heeds and not kinds[kind]}
        if not (always or lost):
            return ""
        found = f"Every step was {always[0]}" if always else f"No step was {' or '.join(lost.values())}"
        so = f"entries for {' and '.join(lost)} changed nothing" if lost else "no action was judged better than another"
        hint = judge_for(str(self.env))
        own = self.reinforce == hint or is_function(str(self.reinforce))
        return f"{found}, so {so}{'' if own else f': choose another judge, such as --reinforce {hint}'}."

    def about(self) -> dict[str, str]:
        """With a hash of the sources of its functions, so that a run notices when they are edited."""
        functions = {name: getattr(self, name) for name in FUNCTIONS if is_function(getattr(self, name))}
        hashes = {f"{name}_sources": module_hash(text.partition(":")[0]) for name, text in functions.items()}
        return super().about() | {name: known for name, known in hashes.items() if known}

    def check_sendable(self, what: str) -> None:
        """Refuse functions that another process could not find."""
        for name in FUNCTIONS:
            if getattr(self, name).startswith(HERE):
                raise BadInput(
                    f"this task cannot be {what}: its {name} is a function that only this process has. Put it into a "
                    f"module and give it as 'module:function'."
                )
