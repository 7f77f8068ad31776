"""`hebbarium new-world`: a file to start a world of your own from."""

from __future__ import annotations

from pathlib import Path

from hebbarium.cli.commands import Verb
from hebbarium.cli.shared_options import CommonOptions
from hebbarium.tools.errors import printable


def new_world(name: str, /, *, out: Path | None = None, common: CommonOptions) -> None:
    """
    Parameters
    ----------
    name
        What the world is called, such as pond or deep-pond.
    out
        The file; by default NAME.py in this folder. An existing file is not overwritten.
    """
    from hebbarium.worlds.new_world import new_world

    file = new_world(name, out)
    shown = printable(str(file))
    place = shown if file.is_absolute() else f"./{shown}"
    common.hand_over(
        {"name": name, "file": str(file)},
        print,
        f"Wrote {shown}, a small working world. Try:\n\n  hebbarium live {place} --rule 000-/0000@0.04\n\n"
        "Then change it as you like: the file's comments explain it, and the docs' page on worlds says more.",
    )


app = Verb(new_world, "Write a small working world as a starting point for your own.").app
