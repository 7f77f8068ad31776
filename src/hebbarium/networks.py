"""Grown networks, kept in a plain .npz file: no pickle, and never half-written."""

from __future__ import annotations

import os
import zipfile
from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np

from hebbarium.errors import BadInput
from hebbarium.files import replacing

FORMAT = 1


@dataclass(frozen=True)
class Networks:
    """The weights of some lifetimes' networks; the bias is the last pre-synaptic neuron."""

    task: str
    hidden: np.ndarray
    """float64 [lifetime, post, pre]: from inputs and bias to the hidden neurons."""
    output: np.ndarray
    """float64 [lifetime, post, pre]: from hidden neurons and bias to the outputs."""

    def __len__(self) -> int:
        return len(self.hidden)

    @property
    def neurons(self) -> int:
        """Hidden neurons."""
        return int(self.hidden.shape[1])

    def distinct_hidden(self) -> np.ndarray:
        """int64 [lifetime]: hidden neurons with different incoming weights, bit for bit."""
        return np.array([distinct_rows(hidden) for hidden in self.hidden], np.int64)

    def save(self, path: str | os.PathLike[str]) -> None:
        with replacing(path) as part, part.open("wb") as file:
            np.savez(file, format=FORMAT, task=self.task, hidden=self.hidden, output=self.output)

    @classmethod
    def load(cls, path: str | os.PathLike[str]) -> Networks:
        try:
            with np.load(path, allow_pickle=False) as file:
                networks = cls._read(path, file)
        except BadInput:
            raise
        except OSError as error:
            raise BadInput(f"cannot read networks from {path}: {error.strerror or 'not an .npz file'}.") from None
        except (ValueError, KeyError, EOFError, TypeError, NotImplementedError, zipfile.BadZipFile):
            raise BadInput(f"{path} does not hold networks saved by hebbarium live --save.") from None
        networks._check(path)
        return networks

    @classmethod
    def _read(cls, path: str | os.PathLike[str], file: Mapping[str, np.ndarray]) -> Networks:
        found = int(file["format"])
        if found != FORMAT:
            raise BadInput(f"{path} holds networks in format {found}, but this hebbarium reads only format {FORMAT}.")
        return cls(str(file["task"]), file["hidden"], file["output"])

    def _check(self, path: str | os.PathLike[str]) -> None:
        hidden, output = self.hidden, self.output
        fits = (
            hidden.dtype == output.dtype == np.float64
            and hidden.ndim == output.ndim == 3
            and len(hidden) == len(output) > 0
            and output.shape[2] == hidden.shape[1] + 1
        )
        if not fits or not (np.isfinite(hidden).all() and np.isfinite(output).all()):
            raise BadInput(f"the networks in {path} are damaged: shapes {hidden.shape} and {output.shape}.")


def distinct_rows(rows: np.ndarray) -> int:
    """How many rows differ, bit for bit. rows: float64 [row, column]."""
    whole = np.ascontiguousarray(rows).view(np.dtype((np.void, rows.shape[1] * rows.itemsize)))
    return int(np.unique(whole).size)
