"""The map in a real browser: hover, click, filter, find, keyboard, a narrow screen."""

from __future__ import annotations

import re
import sys
from pathlib import Path

import pytest

from hebbarium.rules.rule import RULES, Rule
from hebbarium.rules.words import SITUATIONS, family, in_words
from hebbarium.studies.atlas.page import map_html, save_map

sys.path.insert(0, str(Path(__file__).parent))
from invented import invented

BEST = Rule("foraging:1")


@pytest.fixture(scope="module")
def file(tmp_path_factory) -> Path:
    path = tmp_path_factory.mktemp("map") / "atlas.html"
    save_map(invented(), path)
    return path


@pytest.fixture(scope="module")
def page(browser, file):
    page = browser.new_page(viewport={"width": 1400, "height": 1000})
    problems: list[str] = []
    page.on("console", lambda message: problems.append(message.text))
    page.on("pageerror", lambda error: problems.append(str(error)))
    page.goto(file.as_uri())
    page.wait_for_selector("html[data-ready=yes]")
    yield page
    assert problems == []
    page.close()


@pytest.fixture(autouse=True)
def calm(request):
    """Each test finds the page as it was opened."""
    yield
    if "page" in request.fixturenames:
        page = request.getfixturevalue("page")
        page.evaluate("state.pins = []; showPins(); byId('clear').click(); look(order[0])")


def shown(page) -> str:
    return page.get_attribute("#card", "data-rule")


def pinned(page) -> list[str]:
    return page.eval_on_selector_all("#pins .card", "cards => cards.map(card => card.dataset.rule)")


def cell(page, rule: Rule) -> dict[str, float]:
    """Where the rule lies inside the map."""
    size = page.locator("#map").bounding_box()
    row, across = divmod(rule.index, 81)
    return {"x": (across + 0.5) * size["width"] / 81, "y": (row + 0.5) * size["height"] / 81}


def test_it_opens_on_the_best_rule(page):
    assert shown(page) == BEST.notation
    card = page.inner_text("#card")
    assert "foraging:1" in card
    assert in_words(BEST) in card
    assert "48.3 ± 0.4" in card
    assert "all 20 differ" in card


def test_hover_reads_a_rule(page):
    rule = Rule("-0+-/0+00")
    page.hover("#map", position=cell(page, rule))
    page.wait_for_function("text => byId('card').dataset.rule === text", arg=rule.notation)
    assert in_words(rule) in page.inner_text("#card")
    assert page.locator("#card svg polyline").count() == 1


def test_click_pins_and_compares_up_to_four(page):
    rules = [Rule(index) for index in (100, 2000, 3442, 5000, 6000)]
    for rule in rules[:2]:
        page.click("#map", position=cell(page, rule))
    assert pinned(page) == [rule.notation for rule in rules[:2]]
    for rule in rules[2:]:
        page.click("#map", position=cell(page, rule))
    assert pinned(page) == [rule.notation for rule in rules[1:]]
    page.click("#map", position=cell(page, rules[2]))
    assert rules[2].notation not in pinned(page)
    page.click("#unpin")
    assert page.is_hidden("#pins-section")


def test_filter_by_entry_dims_the_rest(page):
    page.click("[data-name='punished, active →\N{NO-BREAK SPACE}active']")
    assert "2,187 rules match" in page.inner_text("#found")
    assert page.input_value("#find") == "???-/????"
    alpha = "rule => byId('map') && pixels.getImageData(rule % 81, Math.floor(rule / 81), 1, 1).data[3]"
    assert page.evaluate(alpha, Rule("000-/0000").index) == 255
    assert page.evaluate(alpha, Rule("000+/0000").index) < 60
    page.click("[data-name='rewarded, silent →\N{NO-BREAK SPACE}silent']")
    assert "729 rules match" in page.inner_text("#found")
    page.click("#clear")
    assert page.evaluate(alpha, Rule("000+/0000").index) == 255


@pytest.mark.parametrize(
    ("text", "rule"),
    [("-0+-/0000", "-0+-/0000"), ("3442", "00+-/0000"), ("foraging:18", "000-/000+"), ("−0+−0000", "-0+-/0000"),
     ("-0+-/0000@0.04", "-0+-/0000"), ("prey-predator:1", Rule("prey-predator:1").notation)],
)  # fmt: skip
def test_find_a_rule(page, text, rule):
    page.fill("#find", text)
    assert shown(page) == rule


def test_find_by_pattern_and_nonsense(page):
    page.fill("#find", "00+-/????")
    assert "81 rules match; the best of them is 00+-/0000" in page.inner_text("#found")
    for unfinished in ("00+-/00", "constructor", "<img src=x onerror=alert(1)>"):
        page.fill("#find", unfinished)
        assert page.inner_text("#found") == ""
        page.press("#find", "Enter")
        assert "A rule has eight of" in page.inner_text("#found")


def test_the_address_holds_what_is_shown(browser, file):
    page = browser.new_page()
    page.goto(f"{file.as_uri()}#rule=-0+-/0000&pins=00+-/0000,0++-/0000&colour=kinds&only=constructor")
    page.wait_for_selector("html[data-ready=yes]")
    assert shown(page) == "-0+-/0000"
    assert pinned(page) == ["00+-/0000", "0++-/0000"]
    assert page.input_value("#colour") == "kinds"
    assert page.inner_text("#to-pins") == "compare 2 pinned rules ↓"
    assert "hebbarium watch foraging --rule=-0+-/0000@" in page.inner_text("#card")
    page.click("#unpin")
    page.wait_for_function("text => location.hash === text", arg="#rule=-0+-/0000&colour=kinds")
    page.close()


def test_a_rule_is_watched_in_the_playground(browser, tmp_path) -> None:
    save_map(invented(), tmp_path / "atlas.html", playground="playground/index.html")
    page = browser.new_page()
    page.goto((tmp_path / "atlas.html").as_uri())
    link = page.get_attribute("#card >> text=Watch this rule", "href")
    assert re.fullmatch(r"playground/index\.html#task=foraging&rule=00\+-/0000@0\.\d+", link)
    page.close()


def test_the_keyboard_reaches_everything(page):
    page.focus("#map")
    page.keyboard.press("Home")
    page.keyboard.press("ArrowRight")
    assert shown(page) == Rule(BEST.index + 1).notation
    page.keyboard.press("ArrowDown")
    assert shown(page) == Rule(BEST.index + 82).notation
    page.keyboard.press("Shift+ArrowLeft")
    assert shown(page) == Rule(BEST.index + 73).notation
    page.keyboard.press("Enter")
    assert pinned(page) == [Rule(BEST.index + 73).notation]
    assert "rank" in page.text_content("#spoken")
    page.keyboard.press("Home")
    page.keyboard.press("n")
    assert shown(page) == Rule(int(invented().order[1])).notation
    page.keyboard.press("Escape")
    assert pinned(page) == []
    page.focus("#find")
    page.keyboard.press("Tab")
    assert page.evaluate("document.activeElement.id") == "colour"
    page.focus("#top tbody tr:nth-child(3)")
    assert shown(page) == Rule(int(invented().order[2])).notation


def test_words_and_families_are_the_same_as_in_python(page):
    words, families = page.evaluate(
        "[Array.from({length: RULES}, (_, r) => words(r)), Array.from({length: RULES}, (_, r) => family(r))]"
    )
    assert words == [in_words(Rule(index)) for index in range(RULES)]
    assert families == [family(Rule(index)) for index in range(RULES)]


def test_figures_come_through_whole(page):
    atlas = invented()
    assert page.evaluate("Array.from(mean)") == pytest.approx(atlas.mean, abs=0.0101)
    assert page.evaluate("Array.from(order)") == atlas.order.tolist()
    assert page.evaluate("Array.from(rank)") == atlas.ranks.tolist()


def test_colours_are_viridis_and_follow_the_choice(page):
    colour = "rule => Array.from(pixels.getImageData(rule % 81, Math.floor(rule / 81), 1, 1).data)"
    assert page.evaluate(colour, BEST.index) == [253, 231, 37, 255]
    page.select_option("#colour", "kinds")
    assert page.evaluate(colour, Rule("0000/++++").index) == [68, 1, 84, 255]
    page.select_option("#colour", "mean")


def test_the_top_50_and_the_histogram(page):
    assert page.locator("#top tbody tr").count() == 50
    assert page.inner_text("#top tbody tr:first-child td:nth-child(3)") == "00+−/0000"
    assert re.search(r"above 40: 1 of 6,561", page.inner_text("#histogram-words"))


def test_a_narrow_screen_needs_no_sideways_scrolling(browser, file):
    page = browser.new_page(viewport={"width": 400, "height": 800})
    page.goto(file.as_uri())
    page.wait_for_selector("html[data-ready=yes]")
    assert page.evaluate("document.documentElement.scrollWidth") <= 400
    assert page.locator("#map").bounding_box()["width"] > 300
    page.close()


def test_nothing_is_fetched_from_anywhere(file):
    text = file.read_text(encoding="utf-8")
    assert not re.search(r'(src|href)\s*=\s*"(?!#|data:)|@import|url\(|fetch\(|XMLHttpRequest', text)
    assert len(text) < 500_000


def test_large_fitness_is_shown_as_it_is(browser, tmp_path):
    """Two bytes of a fiftieth each end at 655."""
    save_map(invented(invented().mean * 1000), tmp_path / "large.html")
    page = browser.new_page()
    page.goto((tmp_path / "large.html").as_uri())
    page.wait_for_selector("html[data-ready=yes]")
    assert "48300.0 ± 0.4" in page.inner_text("#card")
    page.close()


def test_what_an_atlas_says_is_data_not_markup():
    atlas = invented()
    for name in ("task", "digest", "seed", "hidden"):
        atlas.about[name] = "<script>alert(1)</script><img src=x onerror=alert(1)>"
    text = map_html(atlas)
    assert text.count("<script") == 2  # its data and its own
    assert "<img" not in text


def test_all_four_entries_are_labelled_along_both_sides(page):
    labels = page.eval_on_selector_all(".axes text", "texts => texts.map(text => text.textContent)")
    for situation in SITUATIONS:
        assert labels.count(situation) == 2
    signs = "".join(label for label in labels if set(label) <= set("−0+"))
    assert len(signs) == 2 * (3 + 9 + 27 + 81)


def test_the_bands_lie_beside_their_cells(page):
    """The last column of cells, under the last + of every band."""
    board, axes = page.locator("#map").bounding_box(), page.locator(".axes").bounding_box()
    scale = axes["width"] / 906
    assert board["x"] - axes["x"] == pytest.approx(92 * scale, abs=0.5)
    assert board["width"] == pytest.approx(810 * scale, abs=0.5)
    assert board["y"] - axes["y"] == pytest.approx(92 * scale, abs=0.5)


@pytest.mark.parametrize("width", [400, 1400])
def test_boxes_around_the_papers_rules_hide_no_cell(browser, file, width):
    page = browser.new_page(viewport={"width": width, "height": 900})
    page.goto(file.as_uri())
    page.wait_for_selector("html[data-ready=yes]")
    covered = page.evaluate("""() => {
        look(0);
        const cell = overlay.width / SIDE, context = overlay.getContext("2d"), covered = [];
        for (const rule of papersOf.keys()) {
            for (let down = -1; down <= 1; down++) for (let right = -1; right <= 1; right++) {
                const x = (rule % SIDE + right + 0.5) * cell, y = (Math.floor(rule / SIDE) + down + 0.5) * cell;
                if (context.getImageData(x, y, 1, 1).data[3] > 64) covered.push([rule, down, right]);
            }
        }
        return covered;
    }""")
    page.close()
    assert covered == []


@pytest.fixture
def phone(browser, file):
    page = browser.new_page(viewport={"width": 400, "height": 850}, has_touch=True, is_mobile=True)
    page.goto(file.as_uri())
    page.wait_for_selector("html[data-ready=yes]")
    yield page
    page.close()


def tap(page, rule: Rule, right: float = 0, down: float = 0) -> None:
    page.evaluate("document.querySelector('.frame').scrollIntoView({behavior: 'instant'})")
    size, place = page.locator("#map").bounding_box(), cell(page, rule)
    page.touchscreen.tap(size["x"] + place["x"] + right, size["y"] + place["y"] + down)


def test_a_tap_finds_the_nearest_marked_rule_and_another_pins_it(phone):
    tap(phone, Rule("foraging:5"), right=7, down=-8)
    assert shown(phone) == Rule("foraging:5").notation
    assert phone.inner_text("#read").startswith(Rule("foraging:5").notation)
    assert pinned(phone) == []
    tap(phone, Rule("foraging:5"))
    assert pinned(phone) == [Rule("foraging:5").notation]
    far = Rule("0000/++++")
    tap(phone, far)
    assert shown(phone) == far.notation
    phone.locator("#steps button").last.tap()
    assert shown(phone) == far.notation  # it lies in the last column
    phone.locator("#steps button").first.tap()
    assert shown(phone) == Rule(far.index - 1).notation


def test_with_a_filter_a_tap_finds_the_nearest_rule_that_fits(phone):
    phone.fill("#find", "00+-/????")
    tap(phone, Rule("00+0/++++"), right=1)
    assert shown(phone) == "00+-/++++"


def test_the_hint_says_tap_where_there_is_no_mouse(phone, page):
    for one, spoken, not_spoken in ((phone, "Tap to read", "Hover to read"), (page, "Hover to read", "Tap to read")):
        assert one.locator(f"text={spoken}").is_visible()
        assert not one.locator(f"text={not_spoken}").is_visible()


def test_numbers_are_never_minus_zero(page):
    assert page.evaluate("[fixed(-0.01, 1), fixed(-0.06, 1), fixed(12.34, 1)]") == ["0.0", "-0.1", "12.3"]
