"""The report of an evolution as one page, with its chart."""

from __future__ import annotations

import dataclasses
import shlex
import statistics
from collections import Counter
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from hebbarium.rules.graded import KINDS
from hebbarium.rules.words import note
from hebbarium.search.genes import genes_text
from hebbarium.show import pages
from hebbarium.show.pages import command as typed
from hebbarium.store.world_of_run import Named
from hebbarium.store.writing import Run
from hebbarium.studies.evolve.best_rules import eta_of_row, live_command, placed_words, rule_of_row
from hebbarium.studies.evolve.one_search import words_of
from hebbarium.studies.evolve.study import Evolution, asked_for, summary
from hebbarium.tools.errors import RunError, counted, option_name, printable
from hebbarium.tools.fields import as_typed
from hebbarium.tools.files import write_text


def fitness_chart(histories: Sequence[Sequence[dict[str, Any]]], search: str) -> pages.Markup:
    """The chart of how fitness rose in a search. histories: for each run its moments (generation, best, mean)."""
    words, several = words_of(search), len(histories) > 1
    best, mean = ([[moment[name] for moment in history] for history in histories] for name in ("best", "mean"))
    each = [pages.Line("", range(1, len(run) + 1), run, "first", thin=True) for run in best if several]
    over = f", median of {len(histories)} runs (each thin)" if several else ""
    means, bests = _middle(mean), _middle(best)
    rounds = range(1, len(bests) + 1)
    lines = [
        *each,
        pages.Line(words.mean + (", median" if several else ""), rounds, means, "second", dashed=True),
        pages.Line(words.best + over, rounds, bests, "first"),
    ]
    return pages.line_chart(lines, title="Fitness", x_label=words.round, y_label="fitness", from_zero=True)


def _middle(runs: Sequence[Sequence[float]]) -> list[float]:
    """The median over the runs at each round; a run that has ended counts as it ended."""
    whole = [run for run in runs if run]
    last = max(map(len, whole), default=0)
    return [statistics.median(run[min(place, len(run) - 1)] for run in whole) for place in range(last)]


REPORT, CURVES = "report.html", "fitness.svg"
OPEN = 12
"""Rules shown at once; the others are folded away."""
STYLE = """
.best { display: flex; flex-wrap: wrap; gap: 12px 32px; align-items: flex-start; }
.best > div { flex: 1 1 300px; min-width: 0; }
.best p:first-child { margin-top: 0; }
.rules td, .rules th { padding-top: 8px; } .rules .words { min-width: 15rem; max-width: 46rem; } .rules { width: 100%; }
.rules .command span, .best .command span { display: inline-block; max-width: 100%; }
.rules .command span, .best .command span { white-space: normal; overflow-wrap: anywhere; }
.settings { display: grid; grid-template-columns: max-content 1fr; gap: 2px 16px; font-size: .88rem; }
.settings dt { color: var(--soft); } .settings dd { margin: 0; overflow-wrap: anywhere; }
"""


def write_report(run: Run, result: dict[str, Any] | None = None, world: Named | None = None) -> Path:
    """Write the page and the curves of a finished run, each whole or not at all; returns the page.

    world: that of the run, where it is the user's own: its file or module, or the world itself."""
    if not run.finished:
        raise RunError(f"{run.folder} has no report yet because it is not finished; rerun its command to resume it.")
    result = summary(run, world) if result is None else result
    curves = fitness_chart(run.result("curves"), result["search"])
    for name, text in ((CURVES, pages.standalone(curves)), (REPORT, report(run, result, curves, world))):
        write_text(run.folder / name, text)
    return run.folder / REPORT


def report(run: Run, result: dict[str, Any], curves: pages.Markup, world: Named | None = None) -> str:
    """The page. result: what `summary` gives; curves: the chart of fitness; world: as in `write_report`."""
    title, words = f"Evolved rules: {result['task']}", words_of(result["search"])
    evolution = asked_for(run, world)
    finished = (run.finished or "").replace("T", " ").removesuffix("+00:00")
    runs = f"{counted(result['runs'], 'run')} of {result['search']} search, {seeds(result['seed'])}"
    rules, one = result["rules"], result["runs"] == 1
    first, instance = rules[0], rules[0].get("best") or {}
    weights = {kind: getattr(evolution, kind) for kind in KINDS}  # those that all rules lived with
    live = typed(instance.get("live") or live_command(evolution, rule_of_row(first).text, weights))
    meaning = [pages.paragraph(text) for text in (first["words"], *instance.get("words", ()))]
    known = None if result["atlas"] is None else pages.paragraph(placed_words(result["atlas"]))
    rests_on = pages.paragraph(pages.element("small", note(evolution.brain.changed_settings(evolution.world))))
    best = pages.element("div", *meaning, known, rests_on, pages.paragraph(pages.join("Try it: ", live)))
    pooled = "The best of the last population" if one else "The best of every run's last population, pooled"
    how = (
        "Each instance (a rule with its eta) was scored on fresh lifetimes that no search saw. The last column has the "
        "scores the search saw: they tend to be higher, because lucky rules are selected more often, but need not be."
        if result["rescored"]["lifetimes"]
        else "Scores are those the search saw; they tend to be too high, because lucky rules are selected more often."
    )
    more = rules[OPEN:]
    return pages.page(
        title,
        pages.header(title, f"{runs}, finished {finished} UTC"),
        pages.element(
            "main",
            _figures(result),
            pages.section(
                "What the best rule does",
                pages.element("div", pages.rule_table(rule_of_row(first)), best, class_="best"),
            ),
            pages.section(words.title, pages.figure([curves], caption=words.note)),
            pages.section(
                "Distinct rules",
                pages.paragraph(f"{pooled}, ranked by {'fitness' if one else 'median'}. {how}"),
                _rules_table(rules[:OPEN], one),
                pages.details(counted(len(more), "more rule"), _rules_table(more, one)) if more else None,
            ),
            _settings(run, result, evolution),
        ),
        style=STYLE,
    )


def _figures(result: dict[str, Any]) -> pages.Markup:
    """The best rule, its score and rank, and what it took, as cards."""
    first, known = result["rules"][0], result["atlas"]
    scored = "as the search scored it"
    if first["fitness"] is not None:
        scored = f"mean ± standard error over {first['fitness']['lifetimes']:,} fresh lifetimes"
    entries: list[tuple[object, object, object]] = [
        ("best rule", pages.element("code", first["rule"]), " · ".join(first["paper"]) or "not in the paper"),
        ("its fitness", _score(first), scored),
    ]
    if result["runs"] > 1:
        agreeing = sum(best == first["rule"] for best in result["best"])
        entries.append(("runs that chose it", f"{agreeing} of {result['runs']}", "by the search's own scores"))
    if known is not None:
        found, best = known["found"], known["best"]
        note = f"best known: {best['rule']}, {best['fitness']:z.1f}"
        if found["rule"] == best["rule"]:
            note = "no better rule is known"
        entries.append(("its rank in the atlas", f"{found['rank']:,} of {known['rules']:,}", note))
    entries.append(("evaluations", f"{result['evaluations']:,}", f"{result['lifetimes']:,} lifetimes"))
    return pages.cards(entries)


def _score(row: dict[str, Any]) -> str:
    """The mean over fresh lifetimes and its standard error, as far as they are known."""
    fresh = row["fitness"]
    if fresh is None:
        return f"{row['median']:z.1f}"
    return f"{fresh['mean']:z.1f}" + (f" ± {fresh['sem']:.1f}" if fresh["sem"] is not None else "")


_COLUMNS = (
    pages.Cell("rank"), pages.Cell("rule"), pages.Cell("count", hint="instances among the best of all runs"),
    pages.Cell("median", hint="median fitness of the instances"),
    pages.Cell("std", hint="standard deviation over the instances"),
    pages.Cell("max", hint="best instance"), pages.Cell("min", hint="worst instance"),
    pages.Cell("eta", hint="mean learning rate of the instances"),
    pages.Cell("eta std", hint="standard deviation of eta"),
    pages.Cell("in search", hint="median of the scores that the search itself saw"),
)  # fmt: skip
_OF_ONE_RUN = (
    *_COLUMNS[:2], pages.Cell("fitness", hint="mean ± standard error over fresh lifetimes"),
    pages.Cell("eta", hint="learning rate"),
    pages.Cell("in search", hint="the score that the search itself saw"),
)  # fmt: skip


def _rules_table(rules: list[dict[str, Any]], one_run: bool) -> pages.Markup:
    """One run has one instance of each rule: nothing to count and no spread."""
    rows: list[list[object]] = []
    for row in rules:
        paper = f" {', '.join(row['paper'])}" if row["paper"] else None
        best = row.get("best") or {}
        instance = None  # what to type for the best one, where instances have weights of their own
        if "live" in best:
            instance = pages.element("small", f"Its best instance ({best['fitness']:z.2f}): ", typed(best["live"]))
        numbers = [_score(row), eta_of_row(row)]
        if not one_run:
            numbers = [row["count"], *(f"{row[name]:z.2f}" for name in ("median", "std", "max", "min"))]
            numbers += [eta_of_row(row, name) for name in ("mean", "std")]
        rule = pages.join(pages.rule_signs(row["rule"]), paper, pages.element("small", row["words"]), instance)
        rows.append([row["rank"], rule, *numbers, f"{row['searched']['median']:z.2f}"])
    return pages.table(_OF_ONE_RUN if one_run else _COLUMNS, rows, kind="rules", words=(1,))


def _settings(run: Run, result: dict[str, Any], evolution: Evolution) -> pages.Markup:
    """How to rerun the evolution, and every setting of it."""
    configuration = run.configuration
    flat = {key: value for key, value in configuration.items() if not isinstance(value, dict)}
    flat |= configuration["search_settings"] | configuration["task_settings"]
    if "genes" in flat:
        flat["genes"] = ", ".join(flat["genes"])
    pairs = (
        part
        for name, value in flat.items()
        for part in (pages.element("dt", option_name(name)), pages.element("dd", value))
    )
    again = command(evolution, run.folder)
    versions = ", ".join(f"{name} {number}" for name, number in run.versions.items())
    return pages.section(
        "How to rerun it",
        pages.paragraph(typed(again)),
        pages.paragraph(pages.join(
            "This gives the same result on any machine, with the same digest (a checksum of all lifetimes): ",
            pages.element("code", result["digest"], class_="digest"),
        )),
        pages.details("Every setting", pages.element("dl", *pairs, class_="settings"), pages.paragraph(versions)),
    )  # fmt: skip


def command(evolution: Evolution, folder: Path) -> str:
    """What to type for the same run in the same folder; only what differs from the defaults."""
    if not isinstance(evolution.seed, int):
        parts = [dataclasses.replace(evolution, seed=seed, runs=runs) for seed, runs in Counter(evolution.seed).items()]
        words = ["hebbarium merge", *(str(part.folder) for part in parts), _out(evolution, folder)]
        return " && ".join([*(command(part, part.folder) for part in parts), " ".join(filter(None, words))])
    usual = Evolution.of(type(evolution.world)(), evolution.search)
    changed = {
        name: getattr(evolution, name)
        for name in ("hidden", "top", "rescore")
        if getattr(evolution, name) != getattr(usual, name)
    }
    of_search, default = evolution.settings.settings(), usual.settings.settings()
    changed |= {name: value for name, value in of_search.items() if value != default.get(name)}
    changed |= evolution.widened() | evolution.world.changed_settings()
    if evolution.genes:
        changed["genes"] = genes_text(evolution.genes, evolution.world)
    words = [f"hebbarium evolve {evolution.world.typed} --search {evolution.search} --runs {evolution.runs}"]
    words += [f"--seed {evolution.seed}", *(as_typed(name, value) for name, value in changed.items())]
    return " ".join(filter(None, [*words, _out(evolution, folder)]))


def _out(evolution: Evolution, folder: Path) -> str:
    return "" if folder == evolution.folder else f"--out {shlex.quote(printable(str(folder)))}"


def seeds(seed: int | list[int]) -> str:
    """One, or those of merged runs.

    >>> seeds(7), seeds([1, 2, 5])
    ('seed 7', 'seeds 1, 2, 5')
    """
    return f"seed {seed}" if isinstance(seed, int) else f"seeds {', '.join(map(str, seed))}"
