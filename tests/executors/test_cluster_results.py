"""What workers return is not believed unseen: its form is checked, a sample is lived twice, and the worker is named."""

from __future__ import annotations

import dataclasses
import os
import signal
import threading
from collections.abc import Sequence

import pytest

import hebbarium as hb
from attacks import workers
from hebbarium.brains.base import Brain
from hebbarium.executors import cluster, cluster_results, cluster_worker
from hebbarium.executors.base import LivesPiece, Piece
from hebbarium.executors.cluster_results import Results, digest_of
from hebbarium.life.jobs import Jobs
from hebbarium.life.observers import AtTheEnd
from hebbarium.rules.rule import Rule
from hebbarium.tools.errors import ClusterError

WORLD = hb.make_world("association", season_steps=40, seasons=2)


@pytest.fixture(scope="module")
def piece() -> LivesPiece:
    jobs = Jobs.of_rule(Rule("00+-/0000", 0.04), 4, 1)
    return LivesPiece(WORLD, Brain.of(WORLD), jobs, (AtTheEnd(),))


NUMBERS = {
    *("one count + 1", "the last count + 1", "two lives exchanged", "two seasons exchanged", "all counts 0"),
    *("the first life for all", "what was seen is 1 more"),
}
"""Faults that leave a possible result."""


def test_every_fault_is_seen(piece: LivesPiece) -> None:
    """By its form; where that is sound, by living once more, or by the checksum if it was made before the fault."""
    outcome = piece.live(threading.Event())
    assert digest_of(outcome) == digest_of(piece.live(threading.Event()))
    sound = Results([outcome], [digest_of(outcome)], 0.1, "tcp://here")
    assert cluster_results.wrong_with([piece], sound) is None
    for name, fault in workers.FAULTS.items():
        if name != "an exception":
            faulty = fault(sound)
            assert cluster_results.wrong_with([piece], faulty), name
            if name in workers.OUTCOMES:
                assert digest_of(faulty.outcomes[0]) != digest_of(outcome), name
                while_living = dataclasses.replace(faulty, digests=[digest_of(faulty.outcomes[0])])
                assert (cluster_results.wrong_with([piece], while_living) is None) == (name in NUMBERS), name


def test_work_that_changes_on_its_way_is_not_done(monkeypatch: pytest.MonkeyPatch) -> None:
    usual = cluster_worker.packed

    def changed(pieces: Sequence[Piece]) -> bytes:
        sent = bytearray(usual(pieces))
        sent[-30] ^= 1
        return bytes(sent)

    with hb.cluster("local:1") as here:
        monkeypatch.setattr(cluster_worker, "packed", changed)
        address = min(here.client.nthreads())
        with pytest.raises(ClusterError, match=f"what was sent to the worker at {address} arrived changed"):
            hb.live("association", workers.RULE, **workers.LIFE, threads=here)


def test_a_worker_found_out_late_is_refused_with_what_was_believed_of_it() -> None:
    with hb.cluster("local:2", verify=1) as here:
        faulty = min(here.client.nthreads())
        for seed in range(20):  # until it has had a part in one
            hb.live("association", workers.RULE, **workers.LIFE, threads=here, seed=seed)
            if here.believed[faulty]:
                break
        here.client.run(workers.infect, "one count + 1", True, workers=[faulty])
        with pytest.raises(ClusterError) as refused:
            hb.live("association", workers.RULE, **workers.LIFE, threads=here)
    assert f"the worker at {faulty} gave another result" in str(refused.value)
    assert f"but {here.believed[faulty]} earlier ones of that worker were believed: begin anew." in str(refused.value)


def test_a_faulty_worker_is_named_and_one_that_hangs_is_not_waited_for(monkeypatch: pytest.MonkeyPatch) -> None:
    tally = workers.Tally("faulty workers")
    whole = hb.live("association", workers.RULE, **workers.LIFE, threads=1).digest
    with hb.cluster("local:3") as here:
        faulty = min(here.client.nthreads())
        for name, living in (("one count + 1", True), ("one count + 1", False), ("None", False)):
            workers._try(tally, here, faulty, name, living, whole)
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
