"""Files: written whole or not at all, never through a link; only regular ones are read."""

from __future__ import annotations

import contextlib
import errno
import hashlib
import os
import platform
import secrets
import stat
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import BinaryIO

from hebbarium.tools.errors import BadInput, RunError, nearest_word

NO_LINK = getattr(os, "O_NOFOLLOW", 0)
"""For os.open: fail where the last part of the path is a link. Windows has no such flag, and hardly any links."""

_HERE = hashlib.sha256(platform.node().encode()).hexdigest()[:8]
"""This machine, among those that may share a folder."""
_LONGEST_ENDING = 20
"""No writer knows a longer one, and a name must not become too long by it."""


def check_writable(path: str | os.PathLike[str], endings: Sequence[str] = ()) -> Path:
    """Refuse a file that cannot be written, before the work whose result it is to hold. endings: such as (".svg",)."""
    target = Path(path)
    if endings and target.suffix.lower() not in endings:
        ending = nearest_word(target.suffix, endings) or endings[0]
        raise BadInput(f"{str(target)!r} must end in {' or '.join(endings)}; the nearest is {target.stem}{ending}.")
    if target.is_dir():
        raise BadInput(f"cannot write {str(target)!r}: it is a folder.")
    try:
        _new_part(target).unlink()
    except (OSError, ValueError) as error:
        raise _cannot_write(target, error) from None
    return target


def open_regular(path: str | os.PathLike[str]) -> BinaryIO:
    """A file to read. Folders, pipes and devices raise OSError at once: opening or reading one may never end."""
    try:
        descriptor = os.open(path, os.O_RDONLY | getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_BINARY", 0))
    except ValueError as error:  # a null byte in the path
        raise OSError(errno.EINVAL, str(error)) from None
    if not stat.S_ISREG(os.fstat(descriptor).st_mode):
        os.close(descriptor)
        raise OSError(errno.EINVAL, "it is not a regular file")
    return os.fdopen(descriptor, "rb")


@contextlib.contextmanager
def replacing(path: str | os.PathLike[str]) -> Iterator[Path]:
    """A new, empty file beside `path` to write to; it takes the place of `path` once the block has ended well.

    Where `path` is a link, the link is replaced, and what it points to stays as it is.
    """
    target = Path(path)
    part = None
    try:
        part = _new_part(target)
        yield part
        part.replace(target)
    except OSError as error:
        raise _cannot_write(target, error) from None
    finally:
        if part is not None:
            with contextlib.suppress(OSError):
                part.unlink(missing_ok=True)


def write_text(path: str | os.PathLike[str], text: str) -> None:
    """Write a text, whole or not at all."""
    with replacing(path) as part:
        part.write_text(text, encoding="utf-8")


def _new_part(target: Path) -> Path:
    """A new file with a random name, so that nothing can be written through a link laid in its place. It keeps the
    target's ending, by which writers choose the format."""
    try:
        target.lstat()  # raises OSError for a name that no file can have, which the part's own name would hide
    except FileNotFoundError:
        pass
    except ValueError as error:  # a null byte
        raise OSError(errno.EINVAL, str(error)) from None
    _sweep(target.parent)
    ending = target.suffix if len(target.suffix) <= _LONGEST_ENDING else ""
    part = target.with_name(f".{_HERE}-{os.getpid()}-{secrets.token_hex(8)}.part{ending}")
    os.close(os.open(part, os.O_WRONLY | os.O_CREAT | os.O_EXCL | NO_LINK, 0o666))
    return part


def _sweep(folder: Path) -> None:
    """Remove what processes of this machine left half-written in a folder when they were killed."""
    with contextlib.suppress(OSError):
        for part in folder.glob(f".{_HERE}-*.part*"):
            number = part.name.split("-")[1]
            if number.isdigit() and not _is_running(int(number)):
                part.unlink(missing_ok=True)


def _is_running(process: int) -> bool:
    if not hasattr(os, "getuid"):  # on Windows, asking would end it
        return True
    try:
        os.kill(process, 0)
    except (ProcessLookupError, OverflowError):
        return False
    except OSError:  # another user's
        return True
    return True


def not_ours(status: os.stat_result) -> str | None:
    """Why a file must not be written in place: it is, or may be, something outside its folder. None: it may."""
    if stat.S_ISLNK(status.st_mode):
        return "a link"
    if not stat.S_ISREG(status.st_mode):
        return "not a regular file"
    return "a hard link, with another name elsewhere" if status.st_nlink > 1 else None


def check_ours(path: Path) -> None:
    """Refuse to write into a file that is there already, where that would write outside its folder."""
    try:
        reason = not_ours(path.lstat())
    except FileNotFoundError:
        return
    if reason is not None:
        raise RunError(f"{path} is {reason}, and nothing is written through it; remove it, or choose another folder.")


def _cannot_write(target: Path, error: Exception) -> BadInput:
    return BadInput(f"cannot write {str(target)!r}: {getattr(error, 'strerror', None) or error}.")
