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
from collections.abc import Sequence
from pathlib import Path

from attacks.base import Tally
from hebbarium.cli import main as hebbarium
from hebbarium.worlds import pond

Way = tuple[str, str]
"""What a function does from a step on: the function, and the statement."""
WAYS: list[Way] = [
    ("act", "counts[999] += 1"),
    ("act", "counts[-3] += 1"),
    ("act", "counts[10**9] = 1"),
    ("act", "counts[0] -= 2"),
    ("act", "counts[1] = -5"),
    ("act", "counts[0] += 2**62; counts[0] += 2**62"),
    ("act", "state.drifting[i + 100000, 0] = 1"),
    ("act", "state.drifting[i + 1, 0] = 1"),
    ("act", "state.drifting[i - 1, 0] = 1"),
    ("act", "state.drifting[-1] = 0"),
    ("act", "rows = state.drifting; rows[i - 1, 0] = 2"),
    ("act", "state.drifting[1] = 0"),
    ("act", "state.drifting[i, 2] = 1"),
    ("act", "state.drifting[i, -3] = 1"),
    ("act", "state.drifting[i, 0] = state.drifting[i, 77777] % 3"),
    ("act", "stream[50] = 1"),
    ("act", "counts[0] += stream[10**6] > 0"),
    ("act", 'raise ValueError("late")'),
    ("act", "state.drifting[i, :] = np.zeros(3, np.int64)"),
    ("act", "counts[0] += len(np.zeros(-action - 1))"),
    ("act", "counts[0] += len(np.zeros(10**15))"),
    ("act", "draw_below(counts[:1].view(np.uint64), 2)"),
    ("act", "counts[np.array([7])] = 1"),
    ("act", "assert action > 5"),
    ("sense", "senses[0] = 7"),
    ("sense", "senses[1] = 255"),
    ("sense", "senses[4] = 1"),
    ("sense", "senses[100000] = 1"),
    ("sense", "return"),
    ("sense", "state.drifting[i + 1, 0] = 1"),
    ("judge", "return 2, 1"),
    ("judge", "return 100, 3"),
    ("judge", "return 0, 4"),
    ("judge", "return 0, -1"),
    ("judge", "return 0, 10**6"),
    ("judge", "return 1, 3"),
    ("judge", "state.drifting[i + 5000, 0] = 1"),
    ("choose", "return 2"),
    ("choose", "return 99"),
    ("choose", "return -1"),
    ("begin", "state.drifting[i + 100000, 0] = 1"),
    ("turn", "state.drifting[i + 1, 0] = 1"),
    ("turn", 'raise KeyError("late")'),
]
ROOMS = {"act": {"counts": 2, "stream": 2}, "sense": {"senses": 4}}
ROOMS |= {name: {"stream": 2} for name in ("judge", "choose", "begin", "turn")}
"""The arrays that a function is given beside the state, and their sizes."""
ERRORS = ("ValueError", "KeyError", "IndexError", "ZeroDivisionError", "RuntimeError", "OverflowError", "TypeError")
MINDS = (
    ["--rule", "000-/0000@0.04"],  # learns from punishment only: actions are remembered
    ["--rule", "000-/00+0@0.04"],  # lived eight at a time
    ["--rule", "000-/00+0@0.04", "--cue", "0.9"],
    ["--rule", "000-/0000@0.04", "--hidden", "5,5"],
    ["--agent", "tabular"],
)
"""Each is another loop around the world's functions."""
PERFECT = ["--agent", "perfect"]
LIFE = ["--lifetimes", "24", "--season-steps", "1500", "--seasons", "2", "--json", "-q"]
SETTINGS = """    way: int = -1
    \"\"\"Which way it goes wrong; -1 for none.\"\"\"
    after: int = 0
    \"\"\"The last step that is sound.\"\"\"
"""


def generated(draw: random.Random) -> Way:
    """A random way to go wrong."""
    name = draw.choice(("act", "act", "act", "sense", "sense", "judge", "judge", "choose", "begin", "turn"))
    kind = draw.random()
    if kind < 0.1:
        return name, f'raise {draw.choice(ERRORS)}("late {draw.randrange(100)}")'
    if kind < 0.4:
        far = 2 + int(10 ** draw.uniform(0, 8))
        wrong = {
            "act": draw.choice((f"counts[{draw.randrange(2)}] = -{far}", f"counts[{draw.randrange(2)}] -= {far}")),
            "sense": f"senses[{draw.randrange(4)}] = {draw.randint(2, 255)}",
            "judge": f"return {draw.choice((f'{far}, 1', f'-{far}, 2', f'0, {far + 2}', f'1, -{far}', '-1, 3'))}",
            "choose": f"return {draw.choice((far, -far))}",
        }
        if name in wrong:
            return name, wrong[name]
    array, size = draw.choice([*ROOMS[name].items(), ("state.drifting", 2), ("state.clock", 1)])
    beyond = 0 if draw.random() < 0.3 else int(10 ** draw.uniform(0, 9))
    index = str(draw.choice((size + beyond, -size - 1 - beyond)))
    if array == "state.clock" or (array == "state.drifting" and draw.random() < 0.5):
        index = f"i {draw.choice('+-')} {1 + beyond}" + ", 0" * (array == "state.drifting")
    elif array == "state.drifting":
        index = f"i, {index}"
    place = f"{array}[{index}]"
    return name, draw.choice((f"{place} = 1", f"{place} += 1", f"state.drifting[i, 0] = {place} > 2"))


def source(ways: Sequence[Way]) -> str:
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
    text += "\n\n@compiled\ndef turn(constants, state, i, season, stream):\n    pass\n\n\n"
    for number, (name, statement) in enumerate(ways):
        head = re.search(rf"^def {name}\(.*\n", text, re.MULTILINE)
        assert head is not None
        late = f"    if constants.way == {number} and state.clock[i] > constants.after:\n        {statement}\n"
        # Else it would be written over; but what returns must come first.
        place = (
            head.end() if name in ("judge", "choose") or statement == "return" else text.index("\n\n\n", head.end()) + 1
        )
        text = text[:place] + late + text[place:]
    return text


def live(who: Sequence[str], way: int, after: int, threads: int) -> tuple[int, str, str]:
    """In the folder one is in: exit code, the digest where there is one, and all that was said on standard error."""
    settings = ["--way", str(way), "--after", str(after), "--threads", str(threads)]
    out, err = io.StringIO(), io.StringIO()
    with contextlib.redirect_stdout(out), contextlib.redirect_stderr(err):
        code = hebbarium(["live", "./pond.py", *who, *LIFE, *settings])
    return code, json.loads(out.getvalue())["digest"] if code == 0 else "", err.getvalue().strip()


def named(text: str, name: str, said: str) -> bool:
    """Whether a sentence names the file and a line of that function or above it."""
    found = re.fullmatch(r"hebbarium: pond\.py, line (\d+)(?:( or below, in what .* calls)|, in (\w+))?: .*\.", said)
    if found is None:
        return False
    start = text[: text.index(f"\ndef {name}(")].count("\n") + 2
    end = start + text.split(f"\ndef {name}(", 1)[1].split("\n\n\n", 1)[0].count("\n")
    return int(found[1]) <= start if found[2] else start <= int(found[1]) <= end


def attack(many: int, seed: int) -> Tally:
    """Every known way and then random ones, from a random step on, with one thread and with three; one mind after the
    other."""
    tally, draw = Tally("worlds that go wrong late"), random.Random(seed)
    ways = [*WAYS, *(generated(draw) for _ in range(many - len(WAYS)))][:many]
    for start in range(0, many, len(WAYS)):
        with tempfile.TemporaryDirectory(prefix="hebbarium-attack-") as place, contextlib.chdir(place):
            _attack(tally, draw, ways[start : start + len(WAYS)], MINDS[(seed + start // len(WAYS)) % len(MINDS)])
    return tally


def _attack(tally: Tally, draw: random.Random, ways: Sequence[Way], mind: Sequence[str]) -> None:
    """One file, with all these ways in it."""
    text = source(ways)
    Path("pond.py").write_text(text, encoding="utf-8")
    minds = [PERFECT if name == "choose" else mind for name, _ in ways]
    sound = {" ".join(who): live(who, -1, 0, 1) for who in minds}
    assert all(code == 0 for code, _, _ in sound.values()), sound
    for number, ((name, statement), who) in enumerate(zip(ways, minds, strict=True)):
        after = draw.randint(260, 2900)
        ends = [live(who, number, after, threads) for threads in (1, 3)]
        code, digest, said = ends[0]
        what = f"{' '.join(who)}: {name}: {statement} after step {after}"
        if ends[0] != ends[1]:
            tally.problem(what, f"differs with three threads: {ends}")
        elif code == 0 and digest == sound[" ".join(who)][1]:
            tally.outcomes["the sound world's digest"] += 1
        elif code == 2 and named(text, name, said):
            tally.outcomes["one sentence"] += 1
        else:
            tally.problem(what, f"exit {code}, digest {digest}: {said}")
