"""Ctrl-C at any moment of a short command, most of which is importing: it leaves, and shows no traceback."""

from __future__ import annotations

import random
import signal
import subprocess
import sys
import time

from attacks.base import Tally

COMMAND = [sys.executable, "-m", "hebbarium", "live", "foraging", "--rule=foraging:1", "--lifetimes=2", "-q"]
PATIENCE = 10.0
"""Seconds until it has left, on a busy machine."""


def attack(count: int, seed: int) -> Tally:
    tally, rng = Tally("interrupts"), random.Random(seed)
    for _ in range(2):  # the first may compile
        start = time.perf_counter()
        subprocess.run(COMMAND, stdout=subprocess.DEVNULL, check=True)
        whole = time.perf_counter() - start
    for _ in range(count):
        _try(tally, rng.uniform(0, 1.1 * whole))
    return tally


def _try(tally: Tally, delay: float) -> None:
    process = subprocess.Popen(COMMAND, stdout=subprocess.PIPE, stderr=subprocess.PIPE, preexec_fn=_heed)
    time.sleep(delay)
    start = time.perf_counter()
    process.send_signal(signal.SIGINT)
    try:
        out, err = process.communicate(timeout=PATIENCE)
    except subprocess.TimeoutExpired:
        process.kill()
        process.communicate()
        tally.problem(f"after {delay:.3f} s", "it did not leave")
        return
    tally.slowest = max(tally.slowest, time.perf_counter() - start)
    if b"Traceback" in err and b"hebbarium" not in err:  # Python itself was still starting, which nobody can heed
        tally.outcomes["before the command began"] += 1
    elif b"Traceback" in err or process.returncode not in (0, 130, -signal.SIGINT):
        tally.problem(f"after {delay:.3f} s", f"exit code {process.returncode}: {err.decode(errors='replace')}")
    elif process.returncode == 0 and b"fitness" not in out:
        tally.problem(f"after {delay:.3f} s", "it ended well, but without a result")
    else:
        tally.outcomes["done before" if process.returncode == 0 else "interrupted"] += 1


def _heed() -> None:
    """Whoever starts this in the background has it ignored."""
    signal.signal(signal.SIGINT, signal.SIG_DFL)
