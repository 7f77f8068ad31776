"""A Dask cluster beside threads: what it costs, how far it scales, and what kills do to it (docs/cluster.md).

.venv/bin/python benchmarks/cluster.py overhead     1,000 batches of 200 ms on two workers and on two threads
.venv/bin/python benchmarks/cluster.py hands        batches that only wait, on ever more hands
.venv/bin/python benchmarks/cluster.py kills        an evolution of 1,000 batches, ten workers killed
.venv/bin/python benchmarks/cluster.py commands     commands on threads and on two workers, with kills
.venv/bin/python benchmarks/cluster.py verify       batches lived twice: the cost, and how soon a wrong worker is found
"""

from __future__ import annotations

import json
import math
import os
import random
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any
from unittest.mock import patch

import hebbarium as hb
from attacks.workers import infect
from hebbarium.brains.base import Brain
from hebbarium.executors import cluster as clusters
from hebbarium.executors.base import Executor, LivesPiece, Outcome
from hebbarium.executors.cluster_connect import VERIFY
from hebbarium.executors.threads import Threads
from hebbarium.life.batch import prepare
from hebbarium.life.jobs import Jobs
from hebbarium.rules.rule import Rule
from hebbarium.tools.errors import ClusterError
from waiting import Waiting

BATCHES, BATCH_SECONDS, BLOCK = 1000, 0.2, 50
KILLS = 10
SHORT_LIVES = {"season_steps": 100, "seasons": 2, "search": "genetic", "individuals": 20, "lifetimes": 2}
COMMANDS = {
    "evolve foraging --runs 4 --max-generations 40 --stale-generations 40": "digest",
    "evolve foraging --search racing": "digest",
    "atlas foraging --limit 40": "digest",
    "reproduce seasons hidden-neurons": "comparison",
}


def overhead() -> None:
    """Blocks of batches in turn on both, so that whoever else works on the machine disturbs both alike."""
    lives = _lives_in(BATCH_SECONDS)
    pieces = [_piece(lives, number * lives) for number in range(BATCHES)]
    with hb.cluster("local:2") as two_workers:
        places: list[Executor] = [two_workers, Threads(2)]
        for place in places:
            place.run(pieces[:4])
        seconds, worked, same = [0.0, 0.0], [0.0, 0.0], True
        for start in range(0, BATCHES, BLOCK):
            found: dict[int, list[Outcome]] = {}
            for which in (0, 1) if start // BLOCK % 2 else (1, 0):
                before = _processor_seconds()
                took, found[which] = _timed(places[which], pieces[start : start + BLOCK])
                seconds[which] += took
                worked[which] += _processor_seconds() - before
            same = same and all(
                (one.counts == other.counts).all() for one, other in zip(found[0], found[1], strict=True)
            )
    print(f"{BATCHES} batches of {lives} lifetimes, the same counts: {same}")
    for what, (workers, threads) in {"wall clock": seconds, "processor": worked}.items():
        print(f"{what}: {workers:.1f} s on two workers, {threads:.1f} s on two threads: {workers / threads - 1:+.1%}")


def verify() -> None:
    """Blocks of batches in turn with and without; then one worker of four is wrong in each or few of its batches."""
    lives = _lives_in(0.05)
    pieces = [_piece(lives, number * lives) for number in range(400)]
    worked = {0.0: 0.0, VERIFY: 0.0}
    with hb.cluster("local:2") as two_workers:
        two_workers.run(pieces[:8])
        for start in range(0, len(pieces), BLOCK):
            for two_workers.verify in sorted(worked, reverse=bool(start // BLOCK % 2)):
                before = _processor_seconds()
                two_workers.run(pieces[start : start + BLOCK])
                worked[two_workers.verify] += _processor_seconds() - before
    without, verified = worked.values()
    print(
        f"{len(pieces)} batches of {lives} lifetimes: {verified:.1f} s of processor time, {without:.1f} s without:",
        end=" ",
    )
    print(f"{verified / without - 1:+.1%}", flush=True)
    small = [_piece(1, number, season_steps=50, seasons=2) for number in range(1000)]
    with hb.cluster("local:4") as four_workers:
        wrong = min(four_workers.client.nthreads())
        for every, share, times in RATES:
            found = sorted(_batches_until_found(four_workers, wrong, small, 1 / every, share) for _ in range(times))
            half, nearly_sure = (math.log(unseen) / math.log(1 - 2 * share / every / 4) for unseen in (0.5, 0.05))
            print(f"wrong in one of {every} batches, {share:.0%} lived twice: named after {found} batches;", end=" ")
            print(f"expected {half:,.0f} (half of the times) to {nearly_sure:,.0f} (19 of 20)", flush=True)


RATES = ((1, VERIFY, 5), (10, VERIFY, 9), (100, 0.1, 9), (1000, 1.0, 9), (100, VERIFY, 5), (1000, 0.1, 5))
RATES += ((1000, VERIFY, 1),)
"""One worker of four is wrong in one of so many batches; the share that is lived twice; how often it is tried."""


def _batches_until_found(
    cluster: clusters.Cluster, wrong: str, pieces: list[LivesPiece], rate: float, share: float
) -> int:
    """Until the wrong worker is named. Each batch is one life."""
    cluster.verify = share
    cluster.verified.clear()
    cluster.client.run(infect, "one count + 1", True, rate, workers=[wrong])
    batches = 0

    def count(lives: float) -> None:
        nonlocal batches
        batches += int(lives)

    while True:
        try:
            cluster.run(pieces, count)
        except ClusterError as error:
            if wrong not in str(error):
                raise
            return batches


def _processor_seconds() -> float:
    """Of this process and its workers, for a machine that others use as well."""
    import psutil

    here = psutil.Process()
    times = [process.cpu_times() for process in (here, *here.children(recursive=True))]
    return sum(time.user + time.system for time in times)


def _lives_in(seconds: float) -> int:
    """Lifetimes of foraging:1 that one core lives in that time."""
    prepare(hb.make_world("foraging"))
    began = time.process_time()
    Threads(1).run([_piece(2000)])
    return max(8, round(2000 * seconds / (time.process_time() - began) / 8) * 8)


def _piece(lives: int, first: int = 0, **settings: int) -> LivesPiece:
    world = hb.make_world("foraging", **settings)
    return LivesPiece(world, Brain.of(world), Jobs.of_rule(Rule("foraging:1"), lives, 7, first))


def _timed(place: Executor, pieces: list[Any]) -> tuple[float, list[Outcome]]:
    began = time.perf_counter()
    outcomes = place.run(pieces)
    return time.perf_counter() - began, outcomes


def hands() -> None:
    """Two worker processes with ever more threads that wait: the scheduler and this process are what is busy."""
    import distributed

    print("hands  task seconds  tasks/s  efficiency  ms of this process's processor time for a task")
    for threads in (1, 4, 16, 64, 128):
        with (
            distributed.LocalCluster(
                n_workers=2,
                threads_per_worker=threads,
                host="127.0.0.1",
                dashboard_address="127.0.0.1:0",
                memory_limit=0,
            ) as here,
            distributed.Client(here) as client,
        ):
            place = clusters.Cluster(client)
            place.run([Waiting(BATCH_SECONDS)] * 2 * threads)
            _show_efficiency(place, BATCH_SECONDS, 4.0)
            _show_efficiency(place, None, place.seconds)


def _show_efficiency(place: clusters.Cluster, task: float | None, seconds: float) -> None:
    """Of so many seconds' work for all hands. task: seconds that each takes, without which the executor decides."""
    pieces = [Waiting(BATCH_SECONDS)] * round(seconds * place.hands / BATCH_SECONDS)
    sent = 0

    def send(flight: Any, rows: slice) -> None:
        nonlocal sent
        sent += 1
        usual(flight, rows)

    usual, chosen = clusters._Flight._send, clusters.task_seconds
    with (
        patch.object(clusters._Flight, "_send", send),
        patch.object(clusters, "task_seconds", lambda *work: task or chosen(*work)),
    ):
        worked = time.process_time()
        took, _ = _timed(place, pieces)
        worked = time.process_time() - worked
    size = f"{task:g}" if task else f"chosen, {seconds * place.hands / sent:.2g}"
    print(
        f"{place.hands:5}  {size:>12}  {sent / took:7.0f}  {100 * seconds / took:8.1f} %  {1000 * worked / sent:.1f}",
        flush=True,
    )


def kills() -> None:
    """Ten workers are killed at random moments of an evolution that stores a thousand batches."""
    options = {**SHORT_LIVES, "max_generations": BATCHES, "stale_generations": BATCHES, "rescore": 4, "seed": 3}
    with tempfile.TemporaryDirectory() as folder:
        expected = hb.evolve("foraging", out=Path(folder) / "threads", threads=2, **options)
        moments = set(random.Random(1).sample(range(20, BATCHES - 40), KILLS))
        batches, killed = 0, 0
        with hb.cluster("local:2") as two_workers:

            def watch(state: Any) -> None:
                nonlocal batches, killed
                batches += 1
                killed += batches in moments and _kill_one(two_workers)
                if batches % 100 == 0:
                    print(f"  {batches} batches, {killed} workers killed", flush=True)

            run = hb.evolve("foraging", out=Path(folder) / "cluster", threads=two_workers, watch=watch, **options)
        names = run.names()
        print(f"{batches} batches, {killed} workers killed; same digest: {run.digest() == expected.digest()}")
        print(f"{len(names)} evaluations stored, {len(set(names))} of them different, {expected.totals()[0]} expected")


def _kill_one(cluster: Any) -> bool:
    while True:  # until one is there to be killed
        pids = list(cluster.client.run(os.getpid).values())
        if pids:
            os.kill(random.choice(pids), signal.SIGKILL)
            return True
        time.sleep(0.1)


def commands() -> None:
    for words, what in COMMANDS.items():
        with tempfile.TemporaryDirectory() as folder:
            results = {name: _found(words, Path(folder) / name, how)[what] for name, how in WAYS.items()}
        same = [name for name, result in results.items() if result == results["threads"]]
        print(f"{words}: {str(results['threads'])[:12]}..., the same with {', '.join(same)}", flush=True)
        assert len(same) == len(WAYS)


Way = Callable[[list[str]], str]


def _on_threads(command: list[str]) -> str:
    return subprocess.run(command, stdout=subprocess.PIPE, text=True, check=True).stdout


def _on_workers(command: list[str]) -> str:
    return _on_threads([*command, "--cluster", "local:2"])


def _workers_killed(command: list[str]) -> str:
    """Both, once each has begun to live."""
    process = subprocess.Popen([*command, "--cluster", "local:2"], stdout=subprocess.PIPE, text=True)
    for worker in _at_work(process.pid):
        worker.kill()
    said = process.communicate()[0]
    assert process.returncode == 0
    return said


def _driver_killed(command: list[str]) -> str:
    process = subprocess.Popen([*command, "--cluster", "local:2"], stdout=subprocess.DEVNULL)
    _at_work(process.pid)
    process.kill()
    process.wait()
    return _on_workers(command)


WAYS: dict[str, Way] = {
    "threads": _on_threads,
    "two workers": _on_workers,
    "both workers killed": _workers_killed,
    "the command killed and started again": _driver_killed,
}


def _at_work(pid: int) -> list[Any]:
    """The two workers, once each has loaded kernels and worked for a while."""
    import psutil

    while True:
        found = [
            child for child in psutil.Process(pid).children(recursive=True) if "spawn_main" in str(child.cmdline())
        ]
        if len(found) == 2 and all(_lives(child) for child in found):
            time.sleep(1.0)
            return found
        time.sleep(0.05)


def _lives(process: Any) -> bool:
    return any("llvmlite" in place.path for place in process.memory_maps())


def _found(words: str, folder: Path, way: Way) -> dict[str, Any]:
    command = [sys.executable, "-m", "hebbarium", *words.split(), f"--out={folder}", "--json", "--quiet"]
    found: dict[str, Any] = json.loads(way(command))
    return found


if __name__ == "__main__":
    measures = {measure.__name__: measure for measure in (overhead, hands, kills, commands, verify)}
    for name in sys.argv[1:] or measures:
        measures[name]()
