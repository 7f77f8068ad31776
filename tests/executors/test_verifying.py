"""What workers return is not believed unseen: its form is checked, a sample is lived twice, and the worker is named."""

from __future__ import annotations

import os
import signal
import threading

import pytest

import hebbarium as hb
from attacks import workers
from hebbarium.brains.base import Brain
from hebbarium.executors import cluster, verifying
from hebbarium.executors.base import LivesPiece
from hebbarium.executors.cluster_worker import Results
from hebbarium.life.jobs import Jobs
from hebbarium.life.observers import AtTheEnd
from hebbarium.rules.rule import Rule

WORLD = hb.make_world("association", season_steps=40, seasons=2)


@pytest.fixture(scope="module")
def piece() -> LivesPiece:
    jobs = Jobs.of_rule(Rule("00+-/0000", 0.04), 4, 1)
    return LivesPiece(WORLD, Brain.of(WORLD), jobs, (AtTheEnd(),))


def test_every_fault_is_seen(piece: LivesPiece) -> None:
    sound = Results([piece.live(threading.Event())], 0.1, "tcp://here")
    assert verifying.wrong_with([piece], sound) is None
    assert verifying.same(sound.outcomes[0], piece.live(threading.Event()))
    for name, fault in workers.FAULTS.items():
        if name == "an exception":
            continue
        faulty = fault(sound)
        wrong = verifying.wrong_with([piece], faulty)
        assert wrong or not verifying.same(faulty.outcomes[0], sound.outcomes[0]), name


def test_a_faulty_worker_is_named_and_one_that_hangs_is_not_waited_for(monkeypatch: pytest.MonkeyPatch) -> None:
    tally = workers.Tally("faulty workers")
    whole = hb.live("association", workers.RULE, **workers.LIFE, threads=1).digest
    with hb.cluster("local:3") as here:
        faulty = min(here.client.nthreads())
        for name in ("one count + 1", "a lifetime too few", "None"):
            workers._try(tally, here, faulty, name, whole)
        assert not tally.problems
        monkeypatch.setattr(cluster, "HUNG_SECONDS", 2.0)
        monkeypatch.setattr(here, "verify", 1.0)  # so that it is asked to repeat what others have done, too
        pid = here.client.run(os.getpid, workers=[faulty])[faulty]
        os.kill(pid, signal.SIGSTOP)
        try:
            assert hb.live("association", workers.RULE, **workers.LIFE, threads=here).digest == whole
        finally:
            os.kill(pid, signal.SIGCONT)


def test_what_is_asked_for_is_checked() -> None:
    with pytest.raises(hb.BadInput, match="verify is 2"), hb.cluster("local:1", verify=2):
        pass
