"""The executor of one machine: threads, one for each core by default. Kernels hold no lock."""

from __future__ import annotations

import os
import threading
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor, as_completed
from typing import TYPE_CHECKING, Any

from hebbarium.brains.base import Brain
from hebbarium.brains.sizes import Hidden, check_hidden_layers
from hebbarium.executors.base import Done, Executor, Piece
from hebbarium.tools.errors import BadInput, check_integer, shown
from hebbarium.worlds.base import World

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


def check_hidden(
    world: World, given: Hidden | str, kept: int = 0, hands: int | None = None, recurrent: bool = False
) -> Hidden:
    """Refuse hidden layers that would not fit in memory. kept: networks held until the end."""
    hidden = check_hidden_layers(given)
    memory = total_memory()
    if memory is None:
        return hidden
    # Brains, their copy in lanes, scratch: at most twelve networks at once for each thread.
    networks = 12 * (hands or check_threads(None)) + kept
    most = int(memory * 0.5 / (8 * networks) / (world.all_inputs + 1 + world.outputs)) - 1
    if most < 1:
        inputs = f"{world.label} has {shown(world.all_inputs)} inputs and {shown(world.outputs)} actions"
        raise BadInput(f"{inputs}, which would not fit in memory even with one hidden neuron.")
    weights = Brain(hidden=hidden, recurrent=recurrent and bool(hidden)).weights(world.all_inputs, world.outputs)
    if 8 * networks * weights > memory * 0.5:
        nearest = "" if recurrent or isinstance(hidden, tuple) else f"; the nearest that fits is {most}"
        raise BadInput(f"hidden is {shown(given)}, which would not fit in memory{nearest}.")
    return hidden


def total_memory() -> int | None:
    """Bytes of memory in this machine, where the system says so."""
    try:
        return os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE")
    except (AttributeError, ValueError, OSError):
        return None
