"""The tasks there are, by name."""

from __future__ import annotations

from typing import Any

from hebbarium.errors import check_choice
from hebbarium.tasks.base import Task
from hebbarium.tasks.foraging import Foraging

TASKS: dict[str, type[Task]] = {task.name: task for task in (Foraging,)}


def make_task(task: str | Task, **settings: Any) -> Task:
    """A task from its name and any of its settings; a task that is one already is returned as it is."""
    if isinstance(task, Task):
        return task
    check_choice("task", task, tuple(TASKS))
    return TASKS[task](**settings)
