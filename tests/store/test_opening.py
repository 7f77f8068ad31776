"""The door of a run folder: links, foreign schemas, wrong kinds of values. One sentence, and nothing outside it."""

from __future__ import annotations

import contextlib
import json
import os
import shutil
import sqlite3
import struct
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from hebbarium.cli import main
from hebbarium.store import about, checksums, opening, schema
from hebbarium.store.listing import describe, list_runs
from hebbarium.store.repair import examined
from hebbarium.store.tables import export
from hebbarium.store.writing import Run, Writer
from hebbarium.studies.evolve.page import write_report
from hebbarium.studies.evolve.study import carry_out
from hebbarium.tools import files
from hebbarium.tools.errors import BadInput, HebbariumError, RunError
from hebbarium.tools.files import check_writable, replacing
from small_runs import EVOLUTION, WORDS, finished, tampering, unfinished


@pytest.fixture(scope="module")
def whole(tmp_path_factory: pytest.TempPathFactory) -> Run:
    return finished(tmp_path_factory.mktemp("whole") / "run")


@pytest.fixture(scope="module")
def half(tmp_path_factory: pytest.TempPathFactory) -> Run:
    return unfinished(tmp_path_factory.mktemp("half") / "run")


@pytest.fixture
def folder(whole: Run, tmp_path: Path) -> Path:
    return Path(shutil.copytree(whole.folder, tmp_path / "run"))


# Links.


@pytest.fixture
def victim(tmp_path: Path) -> Path:
    path = tmp_path / "victim.txt"
    path.write_text("precious")
    return path


@pytest.mark.parametrize("link", [os.symlink, os.link])
@pytest.mark.parametrize("name", ["run.lock", "run.sqlite", "run.sqlite-journal"])
def test_no_link_is_written_through(half: Run, tmp_path: Path, victim: Path, name: str, link: Any) -> None:
    folder = Path(shutil.copytree(half.folder, tmp_path / "run"))
    if name == "run.sqlite":
        shutil.copy(folder / name, victim)
    (folder / name).unlink(missing_ok=True)
    link(victim, folder / name)
    before = victim.read_bytes()
    with pytest.raises(RunError, match=rf"{name} is a (hard )?link.*, and nothing is written through it"):
        carry_out(EVOLUTION, folder)
    assert victim.read_bytes() == before


def test_a_new_run_is_not_written_through_links_either(tmp_path: Path, victim: Path) -> None:
    folder = tmp_path / "run"
    folder.mkdir()
    for name in ("run.sqlite.new", "run.sqlite.new-journal", "report.html", "fitness.svg"):
        (folder / name).symlink_to(victim)
    (folder / "run.sqlite").symlink_to(tmp_path / "nowhere")
    carry_out(EVOLUTION, folder)
    write_report(Run.open(folder))
    assert victim.read_text() == "precious"
    assert not (tmp_path / "nowhere").exists()
    assert not any(path.is_symlink() for path in folder.iterdir())


def test_a_file_in_the_making_is_not_written_through_a_link(
    tmp_path: Path, victim: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Even where somebody guesses its name."""
    monkeypatch.setattr("secrets.token_hex", lambda length: "guessed")
    guessed = tmp_path / f".{files._HERE}-{os.getpid()}-guessed.part.csv"
    guessed.symlink_to(victim)
    with pytest.raises(BadInput, match="cannot write"):
        check_writable(tmp_path / "table.csv")
    with pytest.raises(BadInput, match="cannot write"), replacing(tmp_path / "table.csv"):
        raise AssertionError
    assert victim.read_text() == "precious"
    assert guessed.is_symlink()


def test_two_may_write_the_same_file(tmp_path: Path) -> None:
    """Threads of one process, too; the last one to end wins."""
    target = tmp_path / "table.csv"
    with replacing(target) as one:
        with replacing(target) as other:
            other.write_text("other")
            one.write_text("one")
        assert target.read_text() == "other"
    assert target.read_text() == "one"
    assert [path.name for path in tmp_path.iterdir()] == ["table.csv"]


@pytest.mark.parametrize("name", [f"{'a' * 245}.txt", f"a.{'b' * 247}", "b" * 255])
def test_a_name_may_be_as_long_as_the_file_system_allows(tmp_path: Path, name: str) -> None:
    check_writable(tmp_path / name)
    with replacing(tmp_path / name) as part:
        part.write_text("new")
    assert (tmp_path / name).read_text() == "new"


def test_what_is_written_has_the_usual_permissions(tmp_path: Path) -> None:
    with replacing(tmp_path / "a.txt") as part:
        part.write_text("")
    (tmp_path / "b.txt").write_text("")
    assert (tmp_path / "a.txt").stat().st_mode == (tmp_path / "b.txt").stat().st_mode


def test_a_run_may_be_read_through_a_link(whole: Run, tmp_path: Path) -> None:
    (tmp_path / "run.sqlite").symlink_to(whole.folder / "run.sqlite")
    assert Run.open(tmp_path).digest() == whole.digest()
    assert os.listdir(tmp_path) == ["run.sqlite"]


def journal_naming(database: Path, other: Path) -> bytes:
    """A journal that names a further file, which SQLite removes once it has undone what the journal holds."""
    magic, name = bytes.fromhex("d9d505f920a163d7"), str(other).encode()
    head = magic + struct.pack(">IIIII", 0, 1, database.stat().st_size // 4096, 512, 4096)
    tail = struct.pack(">I", 0x40000000 // 4096 + 1) + name + struct.pack(">II", len(name), sum(name)) + magic
    return head.ljust(512, b"\0") + tail


def test_a_journal_removes_no_file_elsewhere(folder: Path, victim: Path) -> None:
    (folder / "run.sqlite-journal").write_bytes(journal_naming(folder / "run.sqlite", victim))
    for attempt in (Run.open, begin):
        with pytest.raises(RunError, match=r"run\.sqlite-journal was not written by Hebbarium"):
            attempt(folder)
    assert victim.exists()


def begin(folder: Path) -> Writer:
    return Writer.begin(folder, "evolve", EVOLUTION.configuration())


@pytest.mark.parametrize("make", [Path.mkdir, os.mkfifo], ids=["folder", "pipe"])
@pytest.mark.parametrize("name", ["run.lock", "run.sqlite"])
def test_what_is_no_file_is_refused(tmp_path: Path, name: str, make: Callable[[Path], None]) -> None:
    make(tmp_path / name)
    with pytest.raises(RunError):
        begin(tmp_path)
    with pytest.raises(RunError, match="holds no run"):
        Run.open(tmp_path)


def test_a_pipe_in_the_place_of_a_run_is_not_waited_for(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    os.mkfifo(tmp_path / "run.sqlite")
    assert main(["runs", "--check", str(tmp_path)]) == 2
    assert "it is not a regular file" in capsys.readouterr().out
    assert main(["runs", str(tmp_path)]) == 0


# Foreign files and schemas.


def test_write_ahead_logs_are_refused(folder: Path) -> None:
    (folder / "run.sqlite-wal").write_bytes(b"frames that would be read as part of the run")
    with pytest.raises(RunError, match=r"run\.sqlite-wal was left by another program"):
        Run.open(folder)
    (folder / "run.sqlite-wal").unlink()
    data = bytearray((folder / "run.sqlite").read_bytes())
    data[18:20] = b"\2\2"
    (folder / "run.sqlite").write_bytes(data)
    with pytest.raises(RunError, match="write-ahead logging"):
        Run.open(folder)
    assert not {"run.sqlite-wal", "run.sqlite-shm"} & set(os.listdir(folder))


ENDLESS = "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n) SELECT 'x', i, i FROM n"
SCHEMAS = {
    "endless view": f"ALTER TABLE results RENAME TO kept; CREATE VIEW results AS {ENDLESS}",
    "view": "ALTER TABLE about RENAME TO kept; CREATE VIEW about AS SELECT * FROM kept",
    "huge value": "ALTER TABLE about RENAME TO kept; CREATE VIEW about AS SELECT 'kind', zeroblob(900000000), ''",
    "trigger": "CREATE TRIGGER t AFTER INSERT ON sessions BEGIN DELETE FROM evaluations; END",
    "index": "CREATE INDEX i ON evaluations (mean)",
    "another column": "ALTER TABLE evaluations ADD COLUMN note TEXT",
    "table of one's own": "CREATE TABLE mine (a)",
    "lost table": "DROP TABLE pieces",
    "virtual table": "CREATE VIRTUAL TABLE v USING fts5(a)",
}


@pytest.mark.parametrize("script", SCHEMAS.values(), ids=SCHEMAS)
def test_other_tables_than_ours_are_refused(folder: Path, script: str) -> None:
    with tampering(folder) as connection:
        try:
            connection.executescript(script)
        except sqlite3.OperationalError as error:
            pytest.skip(str(error))
    for attempt in (Run.open, begin):
        with pytest.raises(RunError, match=r"is damaged: table \S+ is not as Hebbarium makes it"):
            attempt(folder)
    assert not examined(folder).summary()["whole"]
    assert describe(folder)["state"] == "unreadable"


def test_a_query_that_takes_far_too_long_is_ended(tmp_path: Path) -> None:
    connection = sqlite3.connect(":memory:")
    opening.limit(connection, 4096)
    with pytest.raises(sqlite3.OperationalError, match="interrupted"):
        connection.execute(f"SELECT count(*) FROM ({ENDLESS})")


def test_reading_everything_takes_far_less_than_the_limit(whole: Run) -> None:
    steps = 0

    def count() -> None:
        nonlocal steps
        steps += 1

    connection = opening.connect(whole.folder / "run.sqlite", "ro")
    connection.set_progress_handler(count, 1)
    checksums.check(connection)
    connection.execute("PRAGMA integrity_check").fetchall()
    connection.close()
    assert 0 < steps < (whole.folder / "run.sqlite").stat().st_size


# Values of the wrong kind, with the right checksums.


def put(folder: Path, table: schema.Table, row: tuple[Any, ...]) -> None:
    """As somebody would who knows how we write."""
    with tampering(folder) as connection:
        checksums.replace(connection, table, [row])


STRANGE = (
    None, 7, -1, 2.5, 2**63 - 1, "", "x", "[]", "{}", "null", "[1", "[NaN]", "[1e999]", b"", b"\xff", "1" * 5000,
    "[" * 20_000, '["a","b"]', "[[[1.5,2]]]", "[true,false]", f"[[[{2**70}]]]", "<script>",
)  # fmt: skip


def test_an_evaluation_of_strange_values_is_damage(folder: Path) -> None:
    data = (folder / "run.sqlite").read_bytes()
    for place, column in enumerate(schema.EVALUATIONS.columns):
        for value in STRANGE[place % 3 :: 3]:
            (folder / "run.sqlite").write_bytes(data)
            with contextlib.suppress(sqlite3.IntegrityError):
                row = Run(folder)._rows(schema.EVALUATIONS)[0]
                named = dict(zip(schema.EVALUATIONS.columns, row, strict=True))
                put(folder, schema.EVALUATIONS, tuple({**named, column: value}.values()))
            everything_reads(folder)


READERS: tuple[Callable[[Path], Any], ...] = (
    lambda folder: Run.open(folder).table("evaluations"),
    lambda folder: export(Run.open(folder), folder / "table.csv", "lifetimes"),
    lambda folder: Run.open(folder).frame("rules"),
    lambda folder: write_report(Run.open(folder)),
    lambda folder: carry_out(EVOLUTION, folder),
    lambda folder: list_runs(folder),
)


def everything_reads(folder: Path) -> None:
    """Each reader gets through, or says in one sentence why not; no other error comes of it."""
    for read in READERS:
        with contextlib.suppress(HebbariumError):
            read(folder)


ABOUT_VALUES = (
    "null", "1", '"x"', "[]", "{}", "[1,2]", '{"task":[1],"search":{},"runs":"y"}', '{"task":"foraging"}', "NaN",
    '{"task":"foraging","task_settings":{"nonsense":1}}', '{"task":"foraging","task_settings":[]}', "[" * 9999,
)  # fmt: skip


@pytest.mark.parametrize("name", ["kind", "configuration", "versions", "created", "finished"])
def test_strange_values_about_a_run_are_damage(folder: Path, name: str) -> None:
    data = (folder / "run.sqlite").read_bytes()
    for value in ABOUT_VALUES:
        (folder / "run.sqlite").write_bytes(data)
        put(folder, schema.ABOUT, (name, value))
        everything_reads(folder)


def changed_rules(run: Run) -> list[Any]:
    """The table of rules with one value of another kind each."""
    rows = run.result("rules")
    strange = (None, [1], {}, 2**70, True, "", 0.5, [{}])
    return [[{**rows[0], name: value}, *rows[1:]] for name in rows[0] for value in strange]


def test_strange_results_are_damage(folder: Path, whole: Run) -> None:
    data = (folder / "run.sqlite").read_bytes()
    values = [("rules", value) for value in [[], [1], {}, 5, *changed_rules(whole)[::5]]]
    values += [("best", value) for value in ([], [1], "x", ["nonsense"])]
    values += [("curves", value) for value in ([1], [[1]], [[{"generation": "x"}]], {}, [[]])]
    values += [("lifetimes", "many"), ("made", "yes"), ("top", [1]), ("digest", 1)]
    for name, value in values:
        (folder / "run.sqlite").write_bytes(data)
        put(folder, schema.RESULTS, (name, json.dumps(value)))
        everything_reads(folder)


@pytest.mark.parametrize("name", ["rank", "count", "rule", "median", "eta_mean"])
def test_no_script_reaches_a_page(folder: Path, whole: Run, name: str) -> None:
    rows = whole.result("rules")
    put(folder, schema.RESULTS, ("rules", json.dumps([{**rows[0], name: "<script>alert(1)</script>"}])))
    with pytest.raises(RunError, match="is damaged: result rules"):
        write_report(Run.open(folder))
    assert not (folder / "report.html").exists()


DESCRIBED = ["", "[]", "null", '{"a":1}', '{"a":["<f8",[-1]]}', '{"a":["O",[1]]}', '{"a":["<f8",[2]]}']


@pytest.mark.parametrize("described", DESCRIBED)
def test_strange_arrays_are_damage(folder: Path, described: str) -> None:
    put(folder, schema.PIECES, ("lives/000000", "", described, bytes(8)))
    with pytest.raises(RunError, match="is damaged: piece lives/000000"):
        Run.open(folder).piece("lives/000000")


def test_a_bad_run_hides_no_other(folder: Path, whole: Run) -> None:
    """Whatever is wrong with it."""
    bad = ["kind", "created", "configuration"]
    for name in bad:
        copy = Path(shutil.copytree(whole.folder, folder.parent / name))
        put(copy, schema.ABOUT, (name, "[1]"))
    (folder.parent / "empty").mkdir()
    (folder.parent / "empty" / "run.sqlite").touch()
    (folder.parent / "piped").mkdir()
    os.mkfifo(folder.parent / "piped" / "run.sqlite")
    states = {Path(run["run"]).name: run["state"] for run in list_runs(folder.parent)}
    assert states == {"run": "finished", **dict.fromkeys([*bad, "empty", "piped"], "unreadable")}


def test_the_command_on_a_bad_run_gives_a_sentence(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    put(folder, schema.ABOUT, *about.rows(versions=[1]))
    assert main([*" ".join(WORDS).replace("--runs 2", "--runs 3").split(), "--out", str(folder)]) == 2
    said = capsys.readouterr()
    assert said.out == ""
    assert "is damaged: the record 'versions'" in said.err


def test_extra_names_in_records_are_damage_whatever_is_written(folder: Path, whole: Run) -> None:
    """CSV and Parquet refuse the same."""
    rows = whole.result("rules")
    for change in (
        {"searched": {**rows[0]["searched"], "extra": 1}},
        {"fitness": {**rows[0]["fitness"], "extra": 1}},
        {"extra": 1},
        {"eta_mean": 5.0},
        {"entries": []},
        {"rule": "frozen,00+-/0000"},
        {"hidden_entries": [0] * 8},
    ):
        put(folder, schema.RESULTS, ("rules", json.dumps([*rows[:-1], {**rows[-1], **change}])))
        for ending in ("csv", "parquet"):
            with pytest.raises(RunError, match="is damaged: result rules"):
                export(Run.open(folder), folder / f"table.{ending}", "rules")


@pytest.mark.parametrize(
    "change",
    [
        {"task_origin": 5},
        {"task_origin": "x.py"},
        {"task_origin": "x.py", "task_sources": []},
        {"search_settings": []},
        {"task_settings": {"seasons": [1]}},
        {"hidden": {"a": 1}},
        {"seed": []},
        {"blame": {"wrong": "x"}},
    ],
)
def test_a_strange_configuration_is_damage(folder: Path, whole: Run, change: dict[str, Any]) -> None:
    put(folder, schema.ABOUT, *about.rows(configuration={**whole.configuration, **change}))
    for ending in ("csv", "parquet"):
        with pytest.raises(RunError, match="is damaged: the record 'configuration'"):
            export(Run.open(folder), folder / f"table.{ending}", "lifetimes")
    everything_reads(folder)


def varint(number: int) -> bytes:
    out = [number & 0x7F]
    while number := number >> 7:
        out.append((number & 0x7F) | 0x80)
    return bytes(reversed(out))


def claiming(head: bytes, leaves: int, distinct: bool) -> bytes:
    """A file of pages with a thousand rows each, all of which claim half of the file. distinct: each at a place of its
    own, and within its page."""
    size = 4096
    length = 900 if distinct else leaves * (size - 4)
    data = bytearray(head)
    data[108:130] = bytes(byte ^ 0x3C for byte in data[108:130])
    data[28:32] = (2 * leaves + 1).to_bytes(4, "big")
    least = (size - 12) * 32 // 255 - 23
    cell = 8 + 2 * 1000
    for _ in range(leaves):
        page = bytearray(size)
        page[:5] = b"\x0a\0\0" + (1000).to_bytes(2, "big")
        for number in range(1000):
            page[8 + 2 * number : 10 + 2 * number] = (cell + 2 * number * distinct).to_bytes(2, "big")
        if distinct:
            page[cell:] = (varint(length) * size)[: size - cell]
        else:
            start = varint(length)
            local = least + (length - least) % (size - 4)
            page[cell : cell + len(start)] = start
            end = cell + len(start) + (local if local <= (size - 12) * 64 // 255 - 23 else least)
            page[end : end + 4] = (2 + leaves).to_bytes(4, "big")
        data += page
    for number in range(leaves):
        data += (2 + leaves + (number + 1) % leaves).to_bytes(4, "big") + bytes(size - 4)
    return bytes(data)


@pytest.mark.parametrize("distinct", [False, True])
def test_a_small_file_is_not_read_for_long(folder: Path, distinct: bool) -> None:
    head = (folder / "run.sqlite").read_bytes()[:4096]
    (folder / "run.sqlite").write_bytes(claiming(head, 120, distinct))
    start = time.process_time()
    assert describe(folder)["state"] == "unreadable"
    assert not examined(folder).summary()["whole"]
    with pytest.raises(RunError, match="is damaged"):
        Run.open(folder)
    assert time.process_time() - start < 3


def test_a_list_does_not_look_for_what_can_be_saved(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    put(folder, schema.ABOUT, ("created", "[1]"))
    monkeypatch.setattr("hebbarium.store.repair.salvage", lambda folder: pytest.fail("it did"))
    problem = describe(folder)["problem"]
    assert "is damaged: the record 'created'; `hebbarium runs --check" in problem


def test_a_run_may_be_named_by_its_file(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    for words in (["runs"], ["runs", "--check"], ["runs", "--repair"]):
        for json_too in ([], ["--json"]):
            assert main([*words, str(folder / "run.sqlite"), *json_too]) == 0
            assert "run" in capsys.readouterr().out
    assert main(["runs", str(folder / "nowhere" / "run.sqlite")]) == 2
