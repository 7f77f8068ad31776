"""Where compiled code is kept, and why it can be trusted.

numba's own cache has several traps: it does not notice an edit in a called function of another file; a truncated file
raises instead of being compiled again, and a flipped bit kills the process; it fails where no folder is writable. Here
the folder's name holds a hash of all that a kernel is made from, each file carries a checksum that is verified before
anything in it is used, a file that cannot be read counts as absent, and without a folder that is writable and ours
alone (what is kept there is run) kernels are simply compiled anew. Processes that compile at the same time, as the
workers of a cluster do, lose at most each other's entry in the index.
"""

from __future__ import annotations

import functools
import hashlib
import os
import stat
from pathlib import Path
from typing import Any

import numba
import platformdirs
from numba.core import config as numba_config
from numba.core.caching import FunctionCache, IndexDataCacheFile

from hebbarium.tools.errors import BadInput

if getattr(numba_config, "DISABLE_JIT", False):
    raise BadInput("NUMBA_DISABLE_JIT is set, but Hebbarium needs numba's compiler; unset it.")

CACHE_VARIABLE = "HEBBARIUM_CACHE_DIR"
KERNELS = "kernels-"
"""How the names of folders begin."""
CHECKSUM = 32
"""Bytes before the content of each file."""
PRIVATE = 0o700
"""Permissions of the folders, whatever the user's other folders have."""


class _CheckedFile(IndexDataCacheFile):
    """numba's index and data files, each behind a checksum of its content."""

    def save(self, key: Any, data: Any) -> None:
        """The data first, under a name that no other key has: several processes may compile at the same time.

        The name that is known already, if any, because two starts may write down one key in two ways."""
        new = self._index_name.replace(".nbi", f".{hashlib.sha256(self._dump(key)).hexdigest()[:16]}.nbc")
        name = self._load_index().get(key, new)
        self._save_data(name, data)
        self._save_index(self._load_index() | {key: name})

    def _load_index(self) -> Any:
        return _read(Path(self._index_path), {})

    def _save_index(self, overloads: Any) -> None:
        self._write(self._index_path, overloads)

    def _load_data(self, name: str) -> Any:
        return _read(Path(self._data_path(name)), None)

    def _save_data(self, name: str, data: Any) -> None:
        self._write(self._data_path(name), data)

    def _write(self, path: str, content: Any) -> None:
        data = self._dump(content)
        with self._open_for_write(path) as file:
            file.write(hashlib.sha256(data).digest() + data)


def _read(path: Path, absent: Any) -> Any:
    """What the file holds, or `absent` where it is not as it was written."""
    import pickle

    try:
        whole = path.read_bytes()
    except OSError:
        return absent
    if hashlib.sha256(whole[CHECKSUM:]).digest() != whole[:CHECKSUM]:
        return absent
    return pickle.loads(whole[CHECKSUM:])


class _TolerantCache(FunctionCache):
    """numba's cache of one function, except that no fault of the disk ever reaches the user."""

    def __init__(self, function: Any, folder: Path) -> None:
        super().__init__(function)
        # numba's own choice depends on where the package lies: a copy of it would compile everything again.
        self._cache_path = str(folder / function.__module__)
        stamp = self._impl.locator.get_source_stamp()
        self._cache_file = _CheckedFile(self._cache_path, self._impl.filename_base, stamp)

    def _index_key(self, sig: Any, codegen: Any) -> Any:
        """Of named tuples numba compares the types of the fields, and not their names: fields that change places in a
        module that the kernel itself does not import must not be mistaken for each other."""
        return (*super()._index_key(sig, codegen), repr([_fields(one) for one in sig]))

    def load_overload(self, sig: Any, target_context: Any) -> Any:
        try:
            return super().load_overload(sig, target_context)
        except Exception:  # written by another numba, or of a world that has gone
            return None

    def save_overload(self, sig: Any, data: Any) -> None:
        try:
            Path(self._cache_path).mkdir(mode=PRIVATE, exist_ok=True)
            super().save_overload(sig, data)
        except Exception:
            return


def _fields(one: Any) -> Any:
    """The names of a numba type's fields, and of theirs."""
    return [getattr(one, "fields", ()), *map(_fields, getattr(one, "types", ()))]


def base_folder() -> Path:
    """Where everything is that was compiled, by any version."""
    return Path(os.environ.get(CACHE_VARIABLE) or platformdirs.user_cache_dir("hebbarium", appauthor=False))


def kept_folders() -> list[Path]:
    """The folders there are, one for each set of sources that kernels were made from."""
    return [folder for folder in base_folder().glob(f"{KERNELS}*") if folder.is_dir() and not folder.is_symlink()]


@functools.cache
def cache_folder(sources: str | None) -> Path | None:
    """The folder for what is compiled from these sources, or None where there is none that is ours alone."""
    if sources is None:
        return None
    base = base_folder()
    folder = base / f"{KERNELS}{hashlib.sha256(f'{sources}/{numba.__version__}'.encode()).hexdigest()[:16]}"
    try:
        base.mkdir(mode=PRIVATE, parents=True, exist_ok=True)
        folder.mkdir(mode=PRIVATE, exist_ok=True)
        if not (_is_ours(base) and _is_ours(folder)):
            return None
        probe = folder / f".probe-{os.getpid()}"
        probe.touch()
        probe.unlink()
    except OSError:
        return None
    return folder


def _is_ours(folder: Path) -> bool:
    """Nobody else may write what we would run."""
    if not hasattr(os, "getuid"):
        return True
    about = folder.stat()
    by_group = about.st_mode & stat.S_IWGRP and not _is_private(about.st_gid)
    return about.st_uid == os.getuid() and not about.st_mode & stat.S_IWOTH and not by_group


def _is_private(group: int) -> bool:
    """Whether it is the user's own, without other members: many systems let it write by default."""
    import grp
    import pwd

    try:
        user, own = pwd.getpwuid(os.getuid()).pw_name, grp.getgrgid(group)
    except KeyError:
        return False
    return own.gr_name == user and set(own.gr_mem) <= {user}


def keep(dispatcher: Any, function: Any, sources: str | None) -> Any:
    """The dispatcher, whose machine code is kept from now on."""
    folder = cache_folder(sources)
    if folder is not None:
        config: Any = numba_config
        kept, config.CACHE_DIR = config.CACHE_DIR, str(folder)
        try:
            dispatcher._cache = _TolerantCache(function, folder)
        finally:
            config.CACHE_DIR = kept
    return dispatcher


def is_kept(module: str, name: str, sources: str | None) -> bool:
    folder = cache_folder(sources)
    return folder is not None and any(folder.rglob(f"{module.rpartition('.')[2]}.{name}-*.nbi"))
