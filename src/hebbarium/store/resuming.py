"""How long work is resumed: it asks for everything again, and what is stored is not lived again.

What is asked for has a name and a description of all that decides the answer. An answer stored under the name is
checked against the description; a missing one is lived, and stored at once. Any of them may be missing, as after a
repair.
"""

from __future__ import annotations

from hebbarium.store.evaluation_rows import Record, Wanted
from hebbarium.store.kept_arrays import Arrays, Piece
from hebbarium.store.writing import Run
from hebbarium.tools.errors import RunError


class Ledger:
    """The stored answers of a run."""

    def __init__(self, run: Run) -> None:
        self.run = run
        self._stored = set(run.names())

    def evaluation(self, wanted: Wanted) -> Record | None:
        """The stored evaluation, or None."""
        if wanted.name not in self._stored:
            return None
        self._stored.discard(wanted.name)
        record = self.run.evaluation(*wanted.name)
        if record is None or not wanted.agrees_with(record):
            raise self._other(f"{wanted.stage} evaluation {wanted.number} of run {wanted.run}")
        return record

    def piece(self, piece: Piece) -> Arrays | None:
        """The stored arrays of a piece, or None."""
        found = self.run.piece(piece.name)
        if found is None:
            return None
        stored, arrays = found
        if stored.asked != piece.asked or not piece.fits(arrays):
            raise self._other(f"piece {piece.name}")
        return arrays

    @property
    def unasked(self) -> int:
        """Stored evaluations that have not been asked for yet."""
        return len(self._stored)

    def check_all_asked(self) -> None:
        """Refuse to end with evaluations that do not belong to the work."""
        if self.unasked:
            raise self._other(f"{self.unasked} of the evaluations")

    def _other(self, what: str) -> RunError:
        return RunError(
            f"{what} in {self.run.folder} does not match the run's settings: it was stored by other code. "
            "Choose another folder with --out."
        )
