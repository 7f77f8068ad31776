"""Whatever the shell and the terminal are like, a command prints, says a sentence or leaves; it never hangs."""

from __future__ import annotations

import fcntl
import os
import pty
import re
import struct
import subprocess
import sys
import termios
from pathlib import Path
from typing import Any

import pytest

from commands import heed_interrupts
from hebbarium.cli import main
from hebbarium.tools.terminal import make_console

COMMAND = [sys.executable, "-m", "hebbarium"]
SHORT = ["live", "foraging", "--rule", "foraging:1", "--lifetimes", "2", "--season-steps", "50"]
EXPLAINED = ["explain", "3"]
HELP = ["live", "foraging", "--help"]
PATIENCE = 120
"""Seconds after which we call it a hang."""
INTERRUPTED_WHILE_IMPORTING = """
import os, runpy, signal, sys, time

late, swallow = sys.argv.pop(1), sys.argv.pop(1)

class Finder:
    def find_spec(self, name, path=None, target=None):
        if name == late:
            try:
                os.kill(os.getpid(), signal.SIGINT)
                time.sleep(0.1)
            except BaseException:
                if swallow == "no":
                    raise

sys.meta_path.insert(0, Finder())
runpy.run_module("hebbarium", run_name="__main__", alter_sys=True)
"""


def run(*words: str, environment: dict[str, str] | None = None, **options: Any) -> subprocess.CompletedProcess[str]:
    streams: dict[str, Any] = {"stdout": subprocess.PIPE, "stderr": subprocess.PIPE, **options}
    variables = {**os.environ, **(environment or {})}
    return subprocess.run([*COMMAND, *words], text=True, timeout=PATIENCE, env=variables, check=False, **streams)


def shell(script: str) -> subprocess.CompletedProcess[bytes]:
    """`hebbarium` in it is ours."""
    whole = f'hebbarium() {{ "{sys.executable}" -m hebbarium "$@"; }}; {script}'
    return subprocess.run(["sh", "-c", whole], capture_output=True, timeout=PATIENCE, check=False)


@pytest.mark.parametrize("columns", ["0", "1", "2", "-1", "²", "9" * 20])
def test_any_number_of_columns(columns: str) -> None:
    done = run(*HELP, environment={"COLUMNS": columns, "LINES": columns})
    assert (done.returncode, done.stderr) == (0, "")
    assert "foraging" in done.stdout
    assert len(done.stdout) < 3_000_000


def test_no_columns_print_a_table_as_wide_as_usual() -> None:
    none, usual = (run(*SHORT, environment={"COLUMNS": columns}).stdout for columns in ("0", "80"))
    assert none.splitlines()[:-1] == usual.splitlines()[:-1]  # the last has the time it took


@pytest.mark.parametrize("columns", [0, 1])
def test_a_terminal_without_room(columns: int) -> None:
    ours, theirs = pty.openpty()
    fcntl.ioctl(theirs, termios.TIOCSWINSZ, struct.pack("HHHH", columns, columns, 0, 0))
    usual = {name: value for name, value in os.environ.items() if name not in ("COLUMNS", "LINES")}
    done = subprocess.run(
        [*COMMAND, *HELP], stdin=theirs, stdout=subprocess.PIPE, text=True, env=usual, timeout=PATIENCE, check=False
    )
    for descriptor in (ours, theirs):
        os.close(descriptor)
    assert done.returncode == 0
    assert "foraging" in done.stdout


@pytest.mark.parametrize("encoding", ["ascii", "latin-1", "cp1252"])
def test_narrow_encodings(encoding: str) -> None:
    for words in (SHORT, EXPLAINED, ["live", "--help"]):
        done = run(*words, environment={"PYTHONIOENCODING": encoding}, encoding=encoding)
        assert (done.returncode, done.stderr) == (0, "")
        assert "?" not in done.stdout
        assert words != EXPLAINED or ("+-" if encoding == "ascii" else "±") in done.stdout


@pytest.mark.parametrize("closed", [">&-", "2>&-", ">&- 2>&-", "<&- >&- 2>&-"])
def test_closed_streams(closed: str) -> None:
    assert shell(f"hebbarium {' '.join(SHORT)} {closed}").returncode == 0
    assert shell(f"hebbarium live foraging --rule nonsense {closed}").returncode == 2


def test_a_closed_error_stream_does_not_speak_into_the_result() -> None:
    done = shell(f"hebbarium {' '.join(SHORT)} -v --save /dev/null/a.npz 2>&-")
    assert (done.returncode, done.stdout) == (2, b"")


def test_streams_that_are_full() -> None:
    done = shell(f"hebbarium {' '.join(SHORT)} > /dev/full")
    assert (done.returncode, done.stderr) == (2, b"hebbarium: cannot read or write: No space left on device.\n")
    assert shell("hebbarium live foraging --rule nonsense 2> /dev/full").returncode == 2


def test_nobody_reads_the_complaint() -> None:
    reader, writer = os.pipe()
    os.close(reader)
    assert run("live", "foraging", "--rule", "nonsense", stderr=writer).returncode == 2
    os.close(writer)


def test_without_a_compiler() -> None:
    done = run(*SHORT, environment={"NUMBA_DISABLE_JIT": "1"})
    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr == "hebbarium: NUMBA_DISABLE_JIT is set, but Hebbarium needs numba's compiler; unset it.\n"


def test_pictures_need_no_screen(tmp_path: Any) -> None:
    picture = tmp_path / "a.png"
    done = run(*SHORT, "--plot", str(picture), environment={"MPLBACKEND": "nonsense"})
    assert (done.returncode, done.stderr) == (0, f"wrote {picture}\n")


@pytest.mark.parametrize("swallow", ["no", "yes"])
@pytest.mark.parametrize("late", ["cyclopts", "hebbarium.cli.live", "rich.table", "numpy", "numba", "llvmlite"])
def test_an_interrupt_while_importing(late: str, swallow: str) -> None:
    done = subprocess.run(
        [sys.executable, "-c", INTERRUPTED_WHILE_IMPORTING, late, swallow, *SHORT],
        capture_output=True,
        text=True,
        timeout=PATIENCE,
        check=False,
        preexec_fn=heed_interrupts,
    )
    assert (done.returncode, done.stdout, done.stderr) == (130, "", "hebbarium: interrupted.\n")


REAL = "-0.3512:-0.7812:0.9112:0.1234/0.2345:-0.9212:0.3333:-0.1612@0.0234"
WIDE = f"{REAL},0.11:0.22:-0.33:0.44/-0.55:0.66:-0.77:0.88@0.0375"
BRIEFLY = ("--lifetimes", "2", "--season-steps", "200")
TABLES = [
    ("live", "foraging", "--rule", WIDE, "--blame", "missed=0.5", *BRIEFLY),
    ("compare", "foraging", WIDE, "foraging:1", "--agent", "tabular", *BRIEFLY),
    ("sweep", "foraging", "--rule", REAL, "--over", "random-action=0,0.02", "--over", "hidden=1:30:1", *BRIEFLY),
    ("transfer", WIDE, "prey-predator:1@0.1", "--budget", "0", "--out", "t", *BRIEFLY),
    ("lifelong", "prey-predator", WIDE, "prey-predator:1", "--out", "l", *BRIEFLY),
    ("explain", WIDE, "--measure", *BRIEFLY),
]


def test_no_table_is_cut_or_too_wide_in_eighty_columns(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """Long notation is folded between its entries; numbers and names stay whole."""
    monkeypatch.chdir(tmp_path)
    shown = {}
    for columns in ("1000", "80"):
        monkeypatch.setenv("COLUMNS", columns)
        for words in TABLES:
            assert main([*words, "--quiet"]) == 0
        shown[columns] = capsys.readouterr().out
    assert "…" not in shown["80"]
    assert [line for line in _rows(shown["80"]) if len(line) > 80] == []
    wide, narrow = (set(re.findall(r"-?\d+\.\d+", text)) for text in ("\n".join(_rows(shown["1000"])), shown["80"]))
    assert wide <= narrow


def _rows(text: str) -> list[str]:
    """The lines of tables; sentences are folded on a terminal only."""
    return [line for line in text.splitlines() if "  " in line.strip() or "─" in line]


def test_sentences_are_folded_between_words_on_a_terminal() -> None:
    ours, theirs = pty.openpty()
    fcntl.ioctl(theirs, termios.TIOCSWINSZ, struct.pack("HHHH", 50, 80, 0, 0))
    usual = {name: value for name, value in os.environ.items() if name not in ("COLUMNS", "LINES")}
    nonsense = [*COMMAND, "live", "foraging", "--rule", f"{REAL},0"]
    done = subprocess.run(nonsense, stdout=theirs, stderr=theirs, env=usual, timeout=PATIENCE, check=False)
    os.close(theirs)
    said = os.read(ours, 65536).decode()
    os.close(ours)
    assert done.returncode == 2
    assert len(said.splitlines()) > 1
    assert max(map(len, said.splitlines())) <= 80
    assert " ".join(said.split()).startswith("hebbarium: ")


def test_names_are_printed_as_they_are(capsys: pytest.CaptureFixture[str]) -> None:
    make_console(width=80).print("x[/red] [bold]y :dog: 12")
    assert capsys.readouterr().out == "x[/red] [bold]y :dog: 12\n"
