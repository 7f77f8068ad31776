"""What a worker of a cluster does: live the pieces it is sent, if it has the same code as the sender."""

from __future__ import annotations

import functools
import hashlib
import pickle
import threading
import time
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from hebbarium import __version__
from hebbarium.executors.base import Piece
from hebbarium.executors.cluster_results import Results, digest_of
from hebbarium.kernels.source_hash import package_hash
from hebbarium.worlds.loading import Sources, received

_RECEIVING = threading.Lock()


class OtherVersions(Exception):
    """This worker's code is not the sender's."""


class Unwanted(Exception):
    """These lives are no longer wanted, so they were broken off."""


class Damaged(Exception):
    """What was sent is not what arrived. Its argument is the worker's address."""


@functools.cache
def versions() -> dict[str, str]:
    """What must be the same everywhere. Sources: a hash, because code under development keeps its version."""
    import numba

    return {"hebbarium": __version__, "numba": numba.__version__, "sources": package_hash((".",))}


def packed(pieces: Sequence[Piece]) -> bytes:
    """For `live`: a checksum, the files of a world that no package has, and the pieces."""
    world = getattr(pieces[0], "world", None)
    sent = pickle.dumps((None if world is None else Sources.of(world), pickle.dumps(pieces)))
    return hashlib.sha256(sent).digest() + sent


def live(sent: bytes, wanted: Mapping[str, str]) -> Results:
    """sent: what `packed` gave. Nothing of it is read before the versions are known to agree."""
    if wanted != versions():
        raise OtherVersions
    stop = _Abandoned()
    began = time.perf_counter()
    checksum, sent = sent[:32], sent[32:]
    if hashlib.sha256(sent).digest() != checksum:
        raise Damaged(stop.address)
    sources, rest = pickle.loads(sent)
    if sources is not None:
        from distributed import get_worker

        with _RECEIVING:  # each is written once
            if received(sources.hash) is None:
                sources.receive(Path(get_worker().local_directory))
    pieces: list[Piece] = pickle.loads(rest)
    outcomes, digests = [], []
    for piece in pieces:
        outcomes.append(piece.live(stop))
        digests.append(digest_of(outcomes[-1]))
    if stop.is_set():
        raise Unwanted
    return Results(outcomes, digests, time.perf_counter() - began, stop.address)


class _Abandoned(threading.Event):
    """Set once the scheduler has taken the present task away: its sender was interrupted, killed or cut off."""

    def __init__(self) -> None:
        super().__init__()
        from distributed import get_worker

        self._worker: Any = get_worker()
        self.address = str(self._worker.address)
        self._key = self._worker.get_current_task()

    def is_set(self) -> bool:
        if not super().is_set():
            task = self._worker.state.tasks.get(self._key)
            if task is None or task.state == "cancelled":
                self.set()  # and stays so: what was broken off must never pass for a result
        return super().is_set()
