"""The site, which `make docs` builds.

Its pages are the Markdown files of this folder. The references of the commands and of the Python package, the atlases
and the playground are made from the package at each build.
"""

from __future__ import annotations

import importlib
import inspect
import re
from pathlib import Path
from typing import Any

from docutils import nodes
from docutils.utils.math.latex2mathml import tex2mathml
from pygments.lexers import TextLexer
from sphinx.application import Sphinx

import hebbarium as hb
from hebbarium.cli import VERBS, make_app, module_of
from hebbarium.cli.commands import Verb
from hebbarium.studies.atlas.page import save_shipped_map
from hebbarium.watch.playground import write_playground
from hebbarium.worlds.registry import WORLDS

DOCS = Path(__file__).parent
MADE = DOCS / "made"
"""Written at each build: pages, and `site`, files that are copied as they are."""

(MADE / "site").mkdir(parents=True, exist_ok=True)

project = "Hebbarium"
author = copyright = "The Hebbarium authors"
version = release = hb.__version__

extensions = ["myst_nb", "sphinx.ext.autodoc"]
exclude_patterns = ["made/site", "search.md"]
html_theme = "furo"
html_title = f"Hebbarium {version}"
html_extra_path = ["made/site"]
html_math_renderer = "mathml"
html_copy_source = html_show_sourcelink = False

myst_enable_extensions = ["colon_fence", "dollarmath"]
myst_heading_anchors = 4
nb_execution_mode = "off"  # tests execute the notebooks; what is stored in them is shown
default_role = "code"  # docstrings have code in single backquotes
autodoc_typehints = "none"  # they are in the signatures
autodoc_member_order = "bysource"
autodoc_default_options = {"members": True, "inherited-members": False}


def setup(app: Sphinx) -> None:
    # Browsers draw MathML themselves, so no script has to come from elsewhere.
    app.add_html_math_renderer("mathml", (_equation, None), (_equation, None))
    for language in ("rooms", "livewalk", "evolvewalk"):  # what tests compare with the package
        app.add_lexer(language, TextLexer)
    app.connect("builder-inited", _make)
    # The site's own search is search.html, so docs/search.md is shown as searches.html.
    for event in ("source-read", "include-read"):
        app.connect(event, _link_to_searches)


def _equation(writer: Any, node: nodes.Element) -> None:
    writer.body.append(tex2mathml(node.astext(), as_block=isinstance(node, nodes.math_block)))
    raise nodes.SkipNode


def _link_to_searches(app: Sphinx, *given: Any) -> None:
    *_, lines = given
    lines[0] = re.sub(r"\]\((docs/)?search\.md", r"](\1searches.md", lines[0])


def _make(app: Sphinx) -> None:
    for old in MADE.rglob("*.*"):
        old.unlink()
    _make_commands()
    (MADE / "api.md").write_text(_api(), encoding="utf-8")
    for task in ("foraging", "prey-predator"):
        save_shipped_map(task, MADE / "site" / f"atlas-{task}.html", playground="playground/index.html")
    write_playground(MADE / "site" / "playground", docs="../index.html")


def _make_commands() -> None:
    """A page for each verb, as the parser describes itself. Of further tasks it has what the first has not."""
    for verb in VERBS:
        importlib.import_module(module_of(verb))
        for words in ([], *([task] for task in WORLDS)):
            Verb.made[verb].make(words, help_all=True)
    text = make_app().generate_docs(flatten_commands=True)
    described = {
        words: lines for words, *lines in map(str.splitlines, re.split(r"^# hebbarium ", text, flags=re.M)[1:])
    }
    for verb in VERBS:
        page = [f"# hebbarium {verb}", *described[verb]]
        first, *others = [words for words in described if words.startswith(f"{verb} ")] or [verb]
        if others:
            page += ["", f"## hebbarium {first}", *described[first]]
        for words in others:
            own = [line for line in described[words] if line not in described[first] or not line]
            page += [
                f"## hebbarium {words}",
                *own,
                f"All other options are those of [{first}](#hebbarium-{first.replace(' ', '-')}).",
                "",
            ]
        (MADE / f"{verb}.md").write_text("\n".join(page), encoding="utf-8")
    listed = [f"- [`hebbarium {verb}`]({verb}.md): {about}" for verb, about in VERBS.items()]
    lines = ["# Commands", "Made from the command line itself: this is what `--help-all` says.", *listed]
    lines += [":::{toctree}\n:hidden:\n", *VERBS, ":::"]
    (MADE / "commands.md").write_text("\n".join(lines), encoding="utf-8")


def _api() -> str:
    """Everything public, from its docstrings."""
    parts: dict[str, list[str]] = {"Functions": [], "Classes": [], "Errors": []}
    for name in hb.__all__:
        thing = getattr(hb, name)
        if inspect.isclass(thing):
            parts["Errors" if issubclass(thing, Exception) else "Classes"].append(f".. autoclass:: hebbarium.{name}")
        elif callable(thing):
            parts["Functions"].append(f".. autofunction:: hebbarium.{name}")
    lines = ["# Python reference", "", "Made from docstrings; [In Python](../python.md) shows how things are used."]
    for title, directives in parts.items():
        lines += ["", f"## {title}", "", "```{eval-rst}", *directives, "```"]
    return "\n".join(lines) + "\n"
