"""`hebbarium live`: let agents live under one rule."""

from __future__ import annotations

import cyclopts

from hebbarium.cli.common import USUAL, CommonOptions, RuleArgument, print_json, task_commands
from hebbarium.progress import progress
from hebbarium.tasks.base import Task

app = cyclopts.App("live", help="Let agents live under one rule and count what they collect.")


def live(
    *,
    rule: RuleArgument | None = None,
    eta: float | None = None,
    hidden: int | None = None,
    lifetimes: int | None = None,
    seed: int = 1,
    threads: int | None = None,
    frozen: bool = False,
    task: Task,
    common: CommonOptions = USUAL,
) -> None:
    """
    Parameters
    ----------
    rule
        The rule: eight of -0+ such as 00+-/0000, an index 0 to 6560, or a name of the paper's such as foraging:1.
    eta
        The learning rate, from 0 up to 1; the paper's named rules have their own.
    hidden
        Hidden neurons; without it as many as in the paper.
    lifetimes
        Lifetimes to live; without it 100.
    seed
        Fixes all that is random: the same seed gives the same lives.
    threads
        Threads to use; without it as many as there are cores.
    frozen
        Live without plasticity: no weight ever changes.
    """
    from hebbarium.lifetime import prepare
    from hebbarium.living import live

    prepare(task)
    with progress("living", lifetimes or 100, "lifetimes", quiet=common.quiet) as advance:
        lives = live(
            task,
            rule,
            eta=eta,
            hidden=hidden,
            lifetimes=lifetimes,
            seed=seed,
            threads=threads,
            frozen=frozen,
            done=advance,
        )
    print_json(lives.summary())


task_commands(app, live)
