"""`hebbarium new-world`: a file to start a world of your own from."""

from __future__ import annotations

from pathlib import Path

import cyclopts

from hebbarium.cli.shared_options import CommonOptions, Verb, print_json
from hebbarium.tools.errors import printable

app = cyclopts.App("new-world", help="Write a small working world as a starting point for your own.")


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
    if common.json:
        print_json({"name": name, "file": str(file)})
    else:
        print(f"Wrote {shown}, a small working world. Try:\n\n  hebbarium live {place} --rule 000-/0000@0.04\n")
        print("Then change it as you like: the file's comments explain it, and the docs' page on worlds says more.")


Verb(app, new_world)
