"""Data frames: polars where it is installed, otherwise pandas."""

from __future__ import annotations

import importlib
from collections.abc import Mapping
from typing import Any

import numpy as np

from hebbarium.tools.errors import BadInput

LIBRARIES = ("polars", "pandas")


def data_frame(columns: Mapping[str, Any]) -> Any:
    """Columns of equal length as a data frame. An array with further axes becomes a column for each of its places.

    >>> list(data_frame({"step": [0, 1], "senses": np.zeros((2, 3), np.int8)}).columns)
    ['step', 'senses_0', 'senses_1', 'senses_2']
    """
    flat = {name: column for pair in columns.items() for name, column in _flat(*pair)}
    for library in LIBRARIES:
        try:
            return importlib.import_module(library).DataFrame(flat)
        except ImportError:
            continue
    raise BadInput("this needs polars or pandas: pip install 'hebbarium[tables]'.")


def _flat(name: str, column: Any) -> list[tuple[str, Any]]:
    values = np.asarray(column) if not isinstance(column, list) else column
    if isinstance(values, list) or values.ndim == 1:
        return [(name, values)]
    whole = values.reshape(len(values), -1)
    return [(f"{name}_{place}", whole[:, place].copy()) for place in range(whole.shape[1])]
