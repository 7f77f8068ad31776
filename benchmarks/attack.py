"""Attack Hebbarium: command lines, hostile files, damaged runs and kernels, odd terminals, limits, nonsense, Ctrl-C,
worlds that go wrong late or were edited at random, faulty workers, kills within a commit and at any moment, requests,
connections and messages to `watch`, crafted links in a browser, numerical extremes, wrong clocks, cold compiles,
environments of Gymnasium's that answer nonsense.

    python benchmarks/attack.py                    all of it, about an hour on two cores
    python benchmarks/attack.py --sample 0.01      a hundredth of everything
    python benchmarks/attack.py --only files       one kind

Every attack must end with a result, or with one sentence and exit code 2; nothing may hang, show a traceback or take
memory for the asking. Prints a table and every problem, and exits with 1 where there is one.
"""

from __future__ import annotations

import argparse
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from pathlib import Path

from attacks import (
    calls,
    commands,
    commits,
    environments,
    extremes,
    files,
    interrupts,
    kernels,
    late_worlds,
    limits,
    links,
    processes,
    requests,
    stores,
    terminals,
    workers,
    worlds,
)
from attacks.base import Tally

WHOLE = {"commands": 10_000, "processes": 300, "files": 4000, "calls": 11_000, "terminals": 600, "limits": 320}
WHOLE |= {"interrupts": 200, "stores": 400, "kernels": 160, "late worlds": 200, "workers": 74, "commits": 100}
WHOLE |= {"kills": 63, "connections": 500, "messages": 45_000, "links": 200, "extremes": 121, "clocks": 70}
WHOLE |= {"cold": 20, "edited worlds": 100, "environments": 600}
"""How many of each, at most."""


def attacks(sample: float, seed: int) -> dict[str, Callable[[], Iterator[Tally]]]:
    """Each kind by name. sample: the share of it."""
    many = {name: max(1, round(sample * whole)) for name, whole in WHOLE.items()}
    bomb = 1_500_000_000 if sample >= 1 else 50_000_000
    return {
        "commands": lambda: commands.attack(many["commands"], many["processes"], seed),
        "files": lambda: iter([files.attack(many["files"], seed, bomb)]),
        "stores": lambda: iter([stores.attack(many["stores"], seed)]),
        "kernels": lambda: iter([kernels.attack(many["kernels"], seed)]),
        "terminals": lambda: iter([terminals.attack(many["terminals"], seed)]),
        "limits": lambda: iter([limits.attack(many["limits"], seed)]),
        "calls": lambda: iter([calls.attack(many["calls"], seed)]),
        "interrupts": lambda: iter([interrupts.attack(many["interrupts"], seed)]),
        "worlds": lambda: iter([worlds.attack()]),
        "late worlds": lambda: iter([late_worlds.attack(many["late worlds"], seed)]),
        "workers": lambda: iter([workers.attack(many["workers"], seed)]),
        "commits": lambda: commits.attack_all(many["commits"], seed),
        "kills": lambda: processes.kills(many["kills"], seed),
        "watch": lambda: watch(many["connections"], many["messages"], seed),
        "links": lambda: links.attack(many["links"], seed),
        "extremes": lambda: iter([extremes.attack(many["extremes"], seed)]),
        "clocks": lambda: iter([processes.clocks(many["clocks"])]),
        "cold": lambda: iter([processes.cold(many["cold"])]),
        "edited worlds": lambda: iter([processes.edited_worlds(many["edited worlds"], seed)]),
        "environments": lambda: iter([environments.attack(many["environments"], seed)]),
    }


def watch(connections: int, messages: int, seed: int) -> Iterator[Tally]:
    with tempfile.TemporaryDirectory(prefix="hebbarium-attack-") as place:
        yield from requests.attack(connections, messages, seed, Path(place))


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--sample", type=float, default=1.0, help="the share of each attack, 1 for the whole")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--only", choices=list(attacks(1, 1)), action="append", help="may be given several times")
    options = parser.parse_args()
    print(f"{'attack':28} {'tried':>7} {'problems':>9} {'slowest':>9} {'in all':>8}  outcomes", flush=True)
    problems = 0
    for name, run in attacks(options.sample, options.seed).items():
        if options.only and name not in options.only:
            continue
        start = time.perf_counter()
        for tally in run():
            show(tally, time.perf_counter() - start)
            problems += len(tally.problems)
            start = time.perf_counter()
    return 1 if problems else 0


def show(tally: Tally, seconds: float) -> None:
    """A row of the table, and every problem."""
    outcomes = ", ".join(f"{count:,} {name}" for name, count in tally.outcomes.most_common())
    bad, times = len(tally.problems), f"{tally.slowest:>7.2f} s {seconds:>6.0f} s"
    print(f"{tally.name:28} {tally.tried:>7,} {bad:>9} {times}  {outcomes}", *tally.problems, sep="\n", flush=True)


if __name__ == "__main__":
    sys.exit(main())
