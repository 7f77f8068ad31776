"""Whether the lowest versions that pyproject.toml declares are enough: installed together, they pass some tests.

    python benchmarks/lowest_versions.py [PYTEST-ARGUMENTS]

Makes a virtual environment in a temporary folder. By default it runs the tests of every part that uses one of them.
"""

from __future__ import annotations

import re
import subprocess
import sys
import tempfile
import tomllib
import venv
from pathlib import Path

ROOT = Path(__file__).parents[1]
TESTS = "tests/life/test_golden.py tests/watch/test_guard.py tests/watch/test_connections.py tests/store/test_tables.py"
TESTS += " tests/kernels tests/worlds/test_late.py"  # what depends on numba's own interfaces
TESTS += " tests/cli/test_live.py tests/executors/test_local_cluster.py tests/gym/test_gymnasium.py"
TOOLS = ["hypothesis", "minigrid", "pandas", "playwright", "psutil", "pytest", "pytest-xdist"]


def lowest() -> list[str]:
    """`name==version` for each dependency, optional ones included."""
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    extras = project["optional-dependencies"].items()
    optional = [one for name, some in extras if name != "docs" for one in some]  # that only builds the site
    found = [re.match(r"([\w-]+)>=([\w.]+)", one) for one in (*project["dependencies"], *optional)]
    return [f"{match[1]}=={match[2]}" for match in found if match is not None]


def main() -> int:
    with tempfile.TemporaryDirectory(prefix="hebbarium-lowest-") as place:
        venv.create(place, with_pip=True)
        python = str(Path(place) / "bin" / "python")
        pip = [python, "-m", "pip", "install", "--quiet", "--disable-pip-version-check"]
        subprocess.run([*pip, *lowest(), *TOOLS], check=True)
        subprocess.run([*pip, "--no-deps", str(ROOT)], check=True)
        print(*lowest(), sep="\n", flush=True)
        return subprocess.run([python, "-m", "pytest", "-q", *(sys.argv[1:] or TESTS.split())], cwd=ROOT).returncode


if __name__ == "__main__":
    sys.exit(main())
