"""Every study killed in the middle of a commit, at the very write: SQLite's own system call is replaced by one that
counts the writes to the run's file, and ends the process at one of them. Pages are written to the file only once the
journal is on the disk, so each such kill leaves a journal behind.
"""

from __future__ import annotations

import contextlib
import ctypes
import io
import json
import os
import random
import signal
import tempfile
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

from attacks.base import Tally
from kill import Rows, rows

LIFE = "--season-steps 40 --seasons 2 --seed 5"
SEARCH = "--individuals 4 --elites 1 --lifetimes 1 --max-generations 2 --top 2 --rescore 2"
STUDIES = {
    "evolve": f"evolve association {LIFE} {SEARCH} --search genetic --runs 2 --out {{run}}",
    "atlas": f"atlas association {LIFE} --limit 12 --etas 0.01,0.04,0.16 --effort 0.1 --out {{run}}",
    "phases": f"atlas association {LIFE} --over hidden=2,3 --limit 3 --etas 0.01,0.04 --effort 0.1 --out {{run}}",
    "reproduce": "reproduce seasons --scale quick --seed 5 --out {run}",
    "lifelong": f"lifelong association 00+-/0000@0.04 {LIFE} --lifetimes 5 --out {{run}}",
    "lifelong in a maze": f"lifelong t-maze 00+-/0000@0.04 {LIFE} --lifetimes 5 --agent random --out {{run}}",
    "transfer": "transfer 00+-/0000@0.04 --tasks t-maze association --lifetimes 4 --budget 80 --seed 5 --out {run}",
    "merge": "merge {one} {two} --out {run}",
}
"""Small ones."""
PLACES = ("run", "report", "done", "seconds")
"""What differs between two folders, or tells how much was lived this time."""


class Vfs(ctypes.Structure):
    """The beginning of `sqlite3_vfs`, up to what replaces system calls."""

    _fields_ = (
        [(name, ctypes.c_int) for name in ("version", "file", "longest_path")]
        + [(name, ctypes.c_void_p) for name in ("next", "name", "data")]
        + [(f"call{number}", ctypes.c_void_p) for number in range(13)]
        + [("set_system_call", ctypes.CFUNCTYPE(ctypes.c_int, ctypes.c_void_p, ctypes.c_char_p, ctypes.c_void_p))]
    )


PWRITE = ctypes.CFUNCTYPE(ctypes.c_ssize_t, ctypes.c_int, ctypes.c_void_p, ctypes.c_size_t, ctypes.c_longlong)


@contextlib.contextmanager
def counted_writes(kill_at: int | None = None) -> Iterator[list[int]]:
    """Within the block the writes to a run's file are counted; instead of one of them the process ends."""
    import _sqlite3

    library, libc = ctypes.CDLL(_sqlite3.__file__), ctypes.CDLL(None, use_errno=True)
    library.sqlite3_vfs_find.restype = ctypes.POINTER(Vfs)
    vfs = library.sqlite3_vfs_find(None)
    real = PWRITE(("pwrite64", libc))
    count = [0]

    def write(descriptor: int, data: int, size: int, offset: int) -> int:
        if os.readlink(f"/proc/self/fd/{descriptor}").endswith("run.sqlite"):
            count[0] += 1
            if count[0] == kill_at:
                os.kill(os.getpid(), signal.SIGKILL)
        return int(real(descriptor, data, size, offset))

    ours = PWRITE(write)
    names = (b"pwrite64", b"pwrite")
    for name in names:
        vfs.contents.set_system_call(vfs, name, ctypes.cast(ours, ctypes.c_void_p))
    try:
        yield count
    finally:
        for name in names:
            vfs.contents.set_system_call(vfs, name, None)  # back to the system's own


def words_of(study: str, place: Path, name: str) -> list[str]:
    """The command, whose run has this name in the place; `merge` finds two runs there."""
    paths = {word: str(place / word) for word in ("one", "two")}
    return [*STUDIES[study].format(run=place / name, **paths).split(), "--json", "-q"]


def said(words: Sequence[str]) -> dict[str, Any]:
    """What a command prints as JSON, but for places."""
    from hebbarium.cli import main as hebbarium

    out, err = io.StringIO(), io.StringIO()
    with contextlib.redirect_stdout(out), contextlib.redirect_stderr(err):
        code = hebbarium(list(words))
    assert code == 0, f"{' '.join(words)}: {err.getvalue()}"
    return without_places(json.loads(out.getvalue()))  # type: ignore[no-any-return]


def without_places(value: Any) -> Any:
    """What was printed, but for what differs between two folders."""
    if isinstance(value, list):
        return [without_places(one) for one in value]
    if isinstance(value, dict):
        return {name: without_places(one) for name, one in value.items() if name not in PLACES}
    return value


def prepare(study: str, place: Path) -> None:
    """What the study needs to be there already."""
    if study == "merge":
        for seed, name in ((7, "one"), (8, "two")):
            said(
                f"evolve association {LIFE[:-1]}{seed} {SEARCH} --search genetic --out {place / name} --json -q".split()
            )


def killed(words: Sequence[str], write: int) -> bool:
    """Run a command in a process that is killed at that write. Whether it came to it."""
    child = os.fork()
    if child == 0:
        with contextlib.suppress(BaseException), counted_writes(write):
            said(words)
        os._exit(0)
    return os.WTERMSIG(os.waitpid(child, 0)[1]) == signal.SIGKILL


def attack(study: str, kills: int, seed: int, place: Path) -> Tally:
    """Uninterrupted, then again, then killed so many times and resumed."""
    tally, draw = Tally(f"killed within a commit: {study}"), random.Random(seed)
    prepare(study, place)
    with counted_writes() as count:
        whole = said(words_of(study, place, "whole"))
    sound = rows(place / "whole")
    assert sound
    if said(words_of(study, place, "whole")) != whole:
        tally.problem(study, "rerun, it prints something else")
    for number in range(-(-kills // 2)):
        words, run = words_of(study, place, f"killed-{number}"), place / f"killed-{number}"
        held: Rows = {}
        # Somewhere in the whole work, and soon after it is resumed: both in the same folder. Every other time it is
        # then resumed without anyone having read it: who reads first undoes what the kill left half-written.
        for write, is_read in ((draw.randint(1, count[0] - 1), True), (draw.randint(1, 9), number % 2 == 1)):
            if not killed(words, write):
                tally.outcomes["ended before"] += 1
            elif any(run.rglob("run.sqlite-journal")):
                tally.outcomes["journal left"] += 1
            else:
                tally.problem(study, f"no journal is left by a kill at write {write}")
            if not is_read:
                continue
            before, held = held, rows(run)
            if not before.items() <= held.items() <= sound.items():
                tally.problem(study, f"a kill at write {write} has lost or changed something")
        if said(words) != whole or rows(run) != sound:
            tally.problem(study, "resumed, it is something else")
    return tally


def attack_all(kills: int, seed: int) -> Iterator[Tally]:
    """So many kills in all, of every study."""
    for study in STUDIES:
        with tempfile.TemporaryDirectory(prefix="hebbarium-attack-") as place:
            yield attack(study, -(-kills // len(STUDIES)), seed, Path(place))
