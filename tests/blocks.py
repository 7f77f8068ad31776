"""The code blocks of the README and the docs, and how long work in them is made short enough for a test."""

from __future__ import annotations

import re
import shlex
import textwrap
from dataclasses import dataclass
from pathlib import Path

from hebbarium.cli import parsed
from hebbarium.paper.items import ITEMS

ROOT = Path(__file__).parents[1]
PAGES = ["README.md", "CONTRIBUTING.md", *(f"docs/{path.name}" for path in sorted((ROOT / "docs").glob("*.md")))]
PROGRAMS = ("hebbarium", "python", "make", "pip", "dask", "srun", "ssh")

NOT_RUN = {
    r"pip install": "the package is installed already",
    r"make ": "targets of the Makefile set up whole environments; CI runs them",
    r"(dask|srun|ssh) ": "needs a cluster, or another machine",
    r"hebbarium watch( runs/\S+)?$": "serves a page until it is stopped; tests/watch opens it in a browser",
    r"python benchmarks/": "takes long; that each script knows its options is tested",
    r"hebbarium atlas \S+ --over": "lives at many points; tests/studies/atlas/test_phases.py does so at a few",
    r"python examples/": "an example, which test_examples.py runs",
    r"hebbarium live ./pond.py --rule 000-/0000@0.04$": "shows what a broken world says, as tests/worlds do",
    r"from dask_jobqueue": "needs SLURM",
}
"""Commands, and Python blocks by their beginning, that cannot run here, and why. Nothing else is left out."""

SMALL = {
    "--lifetimes": "2",
    "--season-steps": "40",
    "--seasons": "4",
    "--limit": "3",
    "--effort": "0.1",
    "--etas": "0.02,0.1",
    "--rescore": "2",
    "--runs": "1",
}
"""Put in place of what a command says, or behind it where its parser knows the option, so that all lives are short."""
SEARCHES = {
    "genetic": {"--individuals": "8", "--elites": "2", "--max-generations": "2"},
    "racing": {"--max-generations": "2", "--lifetimes": None},
    "random": {"--evaluations": "40"},
    "catcma": {"--generations": "2", "--individuals": "8"},
}
"""The same for the searches of `evolve`; None is left out."""
VERBS: dict[str, dict[str, str | None]] = {"transfer": {"--budget": "0", "--season-steps": None, "--seasons": None}}
"""The same for other verbs: in short lives the perfect agent is no better than chance, so nothing is searched for."""
REPRODUCED = ("genotype", "foraging-associations")
"""Items without lives, which stand for the others in `reproduce`."""
WHOLE = ("hebbarium live foraging --rule foraging:1 --seed 7", "hebbarium explain ", "hebbarium atlas foraging --show")
"""Commands that run as they stand, because they are quick; what the page prints below them must be what they print."""
PLACEHOLDERS = {"RUN": "runs/evolve-foraging-racing-1", "FILE.parquet": "file.parquet", "FILE.csv": "file.csv"}
ELSEWHERE = {"docs/transfer.md": {"./pond.py": "association"}}
"""Words that a page replaces: the pond, which takes long to compile, is lived in on the page about worlds."""


@dataclass(frozen=True)
class Block:
    page: str
    line: int
    language: str
    text: str

    def commands(self) -> list[tuple[str, list[str]]]:
        """Each command of a console or shell block, and what the page prints below it."""
        if self.language not in ("", "console", "bash"):
            return []
        found: list[tuple[str, list[str]]] = []
        for line in self.text.replace("\\\n", " ").splitlines():
            prompt, bare = line.startswith("$ "), line.removeprefix("$ ").strip()
            if prompt or (self.language != "console" and bare.split(" ")[0] in PROGRAMS):
                found.append((" ".join(bare.partition("  #")[0].split()), []))
            elif found:
                found[-1][1].append(line)
        return found


def blocks(page: str) -> list[Block]:
    text = (ROOT / page).read_text(encoding="utf-8")
    found = re.finditer(r"^ *```(\w*)\n(.*?)^ *```", text, re.DOTALL | re.MULTILINE)
    return [Block(page, text[: one.start()].count("\n") + 1, one[1], textwrap.dedent(one[2])) for one in found]


def reason_not_to_run(text: str) -> str | None:
    return next((reason for pattern, reason in NOT_RUN.items() if re.match(pattern, text)), None)


def words_to_run(command: str, page: str = "") -> list[str]:
    """The words behind `hebbarium`: short lives, unless the command is one of WHOLE."""
    other = PLACEHOLDERS | ELSEWHERE.get(page, {})
    words = [other.get(word, word) for word in shlex.split(command)[1:]]
    if "--cluster" in words:  # wherever the page's cluster is, a real one of one worker stands for it
        words[words.index("--cluster") + 1] = "local:1"
    if command.startswith(WHOLE) and "--measure" not in words:
        return words
    if words[0] == "reproduce":
        return _reproduced(words)
    small = SMALL | VERBS.get(words[0], {})
    if words[0] == "evolve":
        small |= SEARCHES[words[words.index("--search") + 1] if "--search" in words else "racing"]
    for option, value in small.items():
        if option in words and value is not None:
            words[words.index(option) + 1] = value
        elif value is not None and _is_known([*words, option, value]):
            words += [option, value]
    return words


def _is_known(words: list[str]) -> bool:
    """Whether the parser takes these words."""
    try:
        parsed(list(words))
    except Exception:
        return False
    return True


def _reproduced(words: list[str]) -> list[str]:
    """A name that is no item stays, and is refused."""
    return ["reproduce", *REPRODUCED, *(word for word in words[1:] if word not in ITEMS)]
