"""One page that watches: what it asks for is done, and frames are sent to it as fast as it draws them."""

from __future__ import annotations

import asyncio
import json
import time
from collections.abc import Callable, Mapping
from concurrent.futures import Executor
from typing import Any

from starlette.websockets import WebSocket, WebSocketDisconnect

from hebbarium.tools.errors import (
    LARGEST,
    BadInput,
    HebbariumError,
    check_choice,
    check_integer,
    check_number,
    check_switch,
    shown,
)
from hebbarium.watch.evolution import Evolving
from hebbarium.watch.pace import Journey, Pace
from hebbarium.watch.page_data import hello
from hebbarium.watch.page_frames import Camera, Message, about_life, about_rule
from hebbarium.watch.requests import Wish
from hebbarium.watch.session import LOOK, Session
from hebbarium.worlds.base import World

IN_FLIGHT = 2
"""Frames sent that the page has not drawn yet. A page that stops drawing gets no more, and costs nothing."""
LONGEST = 8192
"""Bytes in a message."""
RATE, BURST = 200.0, 400.0
"""Messages a second, and how many may come at once."""
PATIENCE = 60.0
"""Seconds that a page may take to read what was sent."""
FASTEST = 1e9
FEW = 1 / 12
"""Seconds between two frames of many brains."""
REPORT_EVERY = 0.25
"""Seconds between two messages on how far a journey is."""
LONGEST_PAUSE = 60.0
"""Seconds until a run that could not be read is tried again, at most."""


class Watcher:
    def __init__(
        self, connection: WebSocket, worlds: Mapping[str, World], run: Evolving | None, threads: Executor
    ) -> None:
        self._connection, self._worlds, self._run, self._threads = connection, worlds, run, threads
        self._asked: asyncio.Queue[Message | HebbariumError] = asyncio.Queue(32)
        self._drawn = asyncio.Event()
        self._in_flight = 0
        self._session: Session | None = None
        self._camera: Camera | None = None
        self._journey: Journey | None = None
        """On the way to the step that was asked for. Whatever is asked for meanwhile is heard, and a new life wins."""
        self._reported = self._shown = 0.0
        self._rule_sent: object = None
        self._pace, self._playing = Pace(), False
        self._run_seen: object = None
        self._run_due, self._run_pause, self._run_problem = 0.0, Evolving.EVERY, ""
        self._orders: dict[str, Callable[[Message], Any]] = {
            "start": self._start,
            "again": self._again,
            "rule": self._rule,
            "season": self._season,
            "pace": self._set_pace,
            "step": self._step,
            "run": self._show_run,
        }

    async def serve(self) -> None:
        """Until the page is gone."""
        reading = asyncio.create_task(self._read())
        working = asyncio.create_task(self._work())
        done, waiting = await asyncio.wait((reading, working), return_when=asyncio.FIRST_COMPLETED)
        for task in waiting:
            task.cancel()
        await asyncio.gather(*waiting, return_exceptions=True)
        for task in done:
            error = task.exception()
            if error is not None and not isinstance(error, (WebSocketDisconnect, TimeoutError, OSError, RuntimeError)):
                raise error

    async def _read(self) -> None:
        allowance, last = BURST, time.monotonic()
        while True:
            received = await self._connection.receive()
            if received["type"] == "websocket.disconnect":
                return
            now = time.monotonic()
            allowance, last = min(BURST, allowance + RATE * (now - last)), now
            if allowance < 1:
                # Not reading on is what slows a sender down.
                await self._asked.put(BadInput(f"too many messages: more than {RATE:.0f} a second."))
                await asyncio.sleep(1 - allowance / RATE)
            allowance -= 1
            try:
                message = read_message(received)
            except HebbariumError as error:
                await self._asked.put(error)
                continue
            if message["do"] == "drawn":
                self._in_flight = max(0, self._in_flight - 1)
                self._drawn.set()
            else:
                await self._asked.put(message)

    async def _work(self) -> None:
        await self._send(hello(self._worlds, None if self._run is None else self._run.name))
        while True:
            while not self._asked.empty():
                await self._obey(self._asked.get_nowait())
            await self._look_at_run()
            steps = self._pace.due() if self._is_living else 0
            try:
                if self._journey is not None:
                    await self._go_on(self._journey)
                elif steps:
                    await self._live(steps)
                else:
                    await self._wait()
            except HebbariumError as error:
                self._playing, self._journey = False, None
                await self._send({"type": "error", "text": str(error)})

    @property
    def _is_living(self) -> bool:
        return self._playing and self._in_flight < IN_FLIGHT

    async def _wait(self) -> None:
        """Until something is asked for, something was drawn, or something is due."""
        waits = [3600.0]
        if self._is_living:
            waits.append(self._pace.wait())
        if self._run_due:
            waits.append(self._run_due - time.monotonic())
        self._drawn.clear()
        asked, drawn = asyncio.ensure_future(self._asked.get()), asyncio.ensure_future(self._drawn.wait())
        try:
            await asyncio.wait((asked, drawn), timeout=max(0.001, min(waits)), return_when=asyncio.FIRST_COMPLETED)
        finally:
            drawn.cancel()
            if not asked.done():
                asked.cancel()
        if asked.done() and not asked.cancelled():
            await self._obey(asked.result())

    async def _obey(self, message: Message | HebbariumError) -> None:
        try:
            if isinstance(message, HebbariumError):
                raise message
            check_choice("do", message["do"], tuple(self._orders))
            await self._orders[message["do"]](message)
        except HebbariumError as error:
            refused: Message = {}  # what was asked for in vain, so that the page can take it back
            if not isinstance(message, HebbariumError) and message["do"] in self._orders:
                refused["do"] = message["do"]
                if isinstance(mark := message.get("mark"), int) and abs(mark) <= LARGEST:
                    refused["mark"] = mark
            await self._send({"type": "error", "text": str(error), **refused})

    async def _start(self, message: Message) -> None:
        """A newborn brain, and on from there. mark: by which the page knows which of its wishes this is."""
        life = message.get("life")
        if not isinstance(life, dict):
            raise BadInput(f"life is {shown(life)}, but must be names with values.")
        wish = Wish.of(life)
        mark = check_integer("mark", message.get("mark", 0), 0)
        await self._send({"type": "busy"})
        session = await self._aside(_born, wish, self._worlds)
        self._take_pace(message)
        self._session, self._camera = session, Camera(session)
        self._journey, self._reported = Journey(session, wish.at) if wish.at else None, time.monotonic()
        await self._send({**about_life(session), "mark": mark})
        await self._send_rule(session)
        if self._journey is None:
            await self._show()

    async def _go_on(self, journey: Journey) -> None:
        """One slice of the way; the first picture is that of its end."""
        await self._aside(journey.go_on)
        now = time.monotonic()
        if journey.is_over:
            self._journey = None
            self._pace.restart()
            await self._show()
        elif now - self._reported > REPORT_EVERY:
            self._reported = now
            await self._send({"type": "going", "to": journey.to, "share": round(journey.share, 3)})

    async def _again(self, message: Message) -> None:
        """The same brain, newborn, by the rule that it lives by now."""
        session = self._living()
        self._journey = None
        rule = session.rule
        await self._aside(session.born_anew)
        if rule != session.experiment.rule:
            session.set_rule(rule.text)
        self._camera = Camera(session)
        await self._send(about_life(session))
        await self._show()

    async def _rule(self, message: Message) -> None:
        """mark: by which the page knows which of its changes this is."""
        session = self._living()
        mark = {"mark": check_integer("mark", message["mark"], 0)} if "mark" in message else {}
        await self._aside(session.set_rule, message.get("rule"))
        await self._send_rule(session, **mark)
        if self._journey is not None:  # the rule changes where the life is now
            self._journey = None
            await self._show()

    async def _season(self, message: Message) -> None:
        self._living().set_season(message.get("kind"))
        self._journey = None
        await self._show()

    async def _set_pace(self, message: Message) -> None:
        self._take_pace(message)
        if message.get("playing") and self._session is not None:
            self._session.carry_on()
        await self._send({"type": "pace", "playing": self._playing, "speed": self._pace.speed})

    async def _step(self, message: Message) -> None:
        session = self._living()
        self._playing, self._journey = False, None
        session.carry_on()
        await self._aside(session.advance, 1)
        await self._send({"type": "pace", "playing": False, "speed": self._pace.speed})
        await self._show()

    def _take_pace(self, message: Message) -> None:
        self._pace.speed = check_number("speed", message.get("speed", self._pace.speed), 0, FASTEST)
        self._playing = check_switch("playing", message.get("playing", self._playing))
        self._pace.restart()

    def _living(self) -> Session:
        if self._session is None:
            raise BadInput("nothing is running yet; begin with start.")
        return self._session

    async def _live(self, steps: int) -> None:
        session = self._living()
        start = time.perf_counter()
        await self._aside(session.advance, steps)
        self._pace.took(steps, time.perf_counter() - start)
        if session.over:
            self._playing = False
            await self._send({"type": "pace", "playing": False, "speed": self._pace.speed})
        now = time.monotonic()
        if session.lives == 1 or session.over or now - self._shown >= FEW:  # many small pictures are drawn less often
            self._shown = now
            await self._show()

    async def _send_rule(self, session: Session, **mark: int) -> None:
        self._rule_sent = session.rule
        await self._send({**about_rule(session), **mark})

    async def _show(self) -> None:
        assert self._camera is not None
        if self._camera.session.rule is not self._rule_sent:  # changed on the way, as the address says
            await self._send_rule(self._camera.session)
        frame = await self._aside(self._camera.frame, self._pace.measured if self._playing else 0.0)
        self._in_flight += 1
        await self._send(frame)

    async def _show_run(self, message: Message) -> None:
        """From now on send how far the evolution is."""
        if self._run is None:
            raise BadInput("no evolution is watched; start with `hebbarium watch RUN`.")
        self._run_due = time.monotonic()

    async def _look_at_run(self) -> None:
        if self._run is None or not self._run_due or time.monotonic() < self._run_due:
            return
        try:
            seen = await self._aside(self._run.look)
        except HebbariumError as error:
            # It may come back, as after a network's drive was away: said once, and tried again more and more rarely.
            self._run_pause = min(LONGEST_PAUSE, 2 * self._run_pause)
            self._run_due, self._run_seen = time.monotonic() + self._run_pause, None
            if (problem := str(error)) != self._run_problem:
                self._run_problem = problem
                await self._send({"type": "error", "do": "run", "text": problem})
            return
        self._run_pause, self._run_problem = Evolving.EVERY, ""
        self._run_due = time.monotonic() + self._run_pause
        if seen != self._run_seen:
            self._run_seen = seen
            await self._send(seen)

    async def _send(self, message: Message) -> None:
        text = json.dumps(message, separators=(",", ":"), allow_nan=False)
        await asyncio.wait_for(self._connection.send_text(text), PATIENCE)

    async def _aside(self, function: Callable[..., Any], *arguments: Any) -> Any:
        """In a thread: kernels let others work meanwhile."""
        try:
            return await asyncio.get_running_loop().run_in_executor(self._threads, function, *arguments)
        except (HebbariumError, asyncio.CancelledError):
            raise
        except Exception as error:  # a user's own world may do anything
            raise HebbariumError(f"something went wrong inside: {type(error).__name__}: {error}.") from error


def read_message(received: Mapping[str, Any]) -> Message:
    """A message as data, or one clear sentence."""
    text = received.get("text")
    if text is None:
        raise BadInput("a message must be text, not bytes.")
    if len(text) > LONGEST:
        raise BadInput(f"a message has {len(text):,} characters, but at most {LONGEST:,} are allowed.")
    try:
        message = json.loads(text)
    except (ValueError, RecursionError):
        raise BadInput('a message must be JSON, such as {"do": "step"}.') from None
    if not isinstance(message, dict) or not isinstance(message.get("do"), str):
        raise BadInput(f'a message must say what to do, such as {{"do": "step"}}, not {shown(message)}.')
    return message


def _born(wish: Wish, worlds: Mapping[str, World]) -> Session:
    """A new session, with everything compiled that it will need."""
    session = Session(wish, worlds)
    session.advance(LOOK + 1)
    session.born_anew(wish.changes())
    return session
