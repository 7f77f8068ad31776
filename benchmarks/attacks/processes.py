"""Whole processes under odd conditions: killed at any moment, under clocks that are wrong or jump, twenty at once
without a compiled kernel, and with worlds that were edited at random."""

from __future__ import annotations

import contextlib
import json
import os
import random
import re
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator, Sequence
from pathlib import Path

from attacks.base import Tally
from attacks.commands import judge
from attacks.commits import STUDIES, prepare, without_places, words_of
from hebbarium.kernels.cache import CACHE_VARIABLE
from hebbarium.worlds import pond
from kill import rows

SECONDS = 400
"""After which we call it a hang, on a machine that may be busy."""
HEBBARIUM = [sys.executable, "-m", "hebbarium"]


def kills(many: int, seed: int) -> Iterator[Tally]:
    """SIGKILL at random moments of every study, three times in each folder, which is then finished."""
    draw = random.Random(seed)
    for study in STUDIES:
        tally = Tally(f"killed: {study}")
        with tempfile.TemporaryDirectory(prefix="hebbarium-attack-") as name:
            place = Path(name)
            prepare(study, place)
            _finished(words_of(study, place, "compiled"))
            start = time.perf_counter()
            whole = _finished(words_of(study, place, "whole"))
            seconds, sound = time.perf_counter() - start, rows(place / "whole")
            for number in range(-(-many // len(STUDIES) // 3)):
                words, run = words_of(study, place, f"killed-{number}"), place / f"killed-{number}"
                for _ in range(3):
                    before = rows(run)
                    process = subprocess.Popen(
                        [*HEBBARIUM, *words], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL
                    )
                    with contextlib.suppress(subprocess.TimeoutExpired):
                        process.wait(draw.uniform(0.3, 0.9) * seconds)
                    process.kill()
                    tally.outcomes["killed" if process.wait() == -signal.SIGKILL else "ended before"] += 1
                    if not before.items() <= rows(run).items() <= sound.items():
                        tally.problem(study, "a kill has lost or changed something")
                if _finished(words) != whole or rows(run) != sound:
                    tally.problem(study, "resumed, it is something else")
        yield tally


def _finished(words: Sequence[str]) -> dict[str, object]:
    done = subprocess.run([*HEBBARIUM, *words], capture_output=True, text=True, timeout=SECONDS)
    assert done.returncode == 0, f"{' '.join(words)}: {done.stderr}"
    return without_places(json.loads(done.stdout))  # type: ignore[no-any-return]


CLOCKS = {
    "1970": "0.0",
    "before 1970": "-1e6",
    "1900": "-2.2e9",
    "2038": "2.0 ** 31",
    "2107": "4354819199.0",
    "2280": "9.8e9",
    "the year 9999": "253402300799.0",
    "the year 30000": "9e11",
    "backwards": "1.7e9 - 3600 * next(ticks)",
    "jumps": "1.7e9 * (1 + next(ticks) % 2)",
}
"""What a machine's clock says, as Python."""
WITH_A_CLOCK = """
import datetime, itertools, sys, time
ticks = itertools.count()
def now(): return CLOCK
time.time, time.time_ns = now, lambda: int(now() * 1e9)
for name in ("gmtime", "localtime", "ctime"):
    setattr(time, name, lambda at=None, real=getattr(time, name): real(now() if at is None else at))
class Clock(datetime.datetime):
    @classmethod
    def now(cls, tz=None): return cls.fromtimestamp(now(), tz)
    @classmethod
    def utcnow(cls): return cls.now()
datetime.datetime = Clock
from hebbarium.cli import main
sys.exit(main(sys.argv[1:]))
"""
TIMED = ("live association --rule 00+-/0000@0.04 --lifetimes 3 --season-steps 40 --save {run}.npz", *STUDIES.values())


def clocks(many: int) -> Tally:
    """Each command under each clock: it is done as under any other, and its run can be read."""
    tally = Tally("clocks")
    cases = [(clock, words) for words in TIMED if "merge" not in words for clock in CLOCKS]
    for clock, command in cases[:: max(1, len(cases) // many)]:
        with tempfile.TemporaryDirectory(prefix="hebbarium-attack-") as place:
            run = Path(place) / "run"
            words = [sys.executable, "-c", WITH_A_CLOCK.replace("CLOCK", CLOCKS[clock], 1)]
            lines = [[*command.format(run=run).split(), "--json", "-q"]]
            lines += [["runs", place, "--json", "-q"]] * (not command.startswith("live"))
            for line in lines:
                done = subprocess.run([*words, *line], capture_output=True, text=True, timeout=SECONDS)
                judge(tally, [clock, *line], done.returncode, done.stdout, done.stderr)
    return tally


def cold(many: int) -> Tally:
    """So many processes at once that all find the same empty cache."""
    tally = Tally("cold compiles at once")
    words = [*HEBBARIUM, "live", "t-maze", "--rule=00+-/0000@0.04", "--lifetimes=2", "--json", "-q"]
    with tempfile.TemporaryDirectory(prefix="hebbarium-attack-") as place:
        started = [
            subprocess.Popen(
                words,
                stdout=subprocess.PIPE,
                stderr=subprocess.PIPE,
                text=True,
                env={**os.environ, CACHE_VARIABLE: place},
            )
            for _ in range(many)
        ]
        said = [process.communicate(timeout=many * SECONDS) for process in started]
        digests = {json.loads(out).get("digest") for out, _ in said if out}
        for process, (_, err) in zip(started, said, strict=True):
            if process.returncode or err or len(digests) != 1:
                tally.problem(words[2:], f"exit code {process.returncode}, {len(digests)} digests: {err}")
            else:
                tally.outcomes["same digest"] += 1
        if left := [path.name for path in Path(place).rglob("*") if "tmp" in path.suffix or "part" in path.name]:
            tally.problem("afterwards", f"half-written files are left: {left}")
    return tally


def edited_worlds(many: int, seed: int) -> Tally:
    """A world's file with some words or lines of it changed at random: lived in, or refused with one sentence."""
    tally, draw = Tally("edited worlds"), random.Random(seed)
    source = Path(pond.__file__).read_text(encoding="utf-8")
    with tempfile.TemporaryDirectory(prefix="hebbarium-attack-") as place:
        for number in range(many):
            text = edited(source, draw)
            (Path(place) / f"pond{number}.py").write_text(text, encoding="utf-8")
            words = ["live", f"./pond{number}.py", "--rule=000-/00+0@0.04", "--lifetimes=3", "--json", "-q"]
            start = time.perf_counter()
            try:
                done = subprocess.run([*HEBBARIUM, *words], cwd=place, capture_output=True, text=True, timeout=SECONDS)
            except subprocess.TimeoutExpired:
                tally.problem(_change(source, text), "it took too long")
                continue
            tally.slowest = max(tally.slowest, time.perf_counter() - start)
            before = len(tally.problems)
            judge(tally, words, done.returncode, done.stdout, done.stderr)
            if len(tally.problems) > before:
                tally.problems[-1] += f"\n{_change(source, text)}"
    return tally


WORDS = """
    0 1 2 3 -1 7 10**6 None True () [] "" 1.5 i side thing action counts state senses stream constants season self
    np.int8 np.float64 np.uint64 bool str FLY WORM NOTHING LEFT RIGHT lifetimes + - * // % == < and not return pass
"""


def edited(source: str, draw: random.Random) -> str:
    lines = source.splitlines()
    for _ in range(draw.choice((1, 1, 1, 2, 3))):
        place = draw.randrange(len(lines))
        match draw.randrange(6):
            case 0:
                del lines[place]
            case 1:
                lines.insert(place, draw.choice(lines))
            case 2:
                other = draw.randrange(len(lines))
                lines[place], lines[other] = lines[other], lines[place]
            case _:
                places = [found.span() for found in re.finditer(r"\w+|[-+*/%=<]+", lines[place])]
                if places:
                    start, end = draw.choice(places)
                    lines[place] = lines[place][:start] + draw.choice(WORDS.split()) + lines[place][end:]
    return "\n".join(lines) + "\n"


def _change(source: str, text: str) -> str:
    import difflib

    return "\n".join(line for line in difflib.unified_diff(source.splitlines(), text.splitlines(), n=0) if line)
