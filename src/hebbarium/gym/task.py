"""A Gymnasium environment as a world to live in: its observations as bits, its rewards as reinforcement.

Its steps are Python's, so lives are thousands of times slower than in our own worlds; still, all verbs work with it.
"""

from __future__ import annotations

import dataclasses
import functools
import shlex
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np

from hebbarium.gym.encoders import AUTO
from hebbarium.gym.interface import Interface, usual_encode
from hebbarium.gym.judges import judge_for
from hebbarium.gym.named_functions import HERE, is_function, name_of
from hebbarium.kernels.source_hash import module_hash
from hebbarium.tools.errors import BadInput, printable
from hebbarium.worlds.base import Association, World

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
    lived_by: ClassVar[str] = "hebbarium.gym.lives:GymBatch"
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
            object.__setattr__(self, "encode", _usual_encode(self.env))
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
        return _interface(self.env, self.encode, self.reinforce)

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
        if self.encode == _usual_encode(self.env):
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


_interface = functools.lru_cache(maxsize=64)(Interface.of)
_usual_encode = functools.lru_cache(maxsize=64)(usual_encode)
