"""Commands that tests start beside themselves."""

from __future__ import annotations

import contextlib
import io
import signal
import subprocess
from collections.abc import Iterator, Sequence

from hebbarium.cli import main


def heed_interrupts() -> None:
    """Tests started in the background, or by nohup, inherit an ignored SIGINT or SIGHUP, which a command rightly keeps
    ignoring."""
    for number in (signal.SIGINT, signal.SIGHUP):
        signal.signal(number, signal.SIG_DFL)


def start(command: Sequence[str]) -> subprocess.Popen[str]:
    return subprocess.Popen(
        command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, preexec_fn=heed_interrupts
    )


@contextlib.contextmanager
def started(command: Sequence[str]) -> Iterator[subprocess.Popen[str]]:
    """The same, ended whatever happens: a test that fails leaves nothing at work."""
    process = start(command)
    try:
        yield process
    finally:
        process.kill()
        process.communicate()


def printed(words: Sequence[str], code: int = 0) -> str:
    """What a command prints, within this process; code: how it ends."""
    with contextlib.redirect_stdout(io.StringIO()) as out, contextlib.redirect_stderr(io.StringIO()) as err:
        ended = main(list(words))
    assert ended == code, err.getvalue()
    return out.getvalue() + err.getvalue() * bool(code)
