"""The playground in a real browser, opened as a file: its lives are those of `live`, and nothing is asked of anyone."""

from __future__ import annotations

import re
from pathlib import Path
from urllib.parse import quote

import pytest

import hebbarium as hb
from hebbarium.watch import playground
from hebbarium.watch.playground import write_playground
from hebbarium.watch.requests import usual_rule
from hebbarium.worlds.registry import WORLDS

MOST = 300_000
"""Bytes."""
STEPS = 400
"""In a season of the lives compared here."""
SPECIAL = {
    "rule": "00+-/0000@0.0068,00+-/000+@0.113",
    "blame": {"open-turn": 0.045, "taken": 0.088, "wall-turn": -0.071},
    "eligibility": {"missed": 0.28},
}


@pytest.fixture(scope="module")
def folder(tmp_path_factory) -> Path:
    return write_playground(tmp_path_factory.mktemp("playground"), docs="../index.html").parent


@pytest.fixture
def opened(browser, folder):
    """Opens pages, each in a profile of its own; whatever one asks for or a console says fails the test."""
    pages, problems = [], []

    def open_page(fragment: str = "", width: int = 1400, **options):
        page = browser.new_page(viewport={"width": width, "height": 900}, **options)
        pages.append(page)
        page.on("console", lambda message: problems.append(message.text))
        page.on("pageerror", lambda error: problems.append(str(error)))
        page.on("request", lambda request: request.url.startswith(("file:", "blob:")) or problems.append(request.url))
        page.goto(f"{(folder / 'index.html').as_uri()}#{fragment}")
        page.wait_for_selector("html[data-ready=yes]")
        return page

    yield open_page
    for page in pages:
        page.close()
    assert problems == []


def fragment_of(**chosen) -> str:
    weights = {
        name: ",".join(f"{group}:{weight}" for group, weight in chosen.pop(name).items())
        for name in ("blame", "eligibility")
        if name in chosen
    }
    return "&".join(f"{name}={quote(str(value), safe='+/@,:')}" for name, value in (chosen | weights).items())


def digest_shown(page) -> str:
    page.wait_for_selector("#notice.over", timeout=60_000)
    page.wait_for_function("() => /: [0-9a-f]{64}$/.test(document.getElementById('digest').textContent)")
    return page.inner_text("#digest").rpartition(": ")[2]


def test_it_is_one_small_file(folder):
    assert [path.name for path in folder.iterdir()] == ["index.html"]
    assert (folder / "index.html").stat().st_size < MOST


@pytest.mark.parametrize("task", WORLDS)
def test_a_life_has_the_digest_that_live_has(opened, task):
    rule = usual_rule(WORLDS[task]())
    page = opened(fragment_of(task=task, rule=rule, seed=7, season_steps=STEPS, stop=3, speed=0))
    lives = hb.live(task, rule, lifetimes=1, seed=7, season_steps=STEPS, seasons=3)
    assert digest_shown(page) == lives.digest
    expected = f"hebbarium live {task} --rule {rule} --lifetimes 1 --seed 7 --seasons 3 --season-steps {STEPS}"
    assert page.inner_text("#command") == expected


def test_a_layered_life_with_blame_has_the_digest_that_live_has(opened):
    page = opened(fragment_of(task="foraging", seed=11, season_steps=STEPS, stop=4, speed=0, **SPECIAL))
    lives = hb.live("foraging", lifetimes=1, seed=11, season_steps=STEPS, seasons=4, **SPECIAL)
    assert digest_shown(page) == lives.digest


def test_it_opens_with_a_story_and_links(opened):
    page = opened()
    assert page.get_attribute("#stories a[aria-current]", "href") == page.get_attribute("#stories a >> nth=0", "href")
    assert page.get_attribute("#docs", "href") == "../index.html"
    assert page.get_attribute("#paper", "href").startswith("https://doi.org/")
    speed = int(re.search(r"speed=(\d+)", page.url)[1])
    assert WORLDS["foraging"]().season_steps / speed <= 15  # seconds until winter


def test_a_link_shows_the_same_agent_after_a_change(opened):
    page = opened("task=foraging&seed=3&playing=0")
    page.press("body", "s")
    page.fill("#rule-text", "0-+-/0000@0.2")
    page.press("#rule-text", "Enter")
    page.wait_for_selector("html[data-rule='0-+-/0000@0.2']")
    for _ in range(3):
        page.click("#step")
    page.click("#seasons button >> nth=1")
    page.click("#step")
    page.wait_for_function("() => document.querySelector('#figures dd').textContent === '5'")
    page.evaluate("() => { navigator.clipboard.writeText = async (text) => { window.copied = text; }; }")
    page.click("#share")
    page.wait_for_function("() => window.copied")
    link = page.evaluate("() => window.copied")
    assert "then=1:0-+-/0000@0.2;4:winter&at=5" in link
    other = opened(link.partition("#")[2])
    other.wait_for_function("() => document.querySelector('#figures dd').textContent === '5'")
    assert other.inner_text("#figures") == page.inner_text("#figures")
    assert other.evaluate("() => document.documentElement.dataset.rule") == "0-+-/0000@0.2"


@pytest.mark.parametrize(
    ("fragment", "word"),
    [
        ("task=foraging&rule=00x", "'x'"),
        ("task=foraging&grid_size=2", "grid_size"),
        ("task=foraging&colour=1", "colour"),
    ],
)
def test_nonsense_is_refused_with_a_sentence(opened, fragment, word):
    page = opened(fragment)
    page.wait_for_selector("#notice.problem")
    assert word in page.inner_text("#notice")


def test_a_browser_that_computes_otherwise_is_told(browser, tmp_path, monkeypatch):
    golden = playground._golden
    monkeypatch.setattr(playground, "_golden", lambda world: {**golden(world), "digest": "0" * 64})
    page = browser.new_page()
    page.goto(write_playground(tmp_path).as_uri())
    page.wait_for_selector("#notice.problem")
    assert "computes differently" in page.inner_text("#notice")
    page.close()


@pytest.mark.parametrize("width", [320, 400, 1400])
def test_nothing_overflows_and_notices_are_on_the_screen(opened, width):
    page = opened("task=prey-predator&random_action=0&playing=0", width)
    assert page.evaluate("() => document.documentElement.scrollWidth - innerWidth") <= 0
    page.fill("#rule-text", "00x")
    page.press("#rule-text", "Enter")
    page.wait_for_selector("#notice.problem")
    box = page.locator("#notice").bounding_box()
    assert min(box["x"], box["y"]) >= 0
    assert box["y"] + box["height"] <= 900
    assert box["x"] + box["width"] <= width
    page.click("#differs button")
    page.wait_for_function("() => document.getElementById('differs').hidden")
    assert "random_action" not in page.url


def test_less_motion_is_respected(opened):
    page = opened("", reduced_motion="reduce")
    assert page.inner_text("#play") == "Play"


def test_letters_can_be_switched_off(opened):
    page = opened("task=foraging&playing=0")
    page.uncheck("#letters")
    page.press("body", "s")
    page.click("#step")
    page.wait_for_function("() => document.querySelector('#figures dd').textContent === '1'")
