"""A finished or running evolution on the page, and the command itself."""

from __future__ import annotations

import dataclasses
import json
import shutil
import signal
import sys
import urllib.request
from pathlib import Path

import pytest

import hebbarium as hb
from hebbarium.tools.errors import BadInput
from hebbarium.watch.evolution import Evolving, curve

sys.path.insert(0, str(Path(__file__).parent))
from served import receive, send, served

from commands import started

SMALL = {"seed": 1, "individuals": 10, "elites": 3, "max_generations": 4, "lifetimes": 2, "season_steps": 200}
STRANGE = "<img src=x onerror=alert(1)>"


@pytest.fixture(scope="module")
def run(tmp_path_factory) -> Path:
    folder = tmp_path_factory.mktemp("runs") / STRANGE
    hb.evolve("foraging", "genetic", out=folder, rescore=2, top=3, **SMALL)
    return folder


def test_it_is_told_as_it_is(run):
    seen = Evolving(run).look()
    assert seen["finished"]
    assert seen["curves"][0][-1][0] >= 1
    assert seen["found"][0]["rule"].count("@") == 1
    fitness = [row["fitness"] for row in seen["population"]]
    assert fitness == sorted(fitness, reverse=True)
    stored = hb.Run.open(run).evaluations("search")
    assert seen["evaluations"] == len(stored)
    (own,) = hb.Run.open(run).result("curves")
    assert seen["curves"][0][-1] == [own[-1]["generation"], round(own[-1]["best"], 2), round(own[-1]["mean"], 2)]


def test_on_its_way_the_best_so_far_is_shown(run):
    stored = hb.Run.open(run).evaluations("search")
    drawn = curve(stored)
    assert [point[1] for point in drawn] == sorted(point[1] for point in drawn)
    assert drawn[-1][1] == round(max(record.mean for record in stored), 2)


def test_a_long_search_is_thinned_evenly(run):
    (record, *_) = hb.Run.open(run).evaluations("search")
    long = curve([dataclasses.replace(record, generation=generation) for generation in range(5000)])
    assert len(long) <= 240
    assert long[-1][0] == 4999


def test_only_evolutions_are_watched(tmp_path):
    from hebbarium.store.writing import Writer

    Writer.begin(tmp_path / "other", "atlas", {"task": "foraging"}).close()
    with pytest.raises(BadInput, match="is a run of atlas"):
        Evolving(tmp_path / "other")


def test_a_running_one_is_followed(run, tmp_path):
    """What is stored meanwhile comes to the page by itself."""
    folder = tmp_path / "growing"
    hb.evolve("foraging", "genetic", out=folder, rescore=2, top=3, **SMALL)
    with served(run=folder) as server, server.connect() as page:
        assert receive(page, "hello")["run"] == "growing"
        send(page, do="run")
        first = receive(page, "run")
        hb.evolve("foraging", "genetic", out=folder, rescore=2, top=3, **SMALL, runs=2)
        later = receive(page, "run")
        while later["evaluations"] == first["evaluations"] or not later["finished"]:
            later = receive(page, "run")
        assert len(later["curves"]) == 2


def test_a_run_that_is_gone_is_said_once_and_the_life_goes_on(run, tmp_path, monkeypatch):
    folder = tmp_path / "short-lived"
    shutil.copytree(run, folder)
    monkeypatch.setattr(Evolving, "EVERY", 0.05)
    with served(run=folder) as server, server.connect() as page:
        receive(page, "hello")
        send(page, do="run")
        receive(page, "run")
        folder.rename(tmp_path / "away")
        problem = receive(page, "error")
        assert problem["do"] == "run"
        assert "short-lived" in problem["text"]
        send(page, do="start", life={"task": "foraging"}, playing=False)
        told = []
        while "frame" not in told:
            told.append(json.loads(page.recv(timeout=300))["type"])
        assert "error" not in told
        (tmp_path / "away").rename(folder)
        assert receive(page, "run")["name"] == "short-lived"  # it is found again


def test_individuals_live_here_as_they_did_there(browser, tmp_path):
    """With the run's blame, eligibility and settings; and of several searches one sees whose each is."""
    folder = tmp_path / "blamed"
    wider = {"blame": {"missed": 0.5}, "eligibility": {"missed": 0.25}, "runs": 2, "turn_at_wall": False}
    hb.evolve("foraging", "genetic", out=folder, hidden=9, rescore=2, top=3, **SMALL, **wider)
    run = Evolving(folder)
    seen = run.look()
    assert seen["wish"] == {
        "task": "foraging",
        "hidden": "9",
        "blame": "missed:0.5",
        "eligibility": "missed:0.25",
        "season_steps": "200",
        "turn_at_wall": "false",
    }
    assert {row["run"] for row in seen["population"]} == {1, 2}
    assert run.best()["rule"] == seen["found"][0]["rule"]
    with served(run=folder) as server:
        page = browser.new_page()
        page.goto(f"{server.url}#task=foraging&speed=30&green=3")
        page.wait_for_selector("#population td")
        assert "run" in page.inner_text("#population thead")
        page.click("#population .put >> nth=0")
        page.wait_for_selector("#distinct:has-text('9 hidden neurons')")
        for part in ("blame=missed:0.5", "eligibility=missed:0.25", "season_steps=200", "turn_at_wall=false"):
            assert part in page.url
        assert "green=3" not in page.url
        assert page.input_value("[data-setting=turn_at_wall]") == "false"
        page.close()


def test_on_the_page(browser, run):
    with served(run=run) as server:
        page = browser.new_page()
        problems = []
        page.on("console", lambda message: problems.append(message.text))
        page.on("pageerror", lambda error: problems.append(str(error)))
        page.on("dialog", lambda dialog: problems.append(dialog.message))
        page.goto(f"{server.url}#task=foraging&speed=30")
        page.wait_for_selector("#population td")
        assert STRANGE in page.inner_text("#evolution-title")
        assert page.locator("img").count() == 0
        best = page.get_attribute("#found .put >> nth=0", "data-rule")
        page.click("#found .put >> nth=0")
        page.wait_for_selector(f"html[data-rule='{best}']")
        assert f"rule={best}" in page.url
        page.close()
    assert problems == []


def test_the_command_prints_its_address_first(run, tmp_path):
    shutil.copytree(run, tmp_path / "run")
    command = [sys.executable, "-m", "hebbarium", "watch", str(tmp_path / "run"), "--port", "0", "--no-open"]
    with started(command) as process:
        url = process.stdout.readline().strip()
        assert url.startswith("http://127.0.0.1:")
        assert "token=" in url
        assert "season_steps=200" in url.partition("#")[2]
        assert f"rule={Evolving(run).best()['rule']}" in url
        with urllib.request.urlopen(url.partition("#")[0]) as response:
            assert b"Hebbarium" in response.read()
        process.send_signal(signal.SIGINT)
        assert process.wait(60) == 130
        assert process.stderr.read().splitlines() == [
            "Open this address in a browser on this machine. Press Ctrl-C to stop."
        ]


def test_a_copied_link_opens_the_same(tmp_path):
    link = "http://127.0.0.1:8321/#task=prey-predator&seed=4"
    command = [sys.executable, "-m", "hebbarium", "watch", link, "--port", "0", "--no-open", "--json"]
    with started(command) as process:
        url = json.loads(process.stdout.readline())["url"]
        assert url.endswith("#task=prey-predator&seed=4")
