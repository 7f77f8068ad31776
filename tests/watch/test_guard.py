"""Nobody comes in but our own page with its token; whatever a page says, the server lives on."""

from __future__ import annotations

import http.client
import itertools
import json
import socket
import sys
import urllib.parse
from pathlib import Path

import pytest
from websockets.exceptions import InvalidStatus
from websockets.sync.client import connect

from attacks.requests import MESSAGES, METHODS, ROUTES, STRANGERS, filled

sys.path.insert(0, str(Path(__file__).parent))
from served import Served, receive, send, served

from clusters import wait_for


@pytest.fixture(scope="module")
def server():
    with served() as server:
        yield server


def get(server: Served, path: str, method: str = "GET", **headers: str) -> http.client.HTTPResponse:
    connection = http.client.HTTPConnection("127.0.0.1", server.port, timeout=60)
    connection.putrequest(method, path, skip_host=True)
    for name, value in ({"Host": f"127.0.0.1:{server.port}"} | headers).items():
        connection.putheader(name, value)
    connection.endheaders()
    response = connection.getresponse()
    response.words = response.read().decode()
    connection.close()
    return response


def attack(server: Served, name: str) -> tuple[str, dict[str, str]]:
    """The query and the headers."""
    return filled(STRANGERS[name], server.port, server.watch.token)


@pytest.mark.parametrize(("route", "method", "name"), list(itertools.product(ROUTES, METHODS, STRANGERS)))
def test_no_route_answers_a_stranger(server, route, method, name):
    query, headers = attack(server, name)
    response = get(server, route + query, method, **headers)
    assert response.status in (400, 401, 403)
    assert server.watch.token not in response.words
    assert "<script" not in response.words
    assert response.status == 400 or response.getheader("X-Frame-Options") == "DENY"


@pytest.mark.parametrize("name", STRANGERS)
def test_no_socket_opens_for_a_stranger(server, name):
    query, headers = attack(server, name)
    host = headers.pop("Host", None)
    origin = headers.pop("Origin", server.origin)
    before = server.watch.pages
    with pytest.raises((InvalidStatus, OSError)) as refusal:
        raw_socket(server, query, host, origin, headers)
    assert "403" in str(refusal.value) or "400" in str(refusal.value)
    assert server.watch.pages == before


def raw_socket(server: Served, query: str, host: str | None, origin: str | None, headers: dict[str, str]) -> None:
    """A handshake as bytes, because a client library would mend it."""
    lines = [
        f"GET /socket{query} HTTP/1.1",
        f"Host: {host or f'127.0.0.1:{server.port}'}",
        "Connection: Upgrade",
        "Upgrade: websocket",
        "Sec-WebSocket-Version: 13",
        "Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==",
        *([f"Origin: {origin}"] if origin is not None else []),
        *(f"{name}: {value}" for name, value in headers.items()),
    ]
    with socket.create_connection(("127.0.0.1", server.port), 60) as connection:
        connection.sendall("\r\n".join([*lines, "", ""]).encode("latin-1"))
        answer = connection.recv(4096).decode("latin-1")
    if "101" not in answer.split("\r\n")[0]:
        raise OSError(answer.split("\r\n")[0])


def test_a_socket_needs_an_origin(server):
    with pytest.raises(OSError, match="403"):
        raw_socket(server, f"?token={server.watch.token}", None, None, {})
    raw_socket(server, f"?token={server.watch.token}", None, server.origin, {})


def test_our_own_page_comes_in(server):
    response = get(server, f"/?token={server.watch.token}")
    assert response.status == 200
    cookie = response.getheader("Set-Cookie")
    assert "HttpOnly" in cookie
    policy = response.getheader("Content-Security-Policy")
    assert "default-src 'none'" in policy
    assert "unsafe" not in policy
    assert "frame-ancestors 'none'" in policy
    again = get(server, "/", Cookie=cookie.partition(";")[0])
    assert again.status == 200
    assert get(server, "/", Host=f"localhost:{server.port}", Cookie=cookie.partition(";")[0]).status == 200
    assert get(server, f"/?token={server.watch.token}", "POST").status == 405


def test_the_cookie_opens_the_page_and_nothing_else(server):
    """Browsers send cookies to every port of a machine, so another server may see ours."""
    first = get(server, f"/?token={server.watch.token}")
    cookie = first.getheader("Set-Cookie").partition(";")[0]
    again = get(server, "/", Cookie=cookie)
    for response in (first, again):
        assert server.watch.token not in response.words
        assert server.watch.cookie not in response.words
    with pytest.raises(OSError, match="403"):
        raw_socket(server, "", None, server.origin, {"Cookie": cookie})


def spellings() -> list[str]:
    """Ways to name a file outside."""
    ups = ["..", "%2e%2e", "%2E.", ".%2e", "..%00", "....", "%252e%252e", "..;", "%c0%ae%c0%ae", "%u002e%u002e"]
    slashes = ["/", "%2f", "\\", "%5c", "//", "%252f", "/./"]
    files = ["etc/passwd", "pyproject.toml", "server.py"]
    return ["/" + slash.join([up] * 4) + slash + file for up in ups for slash in slashes for file in files]


def test_nothing_from_outside(server):
    asked = spellings()
    assert len(asked) >= 200
    for path in asked:
        for prefix in ("", "/socket", "/page"):
            quoted = urllib.parse.quote(prefix + path, safe="/%\\;:.")
            response = get(server, f"{quoted}?token={server.watch.token}")
            assert response.status in (400, 404, 405)
            assert response.words in ("Not Found", "Invalid HTTP request received.")


def test_malformed_messages_get_a_sentence_and_the_connection_lives_on(server):
    with server.connect() as connection:
        receive(connection, "hello")
        for text in (*MESSAGES, b"\x00\xff", b"z" * 100_000):
            connection.send(text)
            answer = receive(connection, "error")
            assert answer["text"].endswith(".")
            assert len(answer["text"]) < 400
        send(connection, do="start", life={"task": "foraging", "seed": 3}, playing=False)
        assert receive(connection, "frame")["lived"] == 0
        send(connection, do="step")
        assert receive(connection, "frame")["lived"] == 1


def test_a_flood_of_messages_is_slowed_down(server):
    with server.connect() as connection:
        receive(connection, "hello")
        for _ in range(1500):
            connection.send('{"do": "explode"}')
        texts = {receive(connection, "error")["text"] for _ in range(1500)}
        assert any("too many messages" in text for text in texts)
        send(connection, do="start", life={"task": "foraging"}, playing=False)
        assert receive(connection, "frame")["lived"] == 0


def test_a_page_that_stops_drawing_costs_nothing(server):
    """It gets as many frames as it has room for; then its agent waits."""
    with server.connect() as connection:
        receive(connection, "hello")
        send(connection, do="start", life={"task": "foraging"}, speed=0, playing=True)
        for _ in range(2):
            while json.loads(connection.recv(timeout=300))["type"] != "frame":
                pass
        with pytest.raises(TimeoutError):
            connection.recv(timeout=1)
        send(connection, do="drawn")
        assert receive(connection, "frame")["lived"] > 0


FAR = {"task": "prey-predator", "seed": 3, "at": 10_000_000}
"""A step that takes many seconds to get to."""


def test_a_newer_wish_wins(server):
    """On the way to a far step what is asked for is heard, and how far it is can be seen."""
    with server.connect() as connection:
        receive(connection, "hello")
        send(connection, do="start", life=FAR, playing=False, mark=1)
        assert receive(connection, "life")["mark"] == 1
        going = receive(connection, "going")
        assert going["to"] == FAR["at"]
        assert 0 <= going["share"] < 1
        send(connection, do="start", life={"task": "foraging"}, playing=False, mark=2)
        assert receive(connection, "life")["mark"] == 2
        assert receive(connection, "frame")["lived"] == 0
        send(connection, do="start", life=FAR, playing=False)
        receive(connection, "going")
        send(connection, do="step")  # whoever takes a hand in it does so where it is
        assert 0 < receive(connection, "frame")["lived"] < FAR["at"]


def test_vanished_pages_keep_nobody_waiting(server):
    """There are four threads: once, as many pages that asked for much and went away would have blocked all others."""
    for _ in range(6):
        with server.connect() as connection:
            receive(connection, "hello")
            send(connection, do="start", life=FAR, playing=False)
            receive(connection, "going")
    wait_for(lambda: server.watch.pages == 0, "the end of the pages")
    wait_for(lambda: server.watch._threads._work_queue.empty(), "the end of their work")
    with server.connect() as connection:
        receive(connection, "hello")
        send(connection, do="start", life={"task": "foraging", "at": 5000}, playing=False)
        assert receive(connection, "frame", patience=20)["lived"] == 5000


def test_a_refusal_says_what_was_refused(server):
    with server.connect() as connection:
        receive(connection, "hello")
        send(connection, do="start", life={"hidden": 500}, mark=7)
        refused = receive(connection, "error")
        assert (refused["do"], refused["mark"]) == ("start", 7)
        send(connection, do="start", life={"networks": "/etc/passwd"}, mark=8)
        assert "no setting 'networks'" in receive(connection, "error")["text"]


def test_pages_are_counted_and_forgotten(server):
    wait_for(lambda: server.watch.pages == 0, "the end of the pages of the tests before")
    with server.connect() as one, server.connect() as two:
        receive(one, "hello")
        receive(two, "hello")
        assert server.watch.pages == 2
    with server.connect() as connection:
        receive(connection, "hello")
        wait_for(lambda: server.watch.pages == 1, "the end of the other pages")


def test_a_client_library_comes_in_as_well(server):
    with connect(server.socket_url, origin=server.origin) as connection:
        assert receive(connection, "hello")["worlds"]
