"""Whether the playground's lives are those of `hebbarium live`: 200 random ones in Chromium, compared by their digests.

    .venv/bin/python benchmarks/playground.py [--lives 200] [--seed 1] [--starts 5]

A quarter have a rule for each layer and graded blame, some of these eligibility as well; worlds take turns.
Before that, how soon a new browser that opens the file shows its first frame, and what the agent has counted after
5, 10 and 15 seconds.
"""

from __future__ import annotations

import argparse
import random
import shutil
import tempfile
import time
from collections import Counter
from pathlib import Path
from typing import Any

import hebbarium as hb
from hebbarium.watch.playground import write_playground
from hebbarium.worlds.registry import WORLDS

FLAGS = ("--no-sandbox", "--disable-gpu", "--disable-background-networking", "--disable-component-update")
BROWSERS = ("chromium", "chromium-browser", "google-chrome")
SEASONS = 2
LIVE = """(lives) => {
  const { known, worker: text } = JSON.parse(document.getElementById("data").textContent).playground;
  const worker = new Worker(URL.createObjectURL(new Blob([text], { type: "text/javascript" }))), digests = [];
  const next = () => worker.postMessage({ do: "start", life: lives[digests.length], speed: 0, playing: true });
  return new Promise((done, fail) => {
    worker.onmessage = ({ data }) => {
      if (data.type === "hello") next();
      if (data.type === "error") fail(new Error(data.text));
      if (data.type !== "frame") return;
      worker.postMessage({ do: "drawn" });
      if (!data.over || digests.length === lives.length || data.digest === undefined) return;
      digests.push(data.digest);
      if (digests.length < lives.length) next();
      else done(digests);
    };
    worker.postMessage({ known });
  });
}"""
SEEN = "() => document.documentElement.dataset.ready === 'yes' && performance.now()"
MOMENTS = (5, 10, 15)
"""Seconds after a page was opened."""


def open_cold(browser: Any, address: str) -> None:
    """Print how long the page took from the start of the navigation to its first frame, and what was counted later."""
    page = browser.new_page(viewport={"width": 1400, "height": 900})
    page.goto(address, wait_until="commit")
    print(f"first frame after {page.wait_for_function(SEEN).json_value():.0f} ms", end="")
    for moment in MOMENTS:
        page.wait_for_function(f"() => performance.now() > {1000 * moment}")
        print(f"; {moment} s:", page.inner_text("#figures").replace("\n", " "), end="")
    print()


def life(number: int, some: random.Random) -> dict[str, Any]:
    """A random life: what `live` takes, with the rule as text."""
    task = list(WORLDS)[number % len(WORLDS)]
    world = WORLDS[task]()

    def rule() -> str:
        signs = "".join(some.choice("-0+") for _ in range(8))
        return f"{signs[:4]}/{signs[4:]}@{some.choice((0.005, 0.0118, 0.04, 0.2, 0.6))}"

    chosen: dict[str, Any] = {"task": task, "rule": rule(), "seed": some.randrange(2**40)}
    chosen["season_steps"] = 500 if task == "prey-predator" else 2000
    if number // len(WORLDS) % 4 == 0:
        chosen["rule"] = f"{some.choice((rule(), 'frozen'))},{rule()}"
        chosen["blame"] = {group: some.choice((0.05, -0.07, 0.5, 0.0, 2.0)) for group in world.group_names[:4]}
        if some.random() < 0.5:
            chosen["eligibility"] = {some.choice(world.group_names): some.choice((0.3, 1.0))}
    return chosen


def asked(chosen: dict[str, Any]) -> dict[str, Any]:
    """The same as the page's worker takes it."""
    return {name: value if isinstance(value, dict) else str(value) for name, value in chosen.items()} | {
        "stop": str(SEASONS)
    }


def main() -> None:
    from playwright.sync_api import sync_playwright

    parser = argparse.ArgumentParser()
    parser.add_argument("--lives", type=int, default=200)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--starts", type=int, default=5)
    options = parser.parse_args()
    some = random.Random(options.seed)
    lives = [life(number, some) for number in range(options.lives)]
    expected = [hb.live(**chosen, lifetimes=1, seasons=SEASONS).digest for chosen in lives]
    browser_path = next(filter(None, map(shutil.which, BROWSERS)), None)
    with tempfile.TemporaryDirectory() as folder, sync_playwright() as playwright:
        address = write_playground(Path(folder)).as_uri()
        for _ in range(options.starts):
            with playwright.chromium.launch(executable_path=browser_path, args=[*FLAGS]) as browser:
                open_cold(browser, address)
        browser = playwright.chromium.launch(executable_path=browser_path, args=[*FLAGS])
        page = browser.new_page()
        page.goto(address)
        start = time.perf_counter()
        digests = page.evaluate(LIVE, [asked(chosen) for chosen in lives])
        seconds = time.perf_counter() - start
        print(browser.browser_type.name, browser.version)
        browser.close()
    same: Counter[tuple[str, str]] = Counter()
    whole: Counter[tuple[str, str]] = Counter()
    for chosen, here, there in zip(lives, expected, digests, strict=True):
        kind = (chosen["task"], "layered with blame" if "blame" in chosen else "plain")
        whole[kind] += 1
        same[kind] += here == there
        if here != there:
            print("DIFFERS", chosen)
    for kind in sorted(whole):
        print(*kind, f"{same[kind]} of {whole[kind]} digests equal", sep=", ")
    steps = sum(SEASONS * chosen["season_steps"] for chosen in lives)
    print(f"{sum(same.values())} of {len(lives)} equal; {steps:,} steps in {seconds:.1f} s in the browser")
    if sum(same.values()) < len(lives):
        raise SystemExit(1)


if __name__ == "__main__":
    main()
