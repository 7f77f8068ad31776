"""Generated command lines: a result or one sentence, exit code 0 or 2, and nothing that takes long but work.

Options are taken from the parser itself, so that later ones are attacked too. Most lines are run within this process,
which is a hundred times as fast; some as processes of their own.
"""

from __future__ import annotations

import contextlib
import io
import json
import os
import random
import subprocess
import sys
import tempfile
import time
import typing
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from attacks.base import Tally, TooLong, timed
from hebbarium.cli import VERBS, main, make_app
from hebbarium.cli.commands import Verb
from hebbarium.worlds.registry import WORLDS

WORDS = """
    0 1 -1 -0 2 0.5 2.5 1e3 1e999 nan inf -inf 0x10 true no None [] {} () foraging:1 foraging:0 prey-predator:6
    00+-/0000 -0+-/0000 −0+-/0000 -------- -0+ 0/0 6561 00000000 inside summer winter, , : = a=b hidden=1:9:4
    hidden=1:1e9:1 eta=0.1,nan seasons=1,2 rule=3 perfect racing . .. run empty x[ pipe null zero full loop a.png
    a.npz a.csv a.parquet no/a.svg grown.npz a.toml deep.toml ./pond.py ./bad.py pond é [/red] [bold] :dog: %s $HOME
    ..%2f ' " * ~ - -- --- \\ \udcff \x1b[31m
"""
NASTY = [*WORDS.split(), "9" * 30, "9" * 5000, "a" * 300, "a" * 5000, "a\nb", " ", ""]
STRAYS = ["--help", "--version", "-qv", "-x", "--json", "--nonsense", "--no-rule", "--rule.x"]
GOOD: dict[Any, list[str]] = {
    int: ["1", "2", "3"],
    float: ["0.03", "0.5"],
    str: ["hidden=2:4:2", "0.01,0.1", "foraging", "summer", "genotype", "etas", "blame", "quantiles:2"],
    Path: ["a.png", "a.npz", "grown.npz", "run", "a.csv", "a.parquet", "new"],
}
RULES = ["foraging:1", "00+-/0000", "-0+-/0000", "3", "prey-predator:2"]
SMALL = {
    "live": ["--lifetimes=1", "--season-steps=3", "--seasons=2", "--grid-size=20"],
    "compare": ["--lifetimes=2", "--season-steps=3", "--grid-size=20"],
    "sweep": ["--lifetimes=2", "--season-steps=3", "--grid-size=20"],
    "evolve": ["--max-generations=1", "--season-steps=3", "--grid-size=20", "--rescore=0"],
    "atlas": ["--limit=1", "--effort=0.1", "--season-steps=3", "--grid-size=20"],
    "lifelong": ["--lifetimes=2", "--season-steps=3", "--seasons=4", "--grid-size=20"],
    "transfer": ["--tasks=t-maze", "--budget=0", "--lifetimes=2"],
    "watch": ["--record=a.html", "--season-steps=3", "--seasons=2", "--grid-size=20", "--no-open", "--port=0"],
    "reproduce": ["--list"],
}
"""What keeps a line that happens to be right from being much work; not all of them are options of every task."""
SUBJECTS = {
    "explain": 1,
    "compare": 2,
    "lifelong": 2,
    "transfer": 2,
    "runs": 1,
    "export": 1,
    "merge": 2,
    "new-world": 1,
}
"""Verbs that are given so many words beside their options."""
Line = list[str]
Options = dict[str, list[str]]


def attack(count: int, processes: int, seed: int) -> Iterator[Tally]:
    """processes: how many more are run as processes of their own."""
    lines = generated(seed)
    with prepared_folder():
        yield _within(Tally("command lines"), [next(lines) for _ in range(count)])
        yield _as_processes(Tally("command lines as processes"), [next(lines) for _ in range(processes)])


@contextlib.contextmanager
def prepared_folder() -> Iterator[Path]:
    """A folder to be in, with a run, networks, and files that are no files."""
    before = Path.cwd()
    with tempfile.TemporaryDirectory() as outer:
        folder = Path(outer) / "here"  # so that .. is ours, too
        folder.mkdir()
        os.chdir(folder)
        try:
            _prepare()
            yield folder
        finally:
            os.chdir(before)


def _prepare() -> None:
    Path("empty").mkdir()
    Path("x[").mkdir()
    os.mkfifo("pipe")
    for name in ("null", "zero", "full"):
        Path(name).symlink_to(f"/dev/{name}")
    Path("loop").symlink_to("loop")
    Path("bad.py").write_text("1 / 0\n", encoding="utf-8")
    Path("a.toml").write_text("seed = 3\n", encoding="utf-8")
    Path("deep.toml").write_text(f"seed = {'[' * 5000}{']' * 5000}\n", encoding="utf-8")
    with contextlib.redirect_stdout(io.StringIO()):
        for task in [*(set(WORLDS) - {"foraging"}), "foraging"]:  # last the one whose networks stay
            assert main(["live", task, "--frozen", *SMALL["live"][:3], "--save", "grown.npz"]) == 0
        assert main(["new-world", "pond"]) == 0
        assert main(["evolve", "foraging", "--search=random", *SMALL["evolve"], "--out", "run", "-q"]) == 0


def generated(seed: int) -> Iterator[Line]:
    rng = random.Random(seed)
    commands = options_of_all()
    while True:
        yield _line(rng, commands)


def options_of_all() -> dict[tuple[str, ...], Options]:
    """For each command its options, each with values that fit."""
    app = make_app()
    found: dict[tuple[str, ...], Options] = {}
    for verb in (verb for verb in VERBS if verb != "watch"):  # a server does not end by itself; tests/watch attacks it
        tasks = [task for task in WORLDS if task in app[verb]]
        for words in [(verb, task) for task in tasks] or [(verb,)]:
            Verb.made[verb].make(list(words[1:]), help_all=True)
            command = app[verb][words[1]] if tasks else app[verb]
            arguments = [argument for argument in command.assemble_argument_collection() if argument.parse]
            found[words] = {
                name: _fitting(argument.hint)
                for argument in arguments
                for name in argument.names
                if name.startswith("-") and name != "--debug"
            }
    return found


def _fitting(hint: Any) -> list[str]:
    kinds = typing.get_args(hint) or (hint,)
    words = [word for kind in kinds for word in (GOOD.get(kind) or _choices(kind))]
    return words or ([] if bool in kinds else RULES)


def _choices(kind: Any) -> list[str]:
    return [str(choice) for choice in typing.get_args(kind)]


def _line(rng: random.Random, commands: dict[tuple[str, ...], Options]) -> Line:
    words = rng.choice(list(commands))
    options = commands[words]
    start = [word if rng.random() < 0.98 else rng.choice(NASTY) for word in words]
    more: Line = []
    for _ in range(rng.choice([0, 1, 1, 2, 2, 3, 5])):
        more += _option(rng, options)
    if rng.random() < 0.5 and "--rule" in options:
        more += ["--rule", rng.choice(RULES)]
    if words[0] in SUBJECTS and rng.random() < 0.8:
        more[:0] = [rng.choice([*RULES, "run"]) for _ in range(SUBJECTS[words[0]])]
    given = {word.partition("=")[0] for word in more}
    less = ["--lifetimes=2"] if "--measure" in given else SMALL.get(words[0], [])
    small = [word for word in less if (name := word.partition("=")[0]) in options and name not in given]
    return [*start, *small, *more]


def _option(rng: random.Random, options: Options) -> Line:
    if rng.random() < 0.1:
        return [rng.choice([*NASTY, *STRAYS])]
    name = rng.choice(list(options))
    good = options[name]
    value = rng.choice(good) if good and rng.random() < 0.8 else _nasty(rng)
    match rng.randrange(10):
        case 0:
            return [name]
        case 1 | 2 | 3:
            return [f"{name}={value}"]
    return [name, value] if good else [name]


def _nasty(rng: random.Random) -> str:
    if rng.random() < 0.8:
        return rng.choice(NASTY)
    letters = [*range(1, 47), *range(48, 128), 0xE9, 0x202E, 0x1F600]  # no slash: what is written stays in the folder
    return "".join(chr(rng.choice(letters)) for _ in range(rng.randrange(9)))


def _within(tally: Tally, lines: list[Line]) -> Tally:
    for line in lines:
        if (said := run_within(tally, line)) is not None:
            judge(tally, line, *said)
    return tally


def run_within(tally: Tally, line: Line) -> tuple[int, str, str] | None:
    """Exit code and both outputs of a line run in this process; None, and counted, if it took too long or raised."""
    out, err = io.StringIO(), io.StringIO()
    try:
        with timed(tally), contextlib.redirect_stdout(out), contextlib.redirect_stderr(err):
            return main(line), out.getvalue(), err.getvalue()
    except TooLong as error:
        if error.work:
            tally.outcomes["work"] += 1
        else:
            tally.problem(line, "it took too long")
    except BaseException as error:
        tally.problem(line, repr(error))
    return None


def judge(tally: Tally, line: Line, code: int, out: str, err: str) -> None:
    """Count a line, as a problem where its exit code or what it printed is not as promised."""
    last = err.rstrip("\n").rpartition("\n")[2]
    if "Traceback" in err or "internal error" in err:
        tally.problem(line, err)
    elif code == 0:
        wants_json = "--json" in line and not {"--help", "-h", "--help-all", "--version"} & set(line)
        if wants_json and not isinstance(_parsed(out), dict):
            tally.problem(line, f"no JSON: {out}")
        else:
            tally.outcomes["done"] += 1
    elif code == 2 and out == "" and last.startswith("hebbarium: ") and last.endswith((".", "?", "...")):
        tally.outcomes["refused"] += 1
    else:
        tally.problem(line, f"exit code {code}: {err}")


def _parsed(out: str) -> Any:
    try:
        return json.loads(out)
    except ValueError:
        return None


def _as_processes(tally: Tally, lines: list[Line], seconds: float = 240) -> Tally:
    for line in lines:
        start = time.perf_counter()
        words = [sys.executable, "-m", "hebbarium", *line]
        try:
            done = subprocess.run(words, stdin=subprocess.DEVNULL, capture_output=True, timeout=seconds, check=False)
        except subprocess.TimeoutExpired:
            tally.problem(line, "it took too long")
        else:
            tally.slowest = max(tally.slowest, time.perf_counter() - start)
            judge(tally, line, done.returncode, *(text.decode(errors="replace") for text in (done.stdout, done.stderr)))
    return tally
