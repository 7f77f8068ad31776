"""Which machine this is, and how one thread is made to mean one thread."""

from __future__ import annotations

import hashlib
import importlib.metadata
import json
import os
import platform
import subprocess
import threading
import time
from pathlib import Path
from typing import Any

RESULTS = Path(__file__).parent / "results"
ONE_THREAD_FLAGS = "--xla_cpu_multi_thread_eigen=false intra_op_parallelism_threads=1"


def commit(revision: str = "HEAD") -> str:
    """A revision's name; of this tree with a `+` where files have been changed since."""
    git = ["git", "-C", str(Path(__file__).parent)]
    name = subprocess.run([*git, "rev-parse", "--short", revision], check=True, capture_output=True, text=True).stdout
    changed = revision == "HEAD" and subprocess.run([*git, "diff", "--quiet", "HEAD", "--", "../src"]).returncode != 0
    return name.strip() + "+" * changed


def results_file(kind: str, name: str) -> Path:
    return RESULTS / f"{kind}-{name}.json"


def keep(report: dict[str, Any], file: Path) -> None:
    file.parent.mkdir(exist_ok=True)
    file.write_text(json.dumps(report, indent=2) + "\n")
    print(f"Every number is in {file}.")


def allowed_cores() -> set[int]:
    return set(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else set(range(os.cpu_count() or 1))


def use_cores(cores: set[int]) -> None:
    """From here on this thread, and every thread it starts, runs on these cores only."""
    if hasattr(os, "sched_setaffinity"):
        os.sched_setaffinity(0, cores)


def keep_jax_to_one_thread() -> None:
    """Must come before JAX is imported. Its pool of threads is as large as the cores it is allowed."""
    os.environ["XLA_FLAGS"] = f"{os.environ.get('XLA_FLAGS', '')} {ONE_THREAD_FLAGS}".strip()
    os.environ.setdefault("JAX_PLATFORMS", "cpu")


def describe(cores: set[int]) -> dict[str, Any]:
    """Processor, cores, system and versions; the load tells how busy the machine was with other things."""
    return {
        "processor": _processor(),
        "cores": len(cores),
        "system": f"{platform.system()} {platform.machine()}",
        "load": round(os.getloadavg()[0], 2) if hasattr(os, "getloadavg") else None,
        "versions": {"python": platform.python_version(), **_versions("hebbarium", "numba", "numpy", "jax", "jaxlib")},
    }


def two_thread_gain(rounds: int = 3) -> float:
    """What a second thread gains here and now for work that shares nothing: checksums, by the clock on the wall.

    Far below 2 means that other programs hold the cores, and that no scaling can be measured. (Linux may
    give a whole session one share of a busy machine, however many threads it has.)
    """
    seconds = {threads: min(_checksum_seconds(threads) for _ in range(rounds)) for threads in (1, 2)}
    return seconds[1] / seconds[2]


def _checksum_seconds(threads: int, pieces: int = 8) -> float:
    piece = bytes(32 << 20)

    def work() -> None:
        for _ in range(pieces // threads):
            hashlib.sha256(piece).digest()  # holds no global lock

    workers = [threading.Thread(target=work) for _ in range(threads)]
    start = time.perf_counter()
    for worker in workers:
        worker.start()
    for worker in workers:
        worker.join()
    return time.perf_counter() - start


def _processor() -> str:
    info = Path("/proc/cpuinfo")
    lines = info.read_text().splitlines() if info.exists() else []
    names = [line.partition(":")[2].strip() for line in lines if line.startswith("model name")]
    return names[0] if names else platform.processor() or "unknown"


def _versions(*packages: str) -> dict[str, str]:
    found = {}
    for package in packages:
        try:
            found[package] = importlib.metadata.version(package)
        except importlib.metadata.PackageNotFoundError:
            continue
    return found
