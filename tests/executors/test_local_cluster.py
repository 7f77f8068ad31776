"""Two worker processes give what threads give, whoever is killed meanwhile."""

from __future__ import annotations

import os
import signal
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import psutil
import pytest

import hebbarium as hb
from clusters import wait_for
from hebbarium.agents.hill_climbing import HillClimbing
from hebbarium.brains.base import Brain
from hebbarium.executors.base import run
from hebbarium.executors.cluster import Cluster
from hebbarium.executors.threads import executor_of
from hebbarium.life.jobs import Jobs
from hebbarium.rules.rule import Rule
from hebbarium.studies.atlas.making import make_atlas
from hebbarium.studies.evolve.study import Evolution, State, carry_out
from hebbarium.worlds import pond
from hebbarium.worlds.foraging import Foraging
from pieces import Endless, Short
from tiny_scale import TINY, reproduce_at

SHORT = {"season_steps": 60, "seasons": 2}
SMALL = {
    **SHORT, "grid_size": 20, "green": 10, "blue": 10, "hidden": 4, "individuals": 8, "elites": 3, "lifetimes": 2,
    "stale_generations": 4, "runs": 2, "seed": 3, "top": 3, "rescore": 6,
}  # fmt: skip


@pytest.fixture(scope="module")
def cluster() -> Iterator[Cluster]:
    with hb.cluster("local:2") as here:
        yield here


def evolution(search: str = "genetic") -> Evolution:
    settings = {**SMALL}
    if search == "racing":
        for name in ("individuals", "elites", "lifetimes", "stale_generations"):
            del settings[name]
        settings["budget"] = 60
    return Evolution.of("foraging", search, **settings)


def kill_workers(cluster: Cluster) -> list[int]:
    """All, as a machine that fails would."""
    pids = list(cluster.client.run(os.getpid).values())
    for pid in pids:
        os.kill(pid, signal.SIGKILL)
    return pids


@pytest.mark.parametrize("rule", ["foraging:1", "00+-/0000@0.005,00+-/0000@0.08"])
def test_live(cluster: Cluster, rule: str) -> None:
    lived = [hb.live("foraging", rule, lifetimes=40, **SHORT, threads=where) for where in (2, cluster)]
    assert lived[0].digest == lived[1].digest
    assert np.array_equal(lived[0].distinct_hidden, lived[1].distinct_hidden)


def test_workers_keep_the_memory_of_one_batch_for_the_next(cluster: Cluster) -> None:
    set_there = cluster.client.run(lambda: os.environ.get("MALLOC_TRIM_THRESHOLD_"))
    assert list(set_there.values()) == [None, None]


@pytest.mark.parametrize("agent", ["perfect", "random"])
def test_agents(cluster: Cluster, agent: str) -> None:
    lived = [hb.live_agent("foraging", agent, lifetimes=5, **SHORT, threads=where) for where in (2, cluster)]
    assert lived[0].digest == lived[1].digest


def test_hill_climbing(cluster: Cluster) -> None:
    climbs = [HillClimbing(3).climb(Foraging(**SHORT), 3, executor=where) for where in (2, cluster)]
    assert np.array_equal(climbs[0].counts, climbs[1].counts)
    assert all(np.array_equal(a.hidden, b.hidden) for a, b in zip(*(some.networks for some in climbs), strict=True))


def test_compare_and_sweep(cluster: Cluster) -> None:
    compared = [
        hb.compare("foraging", "foraging:1", "foraging:6", lifetimes=8, **SHORT, threads=where).summary()
        for where in (2, cluster)
    ]
    assert compared[0] == compared[1]
    swept = [
        hb.sweep("foraging", rule="foraging:1", over="hidden", values=[4, 6], lifetimes=8, **SHORT, threads=where)
        for where in (2, cluster)
    ]
    assert [one.digest for one in swept[0].lives] == [one.digest for one in swept[1].lives]


@pytest.mark.parametrize("search", ["genetic", "racing"])
def test_evolve(cluster: Cluster, tmp_path: Path, search: str) -> None:
    runs = [carry_out(evolution(search), tmp_path / name, threads=where) for name, where in two_places(cluster)]
    assert runs[0].digest() == runs[1].digest()
    assert runs[0].result("rules") == runs[1].result("rules")


def two_places(cluster: Cluster) -> list[tuple[str, Any]]:
    return [("threads", 2), ("cluster", cluster)]


def test_atlas(cluster: Cluster, tmp_path: Path) -> None:
    small = {"rules": range(6), "etas": (0.01, 0.04, 0.16), "effort": 0.1, "seed": 5}
    atlases = [
        make_atlas(Foraging(**SHORT), tmp_path / name, threads=where, **small) for name, where in two_places(cluster)
    ]
    assert atlases[0].about["digest"] == atlases[1].about["digest"]
    assert np.array_equal(atlases[0].kinds, atlases[1].kinds)


def test_reproduce(cluster: Cluster, tmp_path: Path) -> None:
    items = ["seasons", "hidden-neurons"]
    for name, where in two_places(cluster):
        reproduce_at(TINY, items, tmp_path / name, threads=where)
    entries = [(tmp_path / name / "comparison.json").read_text() for name, _ in two_places(cluster)]
    assert entries[0] == entries[1]


def test_a_client_is_an_executor(cluster: Cluster) -> None:
    assert executor_of(cluster.client) is executor_of(cluster.client)
    lived = hb.live("foraging", "foraging:1", lifetimes=9, **SHORT, threads=cluster.client)
    assert lived.digest == hb.live("foraging", "foraging:1", lifetimes=9, **SHORT).digest


def test_a_world_of_ones_own_reaches_the_workers(cluster: Cluster, tmp_path: Path) -> None:
    """With what it imports from beside it, and wherever its file is now."""
    source = Path(pond.__file__).read_text(encoding="utf-8")
    (tmp_path / "pond.py").write_text(source.replace("import numpy as np\n", "import numpy as np\nimport deep\n"))
    (tmp_path / "deep.py").write_text("DEPTH = 3\n")
    world = hb.make_world(str(tmp_path / "pond.py"), season_steps=60)
    jobs = Jobs.of_rule(Rule("000-/0000", 0.04), 20, 7, 0)
    expected = run(2, world, Brain.of(world), jobs).counts
    for file in ("pond.py", "deep.py"):
        (tmp_path / file).unlink()
    assert np.array_equal(run(cluster, world, Brain.of(world), jobs).counts, expected)


def test_lifelong(cluster: Cluster) -> None:
    studies = [
        hb.lifelong("foraging", "foraging:1", lifetimes=4, seasons=4, season_steps=100, threads=where)
        for where in (2, cluster)
    ]
    assert np.array_equal(studies[0][0].lived.fitness, studies[1][0].lived.fitness)


def test_transfer(cluster: Cluster) -> None:
    tasks = [hb.make_world("foraging", season_steps=100), hb.make_world("t-maze", season_steps=100)]
    found = [hb.transfer("foraging:1", tasks=tasks, lifetimes=4, budget=80, threads=where) for where in (2, cluster)]
    assert found[0].summary() == found[1].summary()


def test_killed_workers_change_nothing(cluster: Cluster, tmp_path: Path) -> None:
    expected = carry_out(evolution(), tmp_path / "threads", threads=2)
    killed: list[int] = []

    def kill_both(state: State) -> None:
        if not killed:
            killed.extend(kill_workers(cluster))

    run = carry_out(evolution(), tmp_path / "cluster", threads=cluster, watch=kill_both)
    assert len(killed) == 2
    assert run.digest() == expected.digest()
    assert run.totals() == expected.totals()


def test_interrupted_work_is_broken_off(cluster: Cluster, tmp_path: Path) -> None:
    def interrupt(over: int) -> None:
        raise KeyboardInterrupt

    wait_for(lambda: cluster.hands == 2, "the second worker")
    with pytest.raises(KeyboardInterrupt):
        cluster.run([Endless(tmp_path / "left"), Short(tmp_path / "short")], interrupt)
    wait_for((tmp_path / "left").exists, "the end of what nobody wants")
    assert cluster.run([Short(tmp_path / "again")]) == ["again"]


def test_outcomes_keep_their_order_and_every_piece_is_told_once(cluster: Cluster, tmp_path: Path) -> None:
    told: list[int] = []
    pieces = [Short(tmp_path / str(number)) for number in range(50)]
    assert cluster.run(pieces, told.append) == [str(number) for number in range(50)]
    assert told == [1] * 50
    assert cluster.run([]) == []


def test_nobody_else_can_reach_it(cluster: Cluster) -> None:
    """Everything listens on loopback only, and speaks to those who have the certificate."""
    here = psutil.Process()
    sockets = [one for process in (here, *here.children(recursive=True)) for one in process.net_connections()]
    assert {one.laddr.ip for one in sockets if one.status == psutil.CONN_LISTEN} == {"127.0.0.1"}
    assert cluster.address.startswith("tls://")
