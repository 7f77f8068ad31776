"""The page kit: nothing shown is ever taken for markup, charts are well-formed, colours mean one thing."""

from __future__ import annotations

import ast
import html
import itertools
import re
import xml.etree.ElementTree as ElementTree
from html.parser import HTMLParser
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import hebbarium
from hebbarium.rules.rule import Rule
from hebbarium.show import pages
from hebbarium.show.pages import Cell, Line, Mark, Markup
from hebbarium.show.pages.charts import Axis, axis_of, log_ticks, ticks
from hebbarium.show.pages.colours import PALETTE, VIRIDIS, diverging, light, shade
from hebbarium.show.plots import COUNT_COLOURS, signed_colours
from hebbarium.worlds.grid import GridWorld

SOURCES = Path(hebbarium.__file__).parent
HOSTILE = (
    "<script>hit()</script>",
    "<img src=x onerror=hit()>",
    "\"><svg onload='hit()'>",
    "</style></title><script>hit()</script>",
)
CHART = {"title": "t", "x_label": "x", "y_label": "y"}


def whole_page(text: str) -> str:
    """Every part of the kit with the same text wherever text may stand."""
    named = {"title": text, "x_label": text, "y_label": text}
    rows = [(text, [Mark(1, "first", 0.5, 2, sign=text), Mark(3, "ink", hollow=True)])]
    return pages.page(
        text,
        pages.header(text, text),
        pages.contents([("id", text, text)]),
        pages.section(text, pages.paragraph(text), pages.bullets([text]), pages.details(text, text), id=text),
        pages.cards([(text, text, text)]),
        pages.command(text),
        pages.table([text, Cell(text, text, text)], [[text, Cell(text, text, text, 2)]], caption=text, kind=text),
        pages.figure([pages.line_chart([Line(text, [1, 2], [3, 4], "first")] * 2, **named)], text, text),
        pages.histogram([1, 2], [0, 1, 2], fills=["red", text], mean=1.0, **named),
        pages.scatter([1, 2], [3, 4], [text, "red"], **named),
        pages.bar_chart([(text, 1.0)], title=text),
        pages.dot_plot(rows, title=text, x_label=text, legend={text: Mark(0, "first")}),
        pages.stacked_bar([(3, "good", text)]),
        pages.heat_map(np.eye(2), x_names=[text], y_names=[text], show="{:.1f}", **named),
        pages.rule_signs(text),
        pages.rule_table(Rule("00+-/0000")),
        pages.fill("<p title='$text'>$text</p>", text=text),
        data={"text": text},
    )


class Elements(HTMLParser):
    """The elements of a page as a browser would find them, with the names of their attributes."""

    def __init__(self, page: str) -> None:
        super().__init__()
        self.found: list[tuple[str, ...]] = []
        self.feed(page)

    def handle_starttag(self, tag: str, attributes: list[tuple[str, str | None]]) -> None:
        self.found.append((tag, *(name for name, _ in attributes)))


@pytest.mark.parametrize("text", HOSTILE)
def test_text_is_never_markup(text: str) -> None:
    harmless = re.sub(r"\S", "x", text)
    assert Elements(whole_page(text)).found == Elements(whole_page(harmless)).found


@given(st.text(min_size=1))
def test_whatever_is_shown_the_elements_stay_the_same(text: str) -> None:
    def shown(text: str) -> Markup:
        return pages.table([text, text], [[text, Cell(pages.element("i", text, title=text), text, text)]], caption=text)

    assert Elements(shown(text)).found == Elements(shown("text")).found


def test_hostile_text_does_nothing_in_a_browser(browser: Any, tmp_path: Path) -> None:
    file = tmp_path / "page.html"
    for text in HOSTILE:
        file.write_text(whole_page(text), encoding="utf-8")
        page = browser.new_page()
        complaints: list[str] = []
        page.on("console", lambda message: complaints.append(message.text))  # noqa: B023
        page.add_init_script("window.hits = 0; window.hit = () => { window.hits += 1; };")
        page.goto(file.as_uri())
        assert page.evaluate("window.hits") == 0
        assert page.inner_text("h1") == text
        assert page.evaluate("JSON.parse(document.getElementById('data').textContent).text") == text
        assert complaints == []
        page.close()


def test_the_policy_stops_a_script_that_is_not_the_pages_own(browser: Any, tmp_path: Path) -> None:
    own = pages.page("t", pages.paragraph("x"), script="window.own = 1; document.title = 'done';")
    file = tmp_path / "page.html"
    file.write_text(own.replace("</p>", "</p><script>window.other = 1;</script><img src=x onerror='other = 2'>"))
    page = browser.new_page()
    page.goto(file.as_uri())
    assert page.evaluate("[window.own, window.other]") == [1, None]
    page.close()


def test_a_served_page_may_be_allowed_more() -> None:
    policy = re.search(
        r'http-equiv="Content-Security-Policy" content="([^"]*)"', pages.page("t", allow="connect-src 'self'")
    )
    assert policy is not None
    assert html.unescape(policy.group(1)).endswith("; connect-src 'self'")


def test_a_command_breaks_between_words_only(browser: Any, tmp_path: Path) -> None:
    file = tmp_path / "page.html"
    words = [
        "hebbarium",
        "evolve",
        "foraging",
        "--search",
        "racing",
        "--max-generations",
        "200",
        "--random-action",
        "0.1",
    ]
    file.write_text(pages.page("t", pages.command(" ".join(words))), encoding="utf-8")
    page = browser.new_page(viewport={"width": 300, "height": 400})
    page.goto(file.as_uri())
    heights = page.eval_on_selector_all(".command span", "spans => spans.map(span => span.getClientRects().length)")
    assert heights == [1] * len(words)
    assert page.evaluate("document.documentElement.scrollWidth") <= 300
    page.close()


def test_numbers_in_a_heat_map_are_read_on_dark_and_on_bright_cells(browser: Any, tmp_path: Path) -> None:
    file = tmp_path / "page.html"
    chart = pages.heat_map(np.array([[0.0, 1.0]]), low=0, show="{:.3f}", **CHART)
    file.write_text(pages.page("t", chart), encoding="utf-8")
    page = browser.new_page()
    page.goto(file.as_uri())
    inks = page.eval_on_selector_all("text", "all => all.map(one => [one.textContent, getComputedStyle(one).fill])")
    assert [ink for words, ink in inks if words in ("0.000", "1.000")] == ["rgb(255, 255, 255)", "rgb(0, 0, 0)"]
    page.close()


def test_a_page_asks_for_nothing_from_anywhere() -> None:
    page = html.unescape(whole_page("text"))
    assert "default-src 'none'" in page
    assert "unsafe" not in page
    assert not re.search(r"""(src|href)\s*=\s*["'](?!#|data:)|url\(|@import|https?://""", page)


def test_no_other_module_writes_markup() -> None:
    """Neither tags in its strings, nor text that it declares to be markup."""
    tag = re.compile(r"</?(?!module>)[a-z][a-z0-9]*(\s[a-z-]+=|/?>)")  # <module> is what Python calls a file
    for file in SOURCES.rglob("*.py"):
        if file.parent.name == "pages":
            continue
        for node in ast.walk(ast.parse(file.read_text(encoding="utf-8"))):
            written = isinstance(node, ast.Constant) and isinstance(node.value, str) and tag.search(node.value)
            declared = isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id == "Markup"
            assert not written, (file, node.lineno)
            assert not declared, (file, node.lineno)


def charts() -> dict[str, Markup]:
    x = np.array([1.0, 10.0, 100.0])
    lines = [Line("a", x, x, "first", x - 1, x + 1), Line("b", x, x, "second", x - 1, x + 1, dots=True)]
    return {
        "lines": pages.line_chart(lines, seasons=[(1, 50, "summer"), (50, 100, "winter")], **CHART),
        "log": pages.line_chart(lines, log_x=True, **CHART),
        "nothing": pages.line_chart([], **CHART),
        "one point": pages.line_chart([Line("a", [3], [3], "first")], **CHART),
        "histogram": pages.histogram([0, 3, 900], [0, 1, 2, 3], fills=["red"] * 3, log_y=True, **CHART),
        "scatter": pages.scatter(x, x, ["red", "blue", "red"], **CHART),
        "bars": pages.bar_chart([("a", 0.2), ("b", 0.0)], title="t", show="{:.0%}"),
        "dots": pages.dot_plot([("a", [Mark(-2, "first", -3, -1)])], title="t", x_label="x"),
        "stack": pages.stacked_bar([(3, "good", "good"), (0, "bad", "bad")]),
        "heat": pages.heat_map(np.arange(6).reshape(2, 3), low=0, high=5, show="{:.0f}", **CHART),
    }


@pytest.mark.parametrize("name", charts())
def test_charts_are_well_formed_and_stay_inside(name: str) -> None:
    root = ElementTree.fromstring(pages.standalone(charts()[name]))
    _, _, width, height = map(float, root.get("viewBox", "").split())
    assert "nan" not in charts()[name]
    assert root.get("aria-label")
    for mark in root.iter():
        for key, most in (("x", width), ("cx", width), ("y", height), ("cy", height)):
            assert -1 <= float(mark.get(key, 0)) <= most + 1


def test_a_standalone_chart_has_its_colours_itself() -> None:
    chart = charts()["lines"]
    assert "var(--" in chart
    assert "var(--" not in pages.standalone(chart)


def test_points_of_one_colour_are_one_path() -> None:
    assert [path.count("h0") for path in re.findall(r' d="([^"]*)"', charts()["scatter"])] == [2, 1]


@pytest.mark.parametrize(("low", "high"), [(0, 0), (0, 47), (-3.2, 0.1), (0, 1e-6), (12.5, 12.5), (-700, 20)])
def test_ticks_are_round_and_lie_within(low: float, high: float) -> None:
    axis = axis_of([low, high], 0, 100)
    marks = axis.ticks()
    assert 2 <= len(marks) <= 6
    assert axis.low <= marks[0] <= marks[-1] <= axis.high
    step = min(b - a for a, b in itertools.pairwise(marks))
    first = f"{step:e}"[0]
    assert first in "125"


@given(st.floats(-1e6, 1e6), st.floats(1e-3, 1e6))
def test_there_are_always_some_ticks(low: float, span: float) -> None:
    assert 1 <= len(ticks(low, low + span)) <= 6


def test_log_ticks_and_places() -> None:
    assert log_ticks(0.7, 2000) == [1, 10, 100, 1000]
    axis = Axis(1, 100, 0, 50, log=True)
    assert [axis.place(value) for value in (1, 10, 100)] == pytest.approx([0, 25, 50])


def test_plus_and_minus_have_one_colour_each_everywhere() -> None:
    low, _, high = diverging()
    assert (f"#{low}", f"#{high}") == (light("weaker"), light("stronger"))
    plot = signed_colours()
    assert [round(255 * part) for part in plot(1.0)[:3]] == [int(high[place : place + 2], 16) for place in (0, 2, 4)]
    in_page = pages.heat_map(np.array([[-1.0, 1.0]]), **CHART)
    assert light("weaker") in in_page
    assert light("stronger") in in_page
    notebook = Rule("00+-/0000")._repr_html_()
    assert f"background:{light('stronger-back')};color:{light('stronger')}" in notebook


def test_items_have_one_colour_each_everywhere() -> None:
    things = {thing.name: thing.colour for thing in GridWorld.legend}
    for name in ("green", "blue"):
        assert things[name] == light(name) == COUNT_COLOURS[name]


def test_text_of_every_colour_can_be_read() -> None:
    """A contrast of 4.5 to 1, on the page and on the paler colour behind it."""

    def bright(colour: str) -> float:
        parts = (int(colour[place : place + 2], 16) / 255 for place in (1, 3, 5))
        linear = (part / 12.92 if part <= 0.04045 else ((part + 0.055) / 1.055) ** 2.4 for part in parts)
        return sum(weight * part for weight, part in zip((0.2126, 0.7152, 0.0722), linear, strict=True))

    behind = {name.removesuffix("-back"): name for name in PALETTE if name.endswith("-back")} | {"soft": "card"}
    for name in ("ink", "soft", "accent", "stronger", "weaker", "good", "near", "bad"):
        for place in (0, 1):
            for back in ("page", behind.get(name, "page")):
                one, other = sorted(bright(PALETTE[key][place]) for key in (name, back))
                assert (other + 0.05) / (one + 0.05) >= 4.5, (name, back, place)


def test_shades_run_from_end_to_end() -> None:
    assert [shade(VIRIDIS, share) for share in (-1, 0, 1, 2)] == ["#440154", "#440154", "#fde725", "#fde725"]


@pytest.mark.parametrize("width", [400, 1400])
def test_the_label_of_an_axis_does_not_touch_its_numbers(browser: Any, width: int) -> None:
    chart = pages.line_chart([Line("a", [1, 2], [0, 15_000], "first")], title="a", x_label="b", y_label="punished")
    page = browser.new_page(viewport={"width": width, "height": 800})
    page.set_content(pages.page("a", pages.figure([chart])))
    boxes = {text.inner_html(): text.bounding_box() for text in page.locator("svg text").all()}
    label, number = boxes["punished"], boxes["15,000"]
    assert label["x"] + label["width"] < number["x"]
    page.close()


def test_a_cell_is_as_long_as_what_is_seen_of_it() -> None:
    """Signs of a rule are much markup and nine characters; a column of them must not be as wide as one of words."""
    rule, words = pages.rule_signs("00+-/0000"), "anti-Hebbian on punishment, non-associative on reward"
    text = pages.table(("rule", "family"), [(rule, words)], words=(0, 1))
    assert text.count('class="words long"') == 1
    assert f'class="words long">{words}' in text
