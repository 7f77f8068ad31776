"""Grown networks, kept in a plain .npz file: no pickle, and never half-written."""

from __future__ import annotations

import itertools
import os
import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Protocol

import numpy as np

from hebbarium.rules.shape import LAYERS, layer_names
from hebbarium.tools.errors import BadInput, shown
from hebbarium.tools.files import replacing
from hebbarium.tools.npz import Damaged, reading, save_arrays

FORMAT = 1
MOST_LAYERS = 1000
LONGEST_NAME = 1000
"""Characters of a task's name, which may be a path."""


@dataclass(frozen=True, init=False)
class Networks:
    """The weights of some lifetimes' networks; the bias is the last pre-synaptic neuron."""

    task: str
    layers: tuple[np.ndarray, ...]
    """float64 [lifetime, post, pre] of each layer, the output layer being the last."""

    def __init__(self, task: str, *layers: np.ndarray) -> None:
        object.__setattr__(self, "task", task)
        object.__setattr__(self, "layers", layers)

    @property
    def hidden(self) -> np.ndarray:
        """float64 [lifetime, post, pre]: from inputs and bias to the (first) hidden neurons."""
        if len(self.layers) > 1:
            return self.layers[0]
        lifetimes, _, pre = self.output.shape
        return np.zeros((lifetimes, 0, pre))

    @property
    def output(self) -> np.ndarray:
        """float64 [lifetime, post, pre]: from the (last) hidden neurons and bias to the outputs."""
        return self.layers[-1]

    def by_name(self) -> dict[str, np.ndarray]:
        """The layers: hidden (or hidden1, hidden2, ...) and output."""
        return dict(zip(layer_names(len(self.layers)), self.layers, strict=True))

    @classmethod
    def of_names(cls, task: str, found: Mapping[str, np.ndarray]) -> Networks:
        """Those that `by_name` gave, among whatever else."""
        return cls(task, *(found[name] for name in _names_in(found)))

    def __len__(self) -> int:
        return len(self.output)

    def __getitem__(self, rows: slice) -> Networks:
        return Networks(self.task, *(layer[rows] for layer in self.layers))

    @classmethod
    def joined(cls, parts: Sequence[Networks]) -> Networks:
        """One after the other."""
        return cls(parts[0].task, *map(np.concatenate, zip(*(part.layers for part in parts), strict=True)))

    def copy(self) -> Networks:
        return Networks(self.task, *(layer.copy() for layer in self.layers))

    @property
    def neurons(self) -> int | tuple[int, ...]:
        """Hidden neurons, of each layer where there are several."""
        sizes = tuple(int(layer.shape[1]) for layer in self.layers[:-1])
        return sizes if len(sizes) > 1 else sum(sizes)

    def distinct_hidden(self) -> np.ndarray:
        """int64 [lifetime]: hidden neurons with different incoming weights, bit for bit, in all layers."""
        lives = zip(*self.layers[:-1], strict=True) if len(self.layers) > 1 else [()] * len(self)
        return np.array([sum(map(distinct_rows, life)) for life in lives], np.int64)

    def save(self, path: str | os.PathLike[str]) -> None:
        with replacing(path) as part, part.open("wb") as file:
            more = {} if len(self.layers) == LAYERS else {"layers": len(self.layers)}
            save_arrays(file, format=FORMAT, task=self.task, **more, **self.by_name())

    @classmethod
    def load(cls, path: str | os.PathLike[str]) -> Networks:
        """Those in a file; types, shapes and sizes are checked before the weights are read."""
        with reading(path, "networks", "hebbarium live --save") as arrays:
            found = arrays.number("format")
            if found != FORMAT:
                raise BadInput(f"{path} holds networks in format {found}, but only format {FORMAT} can be read here.")
            layers = arrays.number("layers") if "layers" in arrays.names() else LAYERS
            names = layer_names(min(max(layers, 1), MOST_LAYERS))
            _check_shapes([arrays.declared(name) for name in names])
            task = arrays.text("task", LONGEST_NAME)
            return cls(task, *(arrays.finite(name) for name in names))

    def check(self) -> None:
        """Refuse what cannot be lived, such as weights that are not numbers."""
        if not isinstance(self.task, str):
            raise BadInput(f"task of the networks is {shown(self.task)}, but must be a str.")
        for name, layer in self.by_name().items():
            if not isinstance(layer, np.ndarray):
                raise BadInput(f"{name} of the networks is {shown(layer)}, but must be a ndarray.")
        try:
            _check_shapes(self.layers)
        except Damaged as error:
            raise BadInput(f"the networks cannot live: {error}.") from None
        if not all(np.isfinite(layer).all() for layer in self.layers):
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


def _names_in(found: Iterable[str]) -> tuple[str, ...]:
    """Those of the layers, among other names: as many as there are hidden ones, and the output's."""
    hidden = sum(bool(re.fullmatch(r"hidden\d*", name)) for name in found)
    return layer_names(hidden + 1)


def _check_shapes(layers: Sequence[_Shaped]) -> None:
    """Each layer hears the one below and the bias, and a recurrent one also itself."""
    fits = (
        bool(layers)
        and all(layer.dtype == np.float64 and len(layer.shape) == 3 and all(layer.shape) for layer in layers)
        and len({layer.shape[0] for layer in layers}) == 1
    )
    for below, layer in itertools.pairwise(layers):
        own = layer.shape[1] if fits and layer is not layers[-1] else 0
        fits = fits and layer.shape[2] - below.shape[1] - 1 in (0, own)
    if not fits:
        names = layer_names(len(layers))
        found = " and ".join(f"{weights.dtype} {list(weights.shape)}" for weights in layers)
        raise Damaged(f"{' and '.join(names)} are {found}, but must be float64 [lifetime, post, pre] of one network")


def distinct_rows(rows: np.ndarray) -> int:
    """How many rows differ, bit for bit. rows: float64 [row, column]."""
    return int(_distinct_rows(rows))


def _distinct_rows(rows: np.ndarray) -> np.ndarray:
    """int64 [...]: the same for many at once. rows: float64 [..., row, column]"""
    whole = np.sort(np.ascontiguousarray(rows).view(np.dtype((np.void, rows.shape[-1] * rows.itemsize)))[..., 0])
    differ: np.ndarray = (whole[..., 1:] != whole[..., :-1]).sum(axis=-1) + min(1, rows.shape[-2])
    return differ


def distinct_in_each(hidden: np.ndarray) -> np.ndarray:
    """int64 [lifetime]: how many hidden neurons have weights of their own, bit for bit.

    hidden: float64 [lifetime, pre, post]. Where all weights of one input differ, nothing else need be looked at; nor
    where all neurons are the same, as is often the case.
    """
    bits = hidden.view(np.uint64)
    first = np.sort(bits[:, 0], axis=1)
    distinct = np.full(len(hidden), hidden.shape[2], np.int64)
    some = (first[:, 1:] == first[:, :-1]).any(axis=1)
    if some.any():
        one = some & (bits[:, :, 1:] == bits[:, :, :-1]).all(axis=(1, 2))
        some &= ~one
        distinct[one], distinct[some] = 1, _distinct_rows(hidden[some].swapaxes(1, 2))
    return distinct


DIGITS = 6
"""Neurons that become alike approach each other by a factor at every change, and end equal to the last bit. At a small
eta a life is too short for the last bits, though the neurons long do the same: bit by bit they would be different."""


def kinds_of(hidden: np.ndarray) -> np.ndarray:
    """int64 [lifetime]: kinds of hidden neurons, those whose weights agree to six digits being of one kind.

    hidden: float64 [lifetime, post, pre].
    """
    # Adding 0.0 turns -0.0 into 0.0, which is the same weight in other bits.
    return distinct_in_each((np.round(hidden, DIGITS) + 0.0).swapaxes(1, 2))
