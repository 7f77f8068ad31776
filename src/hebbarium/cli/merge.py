"""`hebbarium merge`: runs made apart become one."""

from __future__ import annotations

from pathlib import Path

from hebbarium.cli.commands import Verb
from hebbarium.cli.evolve import tell
from hebbarium.cli.shared_options import CommonOptions


def merge(
    *runs: Path, out: Path | None = None, world: str | None = None, scaling: str | None = None, common: CommonOptions
) -> None:
    """
    Parameters
    ----------
    runs
        The folders of finished runs with the same settings and different seeds.
    out
        The merged run's folder; by default runs/evolve-TASK-merged.
    world
        If the runs were made in a world of your own: its file, such as ./pond.py, or its module. Its code is executed,
        so do this only with code that you trust.
    scaling
        Likewise the file of a scaling of your own, if the runs were made with one.
    """
    from hebbarium.studies.evolve.merge import merge

    tell(merge(*runs, out=out, world=world, scaling=scaling), common)


app = Verb(merge, "Merge finished runs of `evolve` with different seeds into one.").app
