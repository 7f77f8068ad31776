"""A run's tables as files for other programs."""

from __future__ import annotations

import csv
import io
import os
from pathlib import Path
from typing import Any

from hebbarium.store.store import Run
from hebbarium.store.tables import columns, frame, meanings, table
from hebbarium.store.world import Named
from hebbarium.tools.files import check_writable, replacing

ENDINGS = (".parquet", ".csv")


def export(
    run: Run | str | os.PathLike[str],
    path: str | os.PathLike[str],
    what: str = "evaluations",
    *,
    world: Named | None = None,
) -> int:
    """Write one of the tables as Parquet or CSV, as the file's ending says; returns the number of rows.

    run: one, or its folder. world: that of the run, where it is one's own and the run did not keep its names.
    """
    run = run if isinstance(run, Run) else Run.open(run)
    target = check_writable(path, ENDINGS)
    if target.suffix.lower() == ".parquet":
        rows, parquet = frame(run, what, world, ["polars"]), io.BytesIO()
        rows.write_parquet(parquet, metadata=meanings(rows.columns))  # to disk by Python, whose errors are OSError
        with replacing(target) as part:
            part.write_bytes(parquet.getbuffer())
        return len(rows)
    plain = table(run, what, world)
    with replacing(target) as part:
        _write_csv(part, list(columns(run, what, world)), plain)
    return len(plain)


def _write_csv(path: Path, names: list[str], rows: list[dict[str, Any]]) -> None:
    """Numbers are written so that they are read back exactly; what is not there is left empty."""
    with path.open("w", newline="", encoding="utf-8") as file:
        writer = csv.DictWriter(file, names)
        writer.writeheader()
        writer.writerows(rows)
