"""The page in a real browser: an agent moves, and what a user turns is what it lives by."""

from __future__ import annotations

import re
import sys
from pathlib import Path

import pytest

from hebbarium.watch.requests import Wish
from hebbarium.watch.session import Session
from hebbarium.worlds.registry import WORLDS

sys.path.insert(0, str(Path(__file__).parent))
from served import receive, send, served
from watched_pond import Pond

ALL = {name: world() for name, world in WORLDS.items()} | {"pond": Pond()}
CHANGED = "([id, old]) => document.getElementById(id).toDataURL() !== old"
TWO_FRAMES = "() => new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(() => done())))"


@pytest.fixture(scope="module")
def server():
    for task in ALL:  # compiled beforehand: no page should have to wait for that
        for brains in (1, 16):
            Session(Wish(task=task, brains=brains), ALL).advance(100)
    Session(Wish(blame={"missed": 0.5}), ALL).advance(100)
    with served(ALL) as server:
        yield server


@pytest.fixture
def opened(browser, server):
    """Opens pages; whatever a console says fails the test."""
    pages, problems = [], []

    def open_page(fragment: str = "", width: int = 1400, **options):
        page = browser.new_page(viewport={"width": width, "height": 900}, **options)
        page.on("console", lambda message: problems.append(message.text))
        page.on("pageerror", lambda error: problems.append(str(error)))
        pages.append(page)
        page.goto(f"{server.url}#{fragment}")
        page.wait_for_selector("html[data-ready=yes]")
        return page

    yield open_page
    for page in pages:
        page.close()
    assert problems == []


def step(page) -> int:
    return int(page.inner_text("#figures dd >> nth=0").replace(",", ""))


def wait_for_step(page, least: int) -> None:
    page.wait_for_function(
        "least => Number(document.querySelector('#figures dd').textContent.replaceAll(',', '')) >= least", arg=least
    )


def wait_for_charts(page, least: int) -> None:
    """They follow the figures after a while."""
    page.wait_for_function("least => Number(document.documentElement.dataset.charted) >= least", arg=least)


def pause(page) -> int:
    """Returns the step at which everything stands still and is drawn."""
    page.click("#play")
    page.wait_for_selector("html[data-playing=no]")
    page.evaluate(TWO_FRAMES)
    wait_for_charts(page, step(page))
    return step(page)


def lives_by(page) -> str:
    return page.get_attribute("html", "data-rule")


def pixels(page, canvas: str) -> str:
    return page.eval_on_selector(canvas, "canvas => canvas.toDataURL()")


@pytest.mark.parametrize("task", ALL)
def test_in_every_world_an_agent_moves(opened, task):
    page = opened(f"task={task}&seed=3&speed=60")
    assert page.eval_on_selector("#task", "select => select.value") == task
    seen = pixels(page, "#world")
    # A small world may look the same again by chance, but it does not stay so.
    page.wait_for_function(CHANGED, arg=["world", seen])
    assert "Sensed" in page.inner_text("#judged")
    assert "token" not in page.url


def test_pause_and_step(opened):
    page = opened("seed=3&speed=60")
    wait_for_step(page, 5)
    before = pause(page)
    for _ in range(3):
        page.click("#step")
    wait_for_step(page, before + 3)
    assert step(page) == before + 3
    page.click("#play")
    wait_for_step(page, before + 10)


def test_turning_an_entry_changes_the_rule_that_lives(opened, server):
    page = opened("seed=3&speed=30&rule=00%2B-/0000@0.0375")
    assert lives_by(page) == "00+-/0000@0.0375"
    page.get_by_role("radiogroup", name="All layers, rewarded, active → active").get_by_label("stronger").check(
        force=True
    )
    page.wait_for_selector("html[data-rule='00+-/000+@0.0375']")
    assert re.search(r"rule=00\+-/0000@0.0375.*then=\d+:00\+-/000\+@0.0375", page.url)  # it was born with the other
    assert "rewarded" in page.inner_text("#rule-words")
    page.locator(".eta").focus()
    page.keyboard.press("End")
    page.wait_for_selector("html[data-rule='00+-/000+@0.999']")
    page.select_option("#presets", label="-++-/--++  foraging:6")
    page.wait_for_selector("html[data-rule='-++-/--++@0.0118']")
    page.fill("#rule-text", "frozen,000-/0000@0.03")
    page.press("#rule-text", "Enter")
    page.wait_for_selector("html[data-rule='frozen,000-/0000@0.03']")
    assert page.is_checked(".frozen")
    page.fill("#rule-text", "00x-")
    page.press("#rule-text", "Enter")
    page.wait_for_selector("#notice.problem")
    assert "'x'" in page.inner_text("#notice")
    assert lives_by(page) == "frozen,000-/0000@0.03"


def test_a_rule_without_change_stops_the_weights(opened):
    page = opened("seed=3&speed=1000&rule=-%2B%2B-/--%2B%2B@0.0118")
    wait_for_step(page, 50)
    page.wait_for_function(CHANGED, arg=["hidden-weights", pixels(page, "#hidden-weights")])
    page.fill("#rule-text", "0000/0000@0.1")
    page.press("#rule-text", "Enter")
    page.wait_for_selector("html[data-rule='0000/0000@0.1']")
    wait_for_charts(page, step(page) + 3000)  # until nothing glows any more
    before = pixels(page, "#hidden-weights")
    wait_for_charts(page, step(page) + 500)
    assert pixels(page, "#hidden-weights") == before


def test_the_season_changes_now(opened):
    page = opened("seed=3&speed=60")
    wait_for_step(page, 5)
    assert page.get_attribute("#seasons button >> nth=0", "aria-pressed") == "true"
    page.get_by_role("button", name="winter").click()
    page.wait_for_selector("#seasons button[aria-pressed=true] >> text=winter")
    assert "2, winter" in page.inner_text("#figures")
    page.keyboard.press("w")
    page.wait_for_selector("#seasons button[aria-pressed=true] >> text=summer")
    assert "3, summer" in page.inner_text("#figures")


def test_the_fitness_chart_grows(opened):
    page = opened("seed=3&speed=0&season_steps=500&stop=40")
    page.wait_for_selector("#notice:has-text('40 seasons')")
    wait_for_charts(page, 20_000)
    assert re.search(r"seasons: (-?\d+(\.\d+)?(, )?){4}; now", page.get_attribute("#fitness", "aria-label"))
    assert "20,000" in page.inner_text("#figures")
    before = pixels(page, "#fitness")
    page.click("#play")
    page.wait_for_function(CHANGED, arg=["fitness", before])


def test_a_link_shows_the_same_again(opened, server):
    page = opened("task=foraging&seed=11&speed=200&hidden=12&random_action=0.05")
    wait_for_step(page, 100)
    lived = pause(page)
    link = copied_link(page)
    assert server.watch.token not in link
    assert f"at={lived}&playing=0" in link
    again = opened(link.partition("#")[2])
    again.wait_for_selector(f"#notice:has-text('This is step {lived}; press Play')")
    assert again.input_value("#hidden") == "12"
    assert again.input_value("[data-setting=random_action]") == "0.05"
    assert again.inner_text("#play") == "Play"
    assert step(again) == lived
    assert page.inner_text("#judged") == again.inner_text("#judged")
    for canvas in ("#world", "#hidden-weights"):
        shown = pixels(again, canvas)  # the first page may still glow where weights have just changed
        page.wait_for_function(
            "([canvas, shown]) => document.querySelector(canvas).toDataURL() === shown", arg=[canvas, shown]
        )
    again.click("#step")
    wait_for_step(again, lived + 1)
    again.wait_for_selector("#notice", state="hidden")
    assert "at=" not in again.url
    assert "playing" not in again.url


def copied_link(page) -> str:
    page.evaluate("navigator.clipboard.writeText = async (text) => { window.copied = text; }")
    page.click("#share")
    page.wait_for_function("() => window.copied")
    return page.evaluate("window.copied")


def test_a_link_copied_while_it_plays_plays_on(opened):
    page = opened("seed=11&speed=60")
    wait_for_step(page, 10)
    link = copied_link(page)
    assert "at=" in link
    assert "playing" not in link
    again = opened("seed=11&speed=60&at=5000")
    wait_for_step(again, 5010)
    assert "at=" not in again.url


def test_a_late_answer_leaves_what_is_being_typed(opened):
    page = opened("seed=3&speed=60")
    wait_for_step(page, 5)
    page.fill("#rule-text", "00x-")
    page.eval_on_selector("#seed", "field => { field.value = 4; field.dispatchEvent(new Event('change')); }")
    page.wait_for_url(re.compile("seed=4"))
    wait_for_step(page, 5)
    assert page.input_value("#rule-text") == "00x-"
    page.press("#rule-text", "Enter")
    page.wait_for_selector("#notice.problem")


def test_a_refused_change_leaves_everything_as_it_was(opened):
    """Fields, address and life agree again, and the next change takes the complaint away."""
    page = opened("seed=3&speed=60&hidden=12")
    wait_for_step(page, 5)
    page.fill("#hidden", "500")
    page.press("#hidden", "Enter")
    page.wait_for_selector("#notice.problem:has-text('hidden is 500')")
    assert page.input_value("#hidden") == "12"
    assert "hidden=12" in page.url
    wait_for_step(page, step(page) + 10)
    assert page.inner_text("#play") == "Pause"
    page.fill("#seed", "4")
    page.press("#seed", "Enter")
    page.wait_for_url(re.compile("seed=4"))
    page.wait_for_selector("#notice", state="hidden")
    page.fill("#rule-text", "00x-")
    page.press("#rule-text", "Enter")
    page.wait_for_selector("#notice.problem")
    page.fill("#rule-text", "00+-/0000@0.03")
    page.press("#rule-text", "Enter")
    page.wait_for_selector("html[data-rule='00+-/0000@0.03']")
    page.wait_for_selector("#notice", state="hidden")


@pytest.mark.parametrize(
    "fragment",
    [
        *("hidden=500&seed=3", "task=nowhere", "networks=/etc/passwd", "seed=x&trial=y&stop=z&blame=missed:w"),
        "load=" + "a" * 20_000,  # longer than any message may be, so nothing in it is read
    ],
)
def test_a_link_that_cannot_be_lived_shows_the_usual_life(opened, fragment):
    page = opened(fragment)
    page.wait_for_selector("#notice.problem:has-text('This is the usual life instead.')")
    wait_for_step(page, 5)
    assert page.url.endswith("#task=foraging&rule=00+-/0000@0.03432&seed=1&speed=500")


def test_a_life_that_goes_on_is_no_longer_over(opened):
    page = opened("seed=3&speed=0&season_steps=500&stop=2")
    page.wait_for_selector("#notice:has-text('2 seasons are over')")
    page.click("#play")
    page.wait_for_selector("#notice", state="hidden")


def test_an_eta_is_kept_to_the_last_digit(opened):
    """Whoever turns an entry of one layer has not touched any eta."""
    page = opened("seed=3&speed=30&rule=-0%2B-/0000@0.012345,00%2B-/0000@0.067891")
    page.get_by_role("radiogroup", name="Output layer, rewarded, active → active").get_by_label("stronger").check(
        force=True
    )
    page.wait_for_selector("html[data-rule='-0+-/0000@0.012345,00+-/000+@0.067891']")


def test_a_pause_is_kept(opened):
    page = opened("seed=3&speed=60")
    wait_for_step(page, 5)
    pause(page)
    page.fill("#seed", "9")
    page.press("#seed", "Enter")
    page.wait_for_selector("#who:has-text('seed 9')")
    page.wait_for_function("() => document.querySelector('#figures dd').textContent === '0'")
    assert page.inner_text("#play") == "Play"
    page.click("#fresh")
    wait_for_step(page, 2)


def test_speeds_that_are_none_are_the_usual(opened):
    page = opened("seed=3&speed=abc")
    assert page.inner_text("#speed-words") == "500 steps/s"
    assert "speed=500" in page.url


def test_the_legend_says_what_is_good_now(opened):
    page = opened("seed=3&speed=60")
    page.wait_for_selector("#legend:has-text('green: wanted')")
    page.keyboard.press("w")
    page.wait_for_selector("#legend:has-text('green: unwanted')")
    assert "the agent and what it senses" in page.inner_text("#legend")
    page.select_option("#task", "association")
    page.wait_for_selector("#legend:has-text('bit on')")
    assert "agent" not in page.inner_text("#legend")
    assert not page.is_visible("#seasons")
    assert page.locator("#presets option").count() > 3
    page.select_option("#task", "t-maze")
    page.wait_for_selector("#legend:has-text('high reward')")
    page.wait_for_selector("#near-box", state="hidden")
    assert page.is_visible("#seasons")
    assert page.locator("[data-setting=seasons]").count() == 0


def test_the_same_brain_and_a_new_one(opened):
    page = opened("seed=3&speed=60&rule=0000/0000@0.1")  # nothing changes the weights that it was born with
    first = pixels(page, "#hidden-weights")
    wait_for_step(page, 60)
    page.click("#again")
    page.wait_for_function("() => Number(document.documentElement.dataset.charted) < 60")
    assert pixels(page, "#hidden-weights") == first
    page.click("#fresh")
    page.wait_for_function(CHANGED, arg=["hidden-weights", first])
    assert "seed=3&" not in page.url
    page.fill("#seed", "3")
    page.press("#seed", "Enter")
    page.wait_for_function("old => document.getElementById('hidden-weights').toDataURL() === old", arg=first)


def test_sixteen_brains_and_one_of_them(opened):
    page = opened("seed=3&speed=200&brains=16")
    assert page.locator("#many .tile").count() == 16
    wait_for_step(page, 100)
    page.click("#many .tile >> nth=4")
    page.wait_for_selector("#many", state="hidden")
    assert "trial=4" in page.url
    assert "brains" not in page.url
    page.wait_for_selector("#who:has-text('brain 5 of seed 3')")
    page.fill("#hidden", "7")
    page.press("#hidden", "Enter")
    page.wait_for_selector("#distinct:has-text('7 hidden neurons')")
    assert page.inner_text("#who") == "brain 5 of seed 3"  # with other settings it is still the same brain
    page.fill("#trial", "2")
    page.press("#trial", "Enter")
    page.wait_for_selector("#who:has-text('brain 2 of seed 3')")
    assert "trial=1" in page.url
    page.fill("#seed", "4")
    page.press("#seed", "Enter")
    page.wait_for_selector("#who:has-text('brain 1 of seed 4')")
    page.click("#sixteen")
    page.wait_for_selector("#who:has-text('16 brains of seed 4')")
    assert "means of the 16 brains" in page.inner_text("#means")
    assert not page.is_visible("#trial")


def test_stories_start_with_one_click(opened):
    page = opened()
    for name, told in (("Twenty neurons become one", "seed=9"), ("A rule that ages", "brains=16")):
        page.get_by_role("link", name=name).click()
        page.wait_for_selector(f"#stories a[aria-current] >> text={name}")
        assert told in page.url
        assert len(page.inner_text("#story")) > 80
        wait_for_step(page, 10)


def test_settings_begin_a_new_life(opened):
    page = opened("seed=3&speed=60")
    page.fill("#hidden", "7")
    page.press("#hidden", "Enter")
    page.wait_for_selector("#distinct:has-text('7 hidden neurons, all different')")
    page.click("summary >> text=Blame")
    page.get_by_label("blame: missed").fill("0.5")
    page.get_by_label("blame: missed").press("Enter")
    page.wait_for_url(re.compile("blame=missed:0.5"))
    page.click("summary >> text=The world")
    page.fill("[data-setting=grid_size]", "2")
    page.press("[data-setting=grid_size]", "Enter")
    page.wait_for_selector("#notice.problem")
    assert "grid-size is 2" in page.inner_text("#notice")


def test_several_hidden_layers_are_shown_and_typed(opened):
    page = opened("seed=3&speed=60&hidden=6,4")
    assert page.input_value("#hidden") == "6,4"
    wait_for_step(page, 5)
    assert page.inner_text("#distinct").startswith("10 hidden neurons")
    page.fill("#hidden", "5,3,2")
    page.press("#hidden", "Enter")
    page.wait_for_selector("#hidden-weights-3")
    assert page.input_value("#hidden") == "5,3,2"
    assert "hidden=5,3,2" in page.url


def test_by_keyboard_alone(opened):
    """Everything that can be used is reached by the tab key, and each switch by the arrows."""
    page = opened("seed=3&speed=1")
    page.keyboard.press("Space")
    page.wait_for_selector("html[data-playing=no]")
    reached = []
    for _ in range(60):
        page.keyboard.press("Tab")
        reached.append(page.evaluate("document.activeElement.id || document.activeElement.name"))
        if reached[-1] == "entry-0-3":
            page.keyboard.press("ArrowUp")
            page.keyboard.press("ArrowUp")
    for wanted in (
        "task",
        "seed",
        "share",
        "play",
        "step",
        "speed",
        "again",
        "fresh",
        "presets",
        "rule-text",
        "hidden",
    ):
        assert wanted in reached
    assert reached.count("entry-0-3") == 1
    page.wait_for_selector("html[data-rule='00++/0000@0.03432']")
    outline = page.evaluate("getComputedStyle(document.activeElement).outlineStyle")
    assert outline != "none"


def test_a_paused_page_has_no_pace(opened):
    page = opened("seed=3&speed=200")
    page.wait_for_function("() => Number(document.querySelector('#figures div:last-child dd').textContent) > 0")
    pause(page)
    assert page.inner_text("#figures div:last-child dd") == "–"


def test_a_late_answer_turns_nothing_back(opened):
    """Two changes at once: the answer to the first comes when the second is shown already."""
    page = opened("seed=3&speed=1")
    page.evaluate(
        """() => {
            const html = document.documentElement;
            window.rules = [];
            new MutationObserver(() => rules.push(html.dataset.rule)).observe(html, { attributeFilter: ["data-rule"] });
            for (const sign of [0, 1]) document.querySelector(`[name=entry-0-3][value="${sign}"]`).click();
        }"""
    )
    page.wait_for_selector("html[data-rule='00++/0000@0.03432']")
    assert page.evaluate("rules") == ["00++/0000@0.03432"]
    page.evaluate(
        """() => {
            document.querySelector("[name=entry-0-3][value='0']").click();
            const text = document.getElementById("rule-text");
            text.value = "nonsense";
            text.dispatchEvent(new Event("change"));
        }"""
    )
    page.wait_for_selector("#notice.problem")
    assert lives_by(page) == page.input_value("#rule-text") == "00+0/0000@0.03432"
    assert page.locator("[name=entry-0-3]:checked").get_attribute("value") == "0"


def test_keys_work_wherever_nothing_is_typed(opened):
    page = opened("seed=3&speed=60")
    page.locator(".switch input:checked").first.focus()
    page.keyboard.press("Space")
    page.wait_for_selector("html[data-playing=no]")
    before = step(page)
    page.keyboard.press("Shift+S")
    wait_for_step(page, before + 1)
    page.focus("#speed")
    page.keyboard.press("s")
    wait_for_step(page, before + 2)
    page.focus("#rule-text")
    page.keyboard.press("s")
    assert step(page) == before + 2
    page.focus("#hidden-weights")
    page.keyboard.press("ArrowRight")
    page.keyboard.press("ArrowDown")
    assert page.inner_text("#weight").startswith("From input left blue or wall to hidden neuron 2: ")


def test_whoever_is_in_a_field_stays_there(opened):
    page = opened("seed=3&speed=60")
    page.click("summary >> text=The world")
    page.fill("[data-setting=green]", "20")
    page.press("[data-setting=green]", "Tab")
    page.wait_for_url(re.compile("green=20"))
    page.wait_for_function("() => document.activeElement.dataset.setting === 'blue'")
    page.keyboard.press("Shift+Tab")
    page.keyboard.press("Control+a")
    page.keyboard.type("2")
    page.keyboard.press("Enter")
    page.wait_for_url(re.compile("green=2$"))
    assert page.evaluate("document.activeElement.dataset.setting") == "green"


@pytest.mark.parametrize("width", [400, 1400])
@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_it_fits_narrow_and_wide_light_and_dark(opened, width, scheme):
    page = opened("seed=3&speed=60", width, color_scheme=scheme)
    wait_for_step(page, 10)
    assert page.evaluate("document.documentElement.scrollWidth") <= width
    assert page.locator("#play").is_visible()
    box = page.locator("#world").bounding_box()
    assert box["width"] > 300


def test_a_lost_server_is_found_again(browser):
    with served() as server:
        page = browser.new_page()
        page.goto(f"{server.url}#seed=3")
        page.wait_for_selector("html[data-ready=yes]")
    page.wait_for_selector("#notice.problem")
    assert "server is gone" in page.inner_text("#notice")
    page.wait_for_selector("#notice:has-text('open the address that hebbarium watch printed')")
    page.close()


def test_after_a_lost_connection_it_is_the_same_step(browser, server):
    sockets = []
    page = browser.new_page()
    page.route_web_socket("**/socket*", lambda socket: sockets.append((socket, socket.connect_to_server())))
    page.goto(f"{server.url}#seed=3&speed=200")
    page.wait_for_selector("html[data-ready=yes]")
    wait_for_step(page, 100)
    before = pause(page)
    seen = pixels(page, "#world")
    sockets[0][0].close()
    page.wait_for_selector("#notice.problem")
    page.wait_for_selector("#notice", state="hidden")
    wait_for_step(page, before)  # the figures are made anew, and empty until the first frame
    wait_for_charts(page, before)
    assert step(page) == before
    assert page.inner_text("#play") == "Play"
    assert pixels(page, "#world") == seen
    page.close()


def test_what_a_user_types_is_data(opened):
    shown = opened()
    shown.fill("#rule-text", "<img src=x onerror=alert(1)>")
    shown.press("#rule-text", "Enter")
    shown.wait_for_selector("#notice.problem")
    assert "<img" in shown.inner_text("#notice")
    assert shown.locator("img").count() == 0


def test_a_link_repeats_changes(server):
    with server.connect() as connection:
        receive(connection, "hello")
        life = {"task": "t-maze", "seed": "3", "then": "2:0-+-/0000@0.2;4:right", "at": "5"}
        send(connection, do="start", life=life, speed=60, playing=False)
        assert receive(connection, "rule")["rule"] == "00+-/0000@0.04"
        assert receive(connection, "rule")["rule"] == "0-+-/0000@0.2"
        frame = receive(connection, "frame")
        assert (frame["lived"], frame["kind"], frame["then"]) == (5, 1, life["then"])
