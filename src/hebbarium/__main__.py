"""The command `hebbarium`, and `python -m hebbarium`: what a shell starts.

Importing takes most of a short command's time, and Ctrl-C must not show a traceback even then: hence signals
are heeded before anything else is imported. `_signal` is the part of `signal` that is built into Python; the rest of it
imports `enum`, which takes some milliseconds.
"""

from __future__ import annotations

import _signal as signal  # type: ignore[import-not-found]  # it has no stubs
import sys


def command() -> int:
    """Run the command line that the shell gave and return its exit code."""
    _end_at_once_on_interrupts()
    from hebbarium.tools.signals import PATIENCE, Stop, heed
    from hebbarium.tools.terminal import settle

    settle()  # before signals are heeded: nothing would catch what they raise here
    stop = Stop(PATIENCE)
    heed(stop)
    from hebbarium.cli import main

    code = main()
    _end_at_once_on_interrupts()  # as long as Python tidies up
    return code if stop.number is None else 128 + stop.number


def _end_at_once_on_interrupts() -> None:
    if signal.getsignal(signal.SIGINT) != signal.SIG_IGN:  # nohup means it
        signal.signal(signal.SIGINT, signal.SIG_DFL)


if __name__ == "__main__":
    sys.exit(command())
