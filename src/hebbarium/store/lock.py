"""One writer at a time: a lock that the operating system holds, so that a killed process leaves none behind."""

from __future__ import annotations

import contextlib
import errno
import os
import time
from pathlib import Path

from hebbarium.tools.errors import RunError
from hebbarium.tools.files import NO_LINK, check_ours

if os.name == "nt":
    import msvcrt

    # Windows locks bytes, not files: one far behind the process id, which stays readable.
    _LOCKED_BYTE = 1024

    def _take(descriptor: int) -> None:
        os.lseek(descriptor, _LOCKED_BYTE, os.SEEK_SET)
        msvcrt.locking(descriptor, msvcrt.LK_NBLCK, 1)  # type: ignore[attr-defined,unused-ignore]
        os.lseek(descriptor, 0, os.SEEK_SET)
else:
    import fcntl

    def _take(descriptor: int) -> None:
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)


_TAKEN = (errno.EAGAIN, errno.EACCES, errno.EDEADLK)
"""How systems say that another process has it; anything else is trouble of its own."""


_NO_WAIT = getattr(os, "O_NONBLOCK", 0)
"""For os.open: where the file is a device or a pipe, do not wait for its other end."""


def _take_patiently(descriptor: int) -> None:
    """Again for a tenth of a second: another process may just be looking whether it is held."""
    for _ in range(4):
        with contextlib.suppress(OSError):
            return _take(descriptor)
        time.sleep(0.025)
    return _take(descriptor)


def is_held(path: Path) -> bool:
    """Whether some process holds the lock now."""
    try:
        descriptor = os.open(path, os.O_RDWR | NO_LINK | _NO_WAIT)
    except OSError:
        return False
    try:
        _take(descriptor)
    except OSError:
        return True
    finally:
        os.close(descriptor)
    return False


class Lock:
    """Held from the moment it is made until it is released or the process ends, however it ends."""

    def __init__(self, path: Path) -> None:
        """Raise RunError at once where another process holds it."""
        self._path = path
        self._descriptor = self._opened()
        while not self._is_the_file():
            # The holder has just removed it: what we hold now locks nothing.
            os.close(self._descriptor)
            self._descriptor = self._opened()
        self._write(f"process {os.getpid()}")

    def _opened(self) -> int:
        check_ours(self._path)
        descriptor = os.open(self._path, os.O_RDWR | os.O_CREAT | NO_LINK | _NO_WAIT, 0o644)
        try:
            _take_patiently(descriptor)
        except OSError as error:
            holder = os.read(descriptor, 32).decode("ascii", "replace").strip() if error.errno in _TAKEN else ""
            os.close(descriptor)
            if error.errno not in _TAKEN:
                raise
            raise RunError(
                f"{self._path.parent} is being written by another process ({holder or 'unknown'}); "
                "wait until it is done, or stop it first."
            ) from None
        return descriptor

    def _is_the_file(self) -> bool:
        try:
            return os.path.samestat(os.fstat(self._descriptor), os.stat(self._path))
        except FileNotFoundError:
            return False

    def _write(self, text: str) -> None:
        try:
            os.ftruncate(self._descriptor, 0)
            os.write(self._descriptor, text.encode("ascii"))
        except OSError:
            # Only the other process's message is poorer for it: a full disk is reported where results are written.
            return

    def release(self) -> None:
        if self._descriptor >= 0:
            os.close(self._descriptor)
            self._descriptor = -1

    def remove(self) -> None:
        """Release it and leave no file behind."""
        with contextlib.suppress(OSError):
            self._path.unlink()
        self.release()
