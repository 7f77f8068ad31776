"""A real `hebbarium watch`, as a process: requests of strangers, silent connections, pings whose answers nobody reads,
endless fragments, and any message.

Nothing may open to a stranger; afterwards our own page must still be answered, in little memory, and nothing may have
been said on standard error.
"""

from __future__ import annotations

import contextlib
import http.client
import itertools
import json
import random
import resource
import signal
import socket
import subprocess
import sys
import time
import urllib.parse
import urllib.request
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from websockets.exceptions import ConnectionClosed
from websockets.frames import Frame, Opcode
from websockets.sync.client import ClientConnection, connect
from websockets.typing import Origin

from attacks.base import Tally
from hebbarium.worlds.registry import WORLDS

ROUTES = ("/", "/socket", "/nothing")
METHODS = ("GET", "HEAD", "POST", "OPTIONS")
STRANGERS: dict[str, dict[str, str]] = {
    "bad host": {"Host": "evil.example"},
    "rebound host": {"Host": "evil.example:{port}"},
    "host without port": {"Host": "127.0.0.1"},
    "host of another port": {"Host": "127.0.0.1:1"},
    "host in disguise": {"Host": "127.0.0.1:{port}.evil.example"},
    "foreign origin": {"Origin": "http://evil.example"},
    "origin of another port": {"Origin": "http://127.0.0.1:1"},
    "origin in disguise": {"Origin": "http://127.0.0.1:{port}.evil.example"},
    "secure origin": {"Origin": "https://127.0.0.1:{port}"},
    "null origin": {"Origin": "null"},
    "empty origin": {"Origin": ""},
    "no token": {"token": ""},
    "wrong token": {"token": "?token=" + "A" * 32},
    "two tokens": {"token": "?token={token}&token=x"},
    "token of another cookie": {"token": "", "Cookie": "hebbarium-1={token}"},
    "wrong cookie": {"token": "", "Cookie": "hebbarium-{port}=x"},
    "token as cookie": {"token": "", "Cookie": "hebbarium-{port}={token}"},
    "too many fields": {"token": "?token={token}" + "&a=1" * 30},
    "broken cookie": {"token": "", "Cookie": "=;;, [hebbarium-{port}={token}"},
}
"""Headers, and in the place of `token` the query, none of which our own page would send."""
HOST = b" HTTP/1.1\r\nHost: HERE\r\n"
RAW: tuple[bytes, ...] = (
    *(b"", b"\r\n" * 3000, b"\x00" * 100, b"\x16\x03\x01\x02\x00\x01\x00\x01\xfc", b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n"),
    *(b"GET /\r\n\r\n", b"GET / HTTP/1.1\r\n\r\n", b"GET / HTTP/9.9\r\nHost: HERE\r\n\r\n", b"get /" + HOST + b"\r\n"),
    *(b"GET / HTTP/1.1\nHost: HERE\n\n", b"GET /" + HOST + b"Host: evil.example\r\n\r\n"),
    *(b"GET http://evil.example/" + HOST + b"\r\n", b"CONNECT evil.example:443" + HOST + b"\r\n"),
    *(b"GET /" + b"a" * 100_000 + HOST + b"\r\n", b"GET /" + HOST + b"X: " + b"a" * 200_000),
    *(
        b"GET /" + HOST + b"X: 1\r\n" * 20_000 + b"\r\n",
        b"GET /%00" + HOST + b"\r\n",
        b"GET /\xff\xfe" + HOST + b"\r\n",
    ),
    *(b"GET / HTTP/1.1\r\nHost : HERE\r\n\r\n", b"GET / HTTP/1.1\r\n Host: HERE\r\n\r\n"),
    b"POST /" + HOST + b"Content-Length: 5\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\nGET / HTTP/1.1\r\n\r\n",
    *(
        b"POST /" + HOST + b"Content-Length: " + length + b"\r\n\r\nx"
        for length in (b"-1", b"1e3", b"9" * 12, b"9" * 40)
    ),
    b"POST /" + HOST + b"Transfer-Encoding: chunked\r\n\r\nffffffffffffffffff\r\nx",
    b"GET /" + HOST + b"Expect: 100-continue\r\nContent-Length: 10\r\n\r\n",
    b"GET /socket" + HOST + b"Connection: Upgrade\r\nUpgrade: websocket\r\n\r\n",
    b"GET /socket" + HOST + b"Connection: Upgrade\r\nUpgrade: h2c\r\nHTTP2-Settings: AAMAAABk\r\n\r\n",
    b"GET /" + HOST + b"X: a\x00b\r\n\r\n" + (b"GET /" + HOST + b"\r\n") * 200,
)
"""Without the token, whatever else they are; HERE stands for the right host."""
MESSAGES = (
    *("", "nonsense", "[]", "3", "null", "{}", '{"do": 3}', '{"do": "explode"}'),
    *("[" * 5000, "y" * 9000, "z" * 5_000_000),
    *('{"do": "start"}', '{"do": "start", "life": []}', '{"do": "start", "life": {"task": "nowhere"}}'),
    '{"do": "start", "life": {"rule": "__import__(\'os\').system(\'true\')"}}',
    '{"do": "start", "life": {"task": "/etc/passwd"}}',
    '{"do": "start", "life": {"seed": 1' + "0" * 5000 + "}}",
    *('{"do": "rule", "rule": "00+-/0000@0.04"}', '{"do": "season", "kind": 0}', '{"do": "step"}', '{"do": "again"}'),
    *('{"do": "run"}', '{"do": "pace", "speed": -1}', '{"do": "pace", "speed": NaN}', '{"do": "pace", "speed": 1e999}'),
    *('{"do": "pace", "playing": "yes"}', '{"do": "' + "x" * 8000 + '"}'),
)
"""Nothing of this can be done before a life has begun, or at all."""
VALUES: tuple[Any, ...] = (
    *(None, True, -1, 0, 1, 2, 7, 10**18, 10**40, 0.5, -0.0, 1e308, 5e-324, "", "x", "0", "1e999", "nan", "-1", "[]"),
    *([], {}, [[]], "foraging", "t-maze", "association", "prey-predator", "__proto__", "00+-/0000@0.04", "summer"),
    *("2:0-+-/0000@0.2;4:winter", "1:1:1:1", ";" * 500, "foraging:1", "0.5:-1:0:1/0:0:0:0", "missed:0.5", "é\u202e"),
)
NAMES = (
    "do life task rule seed at then hidden eta season_steps seasons blame eligibility brains speed playing mark kind"
)
FILES = 200
"""Descriptors that the server may have open."""
MOST_MEMORY = 60e6
"""Bytes by which any of this may let the server grow for good."""
COMPILED = 250e6
"""The same where lives are asked for whose code is not compiled yet: 133 MB was seen with an empty cache."""


@dataclass
class Server:
    process: subprocess.Popen[bytes]
    url: str
    said: Path
    """Its standard error."""
    usual: int
    """Characters that it says there in any case."""

    @property
    def port(self) -> int:
        return int(urllib.parse.urlsplit(self.url).port or 0)

    @property
    def token(self) -> str:
        return self.url.partition("token=")[2]

    @property
    def memory(self) -> int:
        import psutil

        return int(psutil.Process(self.process.pid).memory_info().rss)

    def knock(self) -> socket.socket:
        return socket.create_connection(("127.0.0.1", self.port), timeout=30)

    def check(self, tally: Tally, what: str) -> None:
        """Our own page is still answered; tried again while connections that were attacked with are still closing."""
        for seconds in (0, 1, 2, 4, 8, 16):
            time.sleep(seconds)
            with contextlib.suppress(OSError), urllib.request.urlopen(self.url, timeout=30) as page:
                if page.status == 200:
                    break
        else:
            tally.problem(what, "the page does not answer any more")
        if said := self.said.read_text(errors="replace")[self.usual :]:
            tally.problem(what, f"{len(said):,} characters were said: {said[:400]}")


@contextlib.contextmanager
def serving(folder: Path, worlds: Iterable[str] = WORLDS) -> Iterator[Server]:
    """With few file descriptors. worlds: in which a life was begun, so that memory is measured with them loaded"""
    words = [sys.executable, "-m", "hebbarium", "watch", "--no-open", "--port", "0"]
    said = folder / "said.txt"
    with said.open("wb") as err:
        process = subprocess.Popen(
            words,
            stdout=subprocess.PIPE,
            stderr=err,
            preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_NOFILE, (FILES, FILES)),
        )
    assert process.stdout is not None
    try:
        server = Server(process, process.stdout.readline().decode().strip(), said, 0)
        with page_of(server) as page:
            for task in worlds:
                page.send(json.dumps({"do": "start", "life": {"task": task}}))
                while json.loads(page.recv(timeout=1800))["type"] != "frame":
                    pass
        server.usual = len(said.read_text())
        yield server
    finally:
        process.send_signal(signal.SIGINT)
        try:
            process.wait(30)
        except subprocess.TimeoutExpired:
            process.kill()
            process.wait()
        process.stdout.close()


def attack(connections: int, messages: int, seed: int, folder: Path) -> Iterator[Tally]:
    """connections: that stay silent. messages: random ones to a life."""
    draw, half = random.Random(seed), messages // 2
    with serving(folder) as server:
        # Lives that the first messages ask for are compiled, and that code stays: what the second half leaves counts.
        for run, most in (
            (strangers, MOST_MEMORY),
            (raw_requests, MOST_MEMORY),
            (lambda server: silent(server, connections), MOST_MEMORY),
            (unread_pings, MOST_MEMORY),
            (endless_fragments, MOST_MEMORY),
            (lambda server: random_messages(server, half, draw), COMPILED),
            (lambda server: random_messages(server, messages - half, draw), MOST_MEMORY / 2),
        ):
            before, start = server.memory, time.perf_counter()
            tally: Tally = run(server)
            tally.slowest = time.perf_counter() - start
            server.check(tally, "afterwards")
            if server.memory - before > most:
                tally.problem("afterwards", f"the server grew by {(server.memory - before) / 1e6:.0f} MB")
            yield tally


def page_of(server: Server) -> ClientConnection:
    """Our own page, connected."""
    address, origin = f"ws://127.0.0.1:{server.port}/socket?token={server.token}", f"http://127.0.0.1:{server.port}"
    return connect(address, origin=Origin(origin), max_size=None, compression=None)


def filled(headers: dict[str, str], port: int, token: str) -> tuple[str, dict[str, str]]:
    """The query and the headers of a stranger."""
    done = {name: text.replace("{port}", str(port)).replace("{token}", token) for name, text in headers.items()}
    return done.pop("token", f"?token={token}"), done


def strangers(server: Server) -> Tally:
    tally = Tally("watch: strangers")
    for route, method, name in itertools.product(ROUTES, METHODS, STRANGERS):
        query, headers = filled(STRANGERS[name], server.port, server.token)
        connection = http.client.HTTPConnection("127.0.0.1", server.port, timeout=30)
        connection.putrequest(method, route + query, skip_host=True)
        for header, value in ({"Host": f"127.0.0.1:{server.port}"} | headers).items():
            connection.putheader(header, value)
        connection.endheaders()
        answer = connection.getresponse()
        text = answer.read().decode(errors="replace")
        connection.close()
        if answer.status not in (400, 401, 403) or server.token in text or "<script" in text:
            tally.problem(f"{method} {route} with {name}", f"{answer.status}: {text}")
        else:
            tally.outcomes[str(answer.status)] += 1
    return tally


def raw_requests(server: Server) -> Tally:
    tally = Tally("watch: requests that are none")
    for raw in RAW:
        answer = b""
        with server.knock() as connection, contextlib.suppress(OSError):
            connection.sendall(raw.replace(b"HERE", f"127.0.0.1:{server.port}".encode()))
            connection.shutdown(socket.SHUT_WR)
            while part := connection.recv(65_536):
                answer += part
        opened = [line for line in answer.split(b"\r\n") if line.startswith((b"HTTP/1.1 2", b"HTTP/1.1 101"))]
        if opened or server.token.encode() in answer:
            tally.problem(raw[:60], f"{answer!r}")
        else:
            tally.outcomes[answer[9:12].decode(errors="replace") or "closed"] += 1
    return tally


def silent(server: Server, many: int) -> Tally:
    """More than the server may open, in blocks; some begin a request and stop."""
    tally = Tally("watch: silent connections")
    with contextlib.ExitStack() as stack:
        for number in range(many):
            with contextlib.suppress(OSError):  # refused is as good as closed
                connection = stack.enter_context(server.knock())
                if number % 3 == 0:
                    connection.sendall(b"GET / HTTP/1.1\r\nHost: 127.0")
            tally.outcomes["made"] += 1
        server.check(tally, f"beside {many} of them")
    return tally


def websocket(server: Server) -> socket.socket:
    """After the handshake, which our own page could have made."""
    raw = server.knock()
    lines = (
        f"GET /socket?token={server.token} HTTP/1.1",
        *(f"Host: 127.0.0.1:{server.port}", f"Origin: http://127.0.0.1:{server.port}"),
        *("Upgrade: websocket", "Connection: Upgrade", "Sec-WebSocket-Version: 13"),
        *("Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==", "\r\n"),
    )
    raw.sendall("\r\n".join(lines).encode())
    assert raw.recv(12) == b"HTTP/1.1 101"
    return raw


def unread_pings(server: Server, megabytes: int = 150) -> Tally:
    tally, pings = Tally("watch: unread pings"), Frame(Opcode.PING, b"x" * 125).serialize(mask=True) * 8000
    with websocket(server) as raw:
        try:
            for _ in range(megabytes):
                raw.sendall(pings)
            tally.problem(f"{megabytes} MB", "all of them were taken")
        except OSError:
            tally.outcomes["the connection was ended"] += 1
    return tally


def endless_fragments(server: Server) -> Tally:
    tally = Tally("watch: fragments and bad frames")
    more = Frame(Opcode.CONT, b"x" * 100, fin=False).serialize(mask=True)
    for name, first, rest in (
        ("endless text", Frame(Opcode.TEXT, b"x", fin=False).serialize(mask=True), more * 1000),
        ("endless empty fragments", Frame(Opcode.TEXT, b"", fin=False).serialize(mask=True), more[:6] * 5000),
        ("no UTF-8", Frame(Opcode.TEXT, b"\xff\xfe").serialize(mask=True), more),
        ("no mask", Frame(Opcode.TEXT, b"{}").serialize(mask=False), more),
        ("a continuation of nothing", more, more),
        ("an unknown kind of frame", b"\x83\x80\x00\x00\x00\x00", more),
        ("a frame of 2^62 bytes", b"\x81\xff\x3f" + b"\xff" * 7 + b"\x00" * 4, more),
    ):
        with websocket(server) as raw:
            try:
                raw.sendall(first)
                for _ in range(100):
                    raw.sendall(rest)
                while raw.recv(65_536):
                    pass
                tally.outcomes["closed"] += 1
            except TimeoutError:
                tally.problem(name, "the connection is still open")
            except OSError:
                tally.outcomes["closed"] += 1
    return tally


def random_messages(server: Server, many: int, draw: random.Random) -> Tally:
    """Known ones, and known names with any values: each is done or answered, and the connection stays."""
    tally, names = Tally("watch: messages"), NAMES.split()
    orders = ("start", "again", "rule", "season", "pace", "step", "run", "drawn")

    def message() -> str:
        if draw.random() < 0.1:
            text = draw.choice(MESSAGES)
            return text[: draw.randrange(len(text) + 1)]
        said: dict[str, Any] = {name: draw.choice(VALUES) for name in draw.sample(names, draw.randint(0, 4))}
        if draw.random() < 0.9:
            said["do"] = draw.choice(orders)
        if draw.random() < 0.4:
            said["life"] = {name: draw.choice(VALUES) for name in draw.sample(names, draw.randint(0, 5))}
        return json.dumps(said)

    while tally.tried < many:
        with page_of(server) as connection:
            try:
                for _ in range(min(500, many - tally.tried)):
                    connection.send(message())
                    tally.outcomes["sent"] += 1
                    time.sleep(0.002)  # below what is refused as a flood
                connection.send('{"do": "explode"}')
                while True:
                    answer = json.loads(connection.recv(timeout=60))
                    if answer["type"] == "frame":
                        connection.send('{"do": "drawn"}')
                    elif answer["type"] == "error" and "explode" in answer["text"]:
                        break
            except (ConnectionClosed, TimeoutError) as error:
                tally.problem("a page", f"it is not answered any more: {error!r}")
                break
    return tally
