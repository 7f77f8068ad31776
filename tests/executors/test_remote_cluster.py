"""A scheduler and workers started by somebody else: what is refused, what is lost, and what is said about it."""

from __future__ import annotations

import asyncio
import json
import logging
import os
import shutil
import socket
import sysconfig
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest
from distributed import KilledWorker

import clusters
import hebbarium as hb
from hebbarium.cli import main
from hebbarium.executors import cluster_results, cluster_worker
from hebbarium.executors.cluster import Cluster
from hebbarium.executors.cluster_results import digest_of
from hebbarium.studies.evolve.study import State
from pieces import Deadly, Short

SHORT = {"season_steps": 60, "seasons": 2}
LIVE = ["live", "foraging", "--rule", "foraging:1", "--lifetimes", "9", "--season-steps", "60", "--seasons", "2"]
SMALL: dict[str, Any] = {
    **SHORT, "hidden": 4, "search": "genetic",
    "individuals": 8, "elites": 3, "lifetimes": 2, "stale_generations": 4, "top": 3, "rescore": 6,
}  # fmt: skip


@pytest.fixture
def file(tmp_path: Path) -> Iterator[Path]:
    """Of a scheduler that is running."""
    with clusters.scheduler(tmp_path / "scheduler.json"):
        yield tmp_path / "scheduler.json"


def said(capsys: pytest.CaptureFixture[str]) -> str:
    """The one sentence of a command that failed."""
    out, complaint = capsys.readouterr()
    assert out == ""
    assert complaint.startswith("hebbarium: ")
    assert len(complaint.splitlines()) == 1
    return complaint


def test_an_address_and_a_file_give_the_local_digest(file: Path, capsys: pytest.CaptureFixture[str]) -> None:
    with clusters.worker(file):
        digests = []
        for words in ([], ["--cluster", str(file)], ["--cluster", clusters.address(file)]):
            assert main([*LIVE, "--json", "--quiet", *words]) == 0
            digests.append(json.loads(capsys.readouterr().out)["digest"])
    assert len(set(digests)) == 1


def test_nobody_listens(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("hebbarium.executors.cluster_connect.PATIENCE", 1)
    with socket.socket() as taken:  # bound, but nobody listens
        taken.bind(("127.0.0.1", 0))
        address = f"tcp://127.0.0.1:{taken.getsockname()[1]}"
        assert main([*LIVE, "--quiet", "--cluster", address]) == 2
    assert address in said(capsys)


@pytest.mark.parametrize(
    ("where", "word"),
    [
        ("local", "local:2"),
        ("local:0", "the nearest is 1"),
        ("local:two", "local:2"),
        ("locals:2", "local:2"),
        ("localhost:8786", "tcp://localhost:8786"),
        ("local:1025", "the nearest is 1024"),
        ("local:" + "9" * 5000, "the nearest is local:1024"),
        ("nowhere.json", "no such file"),
        ("tcp://", "tcp://"),
        ("tcp://127.0.0.1:notaport", "notaport"),
        ("fax://127.0.0.1:1", "fax"),
    ],
)
def test_nonsense(capsys: pytest.CaptureFixture[str], where: str, word: str) -> None:
    assert main([*LIVE, "--quiet", "--cluster", where]) == 2
    assert word in said(capsys)


@pytest.mark.parametrize(
    "content", ["", "[]", "{}", "not json", "[" * 100_000, '{"address": ["tcp://a:1"]}', "9" * 5000]
)
def test_a_file_that_is_no_schedulers(capsys: pytest.CaptureFixture[str], tmp_path: Path, content: str) -> None:
    (tmp_path / "file").write_text(content)
    assert main([*LIVE, "--quiet", "--cluster", str(tmp_path / "file")]) == 2
    assert "not a scheduler file" in said(capsys)


def test_only_regular_files_of_a_size_are_read(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe")
    for path in (tmp_path, tmp_path / "pipe", Path("/dev/zero")):
        assert main([*LIVE, "--quiet", "--cluster", str(path)]) == 2
        assert "it is not a regular file" in said(capsys)
    (tmp_path / "long").write_text(" " * 2_000_000)
    assert main([*LIVE, "--quiet", "--cluster", str(tmp_path / "long")]) == 2
    assert "longer than 1,000,000 bytes" in said(capsys)


def test_a_notebook_has_an_event_loop_of_its_own() -> None:
    async def cell() -> None:
        with hb.cluster("tcp://127.0.0.1:1"):
            pass

    with ThreadPoolExecutor(1) as notebook, pytest.raises(hb.ClusterError, match="cannot reach a Dask") as caught:
        notebook.submit(asyncio.run, cell()).result()
    assert "loop" not in str(caught.value)


VERBS = ["live", "compare", "sweep", "evolve", "atlas", "transfer", "lifelong", "reproduce"]


@pytest.mark.parametrize("verb", VERBS)
def test_every_verb_that_lives_much_lives_on_a_cluster(capsys: pytest.CaptureFixture[str], verb: str) -> None:
    task = [] if verb in ("transfer", "reproduce") else ["foraging"]
    assert main([verb, *task, "--help"]) == 0
    assert "--cluster" in capsys.readouterr().out


def test_threads_of_a_cluster_are_its_own(capsys: pytest.CaptureFixture[str]) -> None:
    assert main([*LIVE, "--threads", "2", "--cluster", "local:2"]) == 2
    assert "--threads" in said(capsys)


def test_a_worker_without_the_package(file: Path, capsys: pytest.CaptureFixture[str]) -> None:
    # Without `site`, Python does not follow the link that stands in for a package installed to be edited.
    with clusters.worker(file, "-S", path=sysconfig.get_paths()["purelib"]):
        assert main([*LIVE, "--quiet", "--cluster", str(file)]) == 2
    assert f"install hebbarium {hb.__version__}" in said(capsys)


@pytest.fixture(scope="module")
def other(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with another version of the package."""
    folder = tmp_path_factory.mktemp("other")
    package = shutil.copytree(Path(hb.__file__).parent, folder / "hebbarium", ignore=shutil.ignore_patterns("data"))
    home = package / "__init__.py"
    home.write_text(home.read_text().replace(f'"{hb.__version__}"', '"9.9.9"'))
    return folder


def test_a_worker_of_another_version(file: Path, other: Path, capsys: pytest.CaptureFixture[str]) -> None:
    with clusters.worker(file, path=str(other)):
        assert main([*LIVE, "--quiet", "--cluster", str(file)]) == 2
    complaint = said(capsys)
    assert "hebbarium 9.9.9" in complaint
    assert hb.__version__ in complaint


@pytest.mark.parametrize("module", ["executors/cluster_worker.py", "studies/lifelong/observers.py"])
def test_a_worker_with_edited_code(module: str, file: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Any of it: what workers do is written in most rooms."""
    package = Path(hb.__file__).parent
    edited = shutil.copytree(package, tmp_path / "hebbarium", ignore=shutil.ignore_patterns("data")) / module
    edited.write_text(f"{edited.read_text()}\n")
    with clusters.worker(file, path=str(tmp_path)):
        assert main([*LIVE, "--quiet", "--cluster", str(file)]) == 2
    assert "has sources " in said(capsys)


def test_a_worker_of_another_version_that_comes_later(file: Path, other: Path, tmp_path: Path) -> None:
    with clusters.worker(file), hb.cluster(str(file)) as cluster:
        assert cluster.run([Short(tmp_path / "well")]) == ["well"]
    with (
        hb.cluster(str(file)) as cluster,
        clusters.worker(file, path=str(other)),
        pytest.raises(hb.ClusterError, match=r"9\.9\.9"),
    ):
        cluster.run([Short(tmp_path / "ill")])


def test_a_worker_without_the_package_that_comes_later(file: Path, tmp_path: Path) -> None:
    with (
        hb.cluster(str(file)) as cluster,
        clusters.worker(file, "-S", path=sysconfig.get_paths()["purelib"]),
        pytest.raises(hb.ClusterError, match="No module named 'hebbarium'"),
    ):
        cluster.run([Short(tmp_path / "ill")])


def test_a_scheduler_that_dies_ends_a_run_that_can_go_on(
    tmp_path: Path, caplog: pytest.LogCaptureFixture, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(logging.getLogger("distributed.client"), "handlers", [caplog.handler])
    expected = hb.evolve("foraging", out=tmp_path / "expected", threads=2, seed=3, **SMALL)
    file = tmp_path / "scheduler.json"
    with clusters.scheduler(file) as scheduler, clusters.worker(file), hb.cluster(str(file)) as cluster:

        def strike(state: State) -> None:
            scheduler.kill()

        with pytest.raises(hb.ClusterError, match="was lost") as raised:
            hb.evolve("foraging", out=tmp_path / "run", threads=cluster, watch=strike, seed=3, **SMALL)
    assert len(str(raised.value).splitlines()) == 1
    assert caplog.records == []  # Dask itself says nothing beside it
    begun = hb.Run.open(tmp_path / "run")
    assert 0 < begun.totals()[0] < expected.totals()[0]
    assert hb.evolve("foraging", out=tmp_path / "run", threads=1, seed=3, **SMALL).digest() == expected.digest()


def test_a_scheduler_that_died_is_noticed_when_workers_are_counted(tmp_path: Path) -> None:
    file = tmp_path / "scheduler.json"
    with clusters.scheduler(file) as scheduler, clusters.worker(file), hb.cluster(str(file)) as cluster:
        assert cluster.words == "1 worker"
        scheduler.kill()
        scheduler.wait()
        for look in ("words", "hands", "seconds"):
            cluster._looked = 0.0
            with pytest.raises(hb.ClusterError, match="what a run has stored is safe"):
                getattr(cluster, look)
        with pytest.raises(hb.ClusterError, match="what a run has stored is safe"):
            cluster.check_workers()


class Landed:
    """A task that was done, as Dask tells of it."""

    def __init__(self, error: Exception | None) -> None:
        self.error = error
        self.status = "finished"

    def exception(self) -> Exception | None:
        return self.error

    def add_done_callback(self, call: Callable[[Landed], None]) -> None:
        call(self)

    def release(self) -> None:
        pass


class Recomputing:
    """Stands for a client: results were lost with their worker, and done again on another one, fail with `errors`."""

    scheduler = None

    def __init__(self, errors: list[Exception]) -> None:
        self.errors = errors

    def run(self, *_: object, **__: object) -> dict[str, object]:
        return {}

    def nthreads(self) -> dict[str, int]:
        return {"one": 1}

    def submit(self, call: Callable[..., Any], sent: bytes, *_: object, **__: object) -> Landed:
        return Landed(self.errors.pop(0) if self.errors else None)

    def gather(self, landed: list[Landed]) -> list[cluster_results.Results]:
        for future in landed:
            if future.error is not None:
                raise future.error
        return [cluster_results.Results(["well"], [digest_of("well")], 0.1, "one") for _ in landed]


@pytest.mark.parametrize(
    "error",
    [
        cluster_worker.OtherVersions(),
        cluster_worker.Unwanted(),
        ModuleNotFoundError("no hebbarium", name="hebbarium.life"),
    ],
)
def test_what_another_worker_could_not_do_again_is_sent_again(error: Exception, tmp_path: Path) -> None:
    """The worker with other code has gone when it is looked for."""
    cluster = Cluster(Recomputing([error, error]))
    assert cluster.run([Short(tmp_path / "well")]) == ["well"]


@pytest.mark.parametrize(
    ("error", "words"),
    [
        (ModuleNotFoundError("no pond", name="pond"), "have no module 'pond'"),
        (ImportError("cannot import name 'deep' from 'pond'", name="pond"), "cannot import name 'deep'"),
        (cluster_worker.OtherVersions(), "failed 10 times because workers came and went"),
        (KilledWorker("task", None, 3), "failed 10 times because workers died"),
    ],
)
def test_what_no_worker_can_do_is_one_sentence(error: Exception, words: str, tmp_path: Path) -> None:
    cluster = Cluster(Recomputing([error] * 20))
    with pytest.raises(hb.ClusterError, match=words):
        cluster.run([Short(tmp_path / "ill")])


def test_work_waits_for_workers(file: Path, tmp_path: Path) -> None:
    told: list[str] = []
    with hb.cluster(str(file), told.append) as cluster:
        assert cluster.hands == 1
        assert len(told) == 1
        assert "waiting" in told[0]
        with clusters.worker(file):
            assert cluster.run([Short(tmp_path / "late")]) == ["late"]


def test_a_piece_that_dask_gives_up_is_sent_again(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("DASK_DISTRIBUTED__SCHEDULER__ALLOWED_FAILURES", "0")
    file, deaths = tmp_path / "scheduler.json", tmp_path / "deaths"
    deaths.mkdir()
    with clusters.scheduler(file), clusters.worker(file, nanny=True), hb.cluster(str(file)) as cluster:
        assert cluster.run([Deadly(deaths, 1)]) == [1]
