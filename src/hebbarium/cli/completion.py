"""`hebbarium completion`: what a shell needs to complete commands, tasks and options."""

from __future__ import annotations

import importlib
from typing import Literal

from hebbarium.cli.commands import Verb
from hebbarium.cli.shared_options import CommonOptions


def completion(shell: Literal["bash", "zsh", "fish", "powershell"], /, *, common: CommonOptions) -> None:
    """Print a script by which a shell completes commands, tasks and options.

    For bash: hebbarium completion bash > ~/.local/share/bash-completion/completions/hebbarium

    Parameters
    ----------
    shell
        The shell that shall read it.
    """
    from hebbarium.cli import VERBS, make_app, module_of
    from hebbarium.worlds.registry import WORLDS

    for verb in VERBS:
        importlib.import_module(module_of(verb))
        for words in ([], *([task] for task in WORLDS)):
            Verb.made[verb].make(words, help_all=True)
    print(make_app().generate_completion(shell=shell))


app = Verb(completion, "Print a script by which a shell completes commands, tasks and options.").app
