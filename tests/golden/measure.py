"""What a golden holds, measured through the command line and the top-level Python API and through nothing else.

`make.py` wrote with it what version 0.1.0 gave; `test_golden.py` asks the code at hand for the same.
"""

from __future__ import annotations

import ast
import contextlib
import hashlib
import io
import json
import math
import shlex
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any
from unittest import mock

import numpy as np

import hebbarium as hb
from hebbarium.cli import main
from hebbarium.rules.rule import RULES
from hebbarium.store.kept_arrays import Piece
from hebbarium.studies.atlas.stages import STAGES, Stage

DATA = Path(__file__).parent / "data"

STEPS = ("position", "direction", "sensed", "action", "random", "reinforcement", "association")
"""Arrays of a traced life with a row for each step."""
COLUMNS = ("eta", "eta_low", "eta_high", "mean", "sem", "lifetimes", "rank_first", "rank_last", "distinct", "kinds")
COLUMNS += ("survey_mean", "survey_distinct")
"""Arrays of an atlas with a row for each rule."""
PLANS = {
    "prey-predator": (
        (0.08, 0.13, 0.2, 0.33, 0.52, 0.83),
        (
            Stage("survey", RULES, 3),
            Stage("settle", RULES, 8, 1.6),
            Stage("bracket", 300, 40, 1.3),
            Stage("bracket", 110, 160, 1.15),
            Stage("bracket", 30, 800, 1.15),
            Stage("score all", RULES, 12),
            Stage("score good", 250, 100),
            Stage("score best", 105, 1000),
        ),
    )
}
"""Etas and stages of atlases that are made otherwise now."""
JUDGED = ("cell", "ours", "low", "high", "verdict")
"""What is kept of a comparison with the paper, beside its item."""


def read(name: str) -> dict[str, Any]:
    return dict(json.loads((DATA / name).read_text(encoding="utf-8")))


def command(words: str, *more: str) -> dict[str, Any]:
    """What `hebbarium WORDS --json` prints."""
    printed = io.StringIO()
    with contextlib.redirect_stdout(printed):
        code = main([*shlex.split(words), *more, "--quiet", "--json"])
    assert code == 0, f"hebbarium {words}: exit code {code}"
    return dict(json.loads(printed.getvalue()))


def sha256(array: np.ndarray) -> str:
    """Of the values, however wide they are stored: integers as int64, numbers as float64, little-endian, C order."""
    if array.dtype.kind in "biu":
        return hashlib.sha256(array.astype("<i8").tobytes()).hexdigest()
    assert array.dtype.kind == "f", array.dtype
    numbers = np.where(np.isnan(array), np.nan, array.astype(np.float64))
    return hashlib.sha256(numbers.astype("<f8").tobytes()).hexdigest()


def life(words: str, *more: str) -> dict[str, Any]:
    """`hebbarium live`."""
    lives = command(words, *more)
    for bound in ("low", "high"):  # which version 0.1.0 did not give
        del lives["fitness"][bound]
    return {name: lives[name] for name in ("digest", "fitness", "distinct_hidden", "steps")}


def lived_on(case: Mapping[str, Any], folder: Path) -> dict[str, Any]:
    """Networks that grew up under one rule, then live on under another, and frozen; saved and loaded in between."""
    file = folder / "networks.npz"
    task, settings = case["task"], case["settings"]
    first = hb.live(task, case["rule"], lifetimes=case["lifetimes"], seed=case["seed"], keep_networks=True, **settings)
    first.networks.save(file)
    second = hb.live(task, case["then"], seed=case["seed"] + 1, networks=first.networks, keep_networks=True)
    loaded = hb.live(task, case["then"], seed=case["seed"] + 1, networks=file, keep_networks=True)
    frozen = hb.live(task, frozen=True, seed=case["seed"] + 2, networks=hb.Networks.load(file), keep_networks=True)
    return {"first": _grown(first), "second": _grown(second), "loaded": _grown(loaded), "frozen": _grown(frozen)}


def _grown(lives: Any) -> dict[str, Any]:
    return {
        "digest": lives.digest,
        "fitness": [float(fitness) for fitness in lives.life_fitness],
        "distinct_hidden": [int(distinct) for distinct in lives.distinct_hidden],
        "hidden": sha256(lives.networks.hidden),
        "output": sha256(lives.networks.output),
    }


def traced(case: Mapping[str, Any]) -> dict[str, Any]:
    """`hb.trace`: one life, step by step."""
    trace = hb.trace(case["task"], case["rule"], **case["arguments"])
    return {
        "counts": trace.counts[-1].tolist(),
        "steps": {name: sha256(getattr(trace.steps, name)) for name in STEPS},
        "snapshots": {
            name: sha256(getattr(trace, name))
            for name in ("lived", "counts", "distinct_hidden", "hidden_weights", "output_weights")
        },
        "final": {name: sha256(getattr(trace, name)[-1]) for name in ("hidden_weights", "output_weights")},
    }


def evolved(words: str, folder: Path) -> dict[str, Any]:
    """`hebbarium evolve`, without where it is and what an atlas says of it."""
    result = command(words, "--out", str(folder))
    return {name: value for name, value in result.items() if name not in ("run", "report", "atlas")}


def atlas(case: Mapping[str, Any], folder: Path) -> dict[str, Any]:
    """`hb.make_atlas` of the rules with index 0 to limit - 1, as `limit` was in version 0.1, and by 0.1's plan."""
    arguments = {name: value for name, value in case["arguments"].items() if name != "limit"}
    arguments["rules"] = range(case["arguments"]["limit"])
    arguments["etas"], stages = PLANS.get(case["task"], (None, STAGES[case["task"]]))
    with mock.patch.dict(STAGES, {case["task"]: stages}):
        made = hb.make_atlas(hb.make_world(case["task"], **case["settings"]), folder, **arguments)
    rows = [{"index": index, **made.row(index)} for index in range(len(made))]
    return {
        "lifetimes": made.about["lifetimes"],
        "digest": made.about["digest"],
        "order": [int(index) for index in made.order],
        "rows": [{name: value for name, value in row.items() if name != "eta_edge"} for row in rows],  # came later
        "columns": {name: sha256(getattr(made, name)) for name in COLUMNS},
    }


def judged(comparison: Iterable[Mapping[str, Any]]) -> dict[str, list[list[Any]]]:
    """The comparisons of each item, in their order."""
    items: dict[str, list[list[Any]]] = {}
    for entry in comparison:
        items.setdefault(entry["item"], []).append([entry[name] for name in JUDGED])
    return items


def work_named(name: str) -> Piece | None:
    """A work of the reproduction by its name in version 0.1, such as `Lives(task='foraging', seed=1, lifetimes=24)`."""
    try:
        call = ast.parse(name, mode="eval").body
        if isinstance(call, ast.Call) and isinstance(call.func, ast.Name) and not call.args:
            return Piece.of(call.func.id, {str(word.arg): ast.literal_eval(word.value) for word in call.keywords})
    except (SyntaxError, ValueError, TypeError, RecursionError, MemoryError):
        pass
    return None


def array(run: hb.Run, name: str) -> dict[str, Any] | None:
    """A stored array of a reproduction, by the name it has in version 0.1: WORK#ARRAY. Another layout of the store
    changes this function, and no golden."""
    work, _, own = name.rpartition("#")
    piece = work_named(work)
    found = None if piece is None else run.piece(piece.name)
    return None if found is None else {"shape": list(found[1][own].shape), "sha256": sha256(found[1][own])}


def differences(ours: Any, golden: Any, where: str = "") -> list[str]:
    """Where two results differ. Numbers that statistics computed from scores may differ in the last bits, which the
    versions of numpy and scipy decide; scores, counts and weights themselves are under the digests."""
    if isinstance(ours, Mapping) and isinstance(golden, Mapping):
        names = [name for name in dict.fromkeys([*golden, *ours]) if name not in ours or name not in golden]
        found = [f"{where}.{name} is only on one side" for name in names]
        both = [name for name in golden if name in ours]
        return found + [line for name in both for line in differences(ours[name], golden[name], f"{where}.{name}")]
    if _is_list(ours) and _is_list(golden):
        if len(ours) != len(golden):
            return [f"{where} has {len(ours)} entries, not {len(golden)}"]
        pairs = enumerate(zip(ours, golden, strict=True))
        return [line for place, (a, b) in pairs for line in differences(a, b, f"{where}[{place}]")]
    if isinstance(ours, float) and isinstance(golden, float):
        same = math.isclose(ours, golden, rel_tol=1e-11, abs_tol=1e-11)
    else:
        same = type(ours) is type(golden) and ours == golden
    return [] if same else [f"{where} is {ours!r}, not {golden!r}"]


def _is_list(value: Any) -> bool:
    return isinstance(value, Sequence) and not isinstance(value, str)
