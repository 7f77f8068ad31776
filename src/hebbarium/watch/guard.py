"""Who may come in: this machine's own browser, from our own page, with the token that was printed.

Every request and every socket passes here before anything else looks at it. A page of another site that a user has
open can make the browser call us, under our address or, with a name that leads to 127.0.0.1, under its own: hence Host
and Origin are checked, and `null`, the Origin of a page without a home, is refused.
"""

from __future__ import annotations

import asyncio
import logging
import secrets
from http.cookies import CookieError, SimpleCookie
from urllib.parse import parse_qs

from starlette.responses import PlainTextResponse
from starlette.types import ASGIApp, Message, Receive, Scope, Send
from uvicorn.protocols.http.h11_impl import H11Protocol
from uvicorn.protocols.websockets.websockets_sansio_impl import WebSocketsSansIOProtocol

HEADERS = (
    (b"cache-control", b"no-store"),
    (b"cross-origin-opener-policy", b"same-origin"),
    (b"cross-origin-resource-policy", b"same-origin"),
    (b"referrer-policy", b"no-referrer"),
    (b"x-content-type-options", b"nosniff"),
    (b"x-frame-options", b"DENY"),
)
LOCKED = b"default-src 'none'; frame-ancestors 'none'"
"""The content-security policy of whatever has none of its own."""
MOST_FIELDS = 20
NO_TOKEN = "This page needs its token: open the address that `hebbarium watch` printed, once; then this link works.\n"


class Guard:
    def __init__(self, app: ASGIApp, port: int, token: str, cookie: str) -> None:
        """cookie: the value of ours. It opens the page, which is the same for all, but no socket: a browser sends
        cookies to every port of this machine, so others may get to see it."""
        self.app, self.token, self.port = app, token, port
        self.hosts = {f"{name}:{port}" for name in ("127.0.0.1", "localhost")}
        self.cookie_name, self.cookie = cookie_name(port), cookie

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] == "lifespan":
            await self.app(scope, receive, send)
            return
        refusal = self.refusal(scope)
        if refusal is None:
            await self.app(scope, receive, self._sealed(send))
        elif scope["type"] == "websocket":
            await send({"type": "websocket.close", "code": 1008})  # before it is accepted: the answer is 403
        else:
            status, words = refusal
            await PlainTextResponse(words, status)(scope, receive, self._sealed(send))

    def refusal(self, scope: Scope) -> tuple[int, str] | None:
        """Status and words for who may not come in."""
        hosts, origins = _values(scope, b"host"), _values(scope, b"origin")
        if len(hosts) != 1 or hosts[0] not in self.hosts:
            return 403, "This is not this server's address.\n"
        # A browser gives no Origin when it opens a page, but always when it opens a socket.
        needed = scope["type"] == "websocket"
        if len(origins) > 1 or ((origins or needed) and origins != [f"http://{hosts[0]}"]):
            return 403, "This request came from another page.\n"
        return None if self._has_token(scope) else (401, NO_TOKEN)

    def _has_token(self, scope: Scope) -> bool:
        try:
            asked = parse_qs(scope["query_string"].decode("latin-1"), max_num_fields=MOST_FIELDS).get("token", [])
        except ValueError:  # more than we ever ask for
            return False
        if len(asked) == 1:
            return _same(asked[0], self.token)
        try:
            found = SimpleCookie("; ".join(_values(scope, b"cookie"))).get(self.cookie_name)
        except CookieError:
            found = None
        return not asked and scope["type"] == "http" and found is not None and _same(found.value, self.cookie)

    def _sealed(self, send: Send) -> Send:
        async def sealed(message: Message) -> None:
            if message["type"] == "http.response.start":
                headers = [*message.get("headers", []), *HEADERS]
                if all(name != b"content-security-policy" for name, _ in headers):
                    headers.append((b"content-security-policy", LOCKED))
                message = {**message, "headers": headers}
            await send(message)

        return sealed


def cookie_name(port: int) -> str:
    return f"hebbarium-{port}"


def _same(given: str, wanted: str) -> bool:
    """Compared in a time that says nothing about how much of it is right."""
    return secrets.compare_digest(given.encode("utf-8", "replace"), wanted.encode())


def _values(scope: Scope, name: bytes) -> list[str]:
    return [value.decode("latin-1") for header, value in scope["headers"] if header == name]


# How many connections there may be, how long they may say nothing, and how much they may leave unread.

MOST_CONNECTIONS = 64
ACCEPTED_AT_ONCE = 16
"""Those beyond the most are accepted before they are closed, so their files are open for a moment. asyncio accepts so
many without a pause, and uvicorn's 2,048 would use up all files of the process."""
SILENT_SECONDS = 10.0
"""In which a new connection must have sent its request."""
MOST_UNREAD = 4 * 2**20
"""Bytes that may wait for a page to read them: far more than the pictures under way, but not what answers to endless
pings would take."""
MOST_FRAGMENTS = 1000
"""Of one message."""


class Connection(H11Protocol):
    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
        super().connection_made(transport)
        if len(self.connections) > MOST_CONNECTIONS:
            transport.abort()
        else:
            self.loop.call_later(SILENT_SECONDS, self._close_if_silent)

    def _close_if_silent(self) -> None:
        if self.cycle is None and self in self.connections:
            self.transport.abort()


class Socket(WebSocketsSansIOProtocol):
    def data_received(self, data: bytes) -> None:
        super().data_received(data)
        if self.transport.get_write_buffer_size() > MOST_UNREAD or len(self.frames) > MOST_FRAGMENTS:
            self.transport.abort()


def _is_news(record: logging.LogRecord) -> bool:
    """uvicorn closes a connection that sends text which is not UTF-8, but also prints a traceback."""
    return not str(record.msg).startswith("Invalid UTF-8")


logging.getLogger("uvicorn.error").addFilter(_is_news)
