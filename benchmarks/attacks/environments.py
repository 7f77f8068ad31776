"""Gymnasium's environments that answer nonsense, and encoders, judges and formulas that are none.

Each is refused in one sentence that does not blame a file of ours; what is merely odd may live.
"""

from __future__ import annotations

import random
from collections.abc import Iterator
from typing import Any

import gymnasium
import numpy as np
from gymnasium import spaces

from attacks.base import Tally
from attacks.commands import judge, run_within

SMALL = ["--rule", "00+-/0000@0.04", "--season-steps", "30", "--lifetimes", "2", "--seasons", "2", "--json", "-q"]


class Sound(gymnasium.Env[Any, Any]):
    """Two numbers and two actions; the answers of those below are wrong after some steps."""

    observation_space = spaces.Box(-1, 1, (2,), np.float32)
    action_space = spaces.Discrete(2)
    steps = 0

    def observe(self) -> Any:
        return np.array([0.1, self.steps % 7 / 7], np.float32)

    def reset(self, **how: Any) -> Any:
        super().reset(seed=how.get("seed"))
        return self.observe(), {}

    def step(self, action: Any) -> Any:
        self.steps += 1
        sound = (self.observe(), 1.0, self.steps % 5 == 0, False, {})
        return sound if self.steps < 4 else self.late(sound)

    def late(self, sound: Any) -> Any:
        return sound


def _raise(error: BaseException) -> Any:
    raise error


WRONG: dict[str, Any] = {
    **{
        f"reward_{number}": lambda sound, wrong=wrong: (sound[0], wrong, *sound[2:])
        for number, wrong in enumerate(
            (None, "x", np.nan, np.inf, -np.inf, 1e305, np.ones(2), np.ones(1), 1j, 10**400, [1], {}, "1", object())
        )
    },
    **{
        f"shown_{number}": lambda sound, wrong=wrong: (wrong, *sound[1:])
        for number, wrong in enumerate(
            (None, "x", [np.nan, 0.0], [0.0], [0.0] * 3, [], object(), {"a": 1}, [[1, 2], [3]], [1j, 0], ["0", "1"], ())
        )
    },
    **{
        f"ended_{number}": lambda sound, wrong=wrong: (*sound[:2], wrong, *sound[3:])
        for number, wrong in enumerate((np.array([True, False]), "x", None, [], 0.5, np.nan))
    },
    "four": lambda sound: sound[:4],
    "six": lambda sound: (*sound, 1),
    "nothing": lambda sound: None,
    "in_pieces": lambda sound: iter(sound),
    "a_list": lambda sound: list(sound),
    "leaves": lambda sound: _raise(SystemExit(0)),
    "no_exception": lambda sound: _raise(GeneratorExit()),
    "fails": lambda sound: _raise(ValueError("a\nb\x1b[2J")),
    "no_memory": lambda sound: _raise(MemoryError()),
}
"""What becomes of the answer to a step."""
CLASSES: dict[str, dict[str, Any]] = {
    "closes_badly": {"close": lambda self: 1 / 0},
    "begins_with_nothing": {"reset": lambda self, **how: None},
    "begins_bare": {"reset": lambda self, **how: np.zeros(2)},
    "without_seed": {"reset": lambda self: (np.zeros(2), {})},
    "without_action": {"step": lambda self: None},
    "too_many_actions": {"action_space": spaces.Discrete(10**9)},
    "other_actions": {"action_space": spaces.Box(-1, 1, (1,))},
    "no_actions": {"action_space": None},
    "no_space": {"observation_space": None},
    "a_large_space": {"observation_space": spaces.Box(-1, 1, (300, 300))},
    "a_scalar": {"observation_space": spaces.Box(-1, 1, ())},
    "an_empty_space": {"observation_space": spaces.Box(-1, 1, (0,))},
    "a_small_view": {"observation_space": spaces.Dict({"image": spaces.Box(0, 9, (1, 1, 1), np.uint8)})},
    "another_view": {"observation_space": spaces.Dict({"image": spaces.Box(0, 9, (7, 7, 3), np.uint8)})},
    "beyond": {"observation_space": spaces.Discrete(5), "observe": lambda self: self.steps % 9},
    "no_bits": {"observation_space": spaces.MultiBinary(3), "observe": lambda self: np.full(3, self.steps % 3)},
    "pairs": {"observation_space": spaces.Tuple((spaces.Discrete(2), spaces.Discrete(3)))},
}
"""Wrong from the beginning."""
CLASSES |= {name: {"late": lambda self, sound, change=change: change(sound)} for name, change in WRONG.items()}
for _name, _own in CLASSES.items():
    globals()[_name] = type(_name, (Sound,), _own)

VALUES: tuple[Any, ...] = (None, "abc", [[0, 1]], [0, 2], [np.nan], [], [object()], np.zeros(10**6), ["0"], {0}, 0.5)
for _place, _value in enumerate(VALUES):
    globals()[f"gives_{_place}"] = lambda given, value=_value: value


def takes_nothing() -> list[int]:
    return [0]


def leaves_at_once(given: Any) -> Any:
    raise SystemExit(0)


FUNCTIONS = (*(f"gives_{place}" for place in range(len(VALUES))), "takes_nothing", "leaves_at_once")
ENCODERS = ("identity:7", "goal:3", "quantiles:0", "quantiles:257", "quantiles:1e3", "thermometer:3:4", "", ":", "a:")
ENCODERS += (":b", "a:b", "os:getcwd", "sys:exit", "json:dumps", f"quantiles:{'9' * 5000}", "\x1b[2J", "here:x-1")
JUDGES = ("sign:3", "baseline:x", "baseline:2", "baseline:nan", "energy", "distance", ":", "os:getcwd", "builtins:abs")
FORMULAS = ("", "-" * 900 + "x0", "abs(" * 240 + "x0" + ")" * 240, "x9", "1e999", "9" * 900, "1/0", "log(-1)", "abs()")
FORMULAS += ("9**9**9**9", "exp(710)", "__import__('os')", "x0.real", "lambda: 1", "[1]", "x0<1", "x0%2", "True", "1j")
FORMULAS += (
    "'a'",
    "x0;x1",
    "é",
    "\0",
    "nan",
    "(x:=3)",
    "f'{x0}'",
    "abs(*[1])",
    "abs(x=1)",
    "atan2(1)",
    "min(1)",
    "~x0",
)
IDS = ("x", "../CartPole-v1", "CartPole-v99", "CartPole-v1:x", "\x1b[2J-v1", "a/b/c-v1", "http://x-v1", "Pendulum-v1")
IDS += ("MiniGrid-x-v0", "nosuch.module:make", "json:loads", "os:getcwd", "Blackjack-v1", "")
WORDS = ("x0", "x1", "x2", "x3", "x9", "1", "0", "-2.5", "1e300", "+", "-", "*", "/", "**", "(", ")", ",", ".", "x")
WORDS += ("abs(", "sin(", "log(", "exp(", "min(", "max(", "hypot(")


def lines(many: int, seed: int) -> Iterator[tuple[list[str], bool]]:
    """Command lines, and whether each must be refused. many: random formulas"""
    draw, here = random.Random(seed), __name__
    for name in CLASSES:
        for encode in ("auto", "thermometer:3"):
            yield ["live", "gymnasium", "--env", f"{here}:{name}", "--encode", encode], True
        yield ["live", "gymnasium", "--env", f"{here}:{name}", "--reinforce", "progress:x0"], True
    for encode in (*ENCODERS, *(f"{here}:{name}" for name in FUNCTIONS)):
        yield ["live", "CartPole-v1", f"--encode={encode}"], True
    for reinforce in (*JUDGES, *(f"{here}:{name}" for name in FUNCTIONS), *(f"progress:{text}" for text in FORMULAS)):
        yield ["live", "CartPole-v1", f"--reinforce={reinforce}"], True
    for env in IDS:
        yield ["live", "gymnasium", f"--env={env}"], True
    for _ in range(many):
        text = " ".join(draw.choice(WORDS) for _ in range(draw.randint(1, 9)))
        yield ["live", "CartPole-v1", "--encode=quantiles:2", f"--reinforce=progress:{text}"], False


def attack(count: int, seed: int) -> Tally:
    """count: how many in all, drawn at random where there are more"""
    tally = Tally("environments")
    fixed = sum(1 for _ in lines(0, seed))
    chosen = list(lines(max(0, count - fixed), seed))
    for line, refused in chosen if count >= fixed else random.Random(seed).sample(chosen, count):
        _try(tally, [*line, *SMALL], refused)
    return tally


def _try(tally: Tally, line: list[str], refused: bool) -> None:
    if (said := run_within(tally, line)) is None:
        return
    code, out, err = said
    if "hebbarium/gym" in err or (refused and code == 0):
        tally.problem(line, f"exit code {code}: {err}")
    else:
        judge(tally, line, code, out, err)
