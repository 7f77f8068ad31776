"""Who is asked to leave leaves, wherever the signal finds it."""

from __future__ import annotations

import os
import signal
import sys
import threading
import time
from collections.abc import Iterator

import pytest

from hebbarium.tools import signals
from hebbarium.tools.signals import Interrupted, Stop

WHERE = "import sys\ndef here():\n    return sys._getframe()\n"


class Left(BaseException):
    """Stands for the end of the process."""


@pytest.fixture
def leaving(monkeypatch: pytest.MonkeyPatch) -> None:
    def leave(code: int) -> None:
        raise Left(code)

    monkeypatch.setattr(signals, "leave_at_once", leave)
    monkeypatch.setattr(signals, "_after", lambda seconds, do: None)


def frame_in(module: str) -> object:
    names: dict[str, object] = {"__name__": module}
    exec(WHERE, names)
    return names["here"]()


@pytest.mark.usefixtures("leaving")
@pytest.mark.parametrize("module", ["importlib._bootstrap", "numba.core.compiler", "llvmlite.binding.ffi"])
def test_a_command_leaves_at_once_where_an_exception_would_be_lost(
    module: str, capfd: pytest.CaptureFixture[str]
) -> None:
    with pytest.raises(Left, match=str(128 + signal.SIGINT)):
        Stop(patience=1)(signal.SIGINT, frame_in(module))
    assert capfd.readouterr().err == "hebbarium: interrupted.\n"
    with pytest.raises(Interrupted):  # in Python, where nobody gave a patience, the process is not ours to end
        Stop()(signal.SIGINT, frame_in(module))


@pytest.mark.usefixtures("leaving")
def test_a_second_signal_is_not_argued_with() -> None:
    stop = Stop(patience=1)
    with pytest.raises(Interrupted):
        stop(signal.SIGTERM, sys._getframe())
    with pytest.raises(Left, match=str(128 + signal.SIGTERM)):
        stop(signal.SIGTERM, sys._getframe())


def test_the_end_of_patience_says_what_the_command_had_no_time_to_say(
    monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    """On a busy machine the main thread may not get as far as its last line before the process is ended."""
    left: list[int] = []
    monkeypatch.setattr(signals, "leave_at_once", left.append)
    monkeypatch.setattr(signals, "_after", lambda seconds, do: do())
    with pytest.raises(Interrupted):
        Stop(1, signals.Farewell("; all is saved."))(signal.SIGINT, sys._getframe())
    assert capfd.readouterr().err == "Interrupted (SIGINT); all is saved.\n"
    assert left == [130]


def test_the_last_line_is_said_once() -> None:
    farewell = signals.Farewell()
    before = os.dup(2)
    reader, writer = os.pipe()
    try:
        os.dup2(writer, 2)
        threads = [threading.Thread(target=farewell.say, args=(signal.SIGINT,)) for _ in range(8)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
    finally:
        os.dup2(before, 2)
    assert os.read(reader, 1000) == b"hebbarium: interrupted.\n"


class Tidied:
    """Its end is when the signal comes."""

    def __del__(self) -> None:
        os.kill(os.getpid(), signal.SIGINT)
        for _ in range(1000):  # the handler runs between two of Python's own steps
            pass


@pytest.fixture
def heeded() -> Iterator[None]:
    """SIGINT is not ignored, as it is where the tests were started in the background of a script."""
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    yield
    signal.signal(signal.SIGINT, before)


@pytest.mark.usefixtures("heeded")
def test_a_signal_is_not_lost_while_an_object_is_tidied_away(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(Interrupted), signals.stopped_by_signals():  # noqa: PT012
        Tidied()
        time.sleep(60)  # cut short by the signal, however busy the machine is
    assert capsys.readouterr().err == ""
