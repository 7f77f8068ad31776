"""Writes the goldens: what version 0.1.0 gives. README.md says how it was called.

It can run with version 0.1.0 only, and reads that version's store where it interrupts runs.
"""

from __future__ import annotations

import contextlib
import json
import shlex
import shutil
import signal
import sqlite3
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

import hebbarium as hb
from golden import measure
from golden.measure import DATA

VERSION = "0.1.0"

LIVES = [
    *(f"live foraging --rule foraging:{rule} --lifetimes 24 --seed 7" for rule in range(1, 19)),
    *(f"live prey-predator --rule prey-predator:{rule} --lifetimes 8 --seed 7" for rule in range(1, 7)),
    # Other ways to name a rule, other numbers of lives, other etas and seeds.
    "live foraging --rule 00+-/0000 --eta 0.0375 --lifetimes 1 --seed 7",
    "live foraging --rule 3442 --eta 0.5 --lifetimes 5 --seed 0",
    "live foraging --rule -0+-/0000 --eta 0.04 --lifetimes 13 --seed 9223372036854775807",
    "live foraging --rule ++++/---- --eta 0.999 --lifetimes 9 --seed 2",
    "live foraging --rule foraging:4 --eta 0 --lifetimes 7 --seed 3",
    "live foraging --rule foraging:1 --lifetimes 37 --seed 7 --threads 1",
    "live prey-predator --rule 0-+0/+-00 --eta 0.9 --lifetimes 3 --seed 11",
    "live prey-predator --rule ----/++++ --eta 0.001 --lifetimes 3 --seed 11",
    # Frozen.
    "live foraging --frozen --lifetimes 24 --seed 7",
    "live foraging --frozen --lifetimes 5 --seed 8 --hidden 3",
    "live prey-predator --frozen --lifetimes 8 --seed 7",
    "live prey-predator --frozen --lifetimes 3 --seed 8 --hidden 7 --view-width 5",
    # Agents without a rule.
    "live foraging --agent perfect --lifetimes 24 --seed 7",
    "live foraging --agent random --lifetimes 24 --seed 7",
    "live foraging --agent perfect --lifetimes 5 --seed 8 --wall outside --no-turn-at-wall --grid-size 30",
    "live foraging --agent hill-climbing --lifetimes 2 --seed 7 --season-steps 40 --seasons 2",
    "live foraging --agent hill-climbing --lifetimes 1 --seed 8 --season-steps 60 --seasons 1 --hidden 5 "
    "--grid-size 20",
    "live prey-predator --agent perfect --lifetimes 8 --seed 7",
    "live prey-predator --agent random --lifetimes 8 --seed 7",
    "live prey-predator --agent perfect --lifetimes 4 --seed 8 --neighbourhood 8 --view-depth 3 --grid-size 30",
    "live prey-predator --agent hill-climbing --lifetimes 1 --seed 7 --season-steps 40 --grid-size 16",
    # Other worlds: foraging.
    "live foraging --rule foraging:1 --lifetimes 12 --seed 7 --grid-size 40",
    "live foraging --rule foraging:1 --lifetimes 12 --seed 7 --grid-size 13 --green 5 --blue 3",
    "live foraging --rule foraging:1 --lifetimes 12 --seed 7 --wall outside",
    "live foraging --rule foraging:6 --lifetimes 12 --seed 7 --wall outside --grid-size 31",
    "live foraging --rule foraging:1 --lifetimes 12 --seed 7 --no-turn-at-wall",
    "live foraging --rule foraging:18 --lifetimes 12 --seed 7 --no-turn-at-wall",
    "live foraging --rule foraging:1 --lifetimes 12 --seed 7 --priority items",
    "live foraging --rule foraging:16 --lifetimes 12 --seed 7 --priority items --wall outside --no-turn-at-wall",
    "live foraging --rule foraging:1 --lifetimes 12 --seed 7 --random-action 0",
    "live foraging --rule foraging:1 --lifetimes 12 --seed 7 --random-action 0.3",
    "live foraging --rule foraging:1 --lifetimes 12 --seed 7 --schedule summer",
    "live foraging --rule foraging:2 --lifetimes 12 --seed 7 --schedule summer,summer,winter --seasons 5",
    "live foraging --rule foraging:2 --lifetimes 12 --seed 7 --seasons 3 --season-steps 777",
    "live foraging --rule foraging:1 --lifetimes 12 --seed 7 --green 120 --blue 0",
    "live foraging --rule foraging:1 --lifetimes 12 --seed 7 --hidden 1",
    "live foraging --rule foraging:6 --lifetimes 12 --seed 7 --hidden 3",
    "live foraging --rule foraging:1 --lifetimes 12 --seed 7 --hidden 31",
    "live foraging --rule foraging:3 --lifetimes 6 --seed 7 --hidden 63",
    "live foraging --rule foraging:3 --lifetimes 6 --seed 7 --hidden 64",
    "live foraging --rule foraging:3 --lifetimes 6 --seed 7 --hidden 65",
    "live foraging --rule foraging:1 --lifetimes 3 --seed 7 --hidden 131",
    # Other worlds: prey-predator.
    "live prey-predator --rule prey-predator:1 --lifetimes 4 --seed 7 --grid-size 30",
    "live prey-predator --rule prey-predator:1 --lifetimes 4 --seed 7 --wall outside",
    "live prey-predator --rule prey-predator:2 --lifetimes 4 --seed 7 --no-turn-at-wall --grid-size 25",
    "live prey-predator --rule prey-predator:1 --lifetimes 4 --seed 7 --neighbourhood 8",
    "live prey-predator --rule prey-predator:2 --lifetimes 4 --seed 7 --stepping-counts --grid-size 25",
    "live prey-predator --rule prey-predator:1 --lifetimes 4 --seed 7 --view-width 7",
    "live prey-predator --rule prey-predator:2 --lifetimes 4 --seed 7 --view-width 1 --view-depth 9",
    "live prey-predator --rule prey-predator:3 --lifetimes 4 --seed 7 --view-width 11 --view-depth 3",
    "live prey-predator --rule prey-predator:1 --lifetimes 4 --seed 7 --random-action 0",
    "live prey-predator --rule prey-predator:1 --lifetimes 4 --seed 7 --random-action 0.3",
    "live prey-predator --rule prey-predator:1 --lifetimes 4 --seed 7 --schedule summer",
    "live prey-predator --rule prey-predator:4 --lifetimes 4 --seed 7 --seasons 3 --season-steps 999 --alpha 2.5",
    "live prey-predator --rule prey-predator:1 --lifetimes 4 --seed 7 --notice-distance 5 --notice-probability 0.8",
    "live prey-predator --rule prey-predator:1 --lifetimes 4 --seed 7 --green 25 --blue 3 --grid-size 40",
    "live prey-predator --rule prey-predator:1 --lifetimes 4 --seed 7 --hidden 1",
    "live prey-predator --rule prey-predator:5 --lifetimes 4 --seed 7 --hidden 13",
    "live prey-predator --rule prey-predator:6 --lifetimes 2 --seed 7 --hidden 67",
]

LIVED_ON: list[dict[str, Any]] = [
    {"task": "foraging", "rule": "foraging:1", "then": "foraging:6", "lifetimes": 6, "seed": 7, "settings": {}},
    {
        "task": "foraging", "rule": "foraging:3", "then": "foraging:1", "lifetimes": 5, "seed": 7,
        "settings": {"hidden": 9},
    },
    {
        "task": "prey-predator", "rule": "prey-predator:1", "then": "prey-predator:2", "lifetimes": 3, "seed": 7,
        "settings": {},
    },
]  # fmt: skip
"""settings: of the first life alone; those of the task must not change the networks' shape."""

TRACES: list[dict[str, Any]] = [
    {"task": "foraging", "rule": "foraging:1", "arguments": {"seed": 7}},
    {"task": "foraging", "rule": "foraging:6", "arguments": {"seed": 7, "trial": 3, "every": 777}},
    {"task": "foraging", "rule": None, "arguments": {"seed": 7, "frozen": True, "season_steps": 500}},
    {"task": "prey-predator", "rule": "prey-predator:1", "arguments": {"seed": 7}},
    {"task": "prey-predator", "rule": "prey-predator:4", "arguments": {"seed": 7, "trial": 2, "every": 999}},
]

EVOLUTIONS = {
    "genetic": "evolve foraging --search genetic --seed 1 --max-generations 4 --rescore 20",
    "genetic, other settings": (
        "evolve foraging --search genetic --seed 1 --runs 2 --max-generations 6 --rescore 5 --top 4 --season-steps 500 "
        "--hidden 7 --individuals 16 --elites 4 --lifetimes 3 --trials generation --elite-fitness again "
        "--roulette zero --crossover pair --eta-mutation-is variance --eta-boundary clip --redraw different "
        "--improvement equal"
    ),
    "racing": "evolve foraging --search racing --seed 1 --budget 800 --rescore 20",
    "racing by default": "evolve foraging --seed 1",
    "random": "evolve foraging --search random --seed 1 --evaluations 64 --lifetimes 2 --rescore 10 --season-steps 500",
    "catcma": "evolve foraging --search catcma --seed 1 --generations 3 --lifetimes 2 --rescore 10 --season-steps 500",
    "genetic on prey-predator": (
        "evolve prey-predator --search genetic --seed 1 --max-generations 2 --individuals 8 --elites 3 --lifetimes 2 "
        "--rescore 4 --top 3"
    ),
    "racing on prey-predator": (
        "evolve prey-predator --search racing --seed 1 --season-steps 300 --budget 500 --first-draws 64 --rescore 4"
    ),
}

ATLASES: dict[str, dict[str, Any]] = {
    "foraging": {
        "task": "foraging", "settings": {},
        "arguments": {"seed": 1, "limit": 30, "effort": 0.1}, "slow": True,
    },
    "foraging in short lives": {
        "task": "foraging", "settings": {"season_steps": 300},
        "arguments": {"seed": 1, "limit": 30, "effort": 0.1}, "slow": False,
    },
    "prey-predator in short lives": {
        "task": "prey-predator", "settings": {"season_steps": 200},
        "arguments": {"seed": 1, "limit": 6, "effort": 0.1}, "slow": False,
    },
}  # fmt: skip
"""slow: tested only when all goldens are asked for."""

REPRODUCE = "reproduce --scale quick --seed 1"

INTERRUPTED: dict[str, dict[str, Any]] = {
    "unfinished-genetic": {
        "command": "evolve foraging --search genetic --seed 5 --runs 2 --max-generations 4 --individuals 12 --elites 4 "
        "--lifetimes 3 --rescore 10 --top 4",
        "count": "SELECT count(*) FROM evaluations",
    },
    "unfinished-racing": {
        "command": "evolve foraging --search racing --seed 6 --budget 500 --first-draws 96 --rescore 10 --top 4",
        "count": "SELECT count(*) FROM evaluations",
    },
    "unfinished-atlas": {
        "command": "atlas foraging --seed 1 --limit 30 --effort 0.1 --season-steps 400 --seasons 2",
        "count": "SELECT count(*) FROM arrays",
    },
    "unfinished-reproduce": {
        "command": "reproduce hand-made-rules hidden-neurons seasons --scale quick --seed 1",
        "count": "SELECT count(*) FROM arrays",
    },
}  # fmt: skip
UNFINISHED_ATLAS: dict[str, Any] = {
    "task": "foraging",
    "settings": {"season_steps": 400, "seasons": 2},
    "arguments": {"seed": 1, "limit": 30, "effort": 0.1},
}
"""The same in Python, where `limit` means the first rules by index."""

FINISHED = (
    "evolve foraging --search genetic --seed 3 --runs 2 --max-generations 3 --individuals 12 --elites 4 "
    "--lifetimes 2 --rescore 8 --top 4 --season-steps 1000"
)


def write(name: str, golden: dict[str, Any]) -> None:
    """A line for each entry."""
    lines = [f"{json.dumps(key)}: {json.dumps(value, allow_nan=False)}" for key, value in golden.items()]
    (DATA / name).write_text("{\n" + ",\n".join(lines) + "\n}\n", encoding="utf-8")


def make_lives(place: Path) -> None:
    write("lives.json", {words: measure.life(words) for words in LIVES})


def make_lived_on(place: Path) -> None:
    golden = {}
    for case in LIVED_ON:
        settings = "".join(f", {name} {value}" for name, value in case["settings"].items())
        golden[f"{case['rule']} then {case['then']}{settings}"] = {
            "case": case,
            "result": measure.lived_on(case, place),
        }
    write("lived-on.json", golden)
    files = {}
    for task, hidden in (("foraging", 5), ("prey-predator", 4)):
        file = f"networks-{task}.npz"
        words = f"live {task} --rule {task}:1 --hidden {hidden} --lifetimes 4 --seed 7"
        grown = measure.life(words, "--save", str(DATA / file))
        on = f"live {task} --rule {task}:2 --seed 8"
        files[file] = {
            "command": words, "grown": grown, "then": on, "result": measure.life(on, "--load", str(DATA / file)),
        }  # fmt: skip
    write("networks.json", files)


def make_traces(place: Path) -> None:
    golden = {}
    for case in TRACES:
        words = ", ".join(
            [case["rule"] or case["task"], *(f"{name} {value}" for name, value in case["arguments"].items())]
        )
        golden[words] = {"case": case, "result": measure.traced(case)}
    write("traces.json", golden)


def make_evolutions(place: Path) -> None:
    golden = {}
    for name, words in EVOLUTIONS.items():
        golden[name] = {"command": words, "result": measure.evolved(words, place / "evolve" / name)}
    write("evolutions.json", golden)


def make_atlases(place: Path) -> None:
    golden = {}
    for name, case in ATLASES.items():
        golden[name] = {"case": case, "result": measure.atlas(case, place / "atlas" / name)}
    write("atlases.json", golden)


def make_reproduce(place: Path) -> None:
    """The whole; and each item alone, to know which arrays are its own."""
    folder = place / "reproduce"
    measure.command(REPRODUCE, "--out", str(folder))
    comparison = measure.judged(json.loads((folder / "comparison.json").read_text(encoding="utf-8")))
    arrays = arrays_of(folder)
    items = {}
    for item in [one["item"] for one in measure.command("reproduce --list")["items"]]:
        alone = place / "reproduce items" / item
        result = measure.command(f"reproduce {item} --scale quick --seed 1", "--out", str(alone))
        own = arrays_of(alone)
        assert measure.judged(result["comparison"]) == {name: comparison[name] for name in comparison if name == item}
        assert own.items() <= arrays.items(), item
        items[item] = {"pieces": result["done"], "comparison": comparison.get(item, []), "arrays": list(own)}
    write("reproduce.json", items)
    write("reproduce-arrays.json", arrays)


def arrays_of(folder: Path) -> dict[str, Any]:
    with contextlib.closing(sqlite3.connect(folder / "run.sqlite")) as connection:
        names = [name for (name,) in connection.execute("SELECT name FROM arrays ORDER BY name")]
    run = hb.Run.open(folder)
    return {name: measure.array(run, name) for name in names}


def make_interrupted(place: Path) -> None:
    golden: dict[str, Any] = {}
    for name, asked in INTERRUPTED.items():
        words, whole = asked["command"], place / "whole" / name
        result = measure.command(words, "--out", str(whole))
        finished = count(whole, asked["count"])
        folder = interrupted(words, asked["count"], finished, place / "interrupted" / name)
        run = hb.Run.open(folder)
        assert run.finished is None
        entry = {
            "command": words,
            "created": run.created,
            "stored": count(folder, asked["count"]),
            "finished": finished,
        }
        if run.kind == "evolve":
            entry["result"] = {key: value for key, value in result.items() if key not in ("run", "report")}
        elif run.kind == "atlas":
            entry["case"] = UNFINISHED_ATLAS
            entry["result"] = measure.atlas(UNFINISHED_ATLAS, place / "whole" / f"{name} in Python")
            assert entry["result"]["digest"] == result["digest"]
        else:
            entry["pieces"], entry["items"] = result["done"], words.split(" --")[0].split()[1:]
            entry["pieces_stored"] = len([piece for piece in run.results() if piece != "made"])
        golden[name] = entry
        keep(folder, name)
    finished_folder = place / "finished-genetic"
    golden["finished-genetic"] = {
        "command": FINISHED,
        "result": measure.evolved(FINISHED, finished_folder),
        "created": hb.Run.open(finished_folder).created,
        "evaluations": len(hb.Run.open(finished_folder).evaluations()),
    }
    keep(finished_folder, "finished-genetic")
    write("runs.json", golden)


def keep(folder: Path, name: str) -> None:
    (DATA / name).mkdir(exist_ok=True)
    shutil.copyfile(folder / "run.sqlite", DATA / name / "run.sqlite")


def interrupted(words: str, query: str, finished: int, folder: Path) -> Path:
    """A run of the command that SIGKILL ended about half-way."""
    for attempt in range(20):
        trial = folder / str(attempt)
        code = [sys.executable, "-m", "hebbarium", *shlex.split(words), "--quiet", "--json", "--threads", "1"]
        process = subprocess.Popen([*code, "--out", str(trial)], stdout=subprocess.DEVNULL)
        while process.poll() is None and count(trial, query) < 0.45 * finished:
            time.sleep(0.001)
        process.send_signal(signal.SIGKILL)
        killed = process.wait() == -signal.SIGKILL
        hb.Run.open(trial)  # rolls back what was half-written
        if killed and count(trial, query) < 0.8 * finished:
            return trial
    raise SystemExit(f"{words}: always too late.")


def count(folder: Path, query: str) -> int:
    if not (folder / "run.sqlite").is_file():
        return 0
    with contextlib.closing(sqlite3.connect(folder / "run.sqlite", timeout=20)) as connection:
        return int(connection.execute(query).fetchone()[0])


PARTS = {
    "lives": make_lives,
    "lived-on": make_lived_on,
    "traces": make_traces,
    "evolutions": make_evolutions,
    "atlases": make_atlases,
    "reproduce": make_reproduce,
    "runs": make_interrupted,
}


def main(parts: list[str]) -> None:
    if hb.__version__ != VERSION:
        raise SystemExit(f"goldens are those of version {VERSION}, and this is {hb.__version__}.")
    DATA.mkdir(exist_ok=True)
    for part in parts or PARTS:
        began = time.perf_counter()
        with tempfile.TemporaryDirectory() as place:
            PARTS[part](Path(place))
        print(f"{part}: {time.perf_counter() - began:.1f} s")


if __name__ == "__main__":
    main(sys.argv[1:])
