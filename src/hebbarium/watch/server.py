"""The server behind the page: one page and one socket, on this machine only."""

from __future__ import annotations

import contextlib
import secrets
import signal
import socket
import tempfile
from collections.abc import AsyncIterator, Callable, Iterator, Mapping
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from pathlib import Path

import uvicorn
from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import HTMLResponse, Response
from starlette.routing import Route, WebSocketRoute
from starlette.types import ASGIApp
from starlette.websockets import WebSocket

from hebbarium.show.pages.markup import element, join
from hebbarium.tools.errors import BadInput
from hebbarium.watch.client import Watcher
from hebbarium.watch.evolution import Evolving
from hebbarium.watch.guard import ACCEPTED_AT_ONCE, Connection, Guard, Socket, cookie_name
from hebbarium.watch.page_text import live_page
from hebbarium.worlds.base import World

LOOPBACK, USUAL_PORT = "127.0.0.1", 8321
MOST_PAGES = 16
LONGEST_MESSAGE = 16 * 2**20
"""Bytes. What is too long for us is refused with a sentence; beyond this the connection is closed unread."""


@dataclass
class Watch:
    """What is shown, and to whom."""

    worlds: Mapping[str, World]
    """Those that pages may ask for, by name."""
    run: Evolving | None = None
    """The evolution that is watched, too."""
    token: str = field(default_factory=lambda: secrets.token_urlsafe(24))
    """Opens everything; only the printed address has it, and the browser keeps it for this address alone."""
    cookie: str = field(default_factory=lambda: secrets.token_urlsafe(24))
    """Opens the page again, without the token."""
    pages: int = 0
    """Open now."""

    def app(self, port: int) -> ASGIApp:
        routes = [Route("/", self._page(port)), WebSocketRoute("/socket", self._socket)]
        return Guard(Starlette(routes=routes, lifespan=self._lifespan), port, self.token, self.cookie)

    @contextlib.asynccontextmanager
    async def _lifespan(self, app: Starlette) -> AsyncIterator[None]:
        self._threads = ThreadPoolExecutor(4, "watch")
        yield
        self._threads.shutdown(wait=False, cancel_futures=True)

    def _page(self, port: int) -> Callable[[Request], Response]:
        text, policy = live_page(port)

        def page(request: Request) -> Response:
            response = HTMLResponse(text, headers={"content-security-policy": f"{policy}; frame-ancestors 'none'"})
            # So that a link with nothing but a state in it works, too. Links may come from anywhere: hence lax.
            response.set_cookie(cookie_name(port), self.cookie, httponly=True, samesite="lax")
            return response

        return page

    async def _socket(self, connection: WebSocket) -> None:
        await connection.accept()
        if self.pages >= MOST_PAGES:
            await connection.close(1013, "too many pages are open")
            return
        self.pages += 1
        try:
            await Watcher(connection, self.worlds, self.run, self._threads).serve()
        finally:
            self.pages -= 1


def bind(port: int | None) -> socket.socket:
    """port: 0 for any free one; None for the usual one, or any where that is taken."""
    listener = socket.socket(socket.AF_INET, socket.SOCK_STREAM)
    listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    try:
        listener.bind((LOOPBACK, USUAL_PORT if port is None else port))
    except OSError as error:
        listener.close()
        if port is None:
            return bind(0)
        raise BadInput(f"port {port} cannot be used: {error.strerror or error}; 0 takes a free one.") from None
    return listener


def address(watch: Watch, listener: socket.socket) -> str:
    """Of the page, token included."""
    return f"http://{LOOPBACK}:{listener.getsockname()[1]}/?token={watch.token}"


def server_of(watch: Watch, listener: socket.socket) -> uvicorn.Server:
    """To be run with `run(sockets=[listener])`, until it is interrupted."""
    listener.listen(ACCEPTED_AT_ONCE)
    config = uvicorn.Config(
        watch.app(listener.getsockname()[1]),
        log_level="error",
        access_log=False,
        server_header=False,
        http=Connection,
        ws=Socket,
        ws_max_size=LONGEST_MESSAGE,
        ws_per_message_deflate=False,
        timeout_graceful_shutdown=1,
        backlog=ACCEPTED_AT_ONCE,
    )
    return uvicorn.Server(config)


def serve(server: uvicorn.Server, listener: socket.socket) -> None:
    """Until it is interrupted, or the terminal is closed, which uvicorn does not heed."""
    if hasattr(signal, "SIGHUP") and signal.getsignal(signal.SIGHUP) != signal.SIG_IGN:
        signal.signal(signal.SIGHUP, server.handle_exit)
    with contextlib.suppress(KeyboardInterrupt):  # the usual end
        server.run(sockets=[listener])


@contextlib.contextmanager
def private_link(url: str) -> Iterator[str]:
    """The address of a file, readable for the user alone, that leads to another one: all users of a machine can see the
    arguments with which a browser is started, and this one's token is not among them."""
    with tempfile.TemporaryDirectory(prefix="hebbarium-") as folder:
        file = Path(folder) / "watch.html"
        redirect = element("meta", http_equiv="refresh", content=f"0; url={url}")
        file.write_text(join(redirect, element("a", "Hebbarium", href=url)))
        yield file.as_uri()
