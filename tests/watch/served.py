"""A server for tests: the real one, in a thread, on a free port of this machine."""

from __future__ import annotations

import contextlib
import json
import threading
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

from websockets.sync.client import ClientConnection, connect

from hebbarium.watch.evolution import Evolving
from hebbarium.watch.server import Watch, address, bind, server_of
from hebbarium.worlds.base import World
from hebbarium.worlds.registry import WORLDS


class Served:
    def __init__(self, watch: Watch, url: str) -> None:
        self.watch, self.url = watch, url
        self.port = urlsplit(url).port
        self.origin = f"http://127.0.0.1:{self.port}"

    @property
    def socket_url(self) -> str:
        return f"ws://127.0.0.1:{self.port}/socket?token={self.watch.token}"

    def connect(self, **options: Any) -> ClientConnection:
        return connect(self.socket_url, origin=self.origin, max_size=None, compression=None, **options)


@contextlib.contextmanager
def served(worlds: dict[str, World] | None = None, run: Path | None = None) -> Iterator[Served]:
    watch = Watch(worlds or {name: world() for name, world in WORLDS.items()}, None if run is None else Evolving(run))
    listener = bind(0)
    server = server_of(watch, listener)
    thread = threading.Thread(target=server.run, kwargs={"sockets": [listener]}, daemon=True)
    thread.start()
    while not server.started:
        time.sleep(0.01)
    try:
        yield Served(watch, address(watch, listener))
    finally:
        server.should_exit = True
        thread.join(20)


def receive(connection: ClientConnection, kind: str, patience: float = 300.0) -> dict[str, Any]:
    """The next message of a kind; frames that come before it are drawn."""
    while True:
        message: dict[str, Any] = json.loads(connection.recv(timeout=patience))
        if message["type"] == "frame":
            send(connection, do="drawn")
        if message["type"] == kind:
            return message


def send(connection: ClientConnection, **message: Any) -> None:
    connection.send(json.dumps(message))
