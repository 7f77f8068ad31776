"""`hebbarium cache`: where compiled code is kept, how much there is, and how to be rid of it."""

from __future__ import annotations

import shutil
from typing import Annotated

from hebbarium.cli.commands import FLAG, Verb
from hebbarium.cli.shared_options import CommonOptions
from hebbarium.tools.errors import counted, printable


def cache(*, clear: Annotated[bool, FLAG] = False, common: CommonOptions) -> None:
    """
    Parameters
    ----------
    clear
        Delete all of it. The next command that runs agents compiles again what it needs, 5 to 20 seconds.
    """
    from hebbarium.kernels.cache import base_folder, kept_folders

    folders = kept_folders()
    files = [file for folder in folders for file in folder.rglob("*") if file.is_file()]
    size, kernels = sum(file.stat().st_size for file in files), sum(file.suffix == ".nbi" for file in files)
    for folder in folders if clear else ():
        shutil.rmtree(folder)
    common.hand_over(
        {"folder": str(base_folder()), "bytes": size, "kernels": kernels, "cleared": clear},
        print,
        f"Compiled code is kept in {printable(str(base_folder()))}.\n"
        f"{'Deleted' if clear else 'There are'} {size / 1e6:.1f} MB: {counted(kernels, 'compiled function')}.",
    )


app = Verb(cache, "Show where compiled code is kept and how much there is, or delete it.").app
