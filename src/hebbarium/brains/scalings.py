"""What is done to a layer's weights after a change. A scaling is one function, `scale(weights, post, eta, rows, room)`:

- weights: float64 [pre, post], the bias being the last of `pre`; changed in place;
- post: float64 [post], the activities of the neurons that they lead to;
- eta: the layer's learning rate; rows: how many of `pre` are scaled (all, or all but the bias);
- room: float64 [post], for whatever it likes.

One of your own stands in a file of yours, marked with `compiled` of `hebbarium.world`; the file's path is its name.
"""

from __future__ import annotations

import functools
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from hebbarium.brains import plain
from hebbarium.kernels.compile import inlined, joined, kernel, opened
from hebbarium.tools.errors import BadInput, RunError, check_choice, shown


@inlined
def unit(weights, post, eta, rows, room):
    """Each neuron's incoming weights to unit length (the paper's equation 4)."""
    plain.scale(weights, room, rows)


@inlined
def clip(weights, post, eta, rows, room):
    """Each weight to [-1, 1]."""
    for j in range(rows):
        for i in range(weights.shape[1]):
            weights[j, i] = min(max(weights[j, i], -1.0), 1.0)


@inlined
def oja(weights, post, eta, rows, room):
    """Decay by eta times the square of the post-synaptic activity (Oja 1982), tiny weights becoming 0."""
    for i in range(weights.shape[1]):
        room[i] = 1.0 - eta * post[i] * post[i]
    for j in range(rows):
        for i in range(weights.shape[1]):
            weight = weights[j, i] * room[i]
            weights[j, i] = weight if abs(weight) > plain.TINY else 0.0


@inlined
def none(weights, post, eta, rows, room):
    """Weights grow as they like."""


SCALINGS: dict[str, Callable[..., Any]] = {"unit": unit, "clip": clip, "oja": oja, "none": none}
MARK = "#"
"""Between the path of a file and the hash of what it was made from."""
_CHANGES = 100
"""Of a layer, before a user's scaling lives: enough to see weights that grow tenfold each time."""
_LOADED: dict[str, str] = {}
"""The checked names of files that the user has named, by their paths, as they were given and in full, and by their
hashes."""


def check_scaling(given: object) -> str:
    """A name of the package's own, or a file's path and the hash of its contents: an edited file is another scaling."""
    if not isinstance(given, str) or not given.partition(MARK)[0].endswith(".py"):
        check_choice("scaling", given, (*SCALINGS, "FILE.py"))
        if given == "FILE.py":
            raise BadInput("scaling is 'FILE.py', but must be the path of a file of yours, such as ./half.py.")
        return str(given)
    path, _, asked = given.partition(MARK)
    found = _module(path).__name__.rpartition("_")[2]
    if asked not in ("", found):
        raise BadInput(f"the scaling {shown(path)} has been edited since: it is {found} now, but was {asked}.")
    full = str(Path(path).resolve())
    _LOADED[path] = _LOADED[full] = _LOADED[found] = name = f"{full}{MARK}{found}"
    return name


def check_loaded(given: object) -> None:
    """Refuse a file that has not been loaded yet: a page must not have any file executed."""
    path = given.partition(MARK)[0] if isinstance(given, str) else ""
    if path.endswith(".py") and path not in _LOADED:
        raise BadInput(f"scaling is {shown(given)}, but a page can ask only for the file that watch was started with.")


def scaling_of_run(stored: object) -> str:
    """One that a run names. A run may come from anywhere, so code is never executed because a run names it: a file must
    have been named by the user, and is known by its hash, wherever it is now."""
    path, _, asked = str(stored).partition(MARK)
    if not path.endswith(".py"):
        return check_scaling(stored)
    if stored in _LOADED.values():
        return str(stored)
    if asked not in _LOADED or MARK not in str(stored):
        raise RunError(
            f"the scaling {shown(path)} is not part of Hebbarium, and its code is executed only if you name it: if you "
            "trust it, add --scaling with its file (in Python scaling=...)."
        )
    return _LOADED[asked]


@functools.cache
def scaling_of(name: str) -> Callable[..., Any]:
    """The function of a checked name; a user's own has been tried."""
    if name in SCALINGS:
        return SCALINGS[name]
    path = name.partition(MARK)[0]
    found = getattr(_module(path), "scale", None)
    if getattr(found, "how_compiled", None) is None:
        raise BadInput(
            f"{path} has no function `scale` that is marked with `compiled` of hebbarium.world, so it is no scaling."
        )
    _rehearse(found)
    return found  # type: ignore[return-value]


@opened
def scale(weights, post, eta, rows, room): ...


@kernel
def scale_once(weights, post, eta, rows, room):
    scale(weights, post, eta, rows, room)


def _rehearse(function: Any) -> None:
    """Some changes of a small layer as plain Python, twice, and compiled: both must work, agree, leave numbers
    behind (of the last neuron, too, whose weights are 0), and change nothing else."""
    from hebbarium.kernels.user_errors import blaming, files_of, not_compiled, shown_path  # seldom needed, as below

    module, line = function.__module__, function.__code__.co_firstlineno
    files = files_of(module)
    where = f"{shown_path(files[0])}, line {line}"
    if function.__code__.co_argcount != scale.__code__.co_argcount:
        raise BadInput(f"{where}: scale must take (weights, post, eta, rows, room).")
    compiled = joined(scale_once, {scale: function}, "own")
    random = np.random.default_rng(1)
    layer = np.zeros((5, 4))
    for number in range(1, _CHANGES + 1):
        layer[:, :-1] += random.uniform(-0.1, 0.1, (5, 3))
        post = random.integers(0, 2, 4).astype(float)
        layers, posts = [layer.copy() for _ in range(3)], [post.copy() for _ in range(3)]
        posts[2].flags.writeable = False  # so that code which writes to it, whenever, is not compiled
        rest = (0.1, 5 - number % 2)
        with blaming(files), np.errstate(all="ignore"):
            for place in (0, 1):
                function(layers[place], posts[place], *rest, np.zeros(4))
        if not np.array_equal(layers[0], layers[1], True):
            raise BadInput(f"{where}: scale does something else each time; it must not draw random numbers.")
        try:
            compiled(layers[2], posts[2], *rest, np.zeros(4))
        except BadInput:
            raise
        except Exception as error:
            if "readonly array" in str(error):
                raise BadInput(f"{where}: scale must change the weights only, but writes to post.") from error
            raise not_compiled(error, module, where) from error
        if any(given.tobytes() != post.tobytes() for given in posts):
            raise BadInput(f"{where}: scale must change the weights only, but writes to post.")
        if not np.isfinite(layers[0]).all():
            raise BadInput(f"{where}: scale leaves weights that are no numbers (number of changes so far: {number}).")
        if not np.allclose(layers[0], layers[2], rtol=1e-6, atol=1e-9):
            raise BadInput(f"{where}: compiled code does something else than Python.")
        layer = layers[0]


def check_grown(name: str, layers: Sequence[np.ndarray], step: int) -> None:
    """Refuse what a user's scaling has made of the weights of some lives, where these are no numbers any more."""
    if MARK in name and not all(np.isfinite(weights).all() for weights in layers):
        from hebbarium.kernels.user_errors import shown_path

        where = f"{shown_path(name.partition(MARK)[0])}, line {scaling_of(name).__code__.co_firstlineno}"
        raise BadInput(
            f"{where}: scale has left weights that are no numbers (infinite or nan) by step {step} of a life."
        )


def _module(path: str) -> Any:
    from hebbarium.worlds.loading import module_of_file  # it is seldom needed

    return module_of_file(Path(path), "scaling")
