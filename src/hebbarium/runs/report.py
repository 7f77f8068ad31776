"""A finished evolution as one page: `report.html` in the run's folder, with nothing outside itself."""

from __future__ import annotations

import html
import shlex
from pathlib import Path
from typing import Any

from hebbarium.errors import RunError, option_name
from hebbarium.files import replacing
from hebbarium.rule import Rule
from hebbarium.runs import chart
from hebbarium.runs.evolution import Evolution, summary
from hebbarium.runs.store import Run
from hebbarium.words import NOTE, picture_html

REPORT, CURVES = "report.html", "fitness.svg"
OPEN = 12
"""Rules shown at once; the others are folded away."""
STYLE = Path(__file__).with_name("report.css")


def write_report(run: Run, result: dict[str, Any] | None = None) -> Path:
    """Write the page and the curves of a finished run, each whole or not at all; returns the page."""
    if not run.finished:
        raise RunError(f"{run.folder} has no report yet: it is not finished; its command goes on with it.")
    result = summary(run) if result is None else result
    curves = run.result("curves")
    with replacing(run.folder / CURVES) as part:
        part.write_text(chart.fitness_chart(curves, alone=True), encoding="utf-8")
    with replacing(run.folder / REPORT) as part:
        part.write_text(page(run, result, curves), encoding="utf-8")
    return run.folder / REPORT


def page(run: Run, result: dict[str, Any], curves: list[list[dict[str, Any]]]) -> str:
    title = f"Evolved rules: {result['task']}"
    body = [
        _head(title, run, result),
        _figures(result),
        _best(result),
        f"<section><h2>How fitness rose</h2>{chart.fitness_chart(curves)}</section>",
        _rules(result),
        _settings(run, result),
    ]
    return (
        '<!doctype html><html lang="en"><head><meta charset="utf-8">'
        '<meta name="viewport" content="width=device-width, initial-scale=1">'
        f"<title>{_text(title)}</title><style>{STYLE.read_text(encoding='utf-8')}{chart.STYLE}</style></head>"
        f"<body><main>{''.join(body)}</main></body></html>\n"
    )


def _head(title: str, run: Run, result: dict[str, Any]) -> str:
    runs = _count(result["runs"], "run")
    what = f"{runs} of {result['search']} search, seed {result['seed']}, finished {_when(run.finished or '')}"
    return f"<header><h1>{_text(title)}</h1><p>{_text(what)}</p></header>"


def _figures(result: dict[str, Any]) -> str:
    first = result["rules"][0]
    agreeing = sum(best == first["rule"] for best in result["best"])
    cards = [
        ("best rule", f"<code>{first['rule']}</code>", " · ".join(first["paper"]) or "not in the paper"),
        ("its fitness", *_score(first)),
        ("runs that chose it", f"{agreeing} of {result['runs']}", "by the search's own scores"),
        ("evaluations", f"{result['evaluations']:,}", f"{result['lifetimes']:,} lifetimes"),
    ]
    items = "".join(
        f"<div><dt>{name}</dt><dd>{value}<small>{_text(note)}</small></dd></div>" for name, value, note in cards
    )
    return f'<dl class="figures">{items}</dl>'


def _score(row: dict[str, Any]) -> tuple[str, str]:
    fresh = row["rescored"]
    if fresh is None:
        return f"{row['median']:.1f}", "as the search scored it"
    error = f" ± {fresh['sem']:.1f}" if fresh["sem"] is not None else ""
    return f"{fresh['mean']:.1f}{error}", f"mean and standard error of {fresh['lifetimes']:,} fresh lifetimes"


def _best(result: dict[str, Any]) -> str:
    row = result["rules"][0]
    return (
        f'<section><h2>What the best rule does</h2><div class="best">{picture_html(Rule(row["rule"]))}'
        f"<div><p>{_text(row['words'])}</p><p><small>{_text(NOTE)}</small></p>"
        f'<p>See it live: <code class="command">hebbarium live {result["task"]} --rule={row["rule"]} '
        f"--eta {row['eta_mean']:.4g}</code></p></div></div></section>"
    )


_COLUMNS = (
    ("#", "rank"), ("rule", "rule"), ("count", "instances among the best of all runs"),
    ("median", "median fitness of the instances"), ("std", "standard deviation over the instances"),
    ("max", "best instance"), ("min", "worst instance"), ("eta", "mean learning rate of the instances"),
    ("std", "standard deviation of eta"), ("in search", "median of the scores that the search itself saw"),
)  # fmt: skip


def _rules(result: dict[str, Any]) -> str:
    rules = result["rules"]
    how = (
        "Each instance was scored anew on fresh lifetimes that no search saw. The last column shows the scores by "
        "which the search chose: they tend to be higher, because luck helps to be chosen, but need not be."
        if result["rescored"]["lifetimes"]
        else "Scores are those by which the search chose; they tend to be too high, because luck helps to be chosen."
    )
    more = rules[OPEN:]
    folded = (
        f"<details><summary>{_count(len(more), 'more rule')}</summary>{_rules_table(more)}</details>" if more else ""
    )
    return (
        "<section><h2>Distinct rules</h2>"
        f"<p>The best of every run's last population, pooled, ranked by median. {how}</p>"
        f"{_rules_table(rules[:OPEN])}{folded}</section>"
    )


def _rules_table(rules: list[dict[str, Any]]) -> str:
    heads = "".join(f'<th scope="col" title="{note}">{name}</th>' for name, note in _COLUMNS)
    rows = "".join(_rule_row(row) for row in rules)
    table = f'<table class="rules"><thead><tr>{heads}</tr></thead><tbody>{rows}</tbody></table>'
    return (
        '<p class="hint">Scroll sideways for all ten columns \N{RIGHTWARDS ARROW}</p>'
        f'<div class="wide" tabindex="0" role="region" aria-label="distinct rules">{table}</div>'
    )


def _rule_row(row: dict[str, Any]) -> str:
    numbers = [f"{row[name]:.2f}" for name in ("median", "std", "max", "min")]
    numbers += [f"{row['eta_mean']:.4f}", f"{row['eta_std']:.4f}", f"{row['searched']['median']:.2f}"]
    cells = "".join(f"<td>{number}</td>" for number in (row["count"], *numbers))
    paper = f" <small>{_text(', '.join(row['paper']))}</small>" if row["paper"] else ""
    return (
        f'<tr><td>{row["rank"]}</td><th scope="row">{_signs(row["rule"])}{paper}</th>{cells}</tr>'
        f'<tr class="words"><td></td><td colspan="9"><p>{_text(row["words"])}</p></td></tr>'
    )


def _signs(notation: str) -> str:
    """The rule with its decreases and increases coloured."""
    kinds = {"-": ' class="weaker"', "+": ' class="stronger"'}
    signs = "".join(f"<i{kinds.get(sign, '')}>{sign}</i>" for sign in notation)
    return f'<code class="signs">{signs}</code>'


def _settings(run: Run, result: dict[str, Any]) -> str:
    configuration = run.configuration
    flat = {key: value for key, value in configuration.items() if not isinstance(value, dict)}
    flat |= configuration["search_settings"] | configuration["task_settings"]
    pairs = "".join(f"<dt>{_text(option_name(name))}</dt><dd>{_text(value)}</dd>" for name, value in flat.items())
    again = command(Evolution.of_configuration(configuration), run.folder)
    versions = ", ".join(f"{name} {number}" for name, number in run.versions.items())
    return (
        f"<section><h2>To do it again</h2><p><code class='command'>{_text(again)}</code></p>"
        f"<p>It gives the same digest on any machine: <code class='digest'>{result['digest']}</code></p>"
        f"<details><summary>Every setting</summary><dl class='settings'>{pairs}</dl><p>{_text(versions)}</p></details>"
        "</section>"
    )


def command(evolution: Evolution, folder: Path) -> str:
    """What to type for the same run in the same folder; only what differs from the defaults."""
    usual = Evolution.of(evolution.task.name, evolution.search)
    changed = {
        name: getattr(evolution, name)
        for name in ("hidden", "top", "rescore")
        if getattr(evolution, name) != getattr(usual, name)
    }
    of_search, default = evolution.settings.settings(), usual.settings.settings()
    changed |= {name: value for name, value in of_search.items() if value != default[name]}
    changed |= evolution.task.changed_settings()
    words = [f"hebbarium evolve {evolution.task.name} --search {evolution.search} --runs {evolution.runs}"]
    words += [f"--seed {evolution.seed}", *(_option(name, value) for name, value in changed.items())]
    words += [] if folder == evolution.folder() else [f"--out {shlex.quote(str(folder))}"]
    return " ".join(words)


def _option(name: str, value: Any) -> str:
    if isinstance(value, bool):
        return f"--{'' if value else 'no-'}{option_name(name)}"
    return f"--{option_name(name)} {value}"


def _count(number: int, word: str) -> str:
    return f"{number} {word}{'' if number == 1 else 's'}"


def _when(moment: str) -> str:
    return moment.replace("T", " ").removesuffix("+00:00") + " UTC"


def _text(value: Any) -> str:
    return html.escape(str(value))
