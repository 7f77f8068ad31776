"""A file to start a world of one's own from: a small one that works, to be changed bit by bit."""

from __future__ import annotations

import os
from pathlib import Path

from hebbarium.errors import BadInput, shown
from hebbarium.files import check_writable, replacing
from hebbarium.worlds.checking import is_name
from hebbarium.worlds.registry import WORLDS

START = Path(__file__).parent.parent / "worlds" / "pond.py"


def new_world(name: str, out: str | os.PathLike[str] | None = None) -> Path:
    """Write a working world called `name`, and return its file: NAME.py in the present folder unless told otherwise.

    A file that is there already is left alone."""
    if not isinstance(name, str) or not is_name(name):
        raise BadInput(f"name is {shown(name)}, but must be a word of a-z, 0-9 and single hyphens, such as deep-pond.")
    if name in WORLDS:
        raise BadInput(f"name is {name!r}, but that is a world of the package: {', '.join(WORLDS)} are taken.")
    file = Path(f"{name.replace('-', '_')}.py" if out is None else out)
    if file.exists():
        raise BadInput(f"{file} already exists; choose another with --out, or remove it first.")
    check_writable(file, (".py",))
    with replacing(file) as part:
        part.write_text(text_of(name), encoding="utf-8")
    return file


def text_of(name: str) -> str:
    """The file's text."""
    words = [word.capitalize() for word in name.split("-")]
    text = START.read_text(encoding="utf-8")
    for before, after in (('"""Pond:', f'"""{" ".join(words)}:'), ("Pond", "".join(words)), ('"pond"', f'"{name}"')):
        text = text.replace(before, after)
    return text
