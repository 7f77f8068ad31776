"""A run's tables as files for other programs."""

from __future__ import annotations

import csv
import os
from pathlib import Path
from typing import Any

from hebbarium.files import check_writable, replacing
from hebbarium.runs.store import Run
from hebbarium.runs.tables import columns, frame, table

ENDINGS = (".parquet", ".csv")


def export(run: Run, path: str | os.PathLike[str], what: str = "evaluations") -> int:
    """Write one of the tables as Parquet or CSV, as the file's ending says; returns the number of rows."""
    target = check_writable(path, ENDINGS)
    if target.suffix.lower() == ".parquet":
        rows = frame(run, what)
        with replacing(target) as part:
            rows.write_parquet(part)
        return len(rows)
    plain = table(run, what)
    with replacing(target) as part:
        _write_csv(part, list(columns(run, what)), plain)
    return len(plain)


def _write_csv(path: Path, names: list[str], rows: list[dict[str, Any]]) -> None:
    """Numbers are written so that they are read back exactly; what is not there is left empty."""
    with path.open("w", newline="", encoding="utf-8") as file:
        writer = csv.DictWriter(file, names)
        writer.writeheader()
        writer.writerows(rows)
