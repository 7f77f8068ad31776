"""The executor of many machines: the workers of a Dask cluster.

Pieces are bundled into tasks long enough that what Dask does around each does not count, and sent a few at a time, so
that the last ones can be cut by the speed measured so far. Dask gives the tasks of a lost worker to another one; those
of a worker that hangs are sent again from here. What comes back is checked (`cluster_results.py`): its form, and a
checksum made where it was lived, always; and a sample of it is lived a second time elsewhere, because wrong arithmetic
on one machine of a hundred would otherwise go unseen.
"""

from __future__ import annotations

import contextlib
import math
import queue
import random
import threading
import time
from asyncio import CancelledError
from collections import Counter
from collections.abc import Callable, Hashable, Iterator, Sequence
from typing import TYPE_CHECKING, Any
from weakref import WeakKeyDictionary

from hebbarium.executors import cluster_results, cluster_worker
from hebbarium.executors.base import Done, Piece
from hebbarium.executors.cluster_connect import VERIFY
from hebbarium.executors.cluster_results import digest_of
from hebbarium.tools.errors import ClusterError, check_number

if TYPE_CHECKING:
    from distributed import Client, Future

SHORTEST, LONGEST = 0.1, 1.0
"""Seconds that a task should take: long beside Dask's few milliseconds, short beside what a lost worker may cost."""
RATE = 100
"""Tasks a second that the command and the scheduler manage together."""
AHEAD = 2
"""Tasks on their way for each hand: one to work on, one to find there when it is done."""
LOOK_SECONDS = 2.0
"""How often workers are counted."""
OURS = ("hebbarium", "numba", "llvmlite", "numpy")
"""Packages that every worker must have, whatever the world."""
HUNG_SECONDS, HUNG_TIMES = 60.0, 20.0
"""A task is sent to another worker, too, once it has taken so long, and so many times as long as expected."""
TRIES = 10
"""How often a task is sent anew after Dask has given it up, because it lost several workers in a row to it."""


class Cluster:
    """Lives pieces on the workers of a `distributed.Client`."""

    def __init__(
        self,
        client: Client,
        say: Callable[[str], None] | None = None,
        mend: Callable[[], None] | None = None,
        verify: float = VERIFY,
    ) -> None:
        """say: called when work has to wait for workers. mend: called now and then, to start workers that are missing.

        verify: the share of pieces that is lived twice, and compared; 0 for none."""
        self.client, self._mend = client, mend or (lambda: None)
        self.verify = check_number("verify", verify, 0, 1)
        self.verified: set[Hashable] = set()
        """Workers of which a piece has been lived twice, with the world of that piece: each has its own kernels."""
        self.believed: Counter[str] = Counter()
        """Pieces that were taken from each worker, in flights that have ended well."""
        self.address = client.scheduler.address if client.scheduler is not None else "an unknown address"
        self._say = say or (lambda text: None)
        self._paces: dict[Hashable, float] = {}
        self._threads: dict[str, int] = {}
        self._looked = 0.0
        self.check_workers()

    @classmethod
    def of(cls, client: Client) -> Cluster:
        """The same one for a client each time, because it learns."""
        if client not in _KNOWN:
            _KNOWN[client] = cls(client)
        return _KNOWN[client]

    @property
    def hands(self) -> int:
        return max(1, sum(self._workers().values()))

    @property
    def seconds(self) -> float:
        return max(5.0, 4 * self.hands / RATE)  # in which so many tasks as `task_seconds` makes of it can be managed

    @property
    def words(self) -> str:
        workers = len(self._workers())
        return f"{workers} worker{'' if workers == 1 else 's'}"

    def _workers(self) -> dict[str, int]:
        """Threads of each worker by its address."""
        if time.monotonic() - self._looked > LOOK_SECONDS:
            with self._connected():
                before, self._threads = self._threads, dict(self.client.nthreads())
            if not self._threads and (before or not self._looked):
                self._say(f"There are no workers at {self.address} yet; waiting for some.")
            self._looked = time.monotonic()
            self._mend()
        return self._threads

    def run(self, pieces: Sequence[Piece], done: Done | None = None) -> list[Any]:
        with self._connected():
            return _Flight(self, pieces, done).run()

    def check_workers(self) -> None:
        """Refuse the cluster where a worker has other code, or none."""
        here = cluster_worker.versions()
        with self._connected():
            answers = self.client.run(_on_the_worker("versions"), on_error="return")
        for address, there in answers.items():
            if isinstance(there, dict) and there != here:
                own = {name: there.get(name) for name, value in here.items() if there.get(name) != value}
                differing = " and ".join(
                    f"{name} {value} where this machine has {here[name]}" for name, value in own.items()
                )
                raise ClusterError(f"the worker {address} has {differing}; install the same there.")
            if isinstance(there, ImportError):
                raise ClusterError(
                    f"the worker {address} cannot import the package ({there}); install hebbarium {here['hebbarium']} "
                    f"and numba {here['numba']} there."
                )

    def pace(self, like: Hashable) -> float | None:
        """Seconds for a lifetime of such a piece, as last measured."""
        return self._paces.get(like)

    def learn(self, like: Hashable, pace: float) -> None:
        self._paces[like] = pace

    @contextlib.contextmanager
    def _connected(self) -> Iterator[None]:
        """Whatever Dask raises within when the scheduler is gone becomes one sentence."""
        from distributed.client import ClosedClientError

        try:
            yield
        except (CancelledError, OSError, TimeoutError) as error:
            raise self._lost() from error
        except (RuntimeError, ClosedClientError, AttributeError) as error:  # of a client that has closed itself
            if self.client.status == "running" and self.client.scheduler is not None:
                raise
            raise self._lost() from error

    def _lost(self) -> ClusterError:
        return ClusterError(
            f"the connection to the scheduler at {self.address} was lost; what a run has stored is safe: rerun the "
            "same command to resume, with this cluster, another one or none."
        )


def _on_the_worker(name: str) -> Callable[..., Any]:
    """A function of `cluster_worker.py`.

    It is sent as code, not as a name: a worker without the package would break down over the name, but can say so."""

    def call(*arguments: Any) -> Any:
        from importlib import import_module

        return getattr(import_module("hebbarium.executors.cluster_worker"), name)(*arguments)

    call.__name__ = f"hebbarium-{name}"
    return call


_KNOWN: WeakKeyDictionary[Client, Cluster] = WeakKeyDictionary()


def task_seconds(work: float, hands: int) -> float:
    """How long the next task should take. work: core-seconds that are left.

    Half of each hand's share, so the last one is soon done; but no shorter than what balances the time to
    manage n tasks, n / RATE, with the time that one takes, work / n.

    >>> task_seconds(10, 2), task_seconds(0.1, 2), task_seconds(40_000, 1000)
    (1.0, 0.1, 20.0)
    """
    shortest = max(SHORTEST, math.sqrt(work / RATE))
    return min(max(work / (2 * hands), shortest), max(LONGEST, shortest))


class _Flight:
    """Some pieces on their way."""

    def __init__(self, cluster: Cluster, pieces: Sequence[Piece], done: Done | None) -> None:
        self.cluster, self.pieces, self.done = cluster, pieces, done
        self.outcomes: list[Any] = [None] * len(pieces)
        self.by = [""] * len(pieces)
        """Which worker lived each piece."""
        self.next = 0
        self.left = sum(map(len, pieces))
        """Lifetimes of pieces that were not sent yet."""
        self.flying: dict[Future, slice] = {}
        self.since: dict[Future, float] = {}
        """When each task was sent."""
        self.second: dict[Future, tuple[int, str]] = {}
        """Pieces that are lived a second time, and which worker lived them first."""
        self.landed: queue.SimpleQueue[Future] = queue.SimpleQueue()
        self.failures: dict[int, int] = {}
        """By the first piece of a task, how often it was given up."""

    def run(self) -> list[Any]:
        try:
            while self.next < len(self.pieces) or self.flying or self.second:
                while self.next < len(self.pieces) and len(self.flying) < AHEAD * self.cluster.hands:
                    self._send(self._bundle())
                self._land(self._wait())
        finally:
            # Without asking Dask, so that it cannot hang: what has no holder is dropped.
            for future in (*self.flying, *self.second):
                future.release()
        self.cluster.believed.update(self.by)
        return self.outcomes

    def _bundle(self) -> slice:
        """The next pieces that together take long enough; one, while it is not known how long it takes."""
        start, lifetimes = self.next, 0
        pace = self.cluster.pace(self.pieces[start].like)
        aim = 0.0 if pace is None else task_seconds(pace * self.left, self.cluster.hands)
        while self.next < len(self.pieces) and (self.next == start or lifetimes * (pace or 1.0) < aim):
            lifetimes += len(self.pieces[self.next])
            self.next += 1
        self.left -= lifetimes
        return slice(start, self.next)

    def _send(self, rows: slice, workers: list[str] | None = None) -> Future:
        sent = cluster_worker.packed(self.pieces[rows])
        future = self.cluster.client.submit(
            _on_the_worker("live"), sent, cluster_worker.versions(), pure=False, workers=workers
        )
        self.flying[future], self.since[future] = rows, time.monotonic()
        future.add_done_callback(self.landed.put)
        return future

    def _send_hung(self) -> None:
        """Tasks that take far too long are also sent to other workers: the first answer counts. What is only lived
        again, to be compared, is lived here instead."""
        for future, (place, by) in list(self.second.items()):
            if self._hangs(future, slice(place, place + 1)):
                del self.second[future]
                future.release()
                self._live_twice(place, by, [])
        for future, rows in list(self.flying.items()):
            if not self._hangs(future, rows):
                continue
            self.since[future] = math.inf  # only once; the new one may hang, too
            at_work = [name for name, keys in self.cluster.client.processing().items() if future.key in keys]
            others = [name for name in self.cluster._workers() if name not in at_work]
            if at_work and others:
                self.cluster._say(f"The worker {at_work[0]} does not answer; its work is given to another one.")
                self._send(rows, others)

    def _hangs(self, future: Future, rows: slice) -> bool:
        lifetimes = sum(map(len, self.pieces[rows]))
        expected = (self.cluster.pace(self.pieces[rows.start].like) or 0.0) * lifetimes
        return time.monotonic() - self.since[future] > max(HUNG_SECONDS, HUNG_TIMES * expected)

    def _wait(self) -> list[Future]:
        """All that have landed, at least one unless nothing is waited for any more."""
        while True:
            try:
                landed = [self.landed.get(timeout=LOOK_SECONDS)]
                break
            except queue.Empty:
                self.cluster.hands  # noqa: B018 - says so where all workers have gone
                self._send_hung()
                if not self.flying and not self.second:
                    return []
        while not self.landed.empty():
            landed.append(self.landed.get())
        return landed

    def _land(self, landed: list[Future]) -> None:
        from distributed import KilledWorker

        landed = [future for future in landed if future in self.flying or future in self.second]  # else not needed
        well = [future for future in landed if future.status == "finished"]
        try:
            lived = self.cluster.client.gather(well)
        except (KilledWorker, cluster_worker.OtherVersions, cluster_worker.Unwanted, ImportError):
            well, lived = [], []  # finished, but lost on the way with its worker; done again, it failed
        for future, some in zip(well, lived, strict=True):
            if future in self.flying:
                self._take(future, some)
            elif future in self.second:
                self._compare(future, some)
        for future in set(landed) - set(well):
            if future in self.flying:
                self._send_again(future)
            elif future in self.second:
                place, by = self.second.pop(future)
                self._live_twice(place, by, [])

    def _take(self, future: Future, lived: cluster_results.Results) -> None:
        rows = self.flying.pop(future)
        by = self._believe(future, self.pieces[rows], lived)
        for other in [other for other, same in self.flying.items() if same == rows]:  # of a worker that hung
            del self.flying[other]
            other.release()
        self.outcomes[rows], self.by[rows] = lived.outcomes, [by] * len(lived.outcomes)
        first = self.pieces[rows.start]
        if self.cluster.verify and hasattr(first, "shapes"):
            places = range(rows.start, rows.stop)
            sample = [place for place in places if random.random() < self.cluster.verify]
            kernels = by, type(getattr(first, "world", None))
            if kernels not in self.cluster.verified:
                self.cluster.verified.add(kernels)
                sample = sample or [rows.start]
            for place in sample:
                self._live_twice(place, by, [name for name in self.cluster._workers() if name != by])
        lengths = [len(piece) for piece in self.pieces[rows]]
        self.cluster.learn(self.pieces[rows.start].like, lived.seconds / max(sum(lengths), 1))
        if self.done is not None:
            for length in lengths:
                self.done(length)

    def _believe(self, future: Future, pieces: Sequence[Piece], lived: Any) -> str:
        """Refuse what cannot be a result. Returns the address of the worker it is from."""
        wrong = cluster_results.wrong_with(pieces, lived)
        by = getattr(lived, "worker", None)
        if by not in self.cluster._workers():  # it should know its own address; asking the scheduler takes time
            by = next(iter(self.cluster.client.who_has([future]).get(future.key, ())), "an unknown address")
        if wrong is not None:
            raise ClusterError(f"the worker at {by} returned {wrong}; check that machine, or leave it out.")
        return by

    def _live_twice(self, place: int, by: str, others: list[str]) -> None:
        """The piece again, on one of these workers, or here where there are none."""
        if others:
            future = self._send(slice(place, place + 1), others)
            del self.flying[future]
            self.second[future] = (place, by)
        else:
            self._check_here(place, {by: self.outcomes[place]})

    def _compare(self, future: Future, lived: cluster_results.Results) -> None:
        place, first = self.second.pop(future)
        second = self._believe(future, self.pieces[place : place + 1], lived)
        if digest_of(self.outcomes[place]) != lived.digests[0]:
            self._check_here(place, {first: self.outcomes[place], second: lived.outcomes[0]})
            raise ClusterError(f"the workers at {first} and {second} gave different results for the same lives.")

    def _check_here(self, place: int, given: dict[str, Any]) -> None:
        """Refuse workers that gave something else than what comes of the same lives on this machine."""
        lived = digest_of(self.pieces[place].live(threading.Event()))
        for by, outcome in given.items():
            if digest_of(outcome) != lived:
                before = self.cluster.believed[by]
                raise ClusterError(
                    f"the worker at {by} gave another result than this machine for the same lives; check that machine, "
                    "or leave it out. Nothing of these batches was stored"
                    + (f", but {before:,} earlier ones of that worker were believed: begin anew." if before else ".")
                )

    def _send_again(self, future: Future) -> None:
        """What failed through no fault of its own; anything else is raised here."""
        from distributed import KilledWorker

        rows = self.flying.pop(future)
        error = future.exception()  # raises CancelledError where the scheduler was lost
        if not isinstance(error, (KilledWorker, cluster_worker.Unwanted, type(None))):
            self.cluster.check_workers()  # a worker that came later may be what is wrong
            # Of a worker with other code, or none: such a worker is not there any more.
            module = str(getattr(error, "name", None) or "")
            gone = isinstance(error, ImportError) and module.partition(".")[0] in OURS
            if not (gone or isinstance(error, cluster_worker.OtherVersions)):
                if isinstance(error, ModuleNotFoundError):
                    missing = f"the workers have no module {module!r}"
                    raise ClusterError(f"{missing}: install it there, or name a world by its file.")
                if isinstance(error, ImportError):
                    raise ClusterError(f"a worker cannot import what it needs: {error}.")
                if isinstance(error, cluster_worker.Damaged):
                    raise ClusterError(f"what was sent to the worker at {error} arrived changed; check that machine.")
                raise error
        self.failures[rows.start] = self.failures.get(rows.start, 0) + 1
        if self.failures[rows.start] > TRIES:
            died = isinstance(error, KilledWorker)
            raise ClusterError(
                f"the same batch failed {TRIES} times because workers "
                f"{'died; they may have too little memory' if died else 'came and went'}."
            )
        self._send(rows)
