"""Paths, numbers and files at the limits of what a system takes: one sentence and exit code 2."""

from __future__ import annotations

import os
import resource
import subprocess
import sys
from pathlib import Path

import pytest

from hebbarium.cli import main
from hebbarium.cli.parsing import LONGEST_CONFIG

Captured = pytest.CaptureFixture[str]
LIVE = ["live", "foraging", "--rule", "foraging:1", "--lifetimes", "1", "--season-steps", "9"]
EVOLVE = ["evolve", "foraging", "--search=random", "--max-generations=1", "--rescore=0", "--season-steps=3", "-q"]
LONG = "a" * 300


def refusal(capsys: Captured, *words: str) -> str:
    assert main([*words]) == 2
    out, err = capsys.readouterr()
    assert out == ""
    assert err.startswith("hebbarium: ")
    assert err.count("\n") == 1
    return err


@pytest.mark.parametrize(
    "words",
    [
        *([*LIVE, f"--{option}", LONG] for option in ("save", "load", "plot", "weights", "config")),
        *([*LIVE, "--save", f"{LONG}.npz"], [*LIVE, "--plot", f"{LONG}.svg"]),
        [*EVOLVE, "--out", LONG],
        ["atlas", "foraging", "--limit", "1", "--out", LONG],
        ["reproduce", "genotype", "-q", "--out", LONG],
        ["compare", "foraging", "foraging:1", "foraging:2", "--plot", f"{LONG}.svg"],
        ["sweep", "foraging", "--rule", "foraging:1", "--over", "hidden=2", "--plot", f"{LONG}.svg"],
        ["runs", LONG],
        ["export", LONG, "--to", "a.csv"],
    ],
)
def test_a_path_that_is_too_long(
    words: list[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: Captured
) -> None:
    monkeypatch.chdir(tmp_path)
    assert "aaaa" in refusal(capsys, *words)
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("seed = " + "[" * 5000 + "]" * 5000, "lists too deep"),
        ("seed = " + "9" * 5000, "numbers too long"),
        ("seed = 0x" + "f" * 5000, "must be a whole number"),
        ("seed = -1e999", "must be a whole number"),
        ("seed = " + "[" * 50 + "]" * 50, "must be a text, a number"),
        (".".join(["a"] * 40_000) + " = 1", "is longer than 20,000 bytes"),
        (".".join(["a"] * 9000) + " = 1", "'a' in "),
        ("#" * (LONGEST_CONFIG + 1), "is longer than 20,000 bytes"),
    ],
)
def test_a_config_file_that_asks_too_much(text: str, expected: str, tmp_path: Path, capsys: Captured) -> None:
    (tmp_path / "a.toml").write_text(text)
    assert expected in refusal(capsys, *LIVE, "--config", str(tmp_path / "a.toml"))


@pytest.mark.parametrize("option", ["--load", "--config"])
def test_only_regular_files_are_read(option: str, tmp_path: Path, capsys: Captured) -> None:
    os.mkfifo(tmp_path / "pipe")
    (tmp_path / "link").symlink_to(tmp_path / "pipe")
    for path in (tmp_path, tmp_path / "pipe", tmp_path / "link", Path("/dev/zero"), Path("/dev/tty")):
        said = refusal(capsys, *LIVE, option, str(path))
        assert "it is not a regular file" in said or "No such device" in said


@pytest.mark.parametrize("option", ["--seed", "--lifetimes", "--hidden", "--eta", "--threads", "--season-steps"])
def test_a_number_of_5000_digits(option: str, capsys: Captured) -> None:
    assert len(refusal(capsys, "live", "foraging", "--rule", "3", option, "9" * 5000)) < 200


def test_any_name_of_a_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: Captured) -> None:
    monkeypatch.chdir(tmp_path)
    names = ["x[", "[bold]", ":dog:", "a\x1b[2Jb", "\udcff"]
    for name in names:
        Path(name).mkdir()
        assert main([*EVOLVE, "--out", f"{name}/red]"]) == 0
    capsys.readouterr()
    for name in names:
        assert main(["runs", name]) == 0
        assert "red]" in capsys.readouterr().out
    Path("x[/red]").rename("[bold]a\x1b[2J:dog:")
    assert main(["runs", "."]) == 0
    assert " [bold]a\\x1b[2J:dog: " in capsys.readouterr().out


@pytest.mark.parametrize("ending", ["parquet", "csv"])
def test_export_to_a_full_disk(ending: str, tmp_path: Path) -> None:
    assert main([*EVOLVE, "--out", str(tmp_path / "run")]) == 0
    words = ["export", str(tmp_path / "run"), "--to", str(tmp_path / f"a.{ending}")]
    done = subprocess.run(
        [sys.executable, "-m", "hebbarium", *words],
        capture_output=True,
        text=True,
        check=False,
        preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_FSIZE, (1000, 1000)),
    )
    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr.endswith(f"a.{ending}': File too large.\n")
    assert [path.name for path in tmp_path.iterdir()] == ["run"]
