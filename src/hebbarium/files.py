"""Files that are written whole or not at all."""

from __future__ import annotations

import contextlib
import os
from collections.abc import Iterator, Sequence
from pathlib import Path

from hebbarium.errors import BadInput, nearest_word


def check_writable(path: str | os.PathLike[str], endings: Sequence[str] = ()) -> Path:
    """Refuse, before any work is done, a file that could not be written at its end. endings: such as (".svg",)."""
    target = Path(path)
    if endings and target.suffix.lower() not in endings:
        ending = nearest_word(target.suffix, endings) or endings[0]
        raise BadInput(f"{str(target)!r} must end in {' or '.join(endings)}; the nearest is {target.stem}{ending}.")
    if target.is_dir():
        raise BadInput(f"cannot write {str(target)!r}: it is a folder.")
    try:
        part = _part(target)
        part.touch()
        part.unlink()
    except (OSError, ValueError) as error:
        raise _cannot_write(target, error) from None
    return target


@contextlib.contextmanager
def replacing(path: str | os.PathLike[str]) -> Iterator[Path]:
    """A path beside `path` to write to; it takes the place of `path` once the block has ended well."""
    target = Path(path)
    part = _part(target)
    try:
        yield part
        part.replace(target)
    except OSError as error:
        raise _cannot_write(target, error) from None
    finally:
        with contextlib.suppress(OSError):
            part.unlink(missing_ok=True)


def _part(target: Path) -> Path:
    """Keeps the ending, by which writers choose the format."""
    return target.with_name(f".{target.stem}.{os.getpid()}.part{target.suffix}")


def _cannot_write(target: Path, error: Exception) -> BadInput:
    return BadInput(f"cannot write {str(target)!r}: {getattr(error, 'strerror', None) or error}.")
