"""Whether the links of a built site lead somewhere, anchors included: `python docs/links.py FOLDER`.

Addresses on other machines are counted and not fetched.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator
from html.parser import HTMLParser
from pathlib import Path
from urllib.parse import unquote, urlsplit


class Page(HTMLParser):
    def __init__(self, path: Path) -> None:
        super().__init__()
        self.links: set[str] = set()
        self.anchors = {""}
        self.feed(path.read_text(encoding="utf-8"))

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        for name, value in attrs:
            if name in ("href", "src") and value:
                self.links.add(value)
            elif name in ("id", "name") and value:
                self.anchors.add(value)


def dead(folder: Path, pages: dict[Path, Page]) -> Iterator[str]:
    for path, page in pages.items():
        for link in sorted(page.links):
            parts = urlsplit(link)
            if parts.scheme or parts.netloc:
                continue
            target = (path.parent / unquote(parts.path)).resolve() if parts.path else path
            target = target / "index.html" if target.is_dir() else target
            anchored = target not in pages or link.endswith("/#") or unquote(parts.fragment) in pages[target].anchors
            # The fragment of a page with a script is its state.
            if not target.is_file() or not (anchored or "playground" in target.parts):
                yield f"{path.relative_to(folder)}: {link}"


def main() -> None:
    folder = Path(sys.argv[1]).resolve()
    pages = {path: Page(path) for path in sorted(folder.rglob("*.html"))}
    missing = list(dead(folder, pages))
    links = [link for page in pages.values() for link in page.links]
    away = sum(bool(urlsplit(link).scheme or urlsplit(link).netloc) for link in links)
    print(*missing, sep="\n", end="\n" * bool(missing))
    print(
        f"{len(pages)} pages, {len(links) - away} links within the site, {len(missing)} dead; {away} others not fetched"
    )
    sys.exit(bool(missing))


if __name__ == "__main__":
    main()
