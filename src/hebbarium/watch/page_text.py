"""The page as one text: its parts in `page/`, put together without a build step. Replays are the same page."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

from hebbarium.show.pages import fill, page

PARTS = Path(__file__).parent / "page"
MODULES = (
    "tools", "state", "picture", "charts", "network", "rule", "settings", "many", "evolution", "view", "link", "replay",
    "main",
)  # fmt: skip
"""In the order of their imports."""
TWIN = ("streams", "brain", "worlds", "life", "worker")
"""What lives in a worker of the browser, where there is no server."""


def live_page(port: int) -> tuple[str, str]:
    """The page that is served, and its content-security policy. No secret is in it."""
    sockets = f"connect-src ws://127.0.0.1:{port} ws://localhost:{port}"
    return _page("Hebbarium: watch", {}, sockets)


def replay_page(title: str, data: dict[str, Any]) -> str:
    """A page that plays what was recorded, alone."""
    return _page(title, data, "")[0]


def playground_page(known: dict[str, Any]) -> str:
    """A page that lives by itself, in a worker that is part of it."""
    data = {"playground": {"known": known, "worker": script(TWIN)}}
    return _page("Hebbarium: playground", data, "worker-src blob:")[0]


def _page(title: str, data: dict[str, Any], allow: str) -> tuple[str, str]:
    body = fill((PARTS / "body.html").read_text(encoding="utf-8"))
    style = (PARTS / "style.css").read_text(encoding="utf-8")
    text = page(title, body, style=style, script=script(), data=data, allow=allow)
    policy = re.search(r'http-equiv="Content-Security-Policy" content="([^"]*)"', text)
    assert policy is not None
    return text, policy[1].replace("&#x27;", "'")


def script(names: tuple[str, ...] = MODULES) -> str:
    """Modules in one script: each a function that gives what it exports, so that their names stay apart."""
    parts = ['"use strict";']
    for name in names:
        text = (PARTS / f"{name}.js").read_text(encoding="utf-8")
        exported = re.findall(r"^export (?:async )?(?:const|function|class) (\w+)", text, re.MULTILINE)
        text = re.sub(
            r"^import (\{[^}]*\}) from \"\./(\w+)\.js\";$", r"const \1 = module_\2;", text, flags=re.MULTILINE
        )
        text = re.sub(r"^export ", "", text, flags=re.MULTILINE)
        parts.append(f"const module_{name} = (() => {{\n{text}return {{ {', '.join(exported)} }};\n}})();")
    return "\n".join(parts)
