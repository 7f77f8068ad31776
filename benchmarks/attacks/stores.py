"""Stores damaged at random: finished and unfinished runs of every study.

Bits are flipped, bytes overwritten, pages swapped, files cut short, rows changed or lost behind our back. Then
everything that reads a run reads it, and the command that made it is given again. Each must either refuse it in one
sentence, leaving the file as it is, or give what the undamaged run gives. A run that says it can be repaired is
repaired and finished, and must then equal the undamaged one.
"""

from __future__ import annotations

import contextlib
import io
import json
import random
import shutil
import sqlite3
import tempfile
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from attacks import commits
from attacks.base import Tally
from hebbarium.cli import main as hebbarium
from kill import rows

PAGE = 4096
Damage = Callable[[Path, random.Random], None]
"""Damages a run.sqlite."""


def flip_a_bit(database: Path, draw: random.Random) -> None:
    data = bytearray(database.read_bytes())
    data[draw.randrange(len(data))] ^= 1 << draw.randrange(8)
    database.write_bytes(data)


def overwrite(database: Path, draw: random.Random) -> None:
    data = bytearray(database.read_bytes())
    start = draw.randrange(len(data))
    length = min(len(data) - start, draw.choice([1, 4, 16, 64, 512, PAGE]))
    data[start : start + length] = draw.choice([bytes(length), b"\xff" * length, draw.randbytes(length)])
    database.write_bytes(data)


def change_a_digit(database: Path, draw: random.Random) -> None:
    """Numbers that are still numbers: nothing but a checksum can tell."""
    data = bytearray(database.read_bytes())
    places = [place for place, byte in enumerate(data) if byte in b"0123456789"]
    data[draw.choice(places)] = draw.choice(b"0123456789")
    database.write_bytes(data)


def swap_pages(database: Path, draw: random.Random) -> None:
    data = bytearray(database.read_bytes())
    one, other = (PAGE * draw.randrange(len(data) // PAGE) for _ in range(2))
    data[one : one + PAGE], data[other : other + PAGE] = data[other : other + PAGE], data[one : one + PAGE]
    database.write_bytes(data)


def forget_a_page(database: Path, draw: random.Random) -> None:
    """One becomes a copy of another, as when a disk loses a write."""
    data = bytearray(database.read_bytes())
    one, other = (PAGE * draw.randrange(len(data) // PAGE) for _ in range(2))
    data[one : one + PAGE] = data[other : other + PAGE]
    database.write_bytes(data)


def cut_short(database: Path, draw: random.Random) -> None:
    with database.open("r+b") as file:
        file.truncate(draw.randrange(database.stat().st_size))


def add_garbage(database: Path, draw: random.Random) -> None:
    with database.open("ab") as file:
        file.write(draw.randbytes(draw.choice([1, 100, PAGE, 3 * PAGE])))


def leave_a_journal(database: Path, draw: random.Random) -> None:
    """One that never was: with a header that looks right, or nothing but noise."""
    header = bytes.fromhex("d9d505f920a163d7") if draw.random() < 0.5 else b""
    database.with_name("run.sqlite-journal").write_bytes(header + draw.randbytes(draw.choice([8, 100, 600, 5000])))


def spoil_a_journal(database: Path, draw: random.Random) -> None:
    """What a kill in the middle of a write leaves, and a flipped bit in it."""
    journal = database.with_name("run.sqlite-journal")
    connection = sqlite3.connect(database, isolation_level=None)
    with contextlib.closing(connection):
        connection.execute("PRAGMA cache_size = 1")
        connection.execute("BEGIN IMMEDIATE")
        for table in ("evaluations", "pieces", "results", "about"):
            connection.execute(f"DELETE FROM {table}")
        snapshot = {path: path.read_bytes() for path in (database, journal)}
        connection.execute("ROLLBACK")
    for path, data in snapshot.items():
        path.write_bytes(data)
    flip_a_bit(journal, draw)


@contextlib.contextmanager
def changing(database: Path) -> Iterator[sqlite3.Connection]:
    connection = sqlite3.connect(database)
    with contextlib.closing(connection), connection:
        yield connection


def some_table(connection: sqlite3.Connection, draw: random.Random) -> str:
    names = [name for (name,) in connection.execute("SELECT name FROM sqlite_master WHERE type = 'table'")]
    return str(draw.choice([name for name in names if connection.execute(f"SELECT 1 FROM {name}").fetchone()]))


def key_of(connection: sqlite3.Connection, table: str, draw: random.Random) -> tuple[str, list[Any]]:
    """Where one row is."""
    keys = [row[1] for row in connection.execute(f"PRAGMA table_info({table})") if row[5]]
    rows = connection.execute(f"SELECT {', '.join(keys)} FROM {table}").fetchall()
    return " AND ".join(f"{key} = ?" for key in keys), list(draw.choice(rows))


def change_a_value(database: Path, draw: random.Random) -> None:
    with changing(database) as connection:
        table = some_table(connection, draw)
        where, key = key_of(connection, table, draw)
        column = draw.choice([row[1] for row in connection.execute(f"PRAGMA table_info({table})")])
        values = [0, -1, 2**63 - 1, 0.5, 1e308, "", "x", "[]", "{}", "[1e999]", "[NaN]", "null", b"", b"\xff\xfe"]
        with contextlib.suppress(sqlite3.IntegrityError):
            connection.execute(f"UPDATE {table} SET {column} = ? WHERE {where}", [draw.choice(values), *key])


def lose_a_row(database: Path, draw: random.Random) -> None:
    with changing(database) as connection:
        table = some_table(connection, draw)
        where, key = key_of(connection, table, draw)
        connection.execute(f"DELETE FROM {table} WHERE {where}", key)


def lose_a_table(database: Path, draw: random.Random) -> None:
    with changing(database) as connection:
        table = some_table(connection, draw)
        connection.execute(f"{draw.choice(['DROP TABLE', 'DELETE FROM'])} {table}")


DAMAGES: tuple[Damage, ...] = (
    flip_a_bit, overwrite, change_a_digit, swap_pages, forget_a_page, cut_short, add_garbage, leave_a_journal,
    spoil_a_journal, change_a_value, lose_a_row, lose_a_table,
)  # fmt: skip


@dataclass(frozen=True)
class Case:
    """A run, and the command that made it."""

    name: str
    words: Sequence[str]
    folder: Path
    whole: dict[str, Any]
    """What the command prints of the undamaged run, without where it is."""


def said(words: Sequence[str]) -> tuple[int, str, str]:
    """Exit code, standard output and standard error of a command, run in this process."""
    out, err = io.StringIO(), io.StringIO()
    with contextlib.redirect_stdout(out), contextlib.redirect_stderr(err):
        code = hebbarium([*words, "--json", "--quiet"])
    return code, out.getvalue(), err.getvalue()


def without_place(result: dict[str, Any]) -> dict[str, Any]:
    return {name: value for name, value in result.items() if name not in commits.PLACES}


def damaged(case: Case, damage: Damage, seed: int, place: Path) -> str:
    """What became of a damaged copy: `refused` or `harmless`; raises AssertionError for anything else."""
    draw = random.Random(seed)
    run = place / "run"
    shutil.rmtree(run, ignore_errors=True)
    shutil.copytree(case.folder, run)
    damage(run / "run.sqlite", draw)
    what = f"{damage.__name__} of {case.name}, seed {seed}"
    journal = (run / "run.sqlite-journal").exists()
    before = (run / "run.sqlite").read_bytes()
    for words in (
        ["runs", str(run)],
        ["runs", "--check", str(run)],
        ["export", str(run), "--to", str(place / "t.csv")],
    ):
        check_sentence(*said(words), what)
    assert journal or (run / "run.sqlite").read_bytes() == before, f"{what}: reading changed the file"
    code, out, err = said([*case.words, "--out", str(run)])
    check_sentence(code, out, err, what)
    if code == 0:
        assert without_place(json.loads(out)) == case.whole, f"{what}: unseen, and the result differs"
        return "harmless"
    assert journal or (run / "run.sqlite").read_bytes() == before, f"{what}: refused after the file was changed"
    return repair(case, run, err, what)


def check_sentence(code: int, out: str, err: str, what: str) -> None:
    assert code in (0, 2), f"{what}: exit code {code}: {err}"
    assert "internal error" not in err, f"{what}: {err}"
    assert code == 0 or err.count("\n") <= 1, f"{what}: more than one sentence: {err}"


def repair(case: Case, run: Path, sentence: str, what: str) -> str:
    """Where the sentence offers it, the run is repaired and finished."""
    if "--repair" not in sentence:
        return "refused, nothing to save"
    code, _, err = said(["runs", "--repair", str(run)])
    assert code == 0, f"{what}: not repaired: {err}"
    code, finished, err = said([*case.words, "--out", str(run)])
    assert code == 0, f"{what}: repaired, but refused: {err}"
    assert without_place(json.loads(finished)) == case.whole, f"{what}: repaired, but the result differs"
    return "refused, repaired"


class Stop(KeyboardInterrupt):
    """Ctrl-C at the right moment."""


def stopping(after: int) -> Callable[..., None]:
    calls = 0

    def stop(*_: Any) -> None:
        nonlocal calls
        calls += 1
        if calls == after:
            raise Stop

    return stop


EVOLVE = (
    "evolve foraging --search genetic --season-steps 40 --seasons 2 --grid-size 12 --green 5 --blue 5 --hidden 4 "
    "--individuals 8 --elites 3 --lifetimes 2 --stale-generations 4 --runs 2 --seed 3 --top 3 --rescore 6"
)
ATLAS = "atlas foraging --season-steps 40 --seasons 2 --limit 12 --etas 0.01,0.04,0.16 --effort 0.1 --seed 5"
REPRODUCE = "reproduce hand-made-rules weights --scale quick --seed 1"


def cases(place: Path) -> list[Case]:
    """Each verb, finished and not."""
    made = []
    for words, half in ((EVOLVE, half_evolved), (ATLAS, half_an_atlas), (REPRODUCE, half_reproduced)):
        verb = words.split()[0]
        code, out, err = said([*words.split(), "--out", str(place / verb)])
        assert code == 0, err
        whole = without_place(json.loads(out))
        half(place / f"{verb}-unfinished")
        made += [
            Case(f"finished {verb}", words.split(), place / verb, whole),
            Case(f"unfinished {verb}", words.split(), place / f"{verb}-unfinished", whole),
        ]
    return made


def more_cases(place: Path) -> list[Case]:
    """The studies whose runs are made of few pieces; the unfinished ones were killed in the middle."""
    made = []
    for study in ("lifelong", "lifelong in a maze", "transfer", "merge"):
        commits.prepare(study, place)
        finished = place / study.replace(" ", "-")
        half = finished.with_name(f"{finished.name}-unfinished")
        words = commits.words_of(study, place, finished.name)
        with commits.counted_writes() as count:
            whole = commits.said(words)
        killed = commits.killed(commits.words_of(study, place, half.name), count[0] // 2)
        assert killed
        assert rows(half).keys() < rows(finished).keys()  # which undoes what was left half-written
        own = words[: words.index("--out")]
        made += [Case(f"finished {study}", own, finished, whole), Case(f"unfinished {study}", own, half, whole)]
    return made


def half_evolved(folder: Path) -> None:
    from hebbarium.studies.evolve.study import Evolution, carry_out

    world = {"season_steps": 40, "seasons": 2, "grid_size": 12, "green": 5, "blue": 5, "hidden": 4}
    search = {"search": "genetic", "individuals": 8, "elites": 3, "lifetimes": 2, "stale_generations": 4}
    evolution = Evolution.of("foraging", **world, **search, runs=2, seed=3, top=3, rescore=6)
    with contextlib.suppress(Stop):
        carry_out(evolution, folder, watch=stopping(4), threads=1)


def half_an_atlas(folder: Path) -> None:
    from hebbarium.studies.atlas.making import make_atlas
    from hebbarium.tools.progress import Telling
    from hebbarium.worlds.registry import make_world

    world = make_world("foraging", season_steps=40, seasons=2)
    with contextlib.suppress(Stop):
        make_atlas(
            world, folder, limit=12, etas=(0.01, 0.04, 0.16), effort=0.1, seed=5, report=Telling(done=stopping(6))
        )


def half_reproduced(folder: Path) -> None:
    from hebbarium.paper.items import items_of
    from hebbarium.paper.items.base import QUICK
    from hebbarium.paper.reproduction import ReproduceStudy
    from hebbarium.store.writing import Writer

    study = ReproduceStudy(QUICK, items_of(("hand-made-rules", "weights")))
    works = study.works()
    with Writer.begin(folder, study.kind, study.configuration()) as writer:
        writer.save(pieces={work.piece: work.do(None) for work in works[: len(works) // 2]})


def attack(count: int, seed: int) -> Tally:
    """So many corruptions, all kinds of damage and of runs in turn."""
    tally = Tally("stores")
    with tempfile.TemporaryDirectory(prefix="hebbarium-attack-") as name:
        place = Path(name)
        targets = [*cases(place), *more_cases(place)]
        for number in range(count):
            case, damage = targets[number % len(targets)], DAMAGES[number // len(targets) % len(DAMAGES)]
            start = time.process_time()
            try:
                tally.outcomes[damaged(case, damage, seed + number, place)] += 1
            except AssertionError as error:
                tally.problem(f"{damage.__name__} of {case.name}", str(error))
            tally.slowest = max(tally.slowest, time.process_time() - start)
    return tally
