"""A world and a scaling of one's own, each in a file outside the package: lived, evolved and watched together."""

from __future__ import annotations

import json
import re
import shlex
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import hebbarium as hb
from hebbarium.brains import scalings
from hebbarium.cli import main
from hebbarium.tools.errors import BadInput, HebbariumError, RunError
from hebbarium.watch.evolution import Evolving
from hebbarium.watch.page_frames import Camera, about_life
from hebbarium.watch.requests import Wish
from hebbarium.watch.session import Session
from hebbarium.worlds.registry import make_world

DOCS = Path(__file__).parents[2] / "docs" / "scalings.md"
SHORT: dict[str, Any] = {"season_steps": 60, "seasons": 2, "hidden": 4}
RULE = "00+-/0-0+@0.03"


@pytest.fixture(scope="module")
def files(tmp_path_factory: pytest.TempPathFactory) -> tuple[str, str]:
    """What `new-world` writes, and the scaling that the docs show."""
    folder = tmp_path_factory.mktemp("own")
    world, scaling = folder / "pond.py", folder / "half.py"
    hb.new_world("pond", world)
    code = re.search(r"```python\n(# half\.py.*?)```", DOCS.read_text(encoding="utf-8"), re.DOTALL)
    assert code is not None
    scaling.write_text(code[1], encoding="utf-8")
    return str(world), str(scaling)


def lengths(layers: Any) -> np.ndarray:
    """Of each neuron's incoming weights. layers: each [..., post, pre]"""
    return np.concatenate([np.linalg.norm(layer, axis=-1).ravel() for layer in layers])


def test_they_live(files: tuple[str, str], tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    world, scaling = files
    lives = hb.live(world, RULE, scaling=scaling, lifetimes=3, seed=5, **SHORT)
    words = ["live", world, f"--rule={RULE}", "--scaling", scaling, "--lifetimes=3", "--seed=5", "--json", "-q"]
    words += [
        *(f"--{name.replace('_', '-')}={value}" for name, value in SHORT.items()),
        "--save",
        str(tmp_path / "a.npz"),
    ]
    assert main(words) == 0
    told = json.loads(capsys.readouterr().out)
    assert told["digest"] == lives.digest
    assert told["settings"]["scaling"].startswith(f"{Path(scaling).resolve()}#")
    grown = hb.Networks.load(tmp_path / "a.npz")
    assert np.allclose(lengths(grown.layers), 0.5)


def test_they_evolve_and_are_watched(files: tuple[str, str], tmp_path: Path) -> None:
    world, scaling = files
    small = {"evaluations": 6, "lifetimes": 2, "top": 2, "rescore": 2, "threads": 1, "out": tmp_path / "run"}
    run = hb.evolve(world, "random", scaling=scaling, **SHORT, **small)
    record = run.evaluations("search")[0]
    again = hb.live(world, record.rule, scaling=scaling, lifetimes=2, seed=record.seed, **SHORT)
    assert again.life_fitness.tolist() == list(record.scores)
    best = Evolving(run.folder, world).best()
    assert best["scaling"] == run.configuration["scaling"]
    session = Session(Wish.of(best), {"pond": make_world(world)})
    session.advance(50)
    assert np.allclose(lengths(layer.T for layer in session.layers), 0.5)
    assert len(Camera(session).frame()["weights"]) == 2
    assert shlex.split(about_life(session)["typed"]) == [world]  # in the command that lives the same life


def test_a_run_alone_executes_no_scaling(
    files: tuple[str, str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    world, scaling = files
    small = {"evaluations": 2, "lifetimes": 1, "top": 1, "rescore": 0, "threads": 1}
    for seed in (1, 2):
        hb.evolve(world, "random", scaling=scaling, seed=seed, out=tmp_path / f"run{seed}", **SHORT, **small)
    runs = [str(tmp_path / f"run{seed}") for seed in (1, 2)]
    monkeypatch.setattr(scalings, "_LOADED", {})  # as in a new process
    for words in (["merge", *runs], ["watch", runs[0], "--no-open"]):
        assert main([*words, "--world", world]) == 2
        assert "its code is executed only if you name it" in capsys.readouterr().err
    (tmp_path / "elsewhere").mkdir()
    elsewhere = tmp_path / "elsewhere" / "half.py"
    elsewhere.write_text(Path(scaling).read_text(encoding="utf-8"), encoding="utf-8")
    merged = hb.merge(*runs, out=tmp_path / "merged", world=world, scaling=str(elsewhere))
    assert merged.configuration["runs"] == 2
    other = tmp_path / "other.py"
    other.write_text("# another one\n" + elsewhere.read_text(encoding="utf-8"), encoding="utf-8")
    monkeypatch.setattr(scalings, "_LOADED", {})
    with pytest.raises(RunError, match="executed only if you name it"):
        hb.merge(*runs, out=tmp_path / "again", world=world, scaling=str(other))


def test_an_edited_scaling_is_another_one(files: tuple[str, str], tmp_path: Path) -> None:
    world, scaling = files
    edited = tmp_path / "half.py"
    edited.write_text(Path(scaling).read_text(encoding="utf-8"), encoding="utf-8")
    small = {"evaluations": 2, "lifetimes": 1, "top": 1, "rescore": 0, "threads": 1, "out": tmp_path / "run"}
    hb.evolve(world, "random", scaling=str(edited), **SHORT, **small)
    edited.write_text(edited.read_text(encoding="utf-8").replace("0.5 /", "0.25 /"), encoding="utf-8")
    with pytest.raises(HebbariumError, match="scaling"):
        hb.evolve(world, "random", scaling=str(edited), **SHORT, **small)
    edited.write_text("scale = 3\n", encoding="utf-8")
    with pytest.raises(BadInput, match="no function `scale`"):
        hb.live(world, RULE, scaling=str(edited), lifetimes=1, **SHORT)


@pytest.mark.parametrize(
    ("body", "told"),
    [
        ("weights[0, 0] = 'a'", "line 6, in scale: ValueError: could not convert"),
        ("weights[0, 0] = sorted([eta], key=abs)[0]", "line 6: this cannot be compiled"),
        ("weights[0, 0] = 1.0 / (eta - eta)", "no numbers \\(number of changes so far: 1\\)|ZeroDivisionError"),
        ("weights *= 1e10", "no numbers \\(number of changes so far: 3"),
        ("weights[0, 9] = 1.0", "line 6, in scale: IndexError"),
        ("raise ValueError('no')", "line 6, in scale: ValueError: no"),
        ("weights[0, 0] += 1e-12 * np.random.random()", "line 4: scale does something else each time"),
        ("weights[:, 3] /= np.abs(weights[:, 3]).sum()", "no numbers \\(number of changes so far: 1\\)"),
        ("post[0] = 7.0", "line 4: scale must change the weights only"),
    ],
)
def test_one_that_does_not_work_is_refused_with_its_line(body: str, told: str, tmp_path: Path) -> None:
    file = tmp_path / "bad.py"
    head = "import numpy as np; from hebbarium.world import compiled\n\n\n@compiled\n"
    file.write_text(f"{head}def scale(weights, post, eta, rows, room):\n    {body}\n", encoding="utf-8")
    with pytest.raises(BadInput, match=rf"bad\.py, line \d.*({told})|bad\.py, {told}"):
        hb.live("foraging", RULE, scaling=str(file), lifetimes=1, **SHORT)
    file.write_text(f"{head}def scale(weights, post):\n    pass\n", encoding="utf-8")
    with pytest.raises(BadInput, match=r"bad\.py, line 4: scale must take \(weights, post, eta, rows, room\)"):
        hb.live("foraging", RULE, scaling=str(file), lifetimes=1, **SHORT)


@pytest.mark.parametrize(
    ("body", "told"),
    [
        ("weights[0, 3] = 1e308 * 1e10", r"bad\.py, line 4: scale has left weights that are no numbers .* by step 60 "),
        ("weights[:, 0] = np.nan", r"bad\.py, line 4: scale has left weights that are no numbers .* by step 60 "),
        ("post[0] = 7.0", r"bad\.py, line 4: scale must change the weights only, but writes to post"),
        ("weights[0, 0] = np.random.random()", r"bad\.py, line 4: .* random numbers of random are not allowed"),
        ("weights[10**8, 0] = 1.0", r"bad\.py, line 7, in scale: IndexError"),
    ],
)
def test_one_that_does_not_work_in_larger_layers_is_refused(body: str, told: str, tmp_path: Path) -> None:
    """Larger than those in which it is tried before the first life."""
    file = tmp_path / "bad.py"
    head = "import numpy as np; from hebbarium.world import compiled\n\n\n@compiled\n"
    late = f"def scale(weights, post, eta, rows, room):\n    if weights.shape[0] > 5:\n        {body}\n"
    file.write_text(head + late, encoding="utf-8")
    with pytest.raises(BadInput, match=told):
        hb.live("foraging", "00+-/0-0+@0.9", scaling=str(file), lifetimes=1, **SHORT)
