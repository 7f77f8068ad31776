"""Recorded lives: one file that plays offline, and films."""

from __future__ import annotations

import base64
import gzip
import json
import re
import sys
from pathlib import Path

import numpy as np
import pytest
from PIL import Image

import hebbarium as hb
from hebbarium.cli import main
from hebbarium.watch.film import painted, palette_of, save_film
from hebbarium.watch.replay import recorded as lived_in_steps
from hebbarium.watch.replay import write_page
from hebbarium.watch.requests import Wish
from hebbarium.worlds.registry import WORLDS

sys.path.insert(0, str(Path(__file__).parent))
from watched_pond import Pond

ALL = {name: world() for name, world in WORLDS.items()} | {"pond": Pond()}


@pytest.fixture(scope="module")
def file(tmp_path_factory) -> Path:
    path = tmp_path_factory.mktemp("replay") / "life.html"
    options = ["--rule", "foraging:1", "--seed", "7", "--season-steps", "400", "--random-action", "0.05", "-q"]
    assert main(["watch", "foraging", "--record", str(path), *options]) == 0
    return path


def frames(file: Path) -> list[dict]:
    (data,) = re.findall(r'<script id="data" type="application/json">(.*?)</script>', file.read_text())
    return json.loads(gzip.decompress(base64.b64decode(json.loads(data)["replay"]["frames"])))


def test_it_is_the_whole_life_step_by_step(file):
    recorded = frames(file)
    assert [frame["lived"] for frame in recorded] == list(range(1601))
    lives = hb.live("foraging", "foraging:1", lifetimes=1, seed=7, season_steps=400, random_action=0.05)
    assert recorded[-1]["lives"][0]["total"] == lives.counts[0].sum(axis=0).tolist()
    assert recorded[-1]["seasons"]["bars"] == lives.fitness.T.tolist()


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_it_replays_from_a_file_without_a_network(browser, file, scheme):
    page = browser.new_page(offline=True, color_scheme=scheme)
    asked, problems = [], []
    page.on("request", lambda request: asked.append(request.url))
    page.on("console", lambda message: problems.append(message.text))
    page.on("pageerror", lambda error: problems.append(str(error)))
    page.goto(file.as_uri())
    page.wait_for_selector("html[data-ready=yes]")

    def shows(step: int) -> None:
        page.wait_for_function("told => document.querySelector('#figures dd').textContent === told", arg=f"{step:,}")

    def scrub(to: int) -> None:
        page.locator("#scrubber").fill(str(to))
        shows(to)

    scrub(777)
    seen = page.eval_on_selector("#world", "canvas => canvas.toDataURL()")
    words = page.inner_text("#figures")
    scrub(1600)
    scrub(777)
    assert page.inner_text("#figures") == words
    assert page.eval_on_selector("#world", "canvas => canvas.toDataURL()") == seen
    assert "did" in page.inner_text("#judged")
    scrub(0)
    page.wait_for_selector("#judged:has-text('Nothing has happened yet')")
    scrub(777)
    page.click("#back")
    page.click("#step")
    page.click("#step")
    shows(778)
    page.click("#play")
    page.wait_for_function("() => Number(document.getElementById('scrubber').value) > 800")
    page.click("#play")
    assert page.locator("#new").count() == 0
    assert not page.locator("#seed").is_visible()
    assert page.locator(".switch input").first.is_disabled()
    # The rule and the season look like values, since they cannot be changed.
    shown = [page.locator(f"{part}:visible").count() for part in (".switch label", ".eta", "#seasons button")]
    assert shown == [8, 0, 1]
    page.close()
    assert asked == [file.as_uri()]
    assert problems == []


@pytest.mark.parametrize("task", ["prey-predator", "pond"])
def test_other_worlds_can_be_recorded(browser, tmp_path, task):
    path = tmp_path / "life.html"
    write_page(path, Wish.of({"task": task, "season_steps": "200", "stop": 2}), ALL, every=7)
    recorded = frames(path)
    assert [frame["lived"] for frame in recorded[:3]] == [0, 7, 14]
    assert recorded[-1]["lived"] == 400
    page = browser.new_page()
    page.goto(path.as_uri())
    page.wait_for_selector("html[data-ready=yes]")
    page.locator("#scrubber").fill("20")
    page.wait_for_selector("#judged:has-text('Sensed')")
    page.close()


def test_without_a_task_it_is_foraging(tmp_path, capsys):
    """Files for a page and for a film are one JSON object."""
    page, film = tmp_path / "life.html", tmp_path / "life.gif"
    options = ["--rule", "-++-/--++@0.0118", "--seed", "9", "--every", "500", "--json", "-q"]
    assert main(["watch", "--record", str(page), "--video", str(film), *options]) == 0
    written = json.loads(capsys.readouterr().out)["files"]
    assert [one["file"] for one in written] == [str(page), str(film)]
    assert all(one["bytes"] == Path(one["file"]).stat().st_size for one in written)
    lives = hb.live("foraging", "-++-/--++@0.0118", lifetimes=1, seed=9)
    assert frames(page)[-1]["lives"][0]["total"] == lives.counts[0].sum(axis=0).tolist()


def test_blame_is_recorded(tmp_path):
    blamed = {"blame": {"missed": 0.5}, "eligibility": {"missed": 0.25}, "seed": 7, "season_steps": 200}
    recorded = frames(hb.record(tmp_path / "life.html", "foraging", "foraging:1", **blamed))
    lives = hb.live("foraging", "foraging:1", lifetimes=1, **blamed)
    assert recorded[-1]["lives"][0]["total"] == lives.counts[0].sum(axis=0).tolist()


def test_a_film_shows_what_was_painted(tmp_path):
    """Frames hold only what changed; put together again they are the pictures."""
    world = ALL["prey-predator"]
    wish = Wish(task=world.name, stop=1, settings={"season_steps": "40"})
    pictures = [painted(session) for session in lived_in_steps(wish, ALL, 8)]
    for ending in ("gif", "apng"):
        path = tmp_path / f"life.{ending}"
        save_film(path, iter(pictures), 30, palette_of(world))
        with Image.open(path) as film:
            for place, picture in enumerate(pictures):
                film.seek(place)
                wrong = np.abs(np.asarray(film.convert("RGB"), int) - np.asarray(picture, int)).max(axis=2) > 24
                assert wrong.mean() < 0.001


@pytest.mark.parametrize("ending", ["gif", "GIF", "apng", "mp4"])
def test_a_film(tmp_path, ending):
    path = tmp_path / f"life.{ending}"
    options = ["--season-steps", "20", "--seed", "7", "-q"]
    assert main(["watch", "foraging", "--video", str(path), *options]) == 0
    if ending == "mp4":
        import imageio_ffmpeg

        count, _ = imageio_ffmpeg.count_frames_and_secs(str(path))
        assert count == 81
        return
    with Image.open(path) as film:
        assert film.n_frames == 81
        assert film.size == (600, 694)


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["foraging", "--record", "life.txt"], "must end in .html"),
        (["foraging", "--video", "life.avi"], "must end in .mp4 or .gif or .apng"),
        (["foraging", "--record", "life.html", "--brains", "3"], "brains is 3"),
        (["foraging", "--record", "nowhere/at/all.html"], "cannot write"),
        (["foraging", "--every", "0"], "every is 0"),
        (["foraging", "--record", "life.html", "--video", "life.gif", "--every", "1"], "the nearest is 3"),
        (["foraging", "--record", "life.html", "--every", "1", "--seasons", "99"], "the nearest is 3"),
        (["http://127.0.0.1:8321/#task=foraging", "--seed", "3"], "already says what to watch"),
        (["--record", "life.txt"], "must end in .html"),
        (["foraging", "--hidden", "500", "--no-open"], "hidden is 500"),
        (["foraging", "--rule", "00+", "--no-open"], "has 3 entries"),
        (["nowhere", "--no-open"], "there is no task 'nowhere'"),
        (["--port", "99999", "--no-open"], "port is 99999"),
    ],
)
def test_bad_input_is_refused_with_a_sentence(capsys, tmp_path, monkeypatch, arguments, words):
    monkeypatch.chdir(tmp_path)
    assert main(["watch", *arguments]) == 2
    assert words in capsys.readouterr().err
    assert list(tmp_path.iterdir()) == []
