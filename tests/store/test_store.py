"""The store, with real files, real kills and really full disks."""

from __future__ import annotations

import os
import shutil
import signal
import sqlite3
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest

import hebbarium
from hebbarium.life.arithmetic_version import ARITHMETIC
from hebbarium.rules.layered import read_rule
from hebbarium.rules.rule import Rule
from hebbarium.store.evaluation_rows import Record
from hebbarium.store.kept_arrays import Piece
from hebbarium.store.lock import Lock
from hebbarium.store.writing import Run, Writer
from hebbarium.tools.errors import RunError

CONFIGURATION = {"task": "foraging", "seed": 7, "runs": 2, "task_settings": {"season_steps": 200, "wall": "inside"}}


def record(number: int, run: int = 0, stage: str = "search") -> Record:
    random = np.random.default_rng([number, run])
    counts = random.integers(0, 100, (5, 4, 3))
    return Record(
        stage=stage,
        run=run,
        number=number,
        generation=number // 30,
        rule=Rule(int(random.integers(6561)), float(random.random())),
        seed=2**63 - 1,
        first_trial=5 * number,
        scores=tuple((counts[:, :, 0] - counts[:, :, 1]).mean(axis=1).tolist()),
        counts=counts,
        distinct_hidden=(20, 1, 3, 20, 20) if number % 2 else None,
    )


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    return tmp_path / "deep" / "run"


def begin(folder: Path, **changes: object) -> Writer:
    return Writer.begin(folder, "evolve", {**CONFIGURATION, **changes}, growing=("runs",))


def filled(folder: Path, evaluations: int = 10) -> Path:
    with begin(folder) as writer:
        writer.save([record(number) for number in range(evaluations)])
    return folder


def in_another_process(
    script: str, *arguments: object, wrapper: tuple[str, ...] = ()
) -> subprocess.CompletedProcess[str]:
    """Run a script with this file's names at hand."""
    prelude = f"import sys; sys.path.insert(0, {str(Path(__file__).parent)!r}); from test_store import *\n"
    command = [*wrapper, sys.executable, "-c", prelude + script, *map(str, arguments)]
    return subprocess.run(command, capture_output=True, text=True, timeout=60)


def in_own_mounts(script: str, mount: str, *arguments: object) -> str:
    """The same where this process may mount what it likes and nobody else sees it."""
    unshare = shutil.which("unshare")
    if unshare is None or subprocess.run([unshare, "-rm", "true"], capture_output=True).returncode:
        pytest.skip("this system gives no private mounts")
    wrapper = (unshare, "-rm", "sh", "-ec", f'{mount}\nexec "$@"', "sh")
    outcome = in_another_process(script, *arguments, wrapper=wrapper)
    assert outcome.returncode == 0, outcome.stderr
    return outcome.stdout


def test_a_record_comes_back_exactly(folder: Path) -> None:
    records = [record(number, run) for run in (0, 1) for number in range(20)]
    with begin(folder) as writer:
        writer.save(records[20:])
        writer.save(records[:20])
    back = Run.open(folder).evaluations()
    assert [one.row() for one in back] == [one.row() for one in records]
    assert [one.rule for one in back] == [one.rule for one in records]
    assert all(np.array_equal(one.counts, two.counts) for one, two in zip(back, records, strict=True))


@pytest.mark.parametrize("name", ["a b", "what?mode=ro", "100%25 #1", "règle/日本", "'quoted' \"twice\"", "-dash"])
def test_any_folder_name_will_do(tmp_path: Path, name: str) -> None:
    filled(tmp_path / name)
    assert Run.open(tmp_path / name).totals() == (10, 50)
    assert Run.open(tmp_path / name / "run.sqlite").totals() == (10, 50)


def test_an_agent_without_a_rule_can_be_stored(folder: Path) -> None:
    with Writer.begin(folder, "reproduce", {}) as writer:
        one = record(0)
        writer.save([Record("perfect", 0, 0, None, 1, 0, one.scores, one.counts)])
    assert Run.open(folder).evaluations("perfect")[0].rule is None


@pytest.mark.parametrize("text", ["00+-/0000@0.1,000-/0000@0.30000000000000004", "frozen,00+-/0000@1e-05"])
def test_a_layered_rule_comes_back_exactly_and_is_exported_with_its_etas(folder: Path, text: str) -> None:
    rule, one = read_rule(text), record(0)
    with begin(folder) as writer:
        writer.save([Record("search", 0, 0, rule, 1, 0, one.scores, one.counts)])
    run = Run.open(folder)
    assert run.evaluations()[0].rule == rule
    (row,) = run.table("evaluations")
    assert (row["rule"], row["index"], row["eta"]) == (rule.notation, None, None)
    assert [row["eta_hidden"], row["eta_output"]] == rule.eta


def test_evaluations_of_one_stage_or_run(folder: Path) -> None:
    with begin(folder) as writer:
        writer.save([record(0), record(1), record(0, run=1), record(0, stage="rescore")])
    run = Run.open(folder)
    assert len(run.evaluations()) == 4
    assert len(run.evaluations("search")) == 3
    assert len(run.evaluations("search", run=0)) == 2
    assert run.totals("search") == (3, 15)


def test_results_and_pieces_come_back_and_are_replaced(folder: Path) -> None:
    curve, other = Piece("curve", '{"of":1}'), Piece("other", "")
    arrays = {
        "x": np.linspace(0, 1, 6).reshape(2, 3),
        "empty": np.zeros((0, 3), bool),
        "y": np.arange(3, dtype=np.int8),
    }
    with begin(folder) as writer:
        writer.save(results={"note": {"a": [1, 2.5, None]}}, pieces={curve: {"x": np.ones(2)}})
        writer.save(results={"note": 2}, pieces={curve: arrays, other: {}})
    run = Run.open(folder)
    assert run.result("note") == 2
    assert run.result("nothing") is None
    assert run.piece("nothing") is None
    assert run.results() == ["note"]
    assert run.pieces() == ["curve", "other"]
    piece, back = run.piece("curve")
    assert piece == curve
    assert all(np.array_equal(back[name], array) and back[name].dtype == array.dtype for name, array in arrays.items())
    assert run.piece("other") == (other, {})


@pytest.mark.parametrize(
    "array", [np.array([{}, []], object), np.array(["a"]), np.zeros(2, "i4,f8"), np.zeros(2, complex)]
)
def test_what_is_no_array_of_numbers_is_refused(folder: Path, array: np.ndarray) -> None:
    with begin(folder) as writer:
        with pytest.raises(TypeError):
            writer.save([record(0)], pieces={Piece("objects", ""): {"a": array}})
        assert writer.totals() == (0, 0)


@pytest.mark.parametrize("value", [float("nan"), float("inf")])
def test_results_hold_no_nan(folder: Path, value: float) -> None:
    with begin(folder) as writer, pytest.raises(ValueError, match="JSON"):
        writer.save(results={"note": [value]})


def test_the_digest_ignores_the_order_of_saving_but_nothing_else(tmp_path: Path) -> None:
    def digest(name: str, records: list[Record]) -> str:
        with begin(tmp_path / name) as writer:
            for one in records:
                writer.save([one])
        return Run.open(tmp_path / name).digest()

    records = [record(number, run) for number in range(3) for run in (0, 1)]
    same = digest("a", records)
    assert digest("b", records[::-1]) == same
    assert digest("c", records[:-1]) != same
    changed = Record(**{**vars(records[0]), "rule": records[0].rule.with_eta(np.nextafter(records[0].rule.eta, 1))})
    assert digest("d", [changed, *records[1:]]) != same


def test_going_on_keeps_everything(folder: Path) -> None:
    filled(folder)
    with begin(folder) as writer:
        assert len(writer.evaluations()) == 10
        writer.save([record(10)])
    run = Run.open(folder)
    assert run.totals() == (11, 55)
    assert run.kind == "evolve"
    assert run.configuration == CONFIGURATION
    assert run.versions["numpy"] == np.__version__


def test_the_same_evaluation_twice_is_refused_and_nothing_of_its_batch_is_kept(folder: Path) -> None:
    filled(folder)
    with begin(folder) as writer, pytest.raises(RunError):
        writer.save([record(11), record(3)])
    assert Run.open(folder).totals() == (10, 50)


def test_finished_until_it_grows(folder: Path) -> None:
    with begin(folder) as writer:
        writer.finish()
    assert Run.open(folder).finished
    with begin(folder):
        assert Run.open(folder).finished
    with begin(folder, runs=5):
        run = Run.open(folder)
        assert not run.finished
        assert run.configuration["runs"] == 5


def test_what_grows_keeps_no_results_of_less(folder: Path) -> None:
    filled(folder)
    with begin(folder) as writer:
        writer.save(results={"note": [1]}, pieces={Piece("lives", ""): {"counts": np.arange(3)}})
    with begin(folder) as writer:
        assert writer.result("note") == [1]
    with begin(folder, runs=5) as writer:
        assert writer.results() == []
        assert writer.totals() == (10, 50)
        assert writer.pieces() == ["lives"]


@pytest.mark.parametrize(
    ("changes", "words"),
    [
        ({"seed": 8}, "seed is 7 there and 8 here"),
        ({"runs": 1}, "runs is 2 there and 1 here"),
        ({"task_settings": {"season_steps": 5000, "wall": "inside"}}, "season-steps is 200 there and 5000 here"),
        ({"task_settings": {"season_steps": 200}}, "wall is inside there and nothing here"),
        ({"hidden": 20}, "hidden is nothing there and 20 here"),
    ],
)
def test_other_settings_are_refused_with_both_values(folder: Path, changes: dict[str, object], words: str) -> None:
    filled(folder)
    before = (folder / "run.sqlite").read_bytes()
    with pytest.raises(RunError, match=words):
        begin(folder, **changes)
    assert (folder / "run.sqlite").read_bytes() == before


def test_another_kind_of_run_is_refused(folder: Path) -> None:
    filled(folder)
    with pytest.raises(RunError, match="holds a run of `evolve`, not of `atlas`"):
        Writer.begin(folder, "atlas", CONFIGURATION)


def test_a_second_writer_is_refused_and_readers_are_not(folder: Path) -> None:
    with begin(folder) as writer:
        writer.save([record(0)])
        with pytest.raises(RunError, match=f"process {os.getpid()}"):
            begin(folder)
        outcome = in_another_process("begin(Path(sys.argv[1]))", folder)
        assert "is being written by another process" in outcome.stderr
        assert Run.open(folder).totals() == (1, 5)
        writer.save([record(1)])
    begin(folder).close()


def test_a_removed_lock_is_nobodys(tmp_path: Path) -> None:
    """Somebody who had the file open while its holder removed it must not believe to hold the lock."""
    first = Lock(tmp_path / "run.lock")
    first.remove()
    second = Lock(tmp_path / "run.lock")
    with pytest.raises(RunError, match="another process"):
        Lock(tmp_path / "run.lock")
    (tmp_path / "run.lock").unlink()
    third = Lock(tmp_path / "run.lock")
    with pytest.raises(RunError, match="another process"):
        Lock(tmp_path / "run.lock")
    second.release()
    third.release()


def test_a_killed_writer_leaves_no_lock_and_no_half_transaction(folder: Path) -> None:
    """The kill comes when half of a large transaction has already reached the file."""
    filled(folder)
    script = """
writer = begin(Path(sys.argv[1]))
writer._connection.execute("PRAGMA cache_size = 1")
with writer._transaction() as connection:
    for number in range(10, 3000):
        checksums.insert(connection, schema.EVALUATIONS, [record(number).row()])
    os.kill(os.getpid(), signal.SIGKILL)
"""
    before = (folder / "run.sqlite").stat().st_size
    outcome = in_another_process("from hebbarium.store import checksums, schema\n" + script, folder)
    assert outcome.returncode == -signal.SIGKILL, outcome.stderr
    assert (folder / "run.sqlite-journal").exists()
    assert (folder / "run.sqlite").stat().st_size > before
    assert Run.open(folder).totals() == (10, 50)
    with begin(folder) as writer:
        writer.save([record(10)])
        assert writer.totals() == (11, 55)


def test_a_kill_before_the_file_is_whole_leaves_a_folder_to_begin_in(folder: Path) -> None:
    script = """
from hebbarium.store import checksums
checksums.insert = lambda *_, **__: os.kill(os.getpid(), signal.SIGKILL)
begin(Path(sys.argv[1]))
"""
    assert in_another_process(script, folder).returncode == -signal.SIGKILL
    assert not (folder / "run.sqlite").exists()
    with pytest.raises(RunError, match="holds no run"):
        Run.open(folder)
    filled(folder)
    assert sorted(path.name for path in folder.iterdir()) == ["run.lock", "run.sqlite"]


def truncate(path: Path) -> None:
    os.truncate(path, path.stat().st_size // 2)


def overwrite_with_garbage(path: Path) -> None:
    path.write_bytes(np.random.default_rng(1).bytes(path.stat().st_size))


def damage_a_page(path: Path) -> None:
    data = bytearray(path.read_bytes())
    for start in range(4096, len(data), 4096):
        data[start : start + 64] = b"\xff" * 64
    path.write_bytes(data)


def empty(path: Path) -> None:
    path.write_bytes(b"")


@pytest.mark.parametrize("damage", [truncate, overwrite_with_garbage, damage_a_page, empty])
def test_a_damaged_file_is_said_to_be_so_and_left_alone(folder: Path, damage: Callable[[Path], None]) -> None:
    database = filled(folder, 200) / "run.sqlite"
    damage(database)
    before = database.read_bytes()
    with pytest.raises(RunError, match=r"is damaged|not written by Hebbarium") as caught:
        begin(folder)
    assert "\n" not in str(caught.value)
    with pytest.raises(RunError):
        Run.open(folder).evaluations()
    assert database.read_bytes() == before


def test_another_format_and_another_program_are_refused(folder: Path) -> None:
    database = filled(folder) / "run.sqlite"
    for pragma, words in (("user_version", "another version of Hebbarium"), ("application_id", "not written by")):
        with sqlite3.connect(database) as connection:
            connection.execute(f"PRAGMA {pragma} = 99")
        connection.close()
        before = database.read_bytes()
        for attempt in (Run.open, begin):
            with pytest.raises(RunError, match=words):
                attempt(folder)
        assert database.read_bytes() == before


def test_a_run_of_another_arithmetic_can_be_read_but_not_resumed(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    assert Run.open(filled(folder)).arithmetic == ARITHMETIC
    monkeypatch.setattr("hebbarium.store.about.ARITHMETIC", ARITHMETIC + 1)
    assert Run.open(folder).totals() == (10, 50)
    before = (folder / "run.sqlite").read_bytes()
    with pytest.raises(
        RunError, match=f"with arithmetic {ARITHMETIC}, but this version has arithmetic {ARITHMETIC + 1}"
    ):
        begin(folder)
    assert (folder / "run.sqlite").read_bytes() == before


def test_other_versions_of_the_same_arithmetic_go_on(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    filled(folder)
    monkeypatch.setattr("hebbarium.store.writing.versions", lambda: {"hebbarium": "99.0"})
    with begin(folder) as writer:
        writer.save([record(10)])
    run = Run.open(folder)
    assert run.totals() == (11, 55)
    assert run.versions["hebbarium"] == hebbarium.__version__


def test_everything_that_could_touch_a_result_is_written_down(folder: Path) -> None:
    pytest.importorskip("cmaes")
    assert {"hebbarium", "numpy", "numba", "cmaes", "python"} <= set(Run.open(filled(folder)).versions)


FILL_IT = """
folder = Path(sys.argv[1])
writer, number = begin(folder), 0
try:
    while True:
        writer.save([record(number + more) for more in range(50)])
        number += 50
except RunError as error:
    print(error)
writer.close()
"""
LIFT_THE_LIMIT = "resource.setrlimit(resource.RLIMIT_FSIZE, (resource.RLIM_INFINITY, resource.RLIM_INFINITY))\n"
CHECK_IT = """
assert number > 0
assert Run.open(folder).totals()[0] == number, (Run.open(folder).totals(), number)
with begin(folder) as writer:
    assert writer._connection.execute("PRAGMA integrity_check").fetchone() == ("ok",)
    writer.save([record(number)]) if len(sys.argv) == 2 else None
"""


def test_a_file_that_may_not_grow(folder: Path) -> None:
    """A limit on the file's size, which any user can set, fails in the middle of a write."""
    limit = "import resource\nresource.setrlimit(resource.RLIMIT_FSIZE, (200_000, resource.RLIM_INFINITY))\n"
    outcome = in_another_process(limit + FILL_IT + LIFT_THE_LIMIT + CHECK_IT, folder)
    assert outcome.returncode == 0, outcome.stderr
    assert "everything stored so far is safe" in outcome.stdout
    assert outcome.stdout.count("\n") == 1


def test_a_full_disk(tmp_path: Path) -> None:
    mount = f"mount -t tmpfs -o size=300k tmpfs {tmp_path}"
    said = in_own_mounts(FILL_IT + CHECK_IT.replace("len(sys.argv) == 2", "False"), mount, tmp_path / "run")
    assert "the disk is full; everything stored so far is safe" in said


def test_a_disk_too_full_to_begin_leaves_nothing(tmp_path: Path) -> None:
    script = """
try:
    begin(Path(sys.argv[1]))
except RunError as error:
    print(error, os.listdir(Path(sys.argv[1]).parent))
"""
    said = in_own_mounts(script, f"mount -t tmpfs -o size=8k tmpfs {tmp_path}", tmp_path / "run")
    assert "the disk is full" in said
    assert said.strip().endswith("[]")


@pytest.mark.parametrize("copies", [0.5, 1.2], ids=["for the copy", "for the new file"])
def test_without_room_for_a_repair_everything_stays_as_it_was(folder: Path, tmp_path: Path, copies: float) -> None:
    filled(folder)
    with (folder / "run.sqlite").open("r+b") as file:
        file.write(b"damaged")
    (folder / "run.sqlite-journal").write_bytes(b"of whatever")
    script = """
from hebbarium.store.repair import repair
folder, disk, copies = Path(sys.argv[1]), Path(sys.argv[2]), float(sys.argv[3])
names = ["run.lock", "run.sqlite", "run.sqlite-journal"]
for name in names:
    shutil.copy(folder / name, disk)
there = os.statvfs(disk)
room = round(copies * (folder / "run.sqlite").stat().st_size)
(disk / "other").write_bytes(bytes(there.f_bavail * there.f_frsize - room))
try:
    repair(disk)
except RunError as error:
    print(error)
assert sorted(os.listdir(disk)) == ["other", *names], os.listdir(disk)
assert all((folder / name).read_bytes() == (disk / name).read_bytes() for name in names[1:])
"""
    disk = tmp_path / "disk"
    disk.mkdir()
    said = in_own_mounts(script, f"mount -t tmpfs -o size=1m tmpfs {disk}", folder, disk, copies)
    assert "the disk is full" in said or "no space left on device" in said


def test_a_read_only_folder(folder: Path) -> None:
    filled(folder)
    script = """
folder = Path(sys.argv[1])
print(Run.open(folder).totals())
for target in (folder, folder / "new"):
    try:
        begin(target)
    except RunError as error:
        print(error)
"""
    said = in_own_mounts(script, f"mount --bind {folder} {folder}\nmount -o remount,ro,bind {folder}", folder)
    assert said.splitlines()[0] == "(10, 50)"
    assert said.count("cannot be used: read-only file system.") == 2


def test_places_where_no_folder_can_be(tmp_path: Path) -> None:
    file = tmp_path / "file"
    file.write_text("mine")
    with pytest.raises(RunError, match="is a file"):
        begin(file)
    with pytest.raises(RunError, match="not a directory"):
        begin(file / "run")
    assert file.read_text() == "mine"
    with pytest.raises(RunError, match="holds no run"):
        Run.open(tmp_path)


def test_a_folder_deleted_meanwhile(folder: Path) -> None:
    with begin(folder) as writer:
        writer.save([record(0)])
        shutil.rmtree(folder)
        with pytest.raises(RunError, match="moved or deleted"):
            writer.save([record(1)])
