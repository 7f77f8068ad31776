"""How fast lives are lived here, beside a plainly compiled loop and beside JAX, one thread each.

python benchmarks/run.py [--task foraging] [--quick] [--json FILE] [--markdown docs/benchmarks.md]
"""

from __future__ import annotations

import argparse
import math
import time
from pathlib import Path
from typing import Any

import machine

RULES = {"foraging": (1, 6, 17, 18), "prey-predator": (1, 2)}
"""The paper's rules that are measured: foraging's first learns rarely, the others at nearly every step."""
SCALING_RULES = {"foraging": (1, 6), "prey-predator": (1,)}
POSSIBLE_GAIN = 1.8
"""Where work that shares nothing gains less from a second thread, scaling cannot be judged."""
MARKS = ("<!-- results -->", "<!-- end of results -->")


def main() -> None:
    options = read_options()
    cores = machine.allowed_cores()
    # Before numba and JAX are imported: the threads they start inherit it.
    machine.use_cores({min(cores)})
    report: dict[str, Any] = {
        "commit": machine.commit(),
        "machine": machine.describe(cores),
        "date": time.strftime("%Y-%m-%d"),
        "tasks": {},
    }
    show_machine(report["machine"])
    for task in options.task:
        report["tasks"][task] = measure_task(task, options, cores)
    machine.keep(report, options.json or machine.results_file("run", report["commit"]))
    if options.markdown:
        write_between_marks(options.markdown, markdown(report))


def read_options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description="Measure how fast lives are lived, beside others.")
    parser.add_argument("--task", nargs="+", choices=list(RULES), default=list(RULES))
    parser.add_argument("--quick", action="store_true", help="shorter measurements, one batch size for JAX")
    parser.add_argument("--without-jax", action="store_true", help="only the package and the plain loop")
    parser.add_argument(
        "--json", type=Path, metavar="FILE", help="write every number there instead of to benchmarks/results"
    )
    parser.add_argument("--markdown", type=Path, metavar="FILE", help="put the tables between that page's marks")
    return parser.parse_args()


def show_machine(about: dict[str, Any]) -> None:
    print(f"{about['processor']}, {about['cores']} cores, {about['system']}, load {about['load']}")
    print(", ".join(f"{name} {version}" for name, version in about["versions"].items()), flush=True)


def measure_task(name: str, options: argparse.Namespace, cores: set[int]) -> dict[str, Any]:
    import competitors
    from hebbarium.rules.rule import Rule
    from hebbarium.worlds.registry import make_world
    from measure import measure

    task = make_world(name)
    seconds, repeats = (0.5, 2) if options.quick else (1.0, 5)
    field = [competitors.ours(task), competitors.generic(task), *competitors.plain_loops(task)]
    if not options.without_jax:
        field += competitors.jax_peers(task, Rule(f"{name}:{RULES[name][0]}"), options.quick)
    rules = {}
    for number in RULES[name]:
        results = measure(field, task, Rule(f"{name}:{number}"), seconds, repeats)
        rules[f"{name}:{number}"] = records = [result.record() for result in results]
        show(["", f"{name}:{number}", *aligned([HEADINGS, *table_rows(records)]), *peer_lines(records)])
    parts = measure_parts(name, task)
    show(["", *part_lines(parts)])
    threads = measure_threads(name, task, seconds, repeats, cores)
    show(thread_lines(threads))
    return {"rules": rules, "parts": parts, "threads": threads}


def measure_parts(name: str, task: Any) -> dict[str, dict[str, float]]:
    """Nanoseconds of each part of a step, where steps have parts worth telling apart."""
    if name != "prey-predator":
        return {}
    import parts
    from hebbarium.rules.rule import Rule

    return {f"{name}:{number}": parts.nanoseconds(task, Rule(f"{name}:{number}"), 64) for number in RULES[name]}


def measure_threads(name: str, task: Any, seconds: float, repeats: int, cores: set[int]) -> dict[str, Any]:
    """Two threads beside one, by the clock on the wall."""
    import competitors
    from hebbarium.rules.rule import Rule
    from measure import measure

    if len(cores) < 2:
        return {}
    machine.use_cores(cores)
    pair = [competitors.ours(task, 1), competitors.ours(task, 2)]
    scaling = {}
    for number in SCALING_RULES[name]:
        one, two = measure(pair, task, Rule(f"{name}:{number}"), seconds, repeats, time.perf_counter)
        ratio, possible = two.rate / one.rate, machine.two_thread_gain()
        scaling[f"{name}:{number}"] = {"one": one.rate, "two": two.rate, "ratio": ratio, "checksums": possible}
    machine.use_cores({min(cores)})
    return scaling


def table_rows(results: list[dict[str, Any]]) -> list[tuple[str, ...]]:
    """For each competitor: name, million steps/s, how much faster ours is, fitness, how far that is from ours."""
    ours = results[0]
    rows = []
    for one in results:
        name = one["competitor"] + (f", batch {one['block']}" if one["competitor"].startswith("JAX") else "")
        fitness, theirs = ours["fitness"], one["fitness"]
        spread = math.hypot(fitness["sem"], theirs["sem"])
        apart = "" if one is ours else f"{(theirs['mean'] - fitness['mean']) / spread:+.1f} s.e."
        rows.append(
            (
                name,
                f"{one['steps_per_second'] / 1e6:.2f}",
                "" if one is ours else f"{ours['steps_per_second'] / one['steps_per_second']:.1f} x",
                f"{theirs['mean']:.2f} ± {theirs['sem']:.2f}",
                apart,
            )
        )
    return rows


HEADINGS = ("", "million steps/s", "ours is faster by", "fitness ± s.e.", "from ours")


def show(lines: list[str]) -> None:
    print("\n".join(lines), flush=True)


def part_lines(parts: dict[str, dict[str, float]]) -> list[str]:
    return [
        f"{rule}: nanoseconds of a step: " + ", ".join(f"{part} {spent:.0f}" for part, spent in spents.items())
        for rule, spents in parts.items()
    ]


def peer_lines(results: list[dict[str, Any]]) -> list[str]:
    """Whether JAX is a peer and no straw man: how near it comes to the loops that anybody would write."""
    rates = {one["competitor"]: one["steps_per_second"] for one in results}
    jax = [rate for name, rate in rates.items() if name.startswith("JAX")]
    loops = {name: rate for name, rate in rates.items() if name.startswith("plain")}
    return [f"The faster JAX reaches {max(jax) / rate:.2f} of the {name}." for name, rate in loops.items() if jax]


def thread_lines(threads: dict[str, Any]) -> list[str]:
    lines = []
    for rule, pair in threads.items():
        line = (
            f"{rule}: two threads live {pair['two'] / 1e6:.1f} million steps/s, one {pair['one'] / 1e6:.1f}: "
            f"{pair['ratio']:.2f} x. Checksums on two threads gained {pair['checksums']:.2f} x at that time."
        )
        busy = pair["checksums"] < POSSIBLE_GAIN
        lines.append(line + (" The machine was too busy for this to mean anything." if busy else ""))
    return lines


def aligned(rows: list[tuple[str, ...]]) -> list[str]:
    widths = [max(len(row[column]) for row in rows) for column in range(len(rows[0]))]
    return [
        "  ".join([row[0].ljust(widths[0]), *(cell.rjust(w) for cell, w in zip(row[1:], widths[1:], strict=True))])
        for row in rows
    ]


def markdown(report: dict[str, Any]) -> str:
    about = report["machine"]
    versions = ", ".join(f"{name} {version}" for name, version in about["versions"].items())
    lines = [f"{report['date']}: {about['processor']}, {about['cores']} cores, load {about['load']}; {versions}."]
    for task, results in report["tasks"].items():
        for rule, measured in results["rules"].items():
            lines += ["", f"### {rule}", "", f"| {' | '.join(HEADINGS)} |", "|---|---:|---:|---:|---:|"]
            lines += [f"| {' | '.join(row)} |" for row in table_rows(measured)]
            lines += ["", " ".join(peer_lines(measured))]
        if results["parts"]:
            lines += ["", f"### The parts of {task}", "", *(f"- {line}" for line in part_lines(results["parts"]))]
        lines += ["", f"### {task} on two threads", "", *(f"- {line}" for line in thread_lines(results["threads"]))]
    return "\n".join(lines)


def write_between_marks(page: Path, text: str) -> None:
    before, _, rest = page.read_text().partition(MARKS[0])
    _, mark, after = rest.partition(MARKS[1])
    if not mark:
        raise SystemExit(f"{page} has no place for results: it needs the lines {MARKS[0]} and {MARKS[1]}.")
    page.write_text(f"{before}{MARKS[0]}\n{text}\n{MARKS[1]}{after}")


if __name__ == "__main__":
    main()
