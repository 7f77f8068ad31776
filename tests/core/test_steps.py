"""Steps are compiled without reference counting: one that creates or returns arrays would free memory in use."""

import os
import subprocess
import sys

CHECK = """
from numba import types
from hebbarium.core.compile import CREATORS, STEPS
from hebbarium.lifetime import prepare
from hebbarium.tasks.registry import TASKS, make_task

def holds_array(kind):
    return isinstance(kind, types.Array) or (isinstance(kind, types.BaseTuple) and any(map(holds_array, kind.types)))

for name in TASKS:
    prepare(make_task(name))
compiled = [(step, signature) for step in STEPS for signature in step.nopython_signatures]
assert len(compiled) > 20, len(compiled)
bad = [step.__name__ for step, signature in compiled if holds_array(signature.return_type)]
assert not bad, bad

def called(step):
    scope = step.py_func.__globals__
    modules = [vars(value) for value in scope.values() if hasattr(value, "__file__")]
    for name in step.py_func.__code__.co_names:
        yield from (owner[name] for owner in (scope, *modules) if name in owner)

bad = [step.__name__ for step in STEPS for other in called(step) if any(other is creator for creator in CREATORS)]
assert not bad, bad
"""


def test_steps_neither_return_nor_create_arrays(tmp_path):
    # A cache of its own, and an empty one: steps found compiled in the cache would not be seen.
    environment = os.environ | {"HEBBARIUM_CACHE_DIR": str(tmp_path)}
    done = subprocess.run([sys.executable, "-c", CHECK], env=environment, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
