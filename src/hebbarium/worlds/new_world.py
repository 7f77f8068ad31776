"""A file to start your own world from: a small one that works, to be changed step by step."""

from __future__ import annotations

import ast
import keyword
import os
import sys
from importlib.machinery import PathFinder
from pathlib import Path

from hebbarium.tools.errors import BadInput, shown
from hebbarium.tools.files import check_writable, replacing
from hebbarium.worlds.checking import is_name
from hebbarium.worlds.registry import WORLDS

START = Path(__file__).with_name("pond.py")


def new_world(name: str, out: str | os.PathLike[str] | None = None) -> Path:
    """Write a working world called `name`, and return its file: `out`, or NAME.py in the current folder.

    An existing file is left alone."""
    if not isinstance(name, str) or not is_name(name):
        raise BadInput(f"name is {shown(name)}, but must be a word of a-z, 0-9 and single hyphens, such as deep-pond.")
    if name in WORLDS:
        raise BadInput(f"name is {name!r}, but that is a world of the package: {', '.join(WORLDS)} are taken.")
    # The class must not have a name that the file uses for something else.
    nodes = list(ast.walk(ast.parse(START.read_text(encoding="utf-8"))))
    used = {node.name for node in nodes if isinstance(node, (ast.ClassDef, ast.FunctionDef, ast.alias))}
    used |= {node.id for node in nodes if isinstance(node, ast.Name)}
    if _class_name(name) in used - {"Pond"} or keyword.iskeyword(_class_name(name)):
        raise BadInput(
            f"name is {name!r}, but {_class_name(name)} means something else in such a file; choose another."
        )
    file = Path(f"{name.replace('-', '_')}.py" if out is None else out)
    elsewhere = [folder for folder in sys.path if Path(folder).resolve() != Path.cwd()]
    if file.stem in sys.stdlib_module_names or PathFinder.find_spec(file.stem, elsewhere) is not None:
        raise BadInput(f"the file would be {file.name}, but {file.stem} is a module of Python or an installed package.")
    if file.exists():
        raise BadInput(f"{file} already exists; choose another with --out, or remove it first.")
    check_writable(file, (".py",))
    with replacing(file) as part:
        part.write_text(text_of(name), encoding="utf-8")
    return file


def text_of(name: str) -> str:
    """The file's text."""
    title = " ".join(_words(name))
    text = START.read_text(encoding="utf-8")
    for before, after in (('"""Pond:', f'"""{title}:'), ("Pond", _class_name(name)), ('"pond"', f'"{name}"')):
        text = text.replace(before, after)
    return text


def _words(name: str) -> list[str]:
    return [word.capitalize() for word in name.split("-")]


def _class_name(name: str) -> str:
    return "".join(_words(name))
