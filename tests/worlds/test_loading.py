"""Worlds of one's own, by file, module and entry point, in Python and on the command line, compiled once."""

from __future__ import annotations

import importlib
import json
import os
import pickle
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import numpy as np
import pytest

import hebbarium as hb
from hebbarium.cli import main
from hebbarium.worlds import loading, pond

SOURCE = Path(pond.__file__).read_text(encoding="utf-8")
LIFE = ["--rule", "000-/0000@0.04", "--lifetimes", "3", "--season-steps", "60"]
SPLIT = {
    "pond.py": SOURCE.replace("FLY if season == SUMMER else WORM", "deep.wanted_in(season)").replace(
        "import numpy as np\n", "import numpy as np\nimport deep\n"
    ),
    "deep.py": "from hebbarium.world import compiled\nfrom deeper import FLY\n\n\n"
    "@compiled\ndef wanted_in(season):\n    return FLY + season\n",
    "deeper.py": "FLY = 1\n",
}
"""The same in three files that import each other."""


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "pond.py").write_text(SOURCE, encoding="utf-8")
    return tmp_path


def lived(task: str | hb.World) -> np.ndarray:
    return hb.live(task, "000-/0000@0.04", lifetimes=3, season_steps=60).counts


def test_by_file_module_and_class(folder: Path) -> None:
    (folder / "waters").mkdir()
    (folder / "waters" / "still.py").write_text(SOURCE.replace("class Pond(", "class Still(", 1), encoding="utf-8")
    expected = lived(pond.Pond())
    assert expected.sum() > 0
    for task in (
        "./pond.py",
        "pond.py",
        str(folder / "pond.py"),
        "./pond.py:Pond",
        "waters.still",
        "waters.still:Still",
    ):
        assert np.array_equal(lived(task), expected), task


def test_by_entry_point(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """An installed package says what it has in its metadata."""
    about = folder / "waters-1.0.dist-info"
    about.mkdir()
    (about / "METADATA").write_text("Metadata-Version: 2.1\nName: waters\nVersion: 1.0\n")
    (about / "entry_points.txt").write_text("[hebbarium.worlds]\nlake = lakes.small:Pond\n")
    (folder / "lakes").mkdir()
    (folder / "lakes" / "small.py").write_text(SOURCE, encoding="utf-8")
    monkeypatch.syspath_prepend(str(folder))
    loading.entry_points.cache_clear()
    try:
        assert hb.make_world("lake").origin == "lakes.small:Pond"
        assert main(["live", "lake", *LIFE, "--json"]) == 0
        with pytest.raises(hb.BadInput, match="did you mean 'lake'"):
            hb.make_world("lak")
    finally:
        loading.entry_points.cache_clear()


@pytest.mark.parametrize("name", ["fen", "bog"])
def test_an_entry_point_may_be_a_module_that_is_called_the_same(
    name: str, folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A run finds such a world again."""
    about = folder / "fens-1.0.dist-info"
    about.mkdir()
    (about / "METADATA").write_text("Metadata-Version: 2.1\nName: fens\nVersion: 1.0\n")
    (about / "entry_points.txt").write_text("[hebbarium.worlds]\nfen = fen\nbog = fen:Pond\n")
    (folder / "fen.py").write_text(SOURCE, encoding="utf-8")
    monkeypatch.syspath_prepend(str(folder))
    loading.entry_points.cache_clear()
    try:
        world = hb.make_world(name)
        assert world.name == "pond"
        assert pickle.loads(pickle.dumps(world)) == world
    finally:
        loading.entry_points.cache_clear()
        sys.modules.pop("fen", None)


def test_threads_that_load_a_file_at_the_same_time_get_the_same_world(folder: Path) -> None:
    (folder / "slow.py").write_text(SOURCE.replace("LEFT, RIGHT", "import time\n\ntime.sleep(0.3)\nLEFT, RIGHT", 1))
    path = list(sys.path)
    with ThreadPoolExecutor(4) as pool:
        worlds = list(pool.map(hb.make_world, ["./slow.py"] * 4))
    assert len({type(world) for world in worlds}) == 1
    assert sys.path == path


def test_a_file_never_takes_the_place_of_an_installed_module(folder: Path) -> None:
    """Whatever it is called, and whatever lies beside it."""
    (folder / "numpy.py").write_text(SOURCE.replace('"pond"', '"still"'), encoding="utf-8")
    (folder / "mire.py").write_text(f"import numpy\n\n{SOURCE}", encoding="utf-8")
    before = sys.modules["numpy"]
    assert hb.make_world("./numpy.py").name == "still"
    assert hb.make_world("./mire.py").name == "pond"
    assert sys.modules["numpy"] is before is np


def test_a_module_that_was_imported_from_the_file_stays(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.syspath_prepend(str(folder))
    (folder / "tarn.py").write_text(SOURCE, encoding="utf-8")
    module = importlib.import_module("tarn")
    try:
        hb.make_world("./tarn.py")
        assert sys.modules["tarn"] is module
    finally:
        del sys.modules["tarn"]


def test_what_cannot_be_found(folder: Path) -> None:
    (folder / "two.py").write_text(f"{SOURCE}\n\nclass Puddle(Pond):\n    pass\n", encoding="utf-8")
    for task, expected in {
        "./lake.py": "cannot read the world lake.py: No such file or directory.",
        "pond": "did you mean the file ./pond.py?",
        "waters.deep": "there is no module 'waters.deep' for a task",
        "./pond.py:Lake": "pond.py has no world 'Lake', only Pond.",
        "./two.py": "several worlds, Pond, Puddle: name one of them, such as two.py:Pond.",
        "foragin": "did you mean 'foraging'?",
    }.items():
        with pytest.raises(hb.BadInput) as caught:
            hb.make_world(task)
        assert expected in str(caught.value)


def test_only_regular_files_are_worlds(folder: Path) -> None:
    """A pipe would be waited for, and a device be read until the memory is full."""
    os.mkfifo(folder / "pipe.py")
    (folder / "zero.py").symlink_to("/dev/zero")
    (folder / "noise.py").write_bytes(b"x = 1\n\0")
    for task, why in {"./pipe.py": "regular file", "./zero.py": "regular file", "./noise.py": "null bytes"}.items():
        with pytest.raises(hb.BadInput, match=f"cannot read the world {task[2:]}: it .*{why}"):
            hb.make_world(task)
        assert main(["watch", str(folder), "--world", task, "--no-open", "--port", "0"]) == 2


def test_an_edit_is_noticed_at_once_even_beside_the_file(folder: Path) -> None:
    before = lived("./pond.py")
    for name, text in SPLIT.items():
        (folder / name).write_text(text, encoding="utf-8")
    assert np.array_equal(lived("./pond.py"), before)
    (folder / "deeper.py").write_text("FLY = 2\n")
    with pytest.raises(hb.BadInput, match="judge gives the signal 1 by association 2, whose signal in summer is -1"):
        lived("./pond.py")


def test_a_world_can_be_sent_and_copied(folder: Path) -> None:
    world = hb.make_world("./pond.py", food=0.3)
    sent = subprocess.run(
        [sys.executable, "-c", "import pickle, sys; print(pickle.load(sys.stdin.buffer).food)"],
        input=pickle.dumps(world),
        capture_output=True,
        check=True,
        cwd="/",
    )
    assert sent.stdout.strip() == b"0.3"
    assert pickle.loads(pickle.dumps(world)) == world


ASK = """
import json, sys
import hebbarium as hb
from hebbarium.life.batch import is_compiled
from hebbarium.life.dispatch import accelerations
from hebbarium.brains.base import Brain
world = hb.make_world("./pond.py")
before = is_compiled(world, rules=[hb.Rule("000-/0000", 0.04)])
if "only ask" in sys.argv:
    sys.exit(print(json.dumps([before])))
counts = hb.live(world, "000-/0000@0.04", lifetimes=3, season_steps=60).counts
advance = accelerations(world, Brain.of(world), False)["seldom"].dispatcher
print(json.dumps([before, sum(advance.stats.cache_hits.values()), counts.sum().item()]))
"""


def start(folder: Path, cache: Path, *words: str) -> list[object]:
    environment = {**os.environ, "HEBBARIUM_CACHE_DIR": str(cache)}
    done = subprocess.run(
        [sys.executable, "-c", ASK, *words], cwd=folder, env=environment, capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr
    answer: list[object] = json.loads(done.stdout)
    return answer


def test_the_second_start_compiles_nothing_unless_something_was_edited(folder: Path, tmp_path: Path) -> None:
    for name, text in SPLIT.items():
        (folder / name).write_text(text, encoding="utf-8")
    cache = tmp_path / "cache"
    first, second = start(folder, cache), start(folder, cache)
    assert (first[:2], second[:2]) == ([False, 0], [True, 1])
    assert first[2] == second[2]
    (folder / "unrelated.py").write_text("nobody imports this")
    assert start(folder, cache, "only ask") == [True]
    (folder / "deeper.py").write_text("FLY = 1  # edited\n")
    assert start(folder, cache, "only ask") == [False]


def test_settings_are_options_with_help(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["live", "./pond.py", "--help-all"]) == 0
    assert "Probability that something drifts on a side." in capsys.readouterr().out
    assert main(["live", "./pond.py", *LIFE, "--food", "0.2", "--json"]) == 0
    told = json.loads(capsys.readouterr().out)
    assert told["task"] == "pond"
    assert told["settings"] == {"season_steps": 60, "food": 0.2}
    assert main(["live", "./pond.py", *LIFE, "--food", "2"]) == 2
    assert "food is 2, but must be a number from 0 to 1" in capsys.readouterr().err
    assert main(["live", "./pond.py", *LIFE, "--foood", "2"]) == 2
    assert "did you mean --food?" in capsys.readouterr().err
