"""Odd terminals, encodings, streams and variables: every command in each, as a process of its own."""

from __future__ import annotations

import contextlib
import fcntl
import os
import pty
import random
import struct
import subprocess
import sys
import termios
import threading
import time
from collections.abc import Callable, Iterator
from typing import Any

from attacks.base import Tally
from attacks.commands import SMALL, prepared_folder

LIVE = ["live", "foraging", "--rule", "foraging:1", "--lifetimes=2", "--season-steps=50"]
COMMANDS = {
    "help": ["--help"],
    "help of live": ["live", "prey-predator", "--help"],
    "live": LIVE,
    "live as JSON": [*LIVE, "--json"],
    "explain": ["explain", "3"],
    "compare": ["compare", "foraging", "foraging:1", "foraging:2", "--lifetimes=2", "--season-steps=50"],
    "evolve again": ["evolve", "foraging", "--search=random", *SMALL["evolve"], "--out=run"],
    "runs": ["runs", "."],
    "plot": [*LIVE, "--plot=a.png"],
    "bad": ["live", "foraging", "--rule=nonsense"],
}
SIZES = ("0", "1", "2", "5", "19", "1000", "-1", "", " ", "1.5", "²", "٣", "abc", "9" * 20, "9" * 5000)
VARIABLES = {
    **{f"COLUMNS={size[:9]}": {"COLUMNS": size} for size in SIZES},
    **{f"LINES={size[:9]}": {"LINES": size} for size in SIZES},
    **{f"TERM={term}": {"TERM": term} for term in ("", "dumb", "nonsense", "xterm-256color", "unknown")},
    **{f"output in {name}": {"PYTHONIOENCODING": name} for name in ("ascii", "latin-1", "cp1252", "utf-16", "cp037")},
    **{f"strictly in {name}": {"PYTHONIOENCODING": f"{name}:strict"} for name in ("ascii", "cp1252")},
    "the C locale": {"LC_ALL": "C", "PYTHONUTF8": "0", "PYTHONCOERCECLOCALE": "0"},
    "no compiler": {"NUMBA_DISABLE_JIT": "1"},
    "no such backend": {"MPLBACKEND": "nonsense"},
    "colours": {"FORCE_COLOR": "1", "COLORTERM": "truecolor"},
    "no colours": {"NO_COLOR": "1", "TTY_COMPATIBLE": "0"},
    "no home": {"HOME": "/dev/null/home", "XDG_CACHE_HOME": ""},
    "unbuffered": {"PYTHONUNBUFFERED": "1"},
}
STREAMS = (">&-", "2>&-", "<&-", ">&- 2>&-", "<&- >&- 2>&-", ">/dev/full", "2>/dev/full", ">/dev/full 2>/dev/full")
WINDOWS = ((0, 0), (1, 1), (2, 500), (5, 3), (300, 1), (10_000, 10_000))
ALLOWED = {0, 2}
SECONDS = 240
"""After which we call it a hang: a command without a home compiles its kernels, on a machine that may be busy."""
Outcome = tuple[int, bytes]
Attack = Callable[[list[str]], Outcome]


def attack(count: int | None, seed: int) -> Tally:
    """count: how many pairs of a command and an oddity, drawn at random; None for all."""
    tally = Tally("odd terminals")
    pairs = [(what, odd, words) for odd, words in _oddities() for what in COMMANDS]
    chosen = pairs if count is None else random.Random(seed).sample(pairs, min(count, len(pairs)))
    with prepared_folder():
        for what, odd, run in chosen:
            _try(tally, f"{what}, {odd}", COMMANDS[what], run)
    return tally


def _oddities() -> Iterator[tuple[str, Attack]]:
    for name, variables in VARIABLES.items():
        yield name, lambda words, variables=variables: _plainly(words, variables)  # type: ignore[misc]
    for streams in STREAMS:
        yield streams, lambda words, streams=streams: _in_a_shell(words, streams)  # type: ignore[misc]
    for which in ("stdout", "stderr"):
        yield f"nobody reads {which}", lambda words, which=which: _unread(words, which)  # type: ignore[misc]
    for window in WINDOWS:
        yield f"a window of {window}", lambda words, window=window: _on_a_terminal(words, window)  # type: ignore[misc]


def _try(tally: Tally, what: str, words: list[str], run: Attack) -> None:
    start = time.perf_counter()
    try:
        code, said = run([sys.executable, "-m", "hebbarium", *words])
    except subprocess.TimeoutExpired:
        tally.problem(what, "it took too long")
        return
    tally.slowest = max(tally.slowest, time.perf_counter() - start)
    allowed = ALLOWED | {1} if "nobody reads" in what else ALLOWED
    if code not in allowed or b"Traceback" in said or b"internal error" in said:
        tally.problem(what, f"exit code {code}: {said.decode(errors='replace')}")
    else:
        tally.outcomes["done" if code == 0 else "refused" if code == 2 else "left"] += 1


def _plainly(words: list[str], variables: dict[str, str]) -> Outcome:
    done = _run(words, env={**os.environ, **variables}, capture_output=True)
    if done.returncode == 0 and not done.stdout:
        return 1, b"nothing was printed"
    return done.returncode, done.stderr


def _in_a_shell(words: list[str], streams: str) -> Outcome:
    done = _run(["sh", "-c", f'"$@" {streams}', "sh", *words], capture_output=True)
    return done.returncode, done.stderr


def _unread(words: list[str], which: str) -> Outcome:
    reader, writer = os.pipe()
    os.close(reader)
    other = "stderr" if which == "stdout" else "stdout"
    try:
        done = _run(words, **{which: writer, other: subprocess.PIPE})
    finally:
        os.close(writer)
    return done.returncode, done.stderr or b""


def _run(words: list[str], **options: Any) -> subprocess.CompletedProcess[bytes]:
    return subprocess.run(words, stdin=subprocess.DEVNULL, timeout=SECONDS, check=False, **options)


def _on_a_terminal(words: list[str], window: tuple[int, int]) -> Outcome:
    ours, theirs = pty.openpty()
    fcntl.ioctl(theirs, termios.TIOCSWINSZ, struct.pack("HHHH", window[1], window[0], 0, 0))
    usual = {name: value for name, value in os.environ.items() if name not in ("COLUMNS", "LINES")}
    shown: list[bytes] = []
    reader = threading.Thread(target=_read_all, args=(ours, shown), daemon=True)
    reader.start()
    process = subprocess.Popen(words, stdin=theirs, stdout=theirs, stderr=theirs, env=usual)
    os.close(theirs)
    try:
        code = process.wait(SECONDS)
    finally:
        process.kill()
        process.wait()
        reader.join()
        os.close(ours)
    return code, b"".join(shown)


def _read_all(terminal: int, shown: list[bytes]) -> None:
    with contextlib.suppress(OSError):
        while part := os.read(terminal, 65_536):
            shown.append(part)
