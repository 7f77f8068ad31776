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
"""The system's errors when another process has the lock."""
_NO_WAIT = getattr(os, "O_NONBLOCK", 0)
"""For os.open: if the file is a device or a pipe, do not wait for its other end."""


def _take_patiently(descriptor: int) -> None:
    """Try for a tenth of a second: another process may just be checking whether it is held."""
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
        """Raise RunError at once if another process holds it."""
        self._path = path
        while True:
            self._descriptor = self._opened()
            with contextlib.suppress(FileNotFoundError):
                if os.path.samestat(os.fstat(self._descriptor), os.stat(path)):
                    break
            # The holder has just removed the file, so what we hold now locks nothing.
            os.close(self._descriptor)
        # If this fails, the message of another process only lacks our number: a full disk is reported elsewhere.
        with contextlib.suppress(OSError):
            os.ftruncate(self._descriptor, 0)
            os.write(self._descriptor, f"process {os.getpid()}".encode("ascii"))

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

    def release(self) -> None:
        if self._descriptor >= 0:
            os.close(self._descriptor)
            self._descriptor = -1

    def remove(self) -> None:
        """Release it and leave no file behind."""
        with contextlib.suppress(OSError):
            self._path.unlink()
        self.release()
