"""Numbers at the ends of what is allowed: every result is finite, and the same with one thread and with three."""

from __future__ import annotations

import contextlib
import io
import json
import math
import random
from typing import Any

from attacks.base import Tally, TooLong, timed
from hebbarium.cli import main as hebbarium
from hebbarium.worlds.registry import WORLDS

LIFE = {"--lifetimes": "9", "--season-steps": "200", "--seasons": "2"}
MOST = "0.9999999999999999"
RULES = (
    *("00+-/0000@0", f"00+-/0000@{MOST}", "00+-/0000@5e-324", "00+-/0000@1e-308", f"----/++++@{MOST}", "++++/++++@0.5"),
    *(f"0:0:1000:-1000/0:0:0:0@{MOST}", "0:0:1e-308:-5e-324/0:0:0:0@0.5", f"-1:1:-1:1/1:-1:1:-1@{MOST}", "00+-/0000@1"),
    *(f"00+-/0000@0,00+-/0000@{MOST}", "0:0:1000:0/-1000:0:0:0@0.999,----/----@1e-300", "0:0:1e308:0/0:0:0:0@0.1"),
)
"""The last of each row are beyond the end."""
BRAINS = (
    *(
        "",
        "--hidden=1",
        "--hidden=1000",
        "--hidden=1,1,1",
        "--hidden=3,300",
        "--weight-noise=10",
        "--weight-noise=5e-324",
    ),
    *(f"--trace={MOST}", "--trace=5e-324", "--activation=tanh", "--activation=sign", "--recurrent --hidden=40"),
    *("--activation=tanh --trace=0.99 --recurrent", "--born-alike", "--random-action=1", "--random-action=0"),
    *("--random-action=1e-6", "--cue=1", "--cue=0", "--cue=5e-324", "--season-steps=1", "--seasons=1", "--ties=random"),
    *("--arithmetic=tallied", "--hidden-bias=none", "--output-bias=none", "--seed=0", "--seed=9223372036854775807"),
    *("--scaling=none", "--scaling=clip", "--scaling=oja", "--lifetimes=1", "--weight-noise=1e308", "--trace=1"),
)


def attack(many: int, seed: int) -> Tally:
    """Each brain with one rule after the other, each rule in one world after the other."""
    tally, draw = Tally("numerical extremes"), random.Random(seed)
    tasks = list(WORLDS)
    for number in range(many):
        chosen = BRAINS[number % len(BRAINS)] + (f" {draw.choice(BRAINS)}" if number >= len(BRAINS) else "")
        options = LIFE | {name: value for name, _, value in (word.partition("=") for word in chosen.split())}
        words = ["live", tasks[number % len(tasks)], "--rule", RULES[number % len(RULES)], "--json", "-q"]
        words += [f"{name}={value}" if value else name for name, value in options.items()]
        try:
            with timed(tally):
                one, three = (_said([*words, "--threads", threads]) for threads in ("1", "3"))
        except TooLong as error:
            if error.work:
                tally.outcomes["work"] += 1
            else:
                tally.problem(words, "it took too long")
            continue
        code, out, err = one
        if one != three:
            tally.problem(words, f"differs with three threads: {one} {three}")
        elif code == 0 and _all_finite(json.loads(out)):
            tally.outcomes["finite"] += 1
        elif code == 2 and err.startswith("hebbarium: ") and err.count("\n") == 1:
            tally.outcomes["refused"] += 1
        else:
            tally.problem(words, f"exit code {code}: {out} {err}")
    return tally


def _said(words: list[str]) -> tuple[int, str, str]:
    out, err = io.StringIO(), io.StringIO()
    with contextlib.redirect_stdout(out), contextlib.redirect_stderr(err):
        code = hebbarium(words)
    result = json.loads(out.getvalue()) if code == 0 else {}
    return code, json.dumps({name: result[name] for name in result if "second" not in name}), err.getvalue()


def _all_finite(value: Any) -> bool:
    if isinstance(value, dict):
        return all(map(_all_finite, value.values()))
    if isinstance(value, list):
        return all(map(_all_finite, value))
    return not isinstance(value, float) or math.isfinite(value)
