"""Tables for papers: the rows of a data frame as LaTeX."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

from hebbarium.tools.errors import BadInput, check_choice, shown

SPECIAL = {character: f"\\{character}" for character in "&%$#_{}"} | {
    "\\": r"\textbackslash{}",
    "~": r"\textasciitilde{}",
    "^": r"\textasciicircum{}",
}


def latex(result: Any, columns: Sequence[str] | None = None, digits: int = 2) -> str:
    """A `tabular` (with the rules of booktabs) of a data frame, or of anything here that has one, row by row.

    columns: those to show, in this order; all unless given. digits: after the point, of numbers with one.

    >>> print(latex({"rule": ["00+-/0000"], "fitness": [48.251]}))
    \\begin{tabular}{lr}
    \\toprule
    rule & fitness \\\\
    \\midrule
    \\texttt{00+-/0000} & 48.25 \\\\
    \\bottomrule
    \\end{tabular}
    """
    frame = result.frame() if hasattr(result, "frame") else result
    if not hasattr(frame, "keys") and not hasattr(frame, "columns"):
        raise BadInput(f"a table is made of a data frame or of what has one, but this is {shown(result)}.")
    known = list(frame.columns if hasattr(frame, "columns") else frame)
    for name in columns or ():
        check_choice("column", name, tuple(known))
    names = list(columns or known)
    values = [list(frame[name]) for name in names]
    kinds = "".join("l" if any(isinstance(value, str) for value in column) else "r" for column in values)
    rows = [
        [_cell(name, value, digits) for name, value in zip(names, row, strict=True)]
        for row in zip(*values, strict=True)
    ]
    lines = [[_escaped(name.replace("_", " ")) for name in names], *rows]
    head, *body = (f"{' & '.join(line)} \\\\" for line in lines)
    return "\n".join(
        [f"\\begin{{tabular}}{{{kinds}}}", r"\toprule", head, r"\midrule", *body, r"\bottomrule", r"\end{tabular}"]
    )


def _cell(name: str, value: Any, digits: int) -> str:
    if value is None or (isinstance(value, float) and math.isnan(value)):
        return "--"
    if isinstance(value, str):
        return f"\\texttt{{{_escaped(value)}}}" if name.endswith("rule") else _escaped(value)
    if isinstance(value, float) or getattr(getattr(value, "dtype", None), "kind", "") == "f":
        number = float(value)
        short = f"{number:z.{digits}f}"
        return short if abs(number) >= 10**-digits or number == 0 else f"{number:.{digits}g}"
    return str(value)


def _escaped(text: str) -> str:
    return "".join(SPECIAL.get(character, character) for character in text)
