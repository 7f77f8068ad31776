"""A life written down to be looked at elsewhere: one HTML file with a scrubber, or a film."""

from __future__ import annotations

import base64
import dataclasses
import functools
import gzip
import json
import os
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import Any

from hebbarium.experiment import suggesting
from hebbarium.rules.layered import RuleLike
from hebbarium.studies.choosing_eta import rule_to_live_by
from hebbarium.tools.errors import BadInput, check_integer
from hebbarium.tools.files import check_writable, replacing
from hebbarium.watch.page_data import about_world
from hebbarium.watch.page_frames import Camera, Message, about_life, about_rule
from hebbarium.watch.page_text import replay_page
from hebbarium.watch.requests import Wish
from hebbarium.watch.session import Session
from hebbarium.worlds.base import World
from hebbarium.worlds.registry import make_world

PAGE, FILMS = ".html", (".mp4", ".gif", ".apng")
PAGE_FRAMES, FILM_FRAMES = 20_000, 900
"""Of a file of reasonable size, and of a film of half a minute."""
MOST_PAGE_FRAMES, MOST_FILM_FRAMES = 200_000, 9_000
"""For those who say how many steps are between two: such a file has tens of megabytes, such a film lasts 5 minutes."""
WHOLE = 250
"""Every so many frames one is whole, so that a scrubber need not begin at birth."""
RATE = 30
"""Frames of a film in a second."""
Done = Callable[[int], None]


@suggesting
def record(
    path: str | os.PathLike[str],
    task: str | World = "foraging",
    rule: RuleLike | None = None,
    *,
    agent: str | None = None,
    eta: float | None = None,
    hidden: int | None = None,
    seed: int = 1,
    trial: int = 0,
    blame: Mapping[str, float] | None = None,
    eligibility: Mapping[str, float] | None = None,
    every: int | None = None,
    **settings: Any,
) -> Path:
    """Write a life to a file: an .html page that plays it offline, or a film (.mp4, .gif, .apng).

    agent: `hill-climbing` or `unscaled-climbing` instead of a rule: the network that it found for each season.
    every: steps between two frames; without it as few as a file of reasonable size can hold. Other arguments: see
    `live`.
    """
    target = check_writable(path, (PAGE, *FILMS))
    world = make_world(task)
    text = None if rule is None else rule_to_live_by(world, rule, eta).rule.text
    changed = {**world.changed_settings(), **settings}
    wish = Wish(
        task=world.name,
        rule=text,
        agent=agent,
        hidden=hidden,
        seed=seed,
        trial=trial,
        blame={} if blame is None else blame,
        eligibility={} if eligibility is None else eligibility,
        settings=changed,
    )
    every = None if every is None else check_integer("every", every, 1)
    write = write_page if target.suffix.lower() == PAGE else write_video
    write(target, wish, {world.name: type(world)()}, every=every)
    return target


def recorded(wish: Wish, worlds: Mapping[str, World], every: int, done: Done | None = None) -> Iterator[Session]:
    """A whole life at birth and after every so many steps."""
    seasons = wish.stop or wish.experiment(worlds).world.seasons
    session = Session(dataclasses.replace(wish, stop=seasons), worlds)
    yield session
    reported = 0
    while not session.over:
        session.advance(every)
        yield session
        if done is not None and (session.over or session.lived - reported >= WHOLE * every):
            done(session.lived - reported)
            reported = session.lived


def write_page(
    path: Path, wish: Wish, worlds: Mapping[str, World], *, every: int | None = None, done: Done | None = None
) -> None:
    """One file that plays the life; every: steps between two frames."""
    if wish.brains != 1:
        raise BadInput(f"brains is {wish.brains}, but only one brain can be recorded; leave it out.")
    frames: list[Message] = []
    camera: Camera | None = None
    for session in recorded(wish, worlds, page_stride(wish, worlds, every), done):
        camera = camera or Camera(session)
        whole = len(frames) % WHOLE == 0
        if whole:
            camera.forget()
        frames.append({**camera.frame(), "whole": whole})
    packed = gzip.compress(json.dumps(frames, separators=(",", ":")).encode(), 9, mtime=0)
    replay = {
        "world": {**about_world(session.world), "settings": [], "brain": [], "presets": []},
        "life": about_life(session),
        "rule": about_rule(session),
        "frames": base64.b64encode(packed).decode(),
    }
    title = f"Hebbarium: {session.world.name}, {wish.agent or f'rule {session.rule.text}'}, seed {wish.seed}"
    with replacing(path) as part:
        part.write_text(replay_page(title, {"replay": replay}), encoding="utf-8")


def write_video(
    path: Path, wish: Wish, worlds: Mapping[str, World], *, every: int | None = None, done: Done | None = None
) -> None:
    """A film of half a minute; every: steps between two pictures."""
    from hebbarium.watch.film import painted, palette_of, save_film

    if wish.brains != 1:
        raise BadInput(f"brains is {wish.brains}, but a film shows one brain; leave it out.")
    sessions = recorded(wish, worlds, film_stride(wish, worlds, every), done)
    palette = palette_of(wish.experiment(worlds).world)
    with replacing(path) as part:
        save_film(part, (painted(session) for session in sessions), RATE, palette)


def _stride(wish: Wish, worlds: Mapping[str, World], every: int | None = None, *, usual: int, most: int) -> int:
    """Steps between two frames. every: as asked for, which may be too few. usual, most: frames in all."""
    world = wish.experiment(worlds).world
    steps = world.season_steps * (wish.stop or world.seasons)
    if every is None:
        return -(-steps // usual)
    if steps // every > most:
        nearest = -(-steps // most)
        raise BadInput(
            f"every is {every}, which makes {steps // every:,} frames of {steps:,} steps, but at most {most:,} are "
            f"possible; the nearest is {nearest}."
        )
    return every


page_stride = functools.partial(_stride, usual=PAGE_FRAMES, most=MOST_PAGE_FRAMES)
film_stride = functools.partial(_stride, usual=FILM_FRAMES, most=MOST_FILM_FRAMES)
