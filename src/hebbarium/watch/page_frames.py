"""What is sent to a page: a life as it is described once, and frames of it, of which only what changed is sent."""

from __future__ import annotations

import base64
from typing import Any

import numpy as np

from hebbarium.brains.sizes import plain_hidden
from hebbarium.rules.words import etas_in_words, family, in_words
from hebbarium.watch.session import Session
from hebbarium.worlds.grid import GridWorld
from hebbarium.worlds.picture import Picture

DENSE = 3
"""A cell among many costs one byte, and one that is sent alone about three numbers."""

Message = dict[str, Any]


def about_rule(session: Session) -> Message:
    rule = session.rule
    parts = [None if part is None else {"entries": list(part.entries), "eta": part.eta} for part in rule.parts]
    words = " ".join(filter(None, (in_words(rule), etas_in_words(rule))))
    return {
        "type": "rule",
        "rule": rule.text,
        "notation": rule.notation,
        "parts": parts,
        "words": words,
        "family": family(rule),
        "paper": list(rule.paper),
        "touched": session.touched,
        "then": session.then,
    }


def about_life(session: Session) -> Message:
    """Everything that stays as it is."""
    world, brain, wish = session.world, session.experiment.brain, session.wish
    picture = session.batch.picture()
    rows, columns = picture.cells.shape
    return {
        "type": "life",
        "task": world.name,
        "typed": world.typed,
        "hidden": plain_hidden(brain.hidden),
        "layers": [world.all_inputs, *(layer.shape[1] for layer in session.layers)],
        "inputs": list(world.all_input_names),
        "actions": list(world.actions),
        "view": list(world.view) if isinstance(world, GridWorld) else None,
        "usual": not world.changed_settings(),
        "seed": wish.seed,
        "trial": wish.trial,
        "brains": wish.brains,
        "stop": wish.stop,
        "settings": {name: str(value) for name, value in session.experiment.changed_settings().items()},
        "blame": dict(session.experiment.blame),
        "eligibility": dict(session.experiment.eligibility),
        "rows": rows,
        "columns": columns,
        "agent": picture.agent is not None,
        "senses": bool(picture.view),
        "furthest": wish.furthest(brain.neurons),
        "season_steps": world.season_steps,
    }


class Camera:
    """Takes frames of one session, each telling what is new since the one before."""

    def __init__(self, session: Session) -> None:
        self.session = session
        self.forget()

    def forget(self) -> None:
        """The next frame is whole."""
        self._cells: list[np.ndarray | None] = [None] * self.session.lives
        self._weights: list[np.ndarray] | None = None
        self._seasons = -1

    def frame(self, pace: float = 0.0) -> Message:
        """pace: steps a second."""
        session = self.session
        fitness = session.fitness()
        totals = session.earlier + session.counts
        frame: Message = {
            "type": "frame",
            "lived": session.lived,
            "season": session.chronicle.seasons - session.over,
            "kind": session.kind,
            "within": session.within,
            "over": session.over,
            "touched": session.touched,
            "then": session.then,
            "pace": round(pace, 1),
            "lives": [
                self._life(i, session.picture(i))
                | {
                    "fitness": round(float(fitness[i]), 2),
                    "counts": session.counts[i].tolist(),
                    "total": totals[i].tolist(),
                }
                for i in range(session.lives)
            ],
        }
        if session.chronicle.seasons != self._seasons:
            self._seasons = session.chronicle.seasons
            chronicle = session.chronicle
            bars = [[round(float(value), 1) for value in bar] for bar in chronicle.bars]
            frame["seasons"] = {"size": chronicle.size, "kinds": chronicle.kinds, "bars": bars}
            frame["digest"] = session.digest
        if session.lives == 1:
            frame |= self._brain()
            frame["trail"] = [number for place in session.trail for number in place]
        return frame

    def _life(self, i: int, picture: Picture) -> Message:
        message: Message = {}
        before, now = self._cells[i], picture.cells.astype(np.uint8, copy=False).ravel()
        self._cells[i] = now
        changed = None if before is None else np.flatnonzero(before != now)
        if changed is None or len(changed) * DENSE > len(now):
            message["cells"] = packed(now)
        elif len(changed):
            message["changes"] = np.column_stack([changed, now[changed]]).ravel().tolist()
        if picture.agent is not None:
            message["agent"] = [*map(int, picture.agent), -1 if picture.direction is None else int(picture.direction)]
        if picture.view and self.session.lives == 1:
            message["view"] = [int(number) for place in picture.view for number in place]
        if picture.caption:
            message["caption"] = picture.caption
        return message

    def _brain(self) -> Message:
        """The last step's activities, and the weights where they have changed."""
        message: Message = {}
        if (moment := self.session.moment) is not None:
            message["moment"] = {
                "senses": "".join(map(str, moment.senses.tolist())),
                "active": ["".join("01"[int(fires)] for fires in layer) for layer in moment.active],
                "sums": [round(float(value), 3) for value in moment.sums],
                "action": moment.action,
                "random": moment.random,
                "signal": moment.reinforcement,
                "association": moment.association,
            }
        if self.session.acted is not None:
            message["acted"] = self.session.acted.tolist()
        now = self.session.layers
        if self._weights is None or not all(map(np.array_equal, now, self._weights)):
            self._weights = [layer.copy() for layer in now]
            message["weights"] = [_shades(layer.T) for layer in now]
            message["kinds"] = int(self.session.batch.kinds_of_hidden()[0])
        return message


def _shades(weights: np.ndarray) -> Message:
    """In 255 shades, the largest being `scale`: enough to look at. weights: [post, pre]"""
    scale = float(np.abs(weights).max()) or 1.0
    return {"scale": round(scale, 4), "shades": packed(np.round(weights / scale * 127).astype(np.int8))}


def packed(array: np.ndarray) -> str:
    return base64.b64encode(np.ascontiguousarray(array).tobytes()).decode()
