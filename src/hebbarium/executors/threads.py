"""The executor of one machine: threads, one for each core by default. Kernels hold no lock."""

from __future__ import annotations

import os
import threading
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor, as_completed
from typing import TYPE_CHECKING, Any

from hebbarium.executors.base import Done, Executor, Piece
from hebbarium.tools.errors import check_integer

if TYPE_CHECKING:
    from distributed import Client


class Threads:
    seconds = 1.0
    words = ""

    def __init__(self, threads: int | None = None) -> None:
        self.hands = check_threads(threads)

    def run(self, pieces: Sequence[Piece], done: Done | None = None) -> list[Any]:
        stop = threading.Event()
        with ThreadPoolExecutor(self.hands) as pool:
            try:  # from the first piece on: an interrupt that comes while the others are handed out must stop it too
                futures = {pool.submit(piece.live, stop): piece for piece in pieces}
                for future in as_completed(futures):
                    future.result()
                    if done is not None:
                        done(len(futures[future]))
            except BaseException:
                stop.set()
                pool.shutdown(wait=True, cancel_futures=True)
                raise
        return [future.result() for future in futures]


def executor_of(given: Executor | Client | int | None) -> Executor:
    """An executor, the cluster of a `distributed.Client`, or that many threads, or one for each core."""
    if type(given).__module__.startswith("distributed."):  # asked like this, so that Dask is not imported for it
        from hebbarium.executors.cluster import Cluster

        return Cluster.of(given)
    return given if hasattr(given, "hands") else Threads(given)  # type: ignore[return-value]


def check_threads(threads: int | None) -> int:
    if threads is None:
        return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
    return check_integer("threads", threads, 1, 1024)
