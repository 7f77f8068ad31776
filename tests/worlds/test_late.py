"""What goes wrong in somebody's world long after the rehearsal is one sentence with file and line, too."""

from __future__ import annotations

from pathlib import Path

import pytest

import hebbarium as hb
from hebbarium.cli import main
from hebbarium.worlds import pond

SOURCE = Path(pond.__file__).read_text(encoding="utf-8")
LIFE = ["--rule", "000-/0000@0.04", "--lifetimes", "3", "--season-steps", "2000"]
# The rehearsal's counts begin at a million.
LATE = {
    "act raises": (
        "    if thing != NOTHING:\n",
        '    if 300 < counts[0] < 900:\n        raise ValueError("too many flies")\n',
    ),
    "fitness raises": (
        "        sign = ",
        '        if counts.max() > 300:\n            raise ValueError("too many flies")\n',
    ),
}


@pytest.fixture(params=LATE)
def late(request: pytest.FixtureRequest, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> str:
    """A world that fails after a thousand steps; returns file, line and function."""
    monkeypatch.chdir(tmp_path)
    before, failing = LATE[request.param]
    text = f"{SOURCE.replace(before, failing + before, 1)}# {request.node.name}\n"  # one that no other test has loaded
    Path("pond.py").write_text(text, encoding="utf-8")
    line = text.splitlines().index(failing.splitlines()[1]) + 1
    return f"pond.py, line {line}, in {request.param.split()[0]}: ValueError: too many flies."


def test_in_python_whoever_asks(late: str) -> None:
    with pytest.raises(hb.BadInput) as caught:
        hb.live("./pond.py", "000-/0000@0.04", lifetimes=3, season_steps=2000).fitness.sum()
    assert str(caught.value) == late
    if "in act" in late:
        with pytest.raises(hb.BadInput, match="too many flies"):
            hb.trace("./pond.py", "000-/0000@0.04", season_steps=2000)
        with pytest.raises(hb.BadInput, match="too many flies"):
            hb.live_agent("./pond.py", "perfect", lifetimes=3, season_steps=2000)


def test_on_the_command_line(late: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["live", "./pond.py", *LIFE]) == 2
    assert capsys.readouterr().err.strip().splitlines()[-1] == f"hebbarium: {late}"
