"""The command as the shell sees it: exit codes, pipes and interrupts."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys

import pytest

from commands import started
from hebbarium.agents.random import RandomAgent
from hebbarium.agents.registry import make_agent
from hebbarium.worlds.registry import make_world

COMMAND = [sys.executable, "-m", "hebbarium"]
SHORT = ["live", "foraging", "--rule", "-0+-/0000", "--eta", "0.04", "--lifetimes", "2", "--season-steps", "50"]
ENDLESS = ["live", "foraging", "--season-steps", "1000000000", "--lifetimes", "16", "-q"]
SAYING_WHEN_IT_LIVES = """
import runpy, sys
from concurrent.futures import ThreadPoolExecutor

def submit(self, work, *arguments, submit=ThreadPoolExecutor.submit):
    def said():
        sys.stderr.write("living\\n")
        return work(*arguments)
    return submit(self, said)

ThreadPoolExecutor.submit = submit
runpy.run_module("hebbarium", run_name="__main__", alter_sys=True)
"""


def run(*words: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run([*COMMAND, *words], capture_output=True, text=True, timeout=300, check=False)


def test_json_and_nothing_else() -> None:
    done = run(*SHORT, "--json")
    assert (done.returncode, done.stderr) == (0, "")
    assert json.loads(done.stdout)["rule"] == "-0+-/0000"


def test_bad_input_is_one_line_and_code_2() -> None:
    done = run("live", "foraging", "--rule", "foraging:19")
    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr.endswith("the nearest is foraging:18.\n")
    assert "Traceback (most recent call last)" in run("live", "foraging", "--rule", "foraging:19", "--debug").stderr


def test_help_imports_nothing_heavy() -> None:
    program = (
        "import sys; from hebbarium.cli import main; main(['--help']); print(sorted(sys.modules), file=sys.stderr)"
    )
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    assert "live" in done.stdout
    for heavy in ("numpy", "numba", "scipy", "matplotlib"):
        assert f"'{heavy}'" not in done.stderr


@pytest.mark.parametrize("who", [["--rule", "foraging:6"], ["--agent", "hill-climbing"], ["--agent", "perfect"]])
def test_an_interrupt_leaves_with_one_line(who: list[str]) -> None:
    compiled = make_agent(who[1]) if who[0] == "--agent" else RandomAgent()
    compiled.prepare(make_world("foraging"))
    with started([sys.executable, "-c", SAYING_WHEN_IT_LIVES, *ENDLESS, *who]) as process:
        assert process.stderr is not None
        assert process.stderr.readline() == "living\n"
        process.send_signal(signal.SIGINT)
        out, err = process.communicate(timeout=60)
    assert (process.returncode, out, err.replace("living\n", "")) == (130, "", "hebbarium: interrupted.\n")


@pytest.mark.parametrize("words", [["--help"], [*SHORT, "--json"], SHORT])
def test_a_reader_that_has_gone_ends_it_quietly(words: list[str]) -> None:
    reader, writer = os.pipe()
    os.close(reader)
    done = subprocess.run([*COMMAND, *words], stdout=writer, stderr=subprocess.PIPE, text=True, check=False)
    os.close(writer)
    assert (done.returncode, done.stderr) == (1, "")
