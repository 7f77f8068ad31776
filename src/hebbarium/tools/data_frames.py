"""Data frames: polars where it is installed, otherwise pandas."""

from __future__ import annotations

import importlib
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import numpy as np

from hebbarium.tools.errors import BadInput

LIBRARIES = ("polars", "pandas")


def data_frame(
    columns: Mapping[str, Any], kinds: Mapping[str, type] | None = None, libraries: Sequence[str] = ()
) -> Any:
    """Columns of equal length as a data frame. An array with further axes becomes a column for each of its places.

    kinds: str, int or float for columns in which anything may be missing. libraries: those that will do.

    >>> list(data_frame({"step": [0, 1], "senses": np.zeros((2, 3), np.int8)}).columns)
    ['step', 'senses_0', 'senses_1', 'senses_2']
    """
    flat: dict[str, Any] = {}
    for name, column in columns.items():
        values = column if isinstance(column, list) else np.asarray(column)
        if isinstance(values, list) or values.ndim == 1:
            flat[name] = values
        else:
            whole = values.reshape(len(values), -1)
            flat |= {f"{name}_{place}": whole[:, place].copy() for place in range(whole.shape[1])}
    kinds, libraries = kinds or {}, libraries or LIBRARIES
    for library in libraries:
        try:
            frames = importlib.import_module(library)
        except ImportError:
            continue
        if library == "pandas":
            names = {str: "str", int: "Int64", float: "float64"}
            return frames.DataFrame(flat).astype({name: names[kind] for name, kind in kinds.items()})
        types = {str: frames.String, int: frames.Int64, float: frames.Float64}
        return frames.DataFrame(flat, schema_overrides={name: types[kind] for name, kind in kinds.items()})
    raise BadInput(f"this needs {' or '.join(libraries)}: pip install 'hebbarium[tables]'.")


def frame_of_rows(rows: Iterable[Mapping[str, Any]], kinds: Mapping[str, type] | None = None) -> Any:
    """The same of rows that have the same names."""
    whole = list(rows)
    return data_frame({name: [row[name] for row in whole] for name in whole[0]} if whole else {}, kinds)
