"""Every way to break a world gets one sentence that names file, line and what is wrong."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

import hebbarium as hb
from hebbarium.worlds import pond

# Without names of inputs, whose number would be complained about first.
WORKING = Path(pond.__file__).read_text(encoding="utf-8").replace("def input_names", "def no_names")

CONSTANTS, HIDDEN = "    def constants(self):", "    default_hidden: ClassVar[int] = 10"
GROUPS = '    groups: ClassVar[tuple[str, ...]] = ("food", "nothing")\n'


def prop(name: str, value: str) -> str:
    return f"    @property\n    def {name}(self):\n        return {value}\n\n{CONSTANTS}"


def table(value: str) -> tuple[str, str]:
    """Groups, whose table is this."""
    body = WORKING[WORKING.index(HIDDEN) : WORKING.index(CONSTANTS)]
    return body, f"{GROUPS}{body}    def group_table(self):\n        return {value}\n\n"


BROKEN = {
    "a syntax error": (("def check(self):", "def check(self)"), "expected ':'"),
    "an exception while it is loaded": (("import numpy as np\n", "import numpy as np\n\n1 / 0\n"), "ZeroDivisionError"),
    "a module that is not there": (("import numpy as np\n", "import numpy as np\nimport nympy\n"), "no module 'nympy'"),
    "no world at all": (("class Pond(World)", "class Pond"), "no class that derives from"),
    "no dataclass": (("@dataclass(frozen=True, kw_only=True)\n", ""), "marked with @dataclass"),
    "a name that is taken": (('= "pond"', '= "foraging"'), "line 19: the name 'foraging' is taken"),
    "a name that is no word": (('= "pond"', '= "my pond"'), "line 19: the name of a world is a word"),
    "a setting whose name is taken": (("food: float", "eta: float"), "line 36: the setting 'eta' has a name"),
    "a usual value that is refused": (("food: float = 0.7", "food: float = 7.0"), "food is 7, but must be"),
    "a setting that hides a property": (("food: float", "steps: float"), "line 36: 'steps' means something"),
    "no class variable": (("default_hidden: ClassVar[int]", "default_hidden: int"), "declare it as a ClassVar"),
    "the end of the program": (("import numpy as np\n", "import numpy as np\n\nraise SystemExit\n"), "ends the whole"),
    "a count twice": (('("flies", "worms")', '("flies", "flies")'), "counts has a word twice"),
    "counts that are a property": ((CONSTANTS, prop("counts", "('flies', 'worms')")), "counts must be a tuple"),
    "kinds that are a property": ((CONSTANTS, prop("kinds", "('summer', 'winter')")), "kinds must be a tuple of words"),
    "associations that are a property": ((CONSTANTS, prop("associations", "()")), "associations must be a tuple"),
    "actions that are no words": ((CONSTANTS, prop("actions", "[1, 2]")), "actions must be a tuple of at least 2"),
    "no usual brain": (("ClassVar[int] = 10", "ClassVar[int] = 0"), "default_hidden must be a whole number"),
    "a meaning for one season of two": (
        ("default_hidden:", 'meanings: ClassVar = {"fly": ("wanted",)}\n    default_hidden:'),
        "meanings of 'fly' must be one word for each kind of season: summer, winter",
    ),
    "one action": (('("left", "right")', '("left",)'), "at least 2 words"),
    "a missing function": (("def judge(", "def judges("), "season, action, stream) is missing"),
    "a function that is not marked": (("@compiled\ndef sense", "def sense"), "sense must be marked with @compiled"),
    "arguments that are not asked for": (("state, i, senses)", "state, senses)"), "sense has 3 arguments"),
    "no method": (("def new_state(", "def newstate("), "no new_state of its own"),
    "seasons without signals": (("(1, -1)", "(1,)"), "needs a signal -1, 0 or 1 for each of summer, winter"),
    "an association that is none": (("Association(1,", "(1,"), "must be an Association(id, sensor, behaviour,"),
    "an association without a behaviour": (('"snap", (1, -1)', "7, (1, -1)"), "two texts and the signals"),
    "signals that are no tuple": (('"snap", (1, -1)', '"snap", 1'), "for each of summer, winter: 1."),
    "groups without a table": ((HIDDEN, f"{GROUPS}{HIDDEN}"), "needs a group_table of its own"),
    "a group that is no word": ((HIDDEN, GROUPS.replace("food", "1=2") + HIDDEN), "the group '1=2' must be a word"),
    "groups of the wrong shape": (table("np.zeros((1, 2, 1), np.int8)"), "here [2, 4, 2], but gives int8 [1, 2, 1]."),
    "groups that are no whole numbers": (table("np.zeros((2, 4, 2))"), "but gives float64 [2, 4, 2]."),
    "groups nobody knows": (table("np.full((2, 4, 2), 2)"), "there are only the groups 0 to 1."),
    "groups that fail": (table("np.zeros(2)[5]"), "in group_table: IndexError"),
    "an id twice": (("Association(2,", "Association(1,"), "ids of their own"),
    "inputs that do not fit": (("return 4", "return 3"), "IndexError: index 3 is out of bounds"),
    "inputs left unwritten": (("return 4", "return 5"), "sense does not write senses[4], but there are 5 inputs"),
    "inputs that are no bits": (("= state.drifting[i, side] == FLY", "= state.drifting[i, side]"), "sense writes 2"),
    "a state that is one number": (("np.zeros((lifetimes, 2), np.int64)", "0"), "one row per life"),
    "a state of the wrong shape": (("np.zeros((lifetimes, 2)", "np.zeros((2, lifetimes)"), "int64 [2, 3]"),
    "a state of the wrong type": (("np.zeros((lifetimes, 2), np.int64)", "np.full(lifetimes, None)"), "object [3]"),
    "constants without names": (("return Constants(food=self.food)", "return [self.food]"), "must be a NamedTuple"),
    "another life's row": (("state.drifting[i, side] = FLY", "state.drifting[0, side] = FLY"), "changed another row"),
    "an exception in a life": (("counts[thing - 1] += 1", "counts[thing] += 1"), "in act: IndexError"),
    "a count that goes missing": (("counts[thing - 1] += 1", "counts[thing - 1] = 1"), "must add to it"),
    "a signal out of range": (("return 1 if thing", "return 2 if thing"), "judge gives the signal 2"),
    "a signal that is not the table's": (("return 1 if thing", "return 0 if thing"), "whose signal in summer is 1"),
    "an association nobody knows": (("return 0, 3", "return 0, 4"), "only 1, 2, 3"),
    "a judgement without an association": (("return 0, 3", "return 0"), "must give two whole numbers"),
    "chance from elsewhere": (("draw_below(stream, 2)", "np.random.randint(2)"), "this world is not deterministic"),
    "whole numbers beyond 64 bits": (("+= 1", "+= 1 + 3**39 * (action + 2) % 3"), "compiled code does something else"),
    "an action that is not there": (("return RIGHT if right", "return 2 if right"), "choose gives 2"),
    "a fitness of the wrong shape": (("/ self.season_steps", "[0]"), "[lifetime, season]"),
    "a picture of things unknown": (("[[left, NOTHING, right]]", "[[left, 9, right]]"), "legend has 3 things"),
    "an agent beyond the picture": (("agent=(0, 1)", "agent=(0, 7)"), "is at (0, 7), which is no cell"),
    "an agent that is no place": (("agent=(0, 1)", "agent=1"), "the agent of picture is at 1"),
    "a direction nobody knows": (("agent=(0, 1)", "agent=(0, 1), direction=4"), "must be 0, 1, 2 or 3"),
    "a view beyond the picture": (("agent=(0, 1)", "view=((0, 1), (1, 1))"), "the view of picture has (1, 1)"),
    "a picture of no numbers": (("right]], np.uint8)", "right]], float)"), "such as uint8, but are float64"),
    "a thing below all": (("[[left, NOTHING, right]], np.uint8", "[[left, -1, right]], np.int8"), "has a cell -1"),
    "a thing that is none": (('Thing("water", "", "~")', '("water", "", "~")'), "must be a Thing(name, colour,"),
    "a symbol of two characters": (('"", "~"', '"", "~~"'), "one character as its symbol"),
    "a colour nobody knows": (('"#444444"', '"flyish"'), "the colour of 'fly' must be"),
    "a helper that is not marked": (("@compiled\ndef wanted", "def wanted"), "wanted is called by compiled"),
    "what numba does not know": (("    return 0, 3", "    return 0, len(f'{thing:>3}')"), "cannot be compiled: "),
}  # fmt: skip


def broken(folder: Path, before: str, after: str) -> Path:
    assert before in WORKING
    text = WORKING.replace(before, after)
    file = folder / "pond.py"
    file.write_text(text, encoding="utf-8")
    return file


@pytest.mark.parametrize("way", BROKEN)
def test_one_sentence(way: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    (before, after), expected = BROKEN[way]
    broken(tmp_path, before, after)
    with pytest.raises(hb.BadInput) as caught:
        hb.live("./pond.py", "000-/0000@0.04", lifetimes=1, season_steps=9)
    print(f"{way}: {caught.value}")
    assert expected in str(caught.value)
    assert "\n" not in str(caught.value)
    assert str(caught.value).endswith(".")
    if way != "no world at all":
        assert re.match(r"pond\.py, line \d+(, in \w+)?: ", str(caught.value))
