"""Connections that say nothing, ask for too much or leave everything unread do not keep the page from others."""

from __future__ import annotations

import contextlib
import signal
import socket
import stat
import sys
import urllib.request
from pathlib import Path
from urllib.parse import urlsplit

import pytest
from websockets.exceptions import ConnectionClosed
from websockets.frames import Frame, Opcode

from attacks.base import Tally
from attacks.requests import FILES, serving
from hebbarium.watch import guard
from hebbarium.watch.server import private_link

sys.path.insert(0, str(Path(__file__).parent))
from served import Served, served

from clusters import wait_for
from commands import started


def knock(page: Served) -> socket.socket:
    return socket.create_connection(("127.0.0.1", page.port), timeout=60)


def is_closed(connection: socket.socket) -> bool:
    """Waits for it."""
    try:
        return connection.recv(1) == b""
    except ConnectionResetError:
        return True


def answers(page: Served) -> bool:
    try:
        return bool(urllib.request.urlopen(page.url).status == 200)
    except OSError:
        return False


def test_a_connection_without_a_request_is_closed(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(guard, "SILENT_SECONDS", 0.2)
    with served() as page, knock(page) as silent, knock(page) as slow:
        slow.sendall(b"GET / HTTP/1.1\r\nHost: 127.0")
        assert is_closed(silent)
        assert is_closed(slow)


def test_too_many_connections_are_refused_and_the_page_is_still_there(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(guard, "MOST_CONNECTIONS", 5)
    monkeypatch.setattr(guard, "SILENT_SECONDS", 600.0)
    with served() as page, contextlib.ExitStack() as stack:
        first = [stack.enter_context(knock(page)) for _ in range(5)]
        assert all(is_closed(stack.enter_context(knock(page))) for _ in range(15))
        for connection in first:
            connection.setblocking(False)
            with pytest.raises(BlockingIOError):  # still open
                connection.recv(1)
            connection.close()
        wait_for(lambda: answers(page), "the page")


def test_a_burst_of_connections_does_not_use_up_all_files(tmp_path: Path) -> None:
    """uvicorn accepts 2,048 before it closes one: thousands of lines of tracebacks."""
    tally = Tally("burst")
    with serving(tmp_path, ()) as server:
        server.process.send_signal(signal.SIGSTOP)  # so that all of them wait at once, however busy the machine is
        with contextlib.ExitStack() as stack:
            for _ in range(2 * FILES):
                knocking = stack.enter_context(socket.socket())
                knocking.setblocking(False)
                with contextlib.suppress(BlockingIOError):
                    knocking.connect(("127.0.0.1", server.port))
            server.process.send_signal(signal.SIGCONT)
            server.check(tally, "meanwhile")
        server.check(tally, "afterwards")
    assert not tally.problems


def test_pings_whose_answers_are_never_read_end_the_connection(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(guard, "MOST_UNREAD", 100_000)
    ping = Frame(Opcode.PING, b"x" * 125).serialize(mask=True)
    with served() as page, knock(page) as raw:  # a client of a library would read the answers in its own thread
        lines = (
            f"GET /socket?token={page.watch.token} HTTP/1.1",
            *(f"Host: 127.0.0.1:{page.port}", f"Origin: {page.origin}", "Upgrade: websocket", "Connection: Upgrade"),
            *("Sec-WebSocket-Version: 13", "Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==", "\r\n"),
        )
        raw.sendall("\r\n".join(lines).encode())
        assert raw.recv(12) == b"HTTP/1.1 101"
        with pytest.raises((ConnectionResetError, BrokenPipeError)):  # noqa: PT012 - no timeout, as of a full buffer
            for _ in range(1000):  # 65 MB, far more than systems keep for a connection
                raw.sendall(ping * 500)


def test_endless_fragments_end_the_connection(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(guard, "MOST_FRAGMENTS", 10)
    with served() as page, page.connect() as connection, pytest.raises(ConnectionClosed):
        connection.send("x" for _ in range(1_000_000))


def test_text_that_is_not_utf8_prints_no_traceback(capfd: pytest.CaptureFixture[str]) -> None:
    with served() as page, page.connect() as connection:
        connection.socket.sendall(Frame(Opcode.TEXT, b"\xff\xfe").serialize(mask=True))
        with pytest.raises(ConnectionClosed):  # noqa: PT012
            while True:
                connection.recv(timeout=60)
    assert "Traceback" not in capfd.readouterr().err


def test_the_browser_is_started_without_the_token() -> None:
    with private_link("http://127.0.0.1:1/?token=secret&x=1") as link:
        assert "secret" not in link
        file = Path(urlsplit(link).path)
        assert "url=http://127.0.0.1:1/?token=secret&amp;x=1" in file.read_text()
        assert stat.S_IMODE(file.parent.stat().st_mode) == 0o700
    assert not file.exists()


@pytest.mark.skipif(not hasattr(signal, "SIGHUP"), reason="no such signal here")
def test_a_closed_terminal_ends_it_quietly() -> None:
    with started([sys.executable, "-m", "hebbarium", "watch", "--no-open", "--port", "0"]) as process:
        assert process.stdout is not None
        url = process.stdout.readline().strip()
        assert urllib.request.urlopen(url).status == 200  # it serves, so it heeds the signal
        process.send_signal(signal.SIGHUP)
        _, err = process.communicate(timeout=60)
    assert err == "Open this address in a browser on this machine. Press Ctrl-C to stop.\n"
