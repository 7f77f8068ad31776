"""What goes wrong in somebody's world long after the rehearsal is one sentence with file and line, too."""

from __future__ import annotations

import importlib
import sys
from pathlib import Path

import numpy as np
import pytest

import hebbarium as hb
from attacks import late_worlds
from hebbarium.cli import main
from hebbarium.kernels.compile import compiled, machine_code
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


def test_whatever_goes_wrong_late_is_one_sentence_or_changes_nothing() -> None:
    """Indices out of bounds, other lives' rows, values that must not be: no crash, no other result, whatever the
    threads."""
    tally = late_worlds.attack(len(late_worlds.WAYS), seed=1)
    assert not tally.problems
    assert tally.outcomes["one sentence"] > 0.9 * len(late_worlds.WAYS)


UNCHECKED = {
    "a.flat[big] = 1": "an index of `flat` is not allowed",
    "np.take_along_axis(b, np.array([big]), 0)": "take_along_axis is not allowed",
    "as_strided(b, (big,), (8,))[big - 1] = 1": "as_strided is not allowed",
    "fast(b, big)": "index is out of bounds",
    "numbas.fast(b, big)": "index is out of bounds",
    "b[0] = np.random.random()": "random numbers of random are not allowed",
    "b[0] = np.random.choice(b)": "random numbers of choice are not allowed",
    "b[0] = random.randint(0, 9)": "random numbers of randint are not allowed",
}
NUMBAS = "from numba import njit\n\n\n@njit\ndef fast(b, big):\n    b[big] = 1\n"


@pytest.mark.parametrize("statement", UNCHECKED)
def test_what_numba_does_not_check(statement: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Each ended Python with a segmentation fault, or gave another result each time."""
    monkeypatch.syspath_prepend(tmp_path)
    head = "import random\nimport numpy as np\nimport numbas\nfrom numbas import fast\n"
    head += "from numpy.lib.stride_tricks import as_strided\n"
    (tmp_path / "numbas.py").write_text(NUMBAS, encoding="utf-8")
    (tmp_path / "unchecked.py").write_text(f"{head}def late(a, b, big):\n    {statement}\n", encoding="utf-8")
    for name in ("numbas", "unchecked"):
        monkeypatch.delitem(sys.modules, name, raising=False)
    late = machine_code(compiled(importlib.import_module("unchecked").late))
    with pytest.raises((TypeError, IndexError), match=UNCHECKED[statement]):
        late(np.zeros((1, 2)), np.zeros(2), 10**8)


def test_constants_cannot_be_written(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    text = SOURCE.replace("Constants(food=self.food)", "Constants(food=np.full(1, self.food))")
    text = text.replace("< constants.food", "< constants.food[0]")
    late = "    if 300 < counts[0] < 900:\n        constants.food[0] = 0.5\n    if thing != NOTHING:\n"
    Path("pond.py").write_text(text.replace("    if thing != NOTHING:\n", late, 1), encoding="utf-8")
    with pytest.raises(hb.BadInput, match=r"pond\.py, line 106: the constants cannot be written to, because"):
        hb.live("./pond.py", "000-/0000@0.04", lifetimes=3, season_steps=2000)


def test_a_life_cannot_depend_on_its_place_in_the_state(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """All lives begin with the same row of the state, so one that `new_state` makes different is noticed."""
    monkeypatch.chdir(tmp_path)
    text = SOURCE.replace("np.zeros((lifetimes, 2), np.int64))", "np.arange(2 * lifetimes).reshape(lifetimes, 2) % 3)")
    text = text.replace("for side in range(2):\n        there", "for side in range(1):\n        there")
    Path("pond.py").write_text(text, encoding="utf-8")
    with pytest.raises(hb.BadInput, match=r"pond\.py, line \d+: compiled code does something else"):
        hb.live("./pond.py", "000-/0000@0.04", lifetimes=40, season_steps=200)


def test_two_functions_that_raise_with_numbers(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """numba makes a function for what each error says, by the same name where the numbers are of the same kinds."""
    monkeypatch.chdir(tmp_path)
    raising = "    if thing > 5:\n        raise ValueError('unknown', thing)\n"
    Path("pond.py").write_text(SOURCE.replace("    if thing ", raising + "    if thing "), encoding="utf-8")
    assert hb.live("./pond.py", "000-/0000@0.04", lifetimes=1, season_steps=9).counts.any()
