"""Finding a cluster: `local:N`, a scheduler's address, or a scheduler's file."""

from __future__ import annotations

import asyncio
import contextlib
import json
import logging
import os
import signal
import warnings
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import TYPE_CHECKING, Any

from hebbarium.tools.errors import BadInput, ClusterError, check_integer, check_number, shown
from hebbarium.tools.files import open_regular

if TYPE_CHECKING:
    from distributed import Client, LocalCluster

    from hebbarium.executors.cluster import Cluster

PATIENCE = 10
"""Seconds in which a scheduler must answer."""
MOST_WORKERS = 1024
"""Of a local cluster."""
LONGEST_FILE = 1_000_000
"""Bytes of a scheduler's file, which usually has a few hundred."""
VERIFY = 0.01
"""The share of the work that is done twice unless asked for otherwise."""
ALLOWED_FAILURES = 10
"""Workers that may die with a task before a local scheduler gives the task up."""
CALM = {
    "distributed.worker.profile.enabled": False,
    "distributed.admin.tick.interval": "1s",
    "distributed.admin.system-monitor.interval": "10s",
    "distributed.nanny.pre-spawn-environ.MALLOC_TRIM_THRESHOLD_": None,
}
"""What Dask's processes do besides on a machine whose cores are all ours: else it takes 5 % of two of them.

And what Dask tells their memory allocator: to give back whatever is freed. The next batch, which needs as much, would
have to ask for every page of it again, which takes another 5 %."""
LOGGERS = ("distributed", "distributed.client", "distributed.gc", "tornado.application")
"""Those that Dask gives a level and a way to the terminal of their own."""
FORMS = "local:N for N worker processes here, a scheduler's address such as tcp://host:8786, or a scheduler's file"


@contextlib.contextmanager
def cluster(where: str, say: Callable[[str], None] | None = None, verify: float = VERIFY) -> Iterator[Cluster]:
    """An executor on the cluster that `where` names, for any verb's `threads`.

    where: `local:N`, `tcp://host:port`, or the path of a scheduler's file. say: called when work waits for workers.
    verify: the share of the work that is done twice, on different workers, and compared bit for bit.
    """
    check_number("verify", verify, 0, 1)
    try:
        import distributed  # noqa: F401
    except ImportError:
        raise BadInput("a cluster needs Dask: pip install 'hebbarium[cluster]'.") from None
    from hebbarium.executors.cluster import Cluster

    opened = _local(where) if where.startswith("local") else _remote(where)
    with quiet_dask(), opened as (client, mend):
        yield Cluster(client, say, mend, verify)


@contextlib.contextmanager
def quiet_dask() -> Iterator[None]:
    """What goes wrong is said by this package, in one sentence."""
    loggers = [logging.getLogger(name) for name in LOGGERS]
    levels = [logger.level for logger in loggers]
    for logger in loggers:
        logger.setLevel(logging.CRITICAL + 1)
    try:
        yield
    finally:
        for logger, level in zip(loggers, levels, strict=True):
            logger.setLevel(level)


@contextlib.contextmanager
def _local(where: str) -> Iterator[tuple[Client, Callable[[], None]]]:
    import dask
    from distributed import Client

    word, _, number = where.partition(":")
    if word != "local" or not number.isdecimal():
        is_port = word != "local" and number.isdecimal() and len(number) in (4, 5)
        nearest = f"tcp://{where}" if is_port else "local:2"
        raise BadInput(f"cluster is {shown(where)}, but must be {FORMS}; the nearest is {nearest!r}.")
    digits = number.lstrip("0") or "0"
    if len(digits) > len(str(MOST_WORKERS)):  # Python itself refuses to read thousands of them
        most = f"local:1 to local:{MOST_WORKERS}; the nearest is local:{MOST_WORKERS}"
        raise BadInput(f"cluster is {shown(where)}, but must be {most}.")
    workers = check_integer("cluster", int(digits), 1, MOST_WORKERS)
    with dask.config.set(CALM), _started(workers) as workers_here, Client(workers_here) as client:
        try:
            # Dask restarts a worker that dies, but gives up one that dies again meanwhile, or is slow to start.
            yield client, lambda: workers_here.scale(workers)
        finally:
            # At once: the workers hold nothing, and after Ctrl-C it is not worth waiting for them to tidy up.
            for nanny in workers_here.workers.values():
                nanny.auto_restart = False
                with contextlib.suppress(OSError, TypeError):
                    os.kill(nanny.pid, getattr(signal, "SIGKILL", signal.SIGTERM))


def _started(workers: int) -> LocalCluster:
    from distributed import LocalCluster

    with warnings.catch_warnings():
        warnings.filterwarnings("ignore", "Creating scratch directories")  # slow on a busy machine, and no matter
        return LocalCluster(
            n_workers=workers,
            threads_per_worker=1,
            host="127.0.0.1",
            dashboard_address="127.0.0.1:0",
            memory_limit=0,
            silence_logs=logging.CRITICAL,
            security=True,
            scheduler_kwargs={"allowed_failures": ALLOWED_FAILURES, "dashboard": False},
        )


@contextlib.contextmanager
def _remote(where: str) -> Iterator[tuple[Client, None]]:
    from distributed import Client

    address = where if "://" in where else _address_in(Path(where))
    try:
        with ThreadPoolExecutor(1) as aside:  # for a notebook's own thread has an event loop already
            # first, because a client that cannot connect is noisy when it goes
            aside.submit(asyncio.run, _knock(address)).result()
        client = Client(address, timeout=PATIENCE, set_as_default=False)
    except (OSError, RuntimeError, TypeError, ValueError) as error:
        first: BaseException = error
        while first.__cause__ is not None:
            first = first.__cause__
        reason = " ".join(str(first).split()) or type(first).__name__
        raise ClusterError(f"cannot reach a Dask scheduler at {address}: {reason}.") from error
    with client:
        yield client, None


async def _knock(address: str) -> None:
    from distributed import Security
    from distributed.comm import connect

    comm = await connect(address, timeout=PATIENCE, **Security().get_connection_args("client"))
    await comm.close()


def _address_in(file: Path) -> str:
    try:
        with open_regular(file) as stream:
            text = stream.read(LONGEST_FILE + 1)
        if len(text) > LONGEST_FILE:
            raise BadInput(f"{file} is longer than {LONGEST_FILE:,} bytes, so it is not a scheduler file.")
        content: Any = json.loads(text)
        address = content["address"]
        if not isinstance(address, str):
            raise TypeError
        return address
    except OSError as error:
        gone = isinstance(error, FileNotFoundError)
        reason = "there is no such file" if gone else error.strerror or str(error)
        raise BadInput(f"cluster is {shown(str(file))}, but must be {FORMS}; {reason}.") from None
    except BadInput:
        raise
    except (ValueError, KeyError, TypeError, RecursionError):
        raise BadInput(f"{file} is not a scheduler file, as `dask scheduler --scheduler-file` writes it.") from None
