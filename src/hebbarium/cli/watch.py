"""`hebbarium watch`: see agents learn in the browser, and change their rule while they live."""

from __future__ import annotations

import sys
from dataclasses import dataclass
from pathlib import Path
from string import punctuation
from typing import TYPE_CHECKING, Annotated, Any, Literal
from urllib.parse import quote

from cyclopts import Group

from hebbarium.brains.scalings import check_scaling
from hebbarium.cli import shared_options as shared
from hebbarium.cli.commands import FILES, LIFE, TaskVerb, command
from hebbarium.experiment import check_weights
from hebbarium.tools.errors import BadInput, check_integer, shown
from hebbarium.tools.progress import progress
from hebbarium.worlds.base import World
from hebbarium.worlds.registry import WORLDS, make_world

if TYPE_CHECKING:
    from hebbarium.watch.evolution import Evolving
    from hebbarium.watch.requests import Wish

USUAL_TASK = "foraging"
SERVER = Group("Server", sort_key=2)


@dataclass(frozen=True, kw_only=True)
class Who:
    """What lives at first; everything can be changed on the page."""

    rule: shared.RuleArgument | None = None
    """The rule, as `hebbarium live` takes it; without it the best of the task."""
    agent: Literal["hill-climbing", "unscaled-climbing"] | None = None
    """Watch hill climbing instead: in each season the network that it found for it."""
    eta: float | None = None
    """The learning rate of a rule without an @."""
    seed: int = 1
    """Random seed: the same seed gives the same life."""
    brains: int = 1
    """How many random brains to run side by side, 1 to 16."""


@dataclass(frozen=True, kw_only=True)
class Server:
    """Where the page is."""

    port: int | None = None
    """The port on this machine, 0 for any free one; by default 8321, or a free one if that is taken."""
    open: bool = True
    """Open the page in the browser."""


@dataclass(frozen=True, kw_only=True)
class Files:
    """Record a life instead of serving a page."""

    record: shared.PageFile | None = None
    """Record the life as one self-contained .html file."""
    video: shared.Film | None = None
    """Write the life as a film: .mp4 (needs the extra `video`), .gif or .apng."""
    every: int | None = None
    """Steps between two recorded frames; by default as few as fit in a file of reasonable size."""
    static: Path | None = None
    """Write the page as a file into this folder: it needs no server, and its lives run in the browser."""
    docs: str = ""
    """The address of a documentation that the page of --static links to."""

    def check(self) -> None:
        if self.static is not None and (self.record, self.video, self.every) != (None, None, None):
            raise BadInput("--static writes a page on which lives are lived; recordings are made by another command.")
        if self.every is not None:
            check_integer("every", self.every, 1)


WhoOptions = Annotated[Who, LIFE]
ServerOptions = Annotated[Server, SERVER]
FileOptions = Annotated[Files, FILES]


def watch(
    *,
    who: WhoOptions,
    life: shared.WayOptions,
    server: ServerOptions,
    files: FileOptions,
    task: World,
    common: shared.CommonOptions,
) -> None:
    files.check()
    if files.static is not None and who.agent is not None:
        raise BadInput(f"--agent {who.agent} cannot be used with --static: a browser does not climb; leave out one.")
    _check_drawn(task)
    is_usual = (who, life, task) == (Who(), {}, type(make_world(USUAL_TASK))())
    usual = {task.name: type(task)()}  # what differs from it stands in the wish, and so in the page's address
    wish = _wish(who, life, task)
    wish.experiment(usual)  # so that nonsense is refused here, not on the page
    if files.record is not None or files.video is not None:
        _record(wish, usual, task.steps, files, common)
    elif files.static is not None:
        _write_playground(files.static, files.docs, "" if is_usual else _fragment(wish.address()), common)
    else:
        _serve(usual, None, _fragment(wish.address()), server, common)


def watch_run(
    target: str | None = None,
    /,
    *,
    world: str | None = None,
    who: WhoOptions,
    life: shared.WayOptions,
    server: ServerOptions,
    files: FileOptions,
    common: shared.CommonOptions,
) -> None:
    """Watch an agent learn in the browser, and change its rule while it runs.

    Parameters
    ----------
    target
        A task, the folder of an evolution, finished or running, or a link copied from the page. Without it, foraging.
    world
        Where the world of a run is, if it is one of your own: ./pond.py (a scaling of your own: --scaling).
    """
    is_plain = (who, life, files) == (Who(), {}, Files())
    if target is None and is_plain:
        _serve({}, None, "", server, common)
    elif target is None or not _is_run_or_link(target):
        task = make_world(target or USUAL_TASK)
        watch(who=who, life=life, server=server, files=files, task=task, common=common)
    elif (who, set(life) - {"scaling"}, files) != (Who(), set(), Files()) or (life and "#" in target):
        raise BadInput(f"{shown(target)} already says what to watch; leave out the options of a life and its files.")
    elif "#" in target:
        # Without control characters: the address is printed.
        _serve({}, None, quote(target.partition("#")[2], safe=punctuation), server, common)
    else:
        _needed()
        from hebbarium.watch.evolution import Evolving

        check_scaling(life.get("scaling", "unit"))  # the user names it, so it may be loaded
        run = Evolving(target, world)  # whose best individual so far the page starts with
        _check_drawn(run.world)
        _serve({run.world.name: type(run.world)()}, run, _fragment(run.best()), server, common)


def _wish(who: Who, life: dict[str, Any], task: World) -> Wish:
    from hebbarium.rules.layered import read_rule
    from hebbarium.watch.requests import Wish, as_typed

    settings = task.changed_settings()
    own = {name: life.pop(name, None) for name in ("hidden", "blame", "eligibility")}
    # Seasons go on for ever on the page; random ones are drawn for a whole life, so how many it has is a setting then.
    stop = settings.get("seasons", 0) if task.own_seasons else settings.pop("seasons", 0)
    return Wish(
        task=task.name,
        rule=who.rule if who.rule is None or who.eta is None else read_rule(who.rule, who.eta).text,
        agent=who.agent,
        hidden=own["hidden"],
        seed=who.seed,
        brains=who.brains,
        stop=stop,
        blame=check_weights("blame", own["blame"], task),
        eligibility=check_weights("eligibility", own["eligibility"], task),
        settings=as_typed(settings | life),
    )


def _fragment(address: dict[str, str]) -> str:
    """The end of the page's address, after the #."""
    return "&".join(f"{name}={quote(text, safe='+/@,:-')}" for name, text in address.items())


def _needed() -> None:
    try:
        import starlette  # noqa: F401
        import uvicorn  # noqa: F401
        import websockets  # noqa: F401
    except ImportError:
        raise BadInput("this needs starlette, uvicorn and websockets: pip install 'hebbarium[watch]'.") from None


def _serve(
    worlds: dict[str, World], run: Evolving | None, fragment: str, server: Server, common: shared.Common
) -> None:
    _needed()
    from hebbarium.watch.server import Watch, address, bind, private_link, serve, server_of

    if server.port is not None:
        check_integer("port", server.port, 0, 65535)
    others = {name: world() for name, world in WORLDS.items() if name not in worlds}
    watched, listener = Watch(worlds | others, run), bind(server.port)
    serving = server_of(watched, listener)
    url = f"{address(watched, listener)}#{fragment}".rstrip("#")
    common.hand_over({"url": url}, print, url)
    sys.stdout.flush()
    common.say("Open this address in a browser on this machine. Press Ctrl-C to stop.")
    with private_link(url) as link:
        if server.open:
            import webbrowser

            webbrowser.open(link)
        serve(serving, listener)


def _record(wish: Wish, worlds: dict[str, World], steps: int, files: Files, common: shared.Common) -> None:
    from hebbarium.studies.engine import Kernels
    from hebbarium.watch import replay

    kinds = (
        (files.record, replay.write_page, replay.page_stride),
        (files.video, replay.write_video, replay.film_stride),
    )
    experiment = wish.experiment(worlds)
    Kernels.of(experiment, [experiment.lived_by]).prepare(common.say)
    # All are checked before the first is written.
    wanted = [(path, write, stride(wish, worlds, files.every)) for path, write, stride in kinds if path is not None]
    written = []
    for path, write, every in wanted:
        with progress("recording", steps, "steps", quiet=common.quiet) as advance:
            write(path, wish, worlds, every=every, done=advance)
        written.append({"file": str(path), "bytes": path.stat().st_size})
        if not common.json:
            common.say(f"wrote {path} ({path.stat().st_size / 1e6:.1f} MB)")
    if common.json:
        shared.print_json({"files": written})


def _write_playground(folder: Path, docs: str, fragment: str, common: shared.Common) -> None:
    """The page is the same for every life; the address that is printed says which one it opens with."""
    from hebbarium.watch.playground import write_playground

    path = write_playground(folder, docs)
    address = f"{path.absolute().as_uri()}#{fragment}".rstrip("#")
    if common.json:
        shared.print_json({"files": [{"file": str(path), "bytes": path.stat().st_size}], "url": address})
    else:
        print(address)
        common.say(f"wrote {path} ({path.stat().st_size / 1e3:.0f} kB)")


def _check_drawn(world: World) -> None:
    """Refuse a world that the page cannot draw."""
    if world.lived_by != World.lived_by:
        raise BadInput(f"{world.label} cannot be watched: environments of Gymnasium's draw themselves.")


def _is_run_or_link(word: str) -> bool:
    return "#" in word or Path(word).is_dir()


class _Watch(TaskVerb):
    def make(self, words: list[str], help_all: bool) -> list[str]:
        if words and not words[0].startswith("-") and not _is_run_or_link(words[0]):
            self.app.default_command = None  # of another command line in the same process
            return super().make(words, help_all)
        self.app.default_command = command(watch_run, help_all=help_all)[0]
        return words


app = _Watch(watch, "Watch an agent learn in the browser, and change its rule while it runs.").app
