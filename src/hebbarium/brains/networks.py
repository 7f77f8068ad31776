"""Grown networks, kept in a plain .npz file: no pickle, and never half-written."""

from __future__ import annotations

import os
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol

import numpy as np

from hebbarium.tools.arrays import Damaged, reading, save_arrays
from hebbarium.tools.errors import BadInput, shown
from hebbarium.tools.files import replacing

FORMAT = 1
LONGEST_NAME = 1000
"""Characters of a task's name, which may be a path."""


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

    def __getitem__(self, rows: slice) -> Networks:
        return Networks(self.task, self.hidden[rows], self.output[rows])

    @classmethod
    def joined(cls, parts: Sequence[Networks]) -> Networks:
        """One after the other."""
        return cls(
            parts[0].task,
            np.concatenate([part.hidden for part in parts]),
            np.concatenate([part.output for part in parts]),
        )

    def copy(self) -> Networks:
        return Networks(self.task, self.hidden.copy(), self.output.copy())

    @property
    def neurons(self) -> int:
        """Hidden neurons."""
        return int(self.hidden.shape[1])

    def distinct_hidden(self) -> np.ndarray:
        """int64 [lifetime]: hidden neurons with different incoming weights, bit for bit."""
        return np.array([distinct_rows(hidden) for hidden in self.hidden], np.int64)

    def save(self, path: str | os.PathLike[str]) -> None:
        with replacing(path) as part, part.open("wb") as file:
            save_arrays(file, format=FORMAT, task=self.task, hidden=self.hidden, output=self.output)

    @classmethod
    def load(cls, path: str | os.PathLike[str]) -> Networks:
        """Those in a file; types, shapes and sizes are checked before the weights are read."""
        with reading(path, "networks", "hebbarium live --save") as arrays:
            found = arrays.number("format")
            if found != FORMAT:
                raise BadInput(f"{path} holds networks in format {found}, but only format {FORMAT} can be read here.")
            _check_shapes(arrays.declared("hidden"), arrays.declared("output"))
            task = arrays.text("task", LONGEST_NAME)
            return cls(task, arrays.finite("hidden"), arrays.finite("output"))

    def check(self) -> None:
        """Refuse what cannot be lived, such as weights that are not numbers."""
        for name, kind in (("task", str), ("hidden", np.ndarray), ("output", np.ndarray)):
            if not isinstance(getattr(self, name), kind):
                raise BadInput(
                    f"{name} of the networks is {shown(getattr(self, name))}, but must be a {kind.__name__}."
                )
        try:
            _check_shapes(self.hidden, self.output)
        except Damaged as error:
            raise BadInput(f"the networks cannot live: {error}.") from None
        if not (np.isfinite(self.hidden).all() and np.isfinite(self.output).all()):
            raise BadInput("the networks cannot live: some weights are infinite or not a number (nan).")


def given_networks(networks: Networks | str | os.PathLike[str] | None) -> Networks | None:
    """What a user gave to live on with, read from a file where it is a path; refused where it cannot be lived."""
    if networks is None:
        return None
    if isinstance(networks, (str, os.PathLike)):
        return Networks.load(networks)
    if not isinstance(networks, Networks):
        raise BadInput(f"networks is {shown(networks)}, but must be hebbarium.Networks or the path of a saved file.")
    networks.check()
    return networks


class _Shaped(Protocol):
    @property
    def dtype(self) -> np.dtype: ...

    @property
    def shape(self) -> tuple[int, ...]: ...


def _check_shapes(hidden: _Shaped, output: _Shaped) -> None:
    fits = (
        hidden.dtype == output.dtype == np.float64
        and len(hidden.shape) == len(output.shape) == 3
        and all(hidden.shape + output.shape)
        and hidden.shape[0] == output.shape[0]
        and output.shape[2] == hidden.shape[1] + 1
    )
    if not fits:
        found = " and ".join(f"{weights.dtype} {list(weights.shape)}" for weights in (hidden, output))
        raise Damaged(f"hidden and output are {found}, but must be float64 [lifetime, post, pre] of one network")


def distinct_rows(rows: np.ndarray) -> int:
    """How many rows differ, bit for bit. rows: float64 [row, column]."""
    whole = np.ascontiguousarray(rows).view(np.dtype((np.void, rows.shape[1] * rows.itemsize)))
    return int(np.unique(whole).size)


def distinct_in_each(hidden: np.ndarray) -> np.ndarray:
    """int64 [lifetime]: how many hidden neurons have weights of their own, bit for bit.

    hidden: float64 [lifetime, pre, post]. Where all weights of one input differ, nothing else need be looked at.
    """
    first = np.sort(hidden[:, 0].copy().view(np.uint64), axis=1)
    distinct = np.full(len(hidden), hidden.shape[2], np.int64)
    for life in np.flatnonzero((first[:, 1:] == first[:, :-1]).any(axis=1)):
        distinct[life] = distinct_rows(hidden[life].T)
    return distinct


DIGITS = 6
"""Neurons that become alike approach each other by a factor at every change, and end equal to the last bit. At a small
eta a life is too short for the last bits, though the neurons long do the same: bit by bit they would be different."""


def kinds_of(hidden: np.ndarray) -> np.ndarray:
    """int64 [lifetime]: kinds of hidden neurons, those whose weights agree to six digits being of one kind.

    hidden: float64 [lifetime, post, pre].
    """
    # Adding 0.0 turns -0.0 into 0.0, which is the same weight in other bits.
    return np.array([distinct_rows(np.round(weights, DIGITS) + 0.0) for weights in hidden], np.int64)
