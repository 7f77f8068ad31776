"""A run's tables as files for other programs."""

from __future__ import annotations

import csv
import io
import os

from hebbarium.store.tables import columns, frame, meanings, table
from hebbarium.store.world_of_run import Named
from hebbarium.store.writing import Run
from hebbarium.tools.files import check_writable, replacing

ENDINGS = (".parquet", ".csv")


def export(
    run: Run | str | os.PathLike[str],
    path: str | os.PathLike[str],
    what: str = "evaluations",
    *,
    world: Named | None = None,
) -> int:
    """Write one of the tables as Parquet or CSV, by the file's ending; returns the number of rows. In CSV missing
    values are empty.

    run: one, or its folder. world: the run's, if it is your own and the run did not keep its names.
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
    with replacing(target) as part, part.open("w", newline="", encoding="utf-8") as file:
        writer = csv.DictWriter(file, list(columns(run, what, world)))
        writer.writeheader()
        writer.writerows(plain)
    return len(plain)
