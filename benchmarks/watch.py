"""How fast `hebbarium watch` is in a real browser, and whether it grows while it is watched for long.

    .venv/bin/python benchmarks/watch.py speed
    .venv/bin/python benchmarks/watch.py soak --minutes 10 --speed 0

`speed`: steps and frames a second of rule 1 as fast as possible, and how long a key press waits for its answer on the
page meanwhile. `soak`: the memory of the server with five pages, of which one never reads; `--speed` in steps a second,
0 for as fast as possible.
"""

from __future__ import annotations

import argparse
import contextlib
import json
import shutil
import socket
import statistics
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

FLAGS = ("--no-sandbox", "--disable-gpu", "--disable-background-networking", "--disable-component-update")
BROWSERS = ("chromium", "chromium-browser", "google-chrome")


@contextlib.contextmanager
def server() -> Iterator[tuple[int, str]]:
    """The command itself: its process and its address."""
    command = [sys.executable, "-m", "hebbarium", "watch", "foraging", "--port", "0", "--no-open", "--seed", "7"]
    process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True)
    try:
        assert process.stdout is not None
        yield process.pid, process.stdout.readline().strip()
    finally:
        process.terminate()
        process.wait()


WATCH = """() => {
  window.frames = 0;
  window.inputs = [];
  const pen = CanvasRenderingContext2D.prototype, clear = pen.clearRect;
  pen.clearRect = function (...rest) {
    if (this.canvas.id === "world") window.frames++;
    return clear.apply(this, rest);
  };
  document.addEventListener("keydown", (event) => {
    // From the key press to the next picture on the screen.
    requestAnimationFrame(() => window.inputs.push(performance.now() - event.timeStamp));
  }, true);
  window.since = performance.now();
}"""
SEEN = "() => [window.frames / (performance.now() - window.since) * 1000, window.inputs]"


def speed(seconds: float) -> dict[str, Any]:
    from playwright.sync_api import sync_playwright

    path = next(found for name in BROWSERS if (found := shutil.which(name)))
    with server() as (_, url), sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=path, args=FLAGS)
        page = browser.new_page(viewport={"width": 1400, "height": 900})
        page.goto(f"{url.partition('#')[0]}#task=foraging&seed=7&speed=0&rule=00+-/0000@0.0375")
        page.wait_for_selector("html[data-ready=yes]", timeout=300_000)
        page.wait_for_timeout(2000)
        page.evaluate(WATCH)
        before, start = _step(page), time.monotonic()
        while time.monotonic() - start < seconds:
            page.keyboard.press("x")  # a key without meaning: only its delay is wanted
            page.wait_for_timeout(100)
        passed = time.monotonic() - start
        frames, inputs = page.evaluate(SEEN)
        lived = _step(page) - before
        browser.close()
    return {
        "million steps a second": round(lived / passed / 1e6, 2),
        "frames a second": round(frames, 1),
        "input delay, median ms": round(statistics.median(inputs), 1),
        "input delay, 95 % ms": round(statistics.quantiles(inputs, n=20)[-1], 1),
        "input delay, longest ms": round(max(inputs), 1),
    }


def _step(page: Any) -> int:
    return int(page.inner_text("#figures dd >> nth=0").replace(",", ""))


def soak(minutes: float, pace: float) -> dict[str, Any]:
    with server() as (pid, url):
        stop = threading.Event()
        drawn = [0] * 4
        readers = [threading.Thread(target=_watch, args=(url, pace, stop, drawn, at)) for at in range(4)]
        stalled = _stall(url, pace)
        for reader in readers:
            reader.start()
        time.sleep(60)  # everything compiled, every buffer at its size
        first, seen = _memory(pid), []
        until = time.monotonic() + 60 * minutes
        while time.monotonic() < until:
            time.sleep(10)
            seen.append(_memory(pid))
        stop.set()
        for reader in readers:
            reader.join()
        stalled.close()
    return {
        "minutes": minutes,
        "memory after a minute, MB": round(first / 1e6, 1),
        "at the end, MB": round(seen[-1] / 1e6, 1),
        "growth, %": round(100 * (seen[-1] / first - 1), 2),
        "most, MB": round(max(seen) / 1e6, 1),
        "frames drawn by each page": drawn,
    }


LIVES = (
    {"task": "foraging", "seed": 1},
    {"task": "foraging", "seed": 2, "rule": "foraging:6"},
    {"task": "prey-predator", "seed": 3},
    {"task": "foraging", "seed": 4, "brains": 16},
)

ORDERS = ((500, {"do": "season", "kind": 1}), (700, {"do": "rule", "rule": "00+-/0000@0.02"}))
"""Each after so many frames."""


def _watch(url: str, pace: float, stop: threading.Event, drawn: list[int], at: int) -> None:
    """A page that draws all it gets, and now and then begins anew, changes the rule and the season."""
    from websockets.sync.client import connect

    with connect(_socket(url), origin=_origin(url), max_size=None, compression=None) as page:
        start = {"do": "start", "life": LIVES[at], "speed": pace, "playing": True}
        page.send(json.dumps(start))
        while not stop.is_set():
            if json.loads(page.recv())["type"] == "frame":
                drawn[at] += 1
                page.send('{"do": "drawn"}')
                for every, order in (*ORDERS, (2000, start)):
                    if drawn[at] % every == 0:
                        page.send(json.dumps(order))


def _stall(url: str, pace: float) -> socket.socket:
    """A page that asks for a life and never reads what it is sent."""
    parts = urlsplit(url)
    page = socket.create_connection((parts.hostname, parts.port))
    page.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
    token = parts.query.partition("=")[2]
    lines = [
        f"GET /socket?token={token} HTTP/1.1",
        f"Host: {parts.netloc}",
        f"Origin: {_origin(url)}",
        "Connection: Upgrade",
        "Upgrade: websocket",
        "Sec-WebSocket-Version: 13",
        "Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==",
    ]
    page.sendall("\r\n".join([*lines, "", ""]).encode())
    text = json.dumps({"do": "start", "life": {"task": "foraging"}, "speed": pace, "playing": True}).encode()
    page.sendall(bytes([0x81, 0x80 | len(text), 0, 0, 0, 0]) + text)
    return page


def _socket(url: str) -> str:
    parts = urlsplit(url)
    return f"ws://{parts.netloc}/socket?{parts.query}"


def _origin(url: str) -> str:
    return f"http://{urlsplit(url).netloc}"


def _memory(pid: int) -> int:
    """Bytes that the process holds."""
    lines = Path(f"/proc/{pid}/status").read_text().splitlines()
    return next(1024 * int(line.split()[1]) for line in lines if line.startswith("VmRSS"))


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("what", choices=("speed", "soak"))
    parser.add_argument("--minutes", type=float, default=10)
    parser.add_argument("--speed", type=float, default=0)
    parser.add_argument("--seconds", type=float, default=20)
    given = parser.parse_args()
    result = speed(given.seconds) if given.what == "speed" else soak(given.minutes, given.speed)
    print(json.dumps(result, indent=2))


if __name__ == "__main__":
    main()
