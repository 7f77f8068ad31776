"""This tree beside another commit: the same lives on one thread, slice by slice in turn, by the processor's clock.

python benchmarks/beside.py REV [--rounds 15] [--seconds 0.2] [--only WORD ...] [--json FILE]

Each tree runs in a process of its own, from its own sources. In each round both live the same lives; the median of the
rounds' ratios counts, so that what slows the machine down for a while does little. The digests must agree.
"""

from __future__ import annotations

import argparse
import json
import os
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

import machine

ROOT = Path(__file__).parent.parent
SLOWER = 0.95
"""A ratio below this is said to be slower."""
CASES: dict[str, tuple[str, str, dict[str, Any]]] = {
    "foraging:1": ("foraging", "foraging:1", {}),
    "foraging:6": ("foraging", "foraging:6", {}),
    "foraging:17": ("foraging", "foraging:17", {}),
    "foraging:18": ("foraging", "foraging:18", {}),
    "foraging, frozen and 000- on 200": ("foraging", "frozen,000-/0000@0.03", {"hidden": 200}),
    "foraging, frozen and 00+-/00-+ on 200": ("foraging", "frozen,00+-/00-+@0.03", {"hidden": 200}),
    "foraging, layered on 400": ("foraging", "00+-/0000@0.005,00+-/0000@0.08", {"hidden": 400}),
    "foraging, blame": ("foraging", "foraging:1", {"blame": {"wall-hit": 0.5}}),
    "prey-predator:1": ("prey-predator", "prey-predator:1", {}),
    "prey-predator:2": ("prey-predator", "prey-predator:2", {}),
    "prey-predator:4": ("prey-predator", "prey-predator:4", {}),
    "prey-predator:6": ("prey-predator", "prey-predator:6", {}),
    "prey-predator:1 at 0.001": ("prey-predator", "prey-predator:1", {"eta": 0.001}),
    "prey-predator:2 at 0.001": ("prey-predator", "prey-predator:2", {"eta": 0.001}),
    "t-maze, punishment only": ("t-maze", "00+-/0000@0.04", {}),
    "t-maze, both": ("t-maze", "-0+-/+0-+@0.04", {}),
    "association, both": ("association", "-0+-/+0-+@0.04", {}),
    "association, punishment only": ("association", "00+-/0000@0.04", {}),
    "association, frozen and 000-": ("association", "frozen,000-/0000@0.03", {}),
    "pond, both": ("pond", "-0+-/+0-+@0.04", {}),
    "pond, punishment only": ("pond", "00+-/0000@0.04", {}),
    **{f"generic loop, {rule}": (rule.partition(":")[0], rule, {"fast": False}) for rule in (
        "foraging:1", "foraging:6", "foraging:17", "foraging:18", "prey-predator:1", "prey-predator:2"
    )},
}  # fmt: skip
"""The task, the rule, and what else is asked for. `pond` is what `hebbarium new-world` writes. In association and pond
rules that learn from both come first: lives that are punished often share their loop once it has been compiled."""


def main() -> None:
    options = _read_options()
    if options.work:
        return _work()
    with tempfile.TemporaryDirectory() as folder:
        report = _beside(options, Path(folder))
    name = f"{report['commit']}-beside-{report['beside']}"
    machine.keep(report, options.json or machine.results_file("beside", name))
    slower = [name for name, case in report["cases"].items() if case["ratio"] < SLOWER]
    differing = [name for name, case in report["cases"].items() if not case["same"]]
    print(f"Slower than {options.revision}: {', '.join(slower) or 'nothing'}.")
    if differing:
        raise SystemExit(f"Other lives than at {options.revision}: {', '.join(differing)}.")


def _read_options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description="Measure this tree beside another commit.")
    parser.add_argument("revision", nargs="?", default="HEAD")
    parser.add_argument("--rounds", type=int, default=15)
    parser.add_argument("--seconds", type=float, default=0.2, help="about how long each slice takes")
    parser.add_argument("--only", nargs="+", metavar="WORD", help="only the cases with one of these in their name")
    parser.add_argument("--json", type=Path, metavar="FILE")
    parser.add_argument("--work", action="store_true", help=argparse.SUPPRESS)
    return parser.parse_args()


def _beside(options: argparse.Namespace, folder: Path) -> dict[str, Any]:
    beside = machine.commit(f"{options.revision}^{{commit}}")
    archive = subprocess.run(["git", "-C", ROOT, "archive", beside, "src"], check=True, capture_output=True).stdout
    subprocess.run(["tar", "-x", "-C", folder], input=archive, check=True)
    pair = [_Tree(folder / "src"), _Tree(ROOT / "src")]
    cases = {}
    for name, case in CASES.items():
        if options.only and not any(word in name for word in options.only):
            continue
        cases[name] = measured = _measure(pair, case, options)
        same = "" if measured["same"] else ", DIFFERENT LIVES"
        print(
            f"{name:42} {measured['then']:8.2f} -> {measured['now']:8.2f} million steps/s: {measured['ratio']:5.2f} x "
            f"({measured['low']:.2f} to {measured['high']:.2f}){same}",
            flush=True,
        )
    for tree in pair:
        tree.end()
    about = machine.describe(machine.allowed_cores())
    return {"commit": machine.commit(), "beside": beside, "machine": about, "cases": cases}


def _measure(pair: list[_Tree], case: Any, options: argparse.Namespace) -> dict[str, Any]:
    for tree in pair:
        tree.live(case, 8)  # compiles
    lives = 64
    # Both live as many as the faster one needs for the time.
    while min(tree.live(case, lives)["seconds"] for tree in pair) < options.seconds / 2 and lives < 4096:
        lives *= 2
    ratios, rates, same = [], [], True
    for number in range(options.rounds):
        turn = pair if number % 2 else pair[::-1]
        told = {tree: tree.live(case, lives) for tree in turn}
        then, now = told[pair[0]], told[pair[1]]
        same = same and then["digest"] == now["digest"]
        ratios.append(then["seconds"] / now["seconds"])
        rates.append((then["steps"] / then["seconds"] / 1e6, now["steps"] / now["seconds"] / 1e6))
    quarter = len(ratios) // 4
    ordered = sorted(ratios)
    return {
        "ratio": statistics.median(ratios),
        "low": ordered[quarter],
        "high": ordered[-1 - quarter],
        "then": statistics.median(then for then, _ in rates),
        "now": statistics.median(now for _, now in rates),
        "lifetimes": lives,
        "same": same,
    }


class _Tree:
    """A process that lives from one tree's sources."""

    def __init__(self, sources: Path) -> None:
        self.process = subprocess.Popen(
            [sys.executable, __file__, "--work"],
            env=os.environ | {"PYTHONPATH": str(sources)},
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
        )

    def live(self, case: Any, lifetimes: int) -> dict[str, Any]:
        assert self.process.stdin is not None
        assert self.process.stdout is not None
        print(json.dumps([case, lifetimes]), file=self.process.stdin, flush=True)
        told: dict[str, Any] = json.loads(self.process.stdout.readline())
        return told

    def end(self) -> None:
        self.process.communicate()


def _work() -> None:
    import hebbarium as hb
    from hebbarium.life.batch import Batch

    folder = tempfile.TemporaryDirectory()
    for line in sys.stdin:
        (task, rule, settings), lifetimes = json.loads(line)
        if task == "pond":
            task = str(Path(folder.name) / "pond.py")
            if not Path(task).exists():
                hb.new_world("pond", task)
        Batch.__init__.__kwdefaults__["fast"] = settings.pop("fast", True)
        start = time.process_time()
        lives = hb.live(task, rule, lifetimes=lifetimes, seed=11, threads=1, **settings)
        seconds = time.process_time() - start
        print(json.dumps({"seconds": seconds, "steps": lives.steps, "digest": lives.digest}), flush=True)


if __name__ == "__main__":
    main()
