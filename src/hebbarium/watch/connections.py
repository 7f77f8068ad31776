"""How many connections there may be, how long they may say nothing, and how much they may leave unread."""

from __future__ import annotations

import asyncio
import logging

from uvicorn.protocols.http.h11_impl import H11Protocol
from uvicorn.protocols.websockets.websockets_sansio_impl import WebSocketsSansIOProtocol

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
