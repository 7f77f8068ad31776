"""The tasks there are, by name."""

from __future__ import annotations

import dataclasses
from collections.abc import Iterable
from typing import Any

from hebbarium.errors import BadInput, check_choice, nearest_word
from hebbarium.tasks.base import Task
from hebbarium.tasks.foraging import Foraging
from hebbarium.tasks.prey_predator import PreyPredator

TASKS: dict[str, type[Task]] = {task.name: task for task in (Foraging, PreyPredator)}


def make_task(task: str | Task, **settings: Any) -> Task:
    """A task from its name, or another task, and any of its settings."""
    if isinstance(task, Task):
        _check_settings(type(task), settings)
        return dataclasses.replace(task, **settings) if settings else task
    check_choice("task", task, tuple(TASKS))
    _check_settings(TASKS[task], settings)
    return TASKS[task](**settings)


def _check_settings(task_class: type[Task], settings: Iterable[str]) -> None:
    known = [field.name for field in dataclasses.fields(task_class)]
    for name in settings:
        if name not in known:
            nearest = nearest_word(name, known)
            hint = f"; did you mean {nearest!r}?" if nearest else f", only {', '.join(known)}."
            raise BadInput(f"{task_class.name} has no setting {name!r}{hint}")
