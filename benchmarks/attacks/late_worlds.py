"""Worlds that are sound while they are rehearsed and go wrong at some later step, in every way there is.

Each must end with one sentence that names file and line, or with the digest of the sound world; and the number of
threads must make no difference.
"""

from __future__ import annotations

import contextlib
import io
import json
import random
import re
import tempfile
from pathlib import Path

from attacks.base import Tally
from hebbarium.cli import main as hebbarium
from hebbarium.worlds import pond

WAYS = {
    "act: a count that does not exist": "counts[999] += 1",
    "act: a count before the first": "counts[-3] += 1",
    "act: a count far away": "counts[10**9] = 1",
    "act: a count that shrinks": "counts[0] -= 1",
    "act: a count below zero": "counts[1] = -5",
    "act: a count that overflows": "counts[0] += 2**62; counts[0] += 2**62",
    "act: a row far away": "state.drifting[i + 100000, 0] = 1",
    "act: the next life's row": "state.drifting[i + 1, 0] = 1",
    "act: the life's row before": "state.drifting[i - 1, 0] = 1",
    "act: the second row": "state.drifting[1] = 0",
    "act: a column that does not exist": "state.drifting[i, 2] = 1",
    "act: a column before the first": "state.drifting[i, -3] = 1",
    "act: read from far away": "state.drifting[i, 0] = state.drifting[i, 77777] % 3",
    "act: an empty slice of the stream": "stream[50] = 1",
    "act: the stream is read far away": "counts[0] += stream[10**6] > 0",
    "act: an exception": 'raise ValueError("late")',
    "act: the end of the program": "raise SystemExit(0)",
    "act: an array of the wrong size": "state.drifting[i, :] = np.zeros(3, np.int64)",
    "act: a negative size": "counts[0] += len(np.zeros(-action - 1))",
    "act: numbers drawn into the counts": "draw_below(counts[:1].view(np.uint64), 2)",
    "sense: an input of 7": "senses[0] = 7",
    "sense: an input below zero": "senses[1] = 255",
    "sense: an input that does not exist": "senses[4] = 1",
    "sense: an input far away": "senses[100000] = 1",
    "sense: nothing is written": "return",
    "sense: the next life's row": "state.drifting[i + 1, 0] = 1",
    "judge: a signal of 2": "return 2, 1",
    "judge: a signal of 100": "return 100, 3",
    "judge: an association that does not exist": "return 0, 4",
    "judge: an association below zero": "return 0, -1",
    "judge: an association far away": "return 0, 10**6",
    "judge: the wrong signal": "return 1, 3",
    "judge: a row far away": "state.drifting[i + 5000, 0] = 1",
    "choose: an action that does not exist": "return 2",
    "choose: an action of 99": "return 99",
    "choose: an action below zero": "return -1",
    "begin: a row far away": "state.drifting[i + 100000, 0] = 1",
    "turn: the next life's row": "state.drifting[i + 1, 0] = 1",
    "turn: an exception": 'raise KeyError("late")',
}
"""What a function does from a step on: the function, and the statement."""
LIFE = ["--lifetimes", "24", "--season-steps", "1500", "--seasons", "2", "--json", "-q"]
SETTINGS = """    way: int = -1
    \"\"\"Which way it goes wrong; -1 for none.\"\"\"
    after: int = 0
    \"\"\"The last step that is sound.\"\"\"
"""


def source() -> str:
    """A pond with a clock, whose settings say how it goes wrong and when: it has to be compiled only once."""
    text = Path(pond.__file__).read_text(encoding="utf-8")
    for before, after in (
        ("np.zeros((lifetimes, 2), np.int64))", "np.zeros((lifetimes, 2), np.int64), np.zeros(lifetimes, np.int64))"),
        ("# int64 [life, side]\n", "# int64 [life, side]\n    clock: np.ndarray\n"),
        ("State(drifting=", "State("),
        ("    if thing != NOTHING:\n", "    state.clock[i] += 1\n    if thing != NOTHING:\n"),
        ("    food: float = 0.7\n", f"{SETTINGS}    food: float = 0.7\n"),
        ("Constants(food=self.food)", "Constants(food=self.food, way=self.way, after=self.after)"),
        ("    food: float\n", "    food: float\n    way: int\n    after: int\n"),
    ):
        assert before in text
        text = text.replace(before, after)
    text += "\n\n@compiled\ndef turn(constants, state, i, season, stream):\n    pass\n"
    for number, (way, statement) in enumerate(WAYS.items()):
        head = re.search(rf"^def {way.partition(':')[0]}\(.*\n", text, re.MULTILINE)
        assert head is not None
        late = f"    if constants.way == {number} and state.clock[i] > constants.after:\n        {statement}\n"
        text = text[: head.end()] + late + text[head.end() :]
    return text


def live(way: int, after: int, perfect: bool, threads: int) -> tuple[int, str, str]:
    """In the folder one is in: exit code, the digest where there is one, and all that was said on standard error."""
    who = ["--agent", "perfect"] if perfect else ["--rule", "000-/0000@0.04"]
    settings = ["--way", str(way), "--after", str(after), "--threads", str(threads)]
    out, err = io.StringIO(), io.StringIO()
    with contextlib.redirect_stdout(out), contextlib.redirect_stderr(err):
        code = hebbarium(["live", "./pond.py", *who, *LIFE, *settings])
    return code, json.loads(out.getvalue())["digest"] if code == 0 else "", err.getvalue().strip()


def attack(many: int, seed: int) -> Tally:
    """Every way in turn, from a random step on, with one thread and with three."""
    tally, chance = Tally("worlds that go wrong late"), random.Random(seed)
    with tempfile.TemporaryDirectory(prefix="hebbarium-attack-") as place, contextlib.chdir(place):
        Path("pond.py").write_text(source(), encoding="utf-8")
        sound = {perfect: live(-1, 0, perfect, 1) for perfect in (False, True)}
        for number in range(many):
            way, after = list(WAYS)[number % len(WAYS)], chance.randint(260, 2900)
            perfect, what = way.startswith("choose"), f"{way} after step {after}"
            ends = [live(number % len(WAYS), after, perfect, threads) for threads in (1, 3)]
            code, digest, said = ends[0]
            if ends[0] != ends[1]:
                tally.problem(what, f"differs with three threads: {ends}")
            elif code == 0 and digest == sound[perfect][1]:
                tally.outcomes["the sound world's digest"] += 1
            elif code == 2 and re.fullmatch(r"hebbarium: pond\.py, line \d+.*\.", said):
                tally.outcomes["one sentence"] += 1
            else:
                tally.problem(what, f"exit {code}, digest {digest}: {said}")
    return tally
