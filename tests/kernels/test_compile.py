"""Compiled code is kept between starts, and no fault of the disk is ever a fault of the program.

Each test starts Python anew, as only that looks at what an earlier start left behind. The kernel in
question is a small one of its own, put into a copy of the package, so that it compiles in a moment.
"""

from __future__ import annotations

import grp
import json
import os
import pwd
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

import hebbarium
from attacks import kernels
from hebbarium.kernels.cache import _is_private

KERNEL = """
from hebbarium.kernels.called import grow
from hebbarium.kernels.compile import kernel

@kernel
def total(count):
    result = 0
    for i in range(count):
        result += grow(i)
    return result
"""
CALLED = """
from hebbarium.kernels.compile import inlined
from hebbarium.worlds.grid import RIGHT

@inlined
def grow(i):
    return i + RIGHT
"""
ASK = """
import json
from hebbarium.kernels.cache import cache_folder
from hebbarium.kernels.small import total
print(json.dumps({
    "total": total(10),
    "loaded": sum(total.dispatcher.stats.cache_hits.values()),
    "folder": str(folder) if (folder := cache_folder(total.sources)) else None,
}))
"""
ASK_THE_TOTAL = "from hebbarium.kernels.small import total; print(f'{{\"total\": {total(10)}}}')"
ASK_THE_TASKS = """
import json
from hebbarium.life.batch import is_compiled
from hebbarium.worlds.registry import WORLDS, make_world
print(json.dumps({name: is_compiled(make_world(name)) for name in WORLDS}))
"""


@pytest.fixture(scope="module")
def package(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder to import a copy of the package from, with the small kernel in it."""
    copy = tmp_path_factory.mktemp("source") / "hebbarium"
    shutil.copytree(Path(hebbarium.__file__).parent, copy, ignore=shutil.ignore_patterns("__pycache__"))
    (copy / "kernels" / "small.py").write_text(KERNEL)
    (copy / "kernels" / "called.py").write_text(CALLED)
    return copy


@pytest.fixture(scope="module")
def kept(package: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """What a first start leaves behind; not to be changed."""
    cache = tmp_path_factory.mktemp("kept")
    first = start(package, cache)
    assert (first["total"], first["loaded"]) == (65, 0)
    assert str(first["folder"]).startswith(str(cache))
    return cache


@pytest.fixture
def cache(kept: Path, tmp_path: Path) -> Path:
    return Path(shutil.copytree(kept, tmp_path / "cache"))


def start(package: Path, cache: Path | None, ask: str = ASK, **variables: str) -> dict[str, object]:
    """What a fresh Python finds."""
    environment = {**os.environ, "PYTHONPATH": str(package.parent), "PYTHONDONTWRITEBYTECODE": "1", **variables}
    environment.pop("HEBBARIUM_CACHE_DIR", None)
    if cache is not None:
        environment["HEBBARIUM_CACHE_DIR"] = str(cache)
    done = subprocess.run([sys.executable, "-c", ask], env=environment, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    assert done.stderr == ""
    answer: dict[str, object] = json.loads(done.stdout)
    return answer


def kept_files(cache: Path, ending: str) -> list[Path]:
    return sorted(cache.rglob(f"*small.total*{ending}"))


def test_the_second_start_compiles_nothing(package: Path, cache: Path) -> None:
    second = start(package, cache)
    assert (second["total"], second["loaded"]) == (65, 1)


def test_a_first_start_knows_that_it_must_compile(package: Path, tmp_path: Path) -> None:
    assert start(package, tmp_path, ASK_THE_TASKS) == dict.fromkeys(hebbarium.WORLDS, False)


@pytest.mark.parametrize(
    ("ending", "damage"),
    [("nbi", "empty"), ("nbi", "truncated"), ("nbc", "truncated"), ("nbc", "foreign"), ("nbc", "missing")],
)
def test_a_damaged_file_is_made_anew(package: Path, cache: Path, ending: str, damage: str) -> None:
    (file,) = kept_files(cache, ending)
    whole = file.read_bytes()
    file.unlink()
    if damage != "missing":
        file.write_bytes({"empty": b"", "truncated": whole[: len(whole) // 2], "foreign": b"hello" * 100}[damage])
    assert start(package, cache)["total"] == 65
    assert start(package, cache)["loaded"] == 1
    assert len(kept_files(cache, "nbc")) == 1


def test_no_flipped_bit_is_run(package: Path) -> None:
    """A small sample of benchmarks/attack.py: bits of checksum, index and machine code."""
    variables = {"PYTHONPATH": str(package.parent), "PYTHONDONTWRITEBYTECODE": "1"}
    tally = kernels.attack(4, 7, [sys.executable, "-c", ASK_THE_TOTAL], variables)
    assert tally.problems == []
    assert tally.outcomes == {"compiled anew": 4}


@pytest.mark.parametrize("ending", ["nbi", "nbc"])
def test_a_file_that_cannot_be_replaced_is_done_without(package: Path, cache: Path, ending: str) -> None:
    (file,) = kept_files(cache, ending)
    file.unlink()
    file.mkdir()
    assert start(package, cache)["total"] == 65


@pytest.mark.parametrize(
    ("file", "before", "after", "total"),
    [
        ("kernels/small.py", "result += grow(i)", "result += 2 * grow(i)", 130),
        ("kernels/called.py", "i + RIGHT", "i - RIGHT", 25),
        ("worlds/grid.py", "LEFT, STRAIGHT, RIGHT = range(3)", "LEFT, STRAIGHT, RIGHT = range(1, 4)", 75),
    ],
)
def test_an_edit_is_noticed(package: Path, cache: Path, file: str, before: str, after: str, total: int) -> None:
    """In the kernel, in a function it calls, in a constant that it holds."""
    source = package / file
    written = source.read_text()
    assert before in written
    source.write_text(written.replace(before, after))
    try:
        assert start(package, cache)["total"] == total
    finally:
        source.write_text(written)


def test_an_edit_elsewhere_and_another_place_compile_nothing(package: Path, cache: Path, tmp_path: Path) -> None:
    moved = Path(shutil.copytree(package, tmp_path / "elsewhere" / "hebbarium"))
    with (moved / "worlds" / "foraging.py").open("a") as file:
        file.write("MORE = 1\n")
    assert start(moved, cache)["loaded"] == 1


def test_fields_that_change_places_are_noticed(package: Path, cache: Path) -> None:
    """A kernel does not import the module of the named tuples that it is given."""
    (package / "kernels" / "field.py").write_text(
        "from hebbarium.kernels.compile import kernel\n\n@kernel\ndef first(pair):\n    return pair.first\n"
    )
    ask = """
from hebbarium.kernels.field import first
from hebbarium.kernels.pairs import Pair
print(f'{{"total": {first(Pair(first=1, second=2))}}}')
"""
    for fields in ("first second", "second first"):
        (package / "kernels" / "pairs.py").write_text(
            f"from collections import namedtuple\n\nPair = namedtuple('Pair', '{fields}')\n"
        )
        assert start(package, cache, ask) == {"total": 1}


def test_without_a_folder_everything_still_works(package: Path, tmp_path: Path) -> None:
    """A file where the folder should be: nobody, not even root, can write there."""
    (tmp_path / "file").write_text("in the way")
    for cache in (tmp_path / "file", tmp_path / "file" / "below"):
        answer = start(package, cache)
        assert answer == {"total": 65, "loaded": 0, "folder": None}
    answer = start(package, None, HOME=str(tmp_path / "file"), XDG_CACHE_HOME=str(tmp_path / "file"))
    assert answer == {"total": 65, "loaded": 0, "folder": None}


@pytest.mark.skipif(os.geteuid() == 0, reason="root may write anywhere")
def test_a_folder_that_may_not_be_written(package: Path, tmp_path: Path) -> None:
    cache = tmp_path / "cache"
    cache.mkdir(mode=0o500)
    assert start(package, cache)["folder"] is None


@pytest.mark.parametrize("which", ["base", "kernels"])
@pytest.mark.parametrize("change", ["writable by everybody", "writable by a group", "somebody else's"])
def test_a_folder_that_others_may_write_is_not_used(package: Path, cache: Path, which: str, change: str) -> None:
    """What is kept there is run."""
    (within,) = cache.glob("kernels-*")
    folder = cache if which == "base" else within
    if change == "writable by everybody":
        folder.chmod(0o777)
    elif os.geteuid() != 0:
        pytest.skip("only root gives a folder away")
    elif change == "writable by a group":
        os.chown(folder, -1, 65534)
        folder.chmod(0o770)
    else:
        os.chown(folder, 65534, -1)
    assert start(package, cache) == {"total": 65, "loaded": 0, "folder": None}


def test_folders_are_private_where_others_are_not(package: Path, tmp_path: Path) -> None:
    """Many systems let the group write whatever is made."""
    first = start(package, tmp_path / "new" / "cache", f"import os; os.umask(0o002){ASK}")
    folder = Path(str(first["folder"]))
    assert [one.stat().st_mode & 0o777 for one in (folder.parent, folder)] == [0o700, 0o700]
    assert start(package, tmp_path / "new" / "cache")["loaded"] == 1


def test_a_group_of_ones_own_may_write(monkeypatch: pytest.MonkeyPatch) -> None:
    """Folders of earlier versions are such, where every user has a group of their own."""
    user = pwd.getpwuid(os.getuid()).pw_name
    for name, members, private in ((user, [], True), (user, [user], True), (user, ["eve"], False), ("all", [], False)):
        group = grp.struct_group((name, "x", 1234, members))
        monkeypatch.setattr(grp, "getgrgid", lambda number, group=group: group)
        assert _is_private(1234) is private


def test_the_users_own_cache_folder_is_used(package: Path, tmp_path: Path) -> None:
    answer = start(package, None, HOME=str(tmp_path), XDG_CACHE_HOME=str(tmp_path / "own"))
    assert str(answer["folder"]).startswith(str(tmp_path / "own" / "hebbarium"))
    assert kept_files(tmp_path / "own", "nbc")
