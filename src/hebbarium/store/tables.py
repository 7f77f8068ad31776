"""A run's tables: flat rows, with the same columns in Python, data frames and files.

- `evaluations`: one row for each evaluation;
- `lifetimes`: one row for each lifetime, with every count of every season;
- `rules`: the distinct rules that were found.
"""

from __future__ import annotations

import csv
import io
import os
import re
import statistics
from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, Any

from hebbarium.rules.graded import KINDS, TRACE, trace_of, weights_of, weights_text
from hebbarium.rules.shape import LAYERS, STATES, WIDE, layer_names, signals_of
from hebbarium.store.evaluation_rows import Record
from hebbarium.store.world_of_run import Named, world_of_run
from hebbarium.tools.data_frames import data_frame
from hebbarium.tools.errors import BadInput, RunError, check_choice
from hebbarium.tools.files import check_writable, replacing
from hebbarium.worlds.registry import OTHERS, WORLDS

if TYPE_CHECKING:
    from hebbarium.store.writing import Run

ENDINGS = (".parquet", ".csv")
"""Of files that a table can be exported to."""
TABLES = ("evaluations", "lifetimes", "rules")
NAMED = ("stage", "run", "number")
"""Together they name an evaluation."""
RULE = ("rule", "index", "eta")
"""eta is that of a plain rule; a frozen layer has none."""
Row = dict[str, Any]
ELSEWHERE = {
    "atlas": "its rules are in atlas.npz there, which numpy reads (and hebbarium.Atlas.load)",
    "reproduce": "its numbers are in comparison.csv there",
    "lifelong": "rerun its command with --json to get its numbers",
    "transfer": "rerun its command with --json to get its numbers",
}
"""Where runs that keep no evaluations have their results."""

ENTRY = "what a synapse does: 1 stronger, -1 weaker, 0 nothing; the digits say whether its pre and post were active"
COUNT = "counted in that season"
COLUMNS: dict[str, tuple[type, str]] = {
    "stage": (str, "the part of the work: search, or rescore on fresh lifetimes"),
    "run": (int, "which of the independent runs, from 0"),
    "number": (int, "from 0 within stage and run, in the order lived"),
    "generation": (int, "the search's round, from 0"),
    "rule": (str, "the rule without etas; missing where there was none"),
    "index": (int, "the rule's, from 0 to 6560; a layered rule has none"),
    "eta": (float, "learning rate of a plain rule"),
    "eta_hidden": (float, "learning rate of the hidden layer; missing where it is frozen"),
    "eta_output": (float, "learning rate of the output layer"),
    "blame": (str, "the rule's own, as the option takes it"),
    "eligibility": (str, "the rule's own, as the option takes it"),
    "trace": (float, "the rule's own"),
    "seed": (int, "of the lifetimes"),
    "first_trial": (int, "the lifetimes are this trial of the seed and those after it"),
    "trial": (int, "the lifetime's number within its seed"),
    "lifetimes": (int, "how many the fitness is a mean of"),
    "fitness": (float, "mean over the lifetimes; of a rule, over the fresh lifetimes of all its instances"),
    "sem": (float, "standard error of the fitness"),
    "median": (float, "of the fitness of the rule's instances"),
    "std": (float, "of the fitness of lifetimes, or of a rule's instances, with n - 1"),
    "min": (float, "likewise"),
    "max": (float, "likewise"),
    "distinct_hidden": (int, "hidden neurons with different incoming weights at the end of life"),
    "rank": (int, "1 is best"),
    "paper": (str, "the rule's names in the paper"),
    "count": (int, "instances of the rule among the best of each run"),
    "runs": (int, "runs that found the rule"),
    "eta_mean": (float, "over the instances, of the output layer where layers differ"),
    "eta_std": (float, "likewise"),
    "eta_hidden_mean": (float, "over the instances"),
    "eta_hidden_std": (float, "likewise"),
    "searched_median": (float, "of the instances' fitness by the search's own estimate"),
    "searched_max": (float, "likewise"),
    "family": (str, "what kind of rule it is"),
    "words": (str, "what the rule does"),
    "best_rule": (str, "the best instance with its etas"),
    "best_blame": (str, "its blame"),
    "best_eligibility": (str, "its eligibility"),
    "best_trace": (float, "its trace"),
    "best_fitness": (float, "its fitness"),
}
"""The type of each column and what it means; those that are not here are entries and counts."""


def table(run: Run, what: str = "evaluations", world: Named | None = None) -> list[Row]:
    """The rows of one of TABLES. world: the run's, if it is your own and its names were not kept."""
    check_choice("table", what, TABLES)
    if run.kind in ELSEWHERE and not run.totals()[0]:
        raise RunError(f"{run.folder} is a run of `{run.kind}`, which has no such table: {ELSEWHERE[run.kind]}.")
    if what == "rules":
        return _rule_rows(run)
    rule_names = _rule_names(run)
    counted = count_columns(run, world) if what == "lifetimes" else []
    rows: list[Row] = []
    # Searches come before the scores of what they found.
    for record in sorted(run.evaluations(), key=lambda record: record.stage != "search"):
        named = {name: getattr(record, name) for name in NAMED}
        rule, scores = _rule_columns(record, rule_names), record.scores
        if what == "evaluations":
            rows.append(
                {
                    **named,
                    "generation": record.generation,
                    **rule,
                    "seed": record.seed,
                    "first_trial": record.first_trial,
                    "lifetimes": record.lifetimes,
                    "fitness": record.mean,
                    "std": statistics.stdev(scores) if len(scores) > 1 else None,
                    "min": min(scores),
                    "max": max(scores),
                }
            )
            continue
        if record.counts.shape[1:] != (len(counted), len(counted[0])):
            raise RunError(f"{run.folder} holds counts of another world than its settings say.")
        names = [name for season in counted for name in season]
        for number, score in enumerate(scores):
            rows.append(
                {
                    **named,
                    **rule,
                    "seed": record.seed,
                    "trial": record.first_trial + number,
                    "fitness": score,
                    "distinct_hidden": record.distinct_hidden[number] if record.distinct_hidden else None,
                    **dict(zip(names, record.counts[number].ravel().tolist(), strict=True)),
                }
            )
    return rows


def columns(run: Run, what: str = "evaluations", world: Named | None = None) -> dict[str, type]:
    """The columns of a table and what each holds: str, int or float; anything may be missing."""
    rows: list[Row] = []
    if what == "rules":
        rows = table(run, what)
        names = list(rows[0]) if rows else []
    elif what == "evaluations":
        measured = ("lifetimes", "fitness", "std", "min", "max")
        names = [*NAMED, "generation", *_rule_names(run), "seed", "first_trial", *measured]
    else:
        counted = [name for season in count_columns(run, world) for name in season]
        names = [*NAMED, *_rule_names(run), "seed", "trial", "fitness", "distinct_hidden", *counted]
    real = {name for row in rows for name, value in row.items() if isinstance(value, float)}
    return {name: _known(name)[0] or (float if name in real else int) for name in names}


def meanings(names: Iterable[str]) -> dict[str, str]:
    """What each column means, in a sentence."""
    entry = re.compile(rf"(hidden\d*_)?({'|'.join(signals_of(WIDE))})_\d\d")
    others = {name: ENTRY if entry.fullmatch(name) else COUNT for name in names}
    return {name: _known(name)[1] or words for name, words in others.items()}


def _known(name: str) -> tuple[type | None, str]:
    """Of COLUMNS. Each of several hidden layers has its own eta."""
    return COLUMNS.get(re.sub(r"^eta_hidden\d+", "eta_hidden", name), (None, ""))


def _rule_names(run: Run) -> tuple[str, ...]:
    """An eta for each layer. Where blame, eligibility or trace are genes, each rule has its own, as they are typed."""
    hidden, genes = run.configuration.get("hidden"), run.configuration.get("genes") or ()
    layers = layer_names(len(hidden) + 1 if isinstance(hidden, list) else LAYERS)
    own = (*KINDS, *([TRACE] if TRACE in genes else [])) if genes else ()
    return (*RULE, *(f"eta_{layer}" for layer in layers), *own)


def frame(run: Run, what: str = "evaluations", world: Named | None = None, libraries: Sequence[str] = ()) -> Any:
    """The same as a data frame; a column's type does not depend on what is missing."""
    rows, kinds = table(run, what, world), columns(run, what, world)
    try:
        return data_frame({name: [row.get(name) for row in rows] for name in kinds}, kinds, libraries)
    except BadInput:
        raise
    except Exception:  # whichever the library raises
        raise RunError(f"{run.folder} has a table of {what} with values that Hebbarium would not write.") from None


def export(
    run: Run | str | os.PathLike[str],
    path: str | os.PathLike[str],
    what: str = "evaluations",
    *,
    world: Named | None = None,
) -> int:
    """Write one of the tables as Parquet or CSV, by the file's ending; returns the number of rows. In CSV missing
    values are empty.

    run: one, or its folder. world: the run's, if it is your own and the run did not keep its names.
    """
    from hebbarium.store.writing import Run

    run = run if isinstance(run, Run) else Run.open(run)
    target = check_writable(path, ENDINGS)
    if target.suffix.lower() == ".parquet":
        rows, parquet = frame(run, what, world, ["polars"]), io.BytesIO()
        rows.write_parquet(parquet, metadata=meanings(rows.columns))  # to disk by Python, whose errors are OSError
        with replacing(target) as part:
            part.write_bytes(parquet.getbuffer())
        return len(rows)
    plain = table(run, what, world)
    with replacing(target) as part, part.open("w", newline="", encoding="utf-8") as file:
        writer = csv.DictWriter(file, list(columns(run, what, world)))
        writer.writeheader()
        writer.writerows(plain)
    return len(plain)


def count_columns(run: Run, world: Named | None = None) -> list[list[str]]:
    """Names of the counts, [season][count], such as summer1_green."""
    configuration = run.configuration
    kept = run.result("counted") if configuration.get("task") not in WORLDS and world is None else None
    if kept is not None:
        return [[f"{season}_{count}" for count in kept["counts"]] for season in kept["seasons"]]
    if "task_origin" not in configuration and configuration.get("task") not in (*WORLDS, *OTHERS):
        raise RunError(
            f"{run.folder} is a run of `{run.kind}`, which has no such table: its lives are not of one task."
        )
    try:
        task = world_of_run(configuration, world)
    except (LookupError, TypeError, ValueError):
        raise RunError(f"{run.folder} was made with settings that this version of the task does not have.") from None
    return [[f"{season}_{count}" for count in task.counts] for season in task.season_names]


def _rule_columns(record: Record, names: Sequence[str]) -> Row:
    rule = record.rule
    if rule is None:
        return dict.fromkeys(names)
    eta = None if rule.is_layered else rule.eta
    layers = [name for name in names if name.startswith("eta_")]
    parts = rule.parts if rule.is_layered else rule.parts * len(layers)
    etas = {name: part and part.eta for name, part in zip(layers, parts, strict=False)}
    own: Row = {kind: weights_text(weights_of(rule, kind)) for kind in KINDS if kind in names}
    own |= {TRACE: trace_of(rule)} if TRACE in names else {}
    return dict.fromkeys(names) | {"rule": rule.notation, "index": rule.index, "eta": eta, **etas, **own}


def _rule_rows(run: Run) -> list[Row]:
    found: list[Row] | None = run.result("rules")
    if found is None:
        raise RunError(f"{run.folder} has no table of rules yet: it is not finished; rerun its command to resume it.")
    names = found[0].keys()
    if any(row.keys() != names for row in found):
        raise RunError(f"{run.folder} has a table of rules whose rows differ in their columns.")
    width = max(len(row[name] or ()) for row in found for name in names if name.endswith("entries"))
    return [_rule_row(row, width) for row in found]


def _rule_row(row: Row, width: int) -> Row:
    """A flat row: a column for each entry; the names of nested values follow that of the value they are in."""
    flat: Row = {}
    for name, value in row.items():
        if name.endswith("entries"):
            columns = entry_columns(value or (), width)
            layer = name.removesuffix("entries")
            flat |= {f"{layer}{column}": entry if value else None for column, entry in columns.items()}
        elif name == "fitness":
            fresh = value or {}
            flat |= {"fitness": fresh.get("mean"), "sem": fresh.get("sem"), "lifetimes": fresh.get("lifetimes")}
        elif name == "best":
            flat |= {
                f"best_{inner}": weights_text(inner_value) if isinstance(inner_value, dict) else inner_value
                for inner, inner_value in (value or {}).items()
            }
        elif isinstance(value, dict):
            flat |= {f"{name}_{inner}": inner_value for inner, inner_value in value.items()}
        else:
            flat[name] = " ".join(map(str, value)) if isinstance(value, list) else value
    return flat


def entry_columns(entries: Sequence[float], width: int) -> Row:
    """punished_00 ... rewarded_11, and neutral_11 where any rule has neutral entries: the two digits say whether the
    pre- and the post-synaptic neuron were active. A layered rule's columns are those of its output layer; its hidden
    layer's have `hidden_` before their names, those of several `hidden1_` and so on."""
    names = [f"{signal}_{pre}{post}" for signal in signals_of(width) for pre, post in STATES]
    return dict(zip(names, (*entries, *(0,) * (width - len(entries))), strict=True))
