"""Crafted links, opened in a real browser: the page of `watch` and the playground.

No script in a link may run, nothing may be asked of anyone else, no error may reach the console, and the page must
still do what it is asked.
"""

from __future__ import annotations

import os
import random
import shutil
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any
from urllib.parse import quote

from attacks.base import Tally
from attacks.requests import serving
from hebbarium.watch.playground import write_playground

NAMES = """
    task rule agent hidden seed trial brains stop then at playing speed blame eligibility season_steps seasons schedule
    cue random_action random_kind grid_size green blue scaling activation trace weight_noise recurrent born_alike
    __proto__ constructor toString hasOwnProperty networks load out env x
"""
SCRIPTS = (
    *("<img src=x onerror=hit()>", "<script>hit()</script>", "javascript:hit()", "'-hit()-'", '"><svg onload=hit()>'),
    *("${hit()}", "{{hit()}}", "';hit();//", "<iframe srcdoc='<script>parent.hit()</script>'>", "\u2028hit()"),
    "data:text/html,<script>hit()</script>",
)
VALUES = (
    *(
        "",
        "0",
        "1",
        "-1",
        "2",
        "3",
        "1e3",
        "1e308",
        "1e999",
        "NaN",
        "-0",
        "0x10",
        "9" * 20,
        "9" * 400,
        "0." + "3" * 300,
    ),
    *("true", "false", "null", "undefined", "[]", "{}", "foraging", "prey-predator", "t-maze", "association", "pond"),
    *("00+-/0000@0.04", "0-+-/0000", "-0.5:1e308:0:0/0:0:0:0@1", "00+-/0000@0.1,00+-/000+@1e-300", "foraging:1", "3"),
    *(
        "1:0-+-/0000@0.2;4:winter",
        "1:summer;" * 99,
        "1:summer;" * 101,
        "9" * 15 + ":winter",
        "5:winter;1:summer",
        ":;:;",
    ),
    *("missed:0.5,wrong:2", "missed:1e308", "nobody:1", "missed:NaN", ":" * 50, "5,5", "200", "20,0", "1," * 300 + "1"),
    *(
        "./evil.py:scale",
        "../../etc/passwd",
        "os:abort",
        "CartPole-v1",
        "%",
        "%E0%A4%A",
        "%00",
        "a" * 20_000,
        "é",
        "😀",
    ),
    *(
        "tanh",
        "unit",
        "summer,winter",
        "summer," * 2000,
        "hill-climbing",
        "\ud7ff",
        "\u202eabc",
        "1_000",
        " 7 ",
        "+7",
        "٣",
    ),
)


def fragment(draw: random.Random) -> str:
    """Some names with values, of which some are no text of an address; now and then no pairs at all."""
    if draw.random() < 0.05:
        return "".join(chr(draw.randrange(33, 127)) for _ in range(draw.randrange(300)))
    pairs = []
    for _ in range(draw.choice((1, 1, 2, 3, 5, 40))):
        value = draw.choice(SCRIPTS if draw.random() < 0.25 else VALUES)
        pairs.append(f"{draw.choice(NAMES.split())}={value if draw.random() < 0.3 else quote(value, safe='')}")
    return "&".join(pairs)


def attack(many: int, seed: int) -> Iterator[Tally]:
    """So many links for each kind of page."""
    from playwright.sync_api import sync_playwright

    with tempfile.TemporaryDirectory(prefix="hebbarium-attack-") as place, sync_playwright() as playwright:
        program = os.environ.get("HEBBARIUM_CHROMIUM") or shutil.which("chromium") or shutil.which("google-chrome")
        browser = playwright.chromium.launch(executable_path=program, args=["--no-sandbox"])
        draw = random.Random(seed)
        yield _attack(Tally("links: playground"), browser, write_playground(place).as_uri(), many, draw)
        with serving(Path(place)) as server:
            tally = _attack(Tally("links: watch"), browser, server.url, many, draw)
            server.check(tally, "afterwards")
            yield tally
        browser.close()


def _attack(tally: Tally, browser: Any, url: str, many: int, draw: random.Random) -> Tally:
    seen: list[str] = []
    page = browser.new_page()
    page.add_init_script("window.hit = () => { throw new Error('a script of a link has run'); }")
    page.on("dialog", lambda dialog: (seen.append("a dialog"), dialog.dismiss()))
    page.on("pageerror", lambda error: seen.append(str(error)))
    page.on("console", lambda message: seen.append(message.text))
    ours = (url.partition("?")[0], "blob:", "about:", "data:", url.partition("?")[0].replace("http", "ws"))
    page.on("request", lambda request: request.url.startswith(ours) or seen.append(f"asked for {request.url}"))
    for _ in range(many):
        link, start = fragment(draw), time.perf_counter()
        page.goto("about:blank")
        try:
            page.goto(f"{url}#{link}")
            page.wait_for_selector("html[data-ready=yes]", timeout=60_000)
            page.wait_for_timeout(100)
            page.fill("#rule-text", "00+-/0000@0.03")  # still there: a rule that is typed is lived by
            page.press("#rule-text", "Enter")
            page.wait_for_selector("html[data-rule='00+-/0000@0.03'], #notice.problem", timeout=60_000)
        except Exception as error:
            seen.append(str(error))
        tally.slowest = max(tally.slowest, time.perf_counter() - start)
        if seen:
            tally.problem(link, "; ".join(seen))
            seen.clear()
        else:
            tally.outcomes["refused with a sentence" if page.is_visible("#notice.problem") else "lived"] += 1
    page.close()
    return tally
