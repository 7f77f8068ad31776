"""Pieces of work: what is stored holds every number, and what is read is what whoever asks expects."""

from __future__ import annotations

import dataclasses
import json
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import hebbarium as hb
from hebbarium.executors.base import Outcome
from hebbarium.store import checksums, schema
from hebbarium.store.kept_arrays import Arrays, Piece, pack
from hebbarium.store.resuming import Ledger
from hebbarium.store.writing import Run, Writer
from hebbarium.studies.atlas import making
from hebbarium.studies.atlas.making import make_atlas, narrow
from hebbarium.studies.evolve.limits import longest_text
from hebbarium.tools.errors import RunError
from hebbarium.worlds.foraging import Foraging
from hebbarium.worlds.pond import Pond
from small_runs import tampering

NUMBERS = np.arange(6).reshape(2, 3)
ASKED = Piece.of("lives", {"seed": 1}).holding(counts=("i", (2, 3)), score=("f", (2,)))
STORED: Arrays = {"counts": NUMBERS, "score": np.zeros(2)}


@pytest.mark.parametrize(
    "arrays",
    [
        {"x": np.zeros(3)},
        {},
        {"counts": NUMBERS},
        {**STORED, "more": NUMBERS},
        {**STORED, "counts": NUMBERS.astype(float)},
        {**STORED, "counts": NUMBERS[None]},
        {**STORED, "counts": NUMBERS.T},
        {**STORED, "score": np.array([0.0, np.nan])},
        {**STORED, "score": np.array([0.0, np.inf])},
    ],
)
def test_arrays_that_nobody_asked_for_are_refused(tmp_path: Path, arrays: Arrays) -> None:
    with Writer.begin(tmp_path, "atlas", {}) as writer:
        writer.save(pieces={ASKED: STORED})
        assert Ledger(writer).piece(ASKED) is not None
        writer.save(pieces={ASKED: arrays})
        with pytest.raises(RunError, match=rf"piece {ASKED.name} in .* does not match the run's settings"):
            Ledger(writer).piece(ASKED)


def test_what_is_expected_is_no_part_of_the_name() -> None:
    plain = Piece.of("lives", {"seed": 1})
    assert plain == ASKED
    assert hash(plain) == hash(ASKED)


def spoiled(folder: Path, arrays: Arrays, kind: str) -> None:
    """One piece of a kind has other arrays, as somebody would write them who knows how we do."""
    run = Run.open(folder)
    name = next(name for name in run.pieces() if name.startswith(f"{kind}/"))
    piece, _ = run.piece(name) or pytest.fail(name)
    with tampering(folder) as connection:
        checksums.replace(connection, schema.PIECES, [(name, piece.asked, *pack(arrays))])


def lifelong(folder: Path) -> Any:
    return hb.lifelong("foraging", "foraging:1", lifetimes=2, seasons=2, season_steps=60, threads=1, out=folder)


def transfer(folder: Path) -> Any:
    worlds = [Foraging(season_steps=60, seasons=2)]
    return hb.transfer("foraging:1", tasks=worlds, lifetimes=2, budget=80, threads=1, out=folder)


STRANGE: tuple[Arrays, ...] = ({"x": np.zeros(3)}, {"counts": np.zeros((1, 1, 1), np.int64)}, {"fitness": np.zeros(9)})


@pytest.mark.parametrize(
    ("make", "kinds"),
    [(lifelong, ("life", "first", "alone", "tempo")), (transfer, ("lives", "best eta"))],
    ids=["lifelong", "transfer"],
)
def test_studies_believe_no_arrays_of_another_shape(
    tmp_path: Path, make: Callable[[Path], Any], kinds: tuple[str, ...]
) -> None:
    make(tmp_path / "whole")
    make(tmp_path / "whole")
    for kind in kinds:
        for arrays in STRANGE:
            copy = Path(shutil.copytree(tmp_path / "whole", tmp_path / "copy", dirs_exist_ok=True))
            spoiled(copy, arrays, kind)
            with pytest.raises(RunError, match="does not match the run's settings"):
                make(copy)


ATLAS: dict[str, Any] = {"rules": range(6), "etas": (0.01, 0.04, 0.16), "effort": 0.1, "seed": 5, "threads": 1}
SHORT = Foraging(season_steps=60, seasons=2)


def test_an_atlas_keeps_counts_that_need_more_than_two_bytes(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """As of a world that counts ten thousand times in a step."""
    usual = make_atlas(SHORT, tmp_path / "usual", **ATLAS)
    run, many = making.run, 2**20

    def often(*asked: Any, **options: Any) -> Outcome:
        outcome = run(*asked, **options)
        return dataclasses.replace(outcome, counts=outcome.counts * many)

    monkeypatch.setattr(making, "run", often)
    rich = make_atlas(SHORT, tmp_path / "rich", **ATLAS)
    assert np.array_equal(rich.survey_mean, usual.survey_mean * many)
    kinds = {folder: described(tmp_path / folder) for folder in ("usual", "rich")}
    assert kinds["usual"] == {("<i2", "<i2")}
    assert ("<i8", "<i2") in kinds["rich"]


def described(folder: Path) -> set[tuple[str, str]]:
    """Numpy's types of the counts and of the distinct neurons, as they are stored."""
    with tampering(folder) as connection:
        found = connection.execute("SELECT arrays FROM pieces WHERE name LIKE 'lives/%'").fetchall()
    return {(arrays["counts"][0], arrays["distinct"][0]) for arrays in (json.loads(text) for (text,) in found)}


def test_numbers_are_stored_in_two_bytes_only_where_they_fit() -> None:
    for numbers in ([], [0], [32767, -32768]):
        assert narrow(np.array(numbers, np.int64)).dtype == np.int16
    for number in (32768, -32769, 2**40):
        kept = narrow(np.array([1, number]))
        assert (kept.dtype, kept.tolist()) == (np.int64, [1, number])


def test_room_is_left_for_worlds_that_count_more_than_steps() -> None:
    world = Pond(season_steps=20)
    worst = np.full((1, world.seasons, len(world.counts)), -(2**63) + 1)
    assert longest_text(world) >= len(json.dumps(worst.tolist()[0], separators=(",", ":"))) + 24
    assert longest_text(SHORT) == 28 + 2 * (3 + 3 * 3)
