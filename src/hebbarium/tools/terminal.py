"""What a shell gives a command, put in order: closed streams, narrow encodings, absurd widths.

`settle` is called once, when the process starts; `make_console` wherever a table or a help page is printed.
"""

from __future__ import annotations

import codecs
import contextlib
import os
import re
import shutil
import sys
from collections.abc import Collection, Iterable, Iterator, Sequence
from typing import IO, TYPE_CHECKING, Any

from hebbarium.tools.errors import visible

if TYPE_CHECKING:
    from rich.console import Console, ConsoleOptions
    from rich.measure import Measurement
    from rich.table import Table
    from rich.text import Text

LEAST = {"COLUMNS": 20, "LINES": 4}
MOST = 10_000
"""Of a screen. In fewer columns no text can be read, and rich would wrap it for minutes; more would fill the memory."""
UNICODE = "±→−–—─│…▁▂▃▄▅▆▇█"
PLAIN = ("+-", "->", *"----|", "...", *"_.,-=+*#")
"""What stands for it where the encoding does not have it."""
NOTATION = r"(?<=,)|(?<=\d:)|(?=@)|(?<=[-+0-9]/)(?=[-+0-9])"
"""Where a rule's notation may be broken: between layers, entries, punishment and reward, and before an eta."""
NOTATION_OR_HYPHEN = rf"{NOTATION}|(?<=[a-z]-)(?=[a-z])"
"""In a table there is less room than in a sentence, where a hyphen may be a path's."""


def settle() -> None:
    for stream, mode in (("stdin", "r"), ("stdout", "w"), ("stderr", "w")):
        if getattr(sys, stream) is None:
            # Takes the lowest free descriptor, so that no file opened later is mistaken for a standard stream.
            setattr(sys, stream, open(os.devnull, mode, encoding="utf-8"))  # noqa: SIM115
    codecs.register_error("hebbarium", _plainly)
    for output in (sys.stdout, sys.stderr):
        if hasattr(output, "reconfigure"):
            output.reconfigure(errors="hebbarium")
    # A size in which text can be shown, if the one that rich would find is not.
    for axis, name in enumerate(LEAST):
        typed = os.environ.pop(name, "")
        given = min(int(typed[:9]), MOST) if typed.isascii() and typed.isdigit() else 0
        size = given or _terminal_size(axis)
        if given or 0 < size < LEAST[name]:
            os.environ[name] = str(max(size, LEAST[name]))
    os.environ["MPLBACKEND"] = "agg"  # pictures go to files, which no other backend is needed for


def make_console(**options: Any) -> Console:
    """A console that shows what it is given: `[red]` or `:dog:` in the name of a folder is just a name, and so is an
    escape code, which a terminal would obey."""
    from rich.console import Console
    from rich.segment import Segment

    class Showing(Console):
        def print(self, *what: Any, **how: Any) -> None:
            super().print(*(fitted(one, self.file) if isinstance(one, str) else one for one in what), **how)

        def render(self, *what: Any, **how: Any) -> Iterator[Segment]:
            for segment in super().render(*what, **how):
                yield segment if segment.control else Segment(visible(segment.text), segment.style)

    return Showing(highlight=False, markup=False, emoji=False, **options)


def fitted(text: str, stream: IO[str]) -> str:
    """In lines of the terminal's width; elsewhere lines stay whole, for programs that read them."""
    if not stream.isatty():
        return text
    try:
        width = os.get_terminal_size(stream.fileno()).columns if "COLUMNS" not in os.environ else 0
    except (OSError, ValueError):
        width = 0
    return folded(text, width or shutil.get_terminal_size().columns)


def folded(text: str, width: int, inside: str = NOTATION) -> str:
    """In lines of this width that end between words. A longer word, such as the notation of a rule, is broken only
    inside, and only where it may be."""
    lines = []
    for line in text.split("\n"):
        indent = line[: len(line) - len(line.lstrip())]
        lines.append("")
        for word in re.split(r"(?<=\s)(?=\S)", line):
            for part in [word] if len(word.rstrip()) <= width else re.split(inside, word):
                if lines[-1].strip() and len(lines[-1] + part.rstrip()) > width:
                    lines.append(indent)
                lines[-1] += part
    return "\n".join(line.rstrip() for line in lines)


class Folding:
    """A cell of a table that may take several lines."""

    def __init__(self, text: str) -> None:
        self.text, self.widest = text, max(map(len, text.split("\n")))
        self.least = max(map(len, folded(text, 1, NOTATION_OR_HYPHEN).split("\n")))

    def __str__(self) -> str:
        return self.text

    def __rich_measure__(self, console: Console, options: ConsoleOptions) -> Measurement:
        from rich.measure import Measurement

        return Measurement(self.least, self.widest)

    def __rich_console__(self, console: Console, options: ConsoleOptions) -> Iterator[Text]:
        from rich.text import Text

        yield Text(folded(self.text, options.max_width, NOTATION_OR_HYPHEN))


def table(heads: Sequence[str], rows: Iterable[Sequence[str]], words: Collection[int] = (0,), **look: Any) -> Table:
    """A table for the terminal. words: places of the columns that hold words, which are folded where the screen is
    narrow; the others hold numbers, which are never cut. look: as of rich's tables."""
    from rich.box import SIMPLE_HEAD
    from rich.table import Table

    made = Table(**({"box": SIMPLE_HEAD} | look))
    for place, name in enumerate(heads):
        folds = place in words
        made.add_column(Folding(name) if folds else name, justify="left" if folds else "right", no_wrap=not folds)
    for row in rows:
        made.add_row(*(Folding(cell) if place in words else cell for place, cell in enumerate(row)))
    return made


NARROW: dict[str, Any] = {"show_edge": False, "padding": (0, 0, 0, 1), "title_justify": "left"}
"""The look of tables with many columns."""


def tables(heads: Sequence[str], rows: Sequence[Sequence[str]], width: int) -> Iterator[Table]:
    """A table with any number of columns of numbers, as several where one would be too wide: each begins with the first
    column."""
    widths = [2 + max(map(len, column)) for column in zip(heads, *rows, strict=True)]
    first, begin = max(Folding(row[0]).least for row in (heads, *rows)) + 2, 1
    while begin < len(heads):
        end = begin + 1
        while end < len(heads) and first + sum(widths[begin : end + 1]) <= width:
            end += 1
        chosen = [[row[0], *row[begin:end]] for row in (heads, *rows)]
        yield table(chosen[0], chosen[1:], **NARROW)
        begin = end


def let_go(stream: IO[str]) -> None:
    """This stream has no reader, or it is full: keep Python from trying again when it ends."""
    with contextlib.suppress(OSError, ValueError):
        os.dup2(os.open(os.devnull, os.O_WRONLY), stream.fileno())


def _plainly(error: UnicodeError) -> tuple[str, int]:
    """For an encoding that lacks some characters: what looks most like them, else a question mark."""
    assert isinstance(error, UnicodeEncodeError)
    looks = dict(zip(UNICODE, PLAIN, strict=True))
    return "".join(looks.get(character, "?") for character in error.object[error.start : error.end]), error.end


def _terminal_size(axis: int) -> int:
    """0 if there is no terminal, or its size is unknown."""
    for descriptor in range(3):
        with contextlib.suppress(OSError):
            return os.get_terminal_size(descriptor)[axis]
    return 0
