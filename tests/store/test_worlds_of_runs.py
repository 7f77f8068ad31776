"""Runs of worlds of one's own: no run names code to execute, and a world's file may be moved."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

import hebbarium as hb
from attacks.worlds import LATER, disguised
from hebbarium.cli import main
from hebbarium.store.world_of_run import remember, world_of_run
from hebbarium.store.writing import Run, Writer
from hebbarium.studies.evolve.page import write_report
from hebbarium.studies.evolve.study import Evolution, asked_for, summary
from hebbarium.tools.errors import BadInput, RunError
from hebbarium.worlds import pond
from hebbarium.worlds.loading import load_as
from small_runs import finished

SOURCE = Path(pond.__file__).read_text(encoding="utf-8")
SMALL = (
    "--season-steps=20", "--search=genetic",
    "--individuals=4", "--elites=1", "--lifetimes=1", "--max-generations=1", "--top=2",
    "--rescore=2", "--hidden=3", "--threads=1",
)  # fmt: skip


def hebbarium(*words: object, cwd: Path) -> subprocess.CompletedProcess[str]:
    """In a process of its own, which has loaded no world yet."""
    command = [sys.executable, "-m", "hebbarium", *map(str, words)]
    return subprocess.run(command, cwd=cwd, capture_output=True, text=True, check=False)


@pytest.fixture(scope="module")
def place(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Two runs of the world in there/pond.py, which lies in here/pond.py now."""
    folder = tmp_path_factory.mktemp("ponds")
    (folder / "there").mkdir()
    (folder / "there" / "pond.py").write_text(SOURCE, encoding="utf-8")
    for seed in (1, 2):
        made = hebbarium("evolve", "there/pond.py", *SMALL, "--seed", seed, "--out", f"P{seed}", cwd=folder)
        assert made.returncode == 0, made.stderr
    (folder / "there").rename(folder / "here")
    return folder


@pytest.fixture
def evil(tmp_path: Path) -> Path:
    """A run that names a file as its world, with the right hash of it."""
    finished(tmp_path / "run")
    return disguised(tmp_path / "run", tmp_path / "done")


@pytest.mark.parametrize(
    "read",
    [
        lambda run: Run.open(run).table("lifetimes"),
        lambda run: Run.open(run).frame("lifetimes"),
        lambda run: asked_for(Run.open(run)),
        lambda run: summary(Run.open(run)),
        lambda run: write_report(Run.open(run)),
        lambda run: hb.merge(run, run),
        lambda run: Evolution.of_configuration(Run.open(run).configuration),
    ],
)
def test_no_run_names_code_to_execute(evil: Path, read: Callable[[Path], Any]) -> None:
    with pytest.raises(RunError, match="is executed only if you name it"):
        read(evil)
    assert not (evil.parent / "done").exists()


@pytest.mark.parametrize("verb", LATER)
def test_no_command_does(evil: Path, verb: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main([*LATER[verb](evil)]) == 2
    assert len(capsys.readouterr().err.splitlines()) == 1
    assert not (evil.parent / "done").exists()


def test_other_code_is_refused_before_it_is_executed(evil: Path, tmp_path: Path) -> None:
    """Also where the user names it: it is not what the run was made with."""
    run, other = Run.open(evil), tmp_path / "other.py"
    other.write_text(f"open({str(tmp_path / 'done')!r}, 'w')")
    for place in (str(other), f"{other}:Evil"):
        with pytest.raises(RunError, match="has been edited since the run began"):
            run.table("lifetimes", world=place)
        with pytest.raises(RunError, match="has been edited since the run began"):
            hb.merge(evil, evil, world=place)
    assert not (tmp_path / "done").exists()


def test_a_module_is_compared_before_it_is_imported(
    evil: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    package = tmp_path / "others"
    package.mkdir()
    for name in ("__init__.py", "lake.py"):
        (package / name).write_text(f"open({str(tmp_path / 'done')!r}, 'w')")
    monkeypatch.chdir(tmp_path)
    with pytest.raises(RunError, match="has been edited since the run began"):
        Run.open(evil).table("lifetimes", world="others.lake")
    assert not (tmp_path / "done").exists()
    with pytest.raises(RunError, match=r"cannot be loaded from others\.sea"):
        Run.open(evil).table("lifetimes", world="others.sea")


def test_functions_that_a_run_names_are_not_called(tmp_path: Path) -> None:
    pytest.importorskip("gymnasium")
    for settings in ({"env": "os:abort"}, {"encode": "os:abort"}, {"env": "antigravity:1-1"}):
        with pytest.raises(RunError, match="executed only if you name it"):
            world_of_run({"task": "gymnasium", "task_settings": settings})
    remember(hb.GymTask("CartPole-v1", "quantiles:4"))
    assert world_of_run({"task": "gymnasium", "task_settings": {"encode": "quantiles:2"}}).encode == "quantiles:2"


def test_names_are_kept_so_that_tables_need_no_world(place: Path, tmp_path: Path) -> None:
    code = (
        "import sys, hebbarium as hb; row = hb.Run.open(sys.argv[1]).table('lifetimes')[0]; print(*list(row)[-8:]);"
        "assert not [name for name in sys.modules if name.startswith('hebbarium_world_')]"
    )
    read = subprocess.run([sys.executable, "-c", code, place / "P1"], capture_output=True, text=True, check=False)
    assert read.stdout.split()[:3] == ["summer1_flies", "summer1_worms", "winter1_flies"], read.stderr
    exported = hebbarium("export", place / "P1", "--what", "lifetimes", "--to", tmp_path / "t.csv", cwd=tmp_path)
    assert exported.returncode == 0, exported.stderr


def test_a_world_that_moved_is_used_where_it_is_named(place: Path, tmp_path: Path) -> None:
    copy = Path(shutil.copytree(place / "P1", tmp_path / "P1"))
    again = hebbarium("evolve", place / "here/pond.py", *SMALL, "--seed", 1, "--out", copy, "--json", cwd=tmp_path)
    assert again.returncode == 0, again.stderr
    assert f"{copy} was finished on" in again.stderr
    result = json.loads(again.stdout)
    assert (result["digest"], result["task_origin"]) == (Run.open(copy).digest(), str(place / "here/pond.py"))
    more = hebbarium("evolve", place / "here/pond.py", *SMALL, "--runs", 2, "--out", copy, "--json", cwd=tmp_path)
    assert more.returncode == 0, more.stderr
    assert Run.open(copy).configuration["task_origin"] == str(place / "here/pond.py")


def test_whereabouts_are_refreshed_when_a_run_goes_on(tmp_path: Path) -> None:
    configuration = {"task": "pond", "task_origin": "/there/pond.py", "task_sources": "0123", "seed": 1}
    Writer.begin(tmp_path, "lifelong", configuration).close()
    with Writer.begin(tmp_path, "lifelong", {**configuration, "task_origin": "/here/pond.py"}) as writer:
        assert writer.configuration == {**configuration, "task_origin": "/here/pond.py"}
    with pytest.raises(RunError, match="started with other code of the world pond"):
        Writer.begin(tmp_path, "lifelong", {**configuration, "task_sources": "4567"})


def test_runs_of_a_world_of_ones_own_are_merged(place: Path, tmp_path: Path) -> None:
    words = ["merge", place / "P1", place / "P2", "--out", tmp_path / "merged", "--json"]
    refused = hebbarium(*words, cwd=tmp_path)
    assert refused.returncode == 2
    assert f"add --world {place / 'there/pond.py'}" in refused.stderr
    (tmp_path / "other.py").write_text(f"{SOURCE}\n# edited\n", encoding="utf-8")
    refused = hebbarium(*words, "--world", "other.py", cwd=tmp_path)
    assert refused.returncode == 2
    assert "has been edited since the run began" in refused.stderr
    merged = hebbarium(*words, "--world", os.path.relpath(place / "here/pond.py", tmp_path), cwd=tmp_path)
    assert merged.returncode == 0, merged.stderr
    assert json.loads(merged.stdout)["seed"] == [1, 2]


def test_a_world_may_be_given_itself(place: Path, tmp_path: Path) -> None:
    world = hb.make_world(str(place / "here/pond.py"))
    assert hb.merge(place / "P1", place / "P2", out=tmp_path / "merged", world=world).finished
    assert asked_for(Run.open(place / "P1")).world.season_steps == 20  # this process has it now
    with pytest.raises(RunError, match="was made in the world pond, not in foraging"):
        asked_for(Run.open(place / "P1"), "foraging")
    with pytest.raises(RunError, match="was made in the world pond, not in foraging"):
        asked_for(Run.open(place / "P1"), hb.make_world("foraging"))


def test_a_world_of_the_package_needs_no_other(tmp_path: Path) -> None:
    run = finished(tmp_path / "run")
    with pytest.raises(RunError, match="leave --world out"):
        run.table("lifetimes", world="./pond.py")


def test_a_file_that_is_not_there_is_told(place: Path) -> None:
    about = Run.open(place / "P1").configuration
    with pytest.raises(RunError, match=r"the world pond cannot be loaded from nowhere\.py: cannot read"):
        load_as(about, "nowhere.py", {})
    with pytest.raises((RunError, BadInput)):
        load_as(about, "nowhere", {})
