"""Steps are compiled without reference counting: one that creates or returns arrays would free memory in use."""

from __future__ import annotations

import sys

import numpy as np
import pytest

from hebbarium.kernels.compile import called, compiled, creating, inlined, joined, kernel, machine_code, opened


@inlined
def _first_row(table):
    return table[0]


@inlined
def _itself(table):
    return table


@called
def _both(table):
    return 1, table[0]


@creating
def _zeros(size):
    return np.zeros(size)


@compiled
def _anybodys(size):
    return size + 1


@inlined
def _asks_for_zeros(table):
    return _zeros(3)[0] + table[0, 0]


@inlined
def _asks_anybody(table):
    return _anybodys(table.shape[0])


@opened
def _somebodys(table): ...


@inlined
def _asks_somebody(table):
    return _somebodys(table)


@compiled
def _makes_inside(table):
    return np.ones(3).sum() + table.copy()[0, 0]


@compiled
def _gives_a_row(table):
    return table[0]


@inlined
def _makes(table):
    return np.ones(3)[0] + table[0, 0]


@inlined
def _harmless(table):
    return table[0].sum()


@kernel
def _with_row(table):
    return _first_row(table).sum()


@kernel
def _with_itself(table):
    return _itself(table).sum()


@kernel
def _with_both(table):
    return _both(table)[0]


@kernel
def _with_zeros(table):
    return _asks_for_zeros(table)


@kernel
def _with_anybody(table):
    return _asks_anybody(table)


@kernel
def _with_somebody(table):
    total = 0.0
    for _ in range(1000):
        total += _asks_somebody(table)
    return total


@kernel
def _with_ones(table):
    return _makes(table)


@kernel
def _with_harmless(table):
    return _harmless(table)


@pytest.mark.parametrize(
    ("loop", "why"),
    [
        (_with_row, "Only accept returning of array"),  # numba's own words
        (_with_itself, "_itself is a step of a kernel, but returns an array"),
        (_with_both, "_both is a step of a kernel, but returns an array"),
        (_with_zeros, "_asks_for_zeros is a step of a kernel, but calls _zeros"),
        (_with_anybody, "_asks_anybody is a step of a kernel, but calls _anybodys"),
        (joined(_with_somebody, {_somebodys: _gives_a_row}, "row"), "_gives_a_row is a step of a kernel, but returns"),
        (_with_ones, "Only accept returning of array"),
    ],
)
def test_a_step_that_creates_or_returns_arrays_is_refused(loop, why):
    with pytest.raises(Exception, match=why):
        loop(np.ones((2, 2)))


def test_another_is_not():
    assert _with_harmless(np.ones((2, 2))) == 2.0


def test_machine_code_can_be_called_from_python():
    """Within a kernel the same function has no way in for Python."""
    assert machine_code(_harmless)(np.ones((2, 2))) == 2.0


def test_a_step_may_ask_a_function_of_anybodys_world_which_may_create_what_it_likes():
    from numba.core.runtime import _nrt_python, rtsys

    _nrt_python.memsys_enable_stats()
    table = np.ones((2, 2))
    lived = joined(_with_somebody, {_somebodys: _makes_inside}, "inside")
    assert lived(table) == 4000.0
    before = rtsys.get_allocation_stats()
    assert lived(table) == 4000.0
    after = rtsys.get_allocation_stats()
    assert after.alloc - before.alloc == after.free - before.free  # nothing leaks, nothing is freed twice
    assert (table == 1.0).all()


@called
def _rare(number):
    return 3 * number


@inlined
def _usual(number):
    return _rare(number) + 1


def test_a_called_step_is_not_inlined_because_its_caller_is():
    usual = machine_code(_usual)
    assert usual(2) == 7
    rare = usual.py_func.__globals__["_rare"]
    assert [[one.fndesc.inline for one in step.overloads.values()] for step in (usual, rare)] == [[True], [False]]


@compiled
def _adds(table):
    total = 0.0
    for row in table:
        total += row[0] + table[0, 1]
    return total


@compiled
def _shifts(table):
    table[1:] = table[:-1]  # the two overlap, so numba makes a copy in between
    return table[-1, 0]


@compiled
def _picks(table):
    return table[np.array([1, 0])][0, 0]


@compiled
def _row_of(table):
    return table[0]


@compiled
def _first_of(table):
    return _row_of(table)[0]


@pytest.mark.parametrize(
    ("function", "counts", "gives"),
    [
        (_adds, False, 4.0),
        (_shifts, True, 0.0),
        (_picks, True, 2.0),
        (_makes_inside, True, 3.0),
        (_first_of, True, 0.0),
    ],
)
def test_references_are_counted_where_arrays_are_made(function, counts: bool, gives: float) -> None:
    table, run = np.arange(4.0).reshape(2, 2), machine_code(function)
    run(table.copy())
    held = sys.getrefcount(table)
    assert [run(table) for _ in range(100)] == 100 * [gives]
    assert sys.getrefcount(table) == held
    [compiled_once] = run.overloads.values()
    assert ("NRT_" in compiled_once.library.get_llvm_str()) == counts
