"""How much of the processor time of whole jobs is spent inside kernels, and what a call costs beside its lives.

python benchmarks/shares.py [JOB ...]

Each job runs twice in one process, in a folder of its own each time: the first run compiles, the second is measured.
"""

from __future__ import annotations

import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

import hebbarium as hb
from hebbarium.kernels.compile import Kernel

CALLS = 300
JOBS: dict[str, Callable[[Path], object]] = {
    "evolve foraging --search genetic --max-generations 30": lambda out: hb.evolve(
        "foraging", "genetic", max_generations=30, out=out, threads=1
    ),
    "evolve foraging --search racing": lambda out: hb.evolve("foraging", "racing", out=out, threads=1),
    "atlas foraging --limit 300 --effort 0.1": lambda out: hb.make_atlas(
        "foraging", out, limit=300, effort=0.1, threads=1
    ),
    "lifelong foraging foraging:1 --lifetimes 50": lambda out: hb.lifelong(
        "foraging", "foraging:1", lifetimes=50, out=out, threads=1
    ),
    "lifelong foraging foraging:1 --lifetimes 400": lambda out: hb.lifelong(
        "foraging", "foraging:1", lifetimes=400, out=out, threads=1
    ),
    "lifelong foraging foraging:6 --lifetimes 50": lambda out: hb.lifelong(
        "foraging", "foraging:6", lifetimes=50, out=out, threads=1
    ),
    "reproduce --scale quick": lambda out: hb.reproduce(out=out, threads=1),
    "reproduce hand-made-rules --scale paper": lambda out: hb.reproduce(
        "hand-made-rules", scale="paper", out=out, threads=1
    ),
}
_inside = 0.0


def main() -> None:
    call = Kernel.__call__

    def timed(kernel, *arguments):
        global _inside
        start = time.thread_time()
        try:
            return call(kernel, *arguments)
        finally:
            _inside += time.thread_time() - start

    Kernel.__call__ = timed  # type: ignore[method-assign]
    for name, job in JOBS.items():
        if len(sys.argv) < 2 or any(word in name for word in sys.argv[1:]):
            seconds, inside = _measure(job)
            print(f"{name:52} {seconds:7.2f} s, {100 * inside / seconds:3.0f} % inside kernels", flush=True)
    for name, one in (("hb.live", _live), ("hb.fitness", _fitness)):
        one(1)
        seconds, inside = _spent(lambda one=one: [one(seed) for seed in range(CALLS)])  # type: ignore[misc]
        print(f"{name}, one life: {1000 * (seconds - inside) / CALLS:.2f} ms a call beside its life")


def _live(seed: int) -> object:
    return hb.live("foraging", "foraging:1", lifetimes=1, seed=seed, threads=1)


def _fitness(seed: int) -> object:
    return hb.fitness(["foraging:1"], "foraging", 1, seed)


def _measure(job: Callable[[Path], object]) -> tuple[float, float]:
    with tempfile.TemporaryDirectory() as folder:
        job(Path(folder) / "first")
        return _spent(lambda: job(Path(folder) / "second"))


def _spent(work: Callable[[], object]) -> tuple[float, float]:
    """Processor time: in all, and inside kernels."""
    start, before = time.process_time(), _inside
    work()
    return time.process_time() - start, _inside - before


if __name__ == "__main__":
    main()
