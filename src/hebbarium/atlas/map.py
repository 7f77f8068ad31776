"""The atlas as one interactive page: all rules at a glance, in a single file that needs nothing else."""

from __future__ import annotations

import base64
import html
import json
import os
from collections.abc import Sequence
from pathlib import Path
from string import Template
from typing import Any

import numpy as np

from hebbarium.atlas.table import Atlas
from hebbarium.rule import PAPER_RULES, RULES, Rule
from hebbarium.words import KINDS, family, half_family, half_words

PARTS = Path(__file__).parent / "page"
SCALE = 50
"""Fitness is embedded as whole numbers of 1/50: finer than any standard error."""


def map_html(atlas: Atlas, sections: Sequence[str] = ()) -> str:
    """The page. sections: more of it, as HTML, below the map."""
    return Template((PARTS / "page.html").read_text(encoding="utf-8")).substitute(
        task=html.escape(atlas.task),
        css=(PARTS / "page.css").read_text(encoding="utf-8"),
        script=(PARTS / "page.js").read_text(encoding="utf-8"),
        lead=_lead(atlas),
        sections="\n".join(sections),
        footer=_footer(atlas),
        # `<` is the one character that could end the script element.
        data=json.dumps(_data(atlas), separators=(",", ":")).replace("<", "\\u003c"),
    )


def save_map(atlas: Atlas, path: str | os.PathLike[str], sections: Sequence[str] = ()) -> None:
    target = Path(path)
    part = target.with_name(f".{target.name}.{os.getpid()}.part")
    part.write_text(map_html(atlas, sections), encoding="utf-8")
    part.replace(target)


def _lead(atlas: Atlas) -> str:
    best = atlas.row(int(atlas.order[0]))
    known = {Rule(name).index for name in PAPER_RULES if name.startswith(f"{atlas.task}:")}
    found = sum(int(index) in known for index in atlas.order[:10])
    return html.escape(
        f"A rule is eight entries and a learning rate, so there are only {RULES:,} rules. Here each one was lived: "
        f"{atlas.about['lifetimes']:,} lifetimes in all. The best is {best['rule']} with a fitness of "
        f"{best['mean']:.1f} ± {best['sem']:.1f} at eta {best['eta']:g}. Of the ten best the paper reported {found}."
    )


def _footer(atlas: Atlas) -> str:
    about = atlas.about
    remarks = (
        f"Hebbarium · {about['hidden']} hidden neurons · seed {about['seed']}",
        "fitness is the mean over lifetimes that took no part in choosing the eta, ± its standard error",
        "a rank that “may be” 3 to 7 is one where only rules outside that range differ at the 95 % level",
        "eta curves rest on few lifetimes each",
        f"digest {about['digest']}",
    )
    return html.escape(" · ".join(remarks))


def _data(atlas: Atlas) -> dict[str, Any]:
    halves = [Rule(index).rewarded for index in range(81)]
    return {
        "scale": SCALE,
        "hidden": atlas.about["hidden"],
        "etas": list(atlas.etas),
        "limits": _limits(atlas),
        "words": [half_words(half) for half in halves],
        "kinds": [list(KINDS).index(half_family(half)) for half in halves],
        "families": [[family(Rule(one + two)) for two in KINDS.values()] for one in KINDS.values()],
        "paper": [[name, Rule(name).index] for name in PAPER_RULES if name.startswith(f"{atlas.task}:")],
        "columns": {
            "mean": _packed(atlas.mean * SCALE, "<i2"),
            "sem": _packed(atlas.sem * SCALE, "<i2"),
            "eta": _packed(atlas.eta, "<f4"),
            "kinds": _packed(atlas.kinds, "<f4"),
            "lifetimes": _packed(atlas.lifetimes, "<u2"),
            "rank_first": _packed(atlas.rank_first, "<u2"),
            "rank_last": _packed(atlas.rank_last, "<u2"),
            "survey": _packed(atlas.survey_mean * SCALE, "<i2"),
            "order": _packed(atlas.order, "<u2"),
        },
    }


def _limits(atlas: Atlas) -> list[int]:
    """Three round numbers on the way to the best."""
    best = float(atlas.mean.max())
    return [round(best * share / 5) * 5 if best > 20 else round(best * share) for share in (0.1, 0.4, 0.8)]


def _packed(values: np.ndarray, kind: str) -> str:
    if kind.endswith("2"):
        limits = np.iinfo(kind)
        values = np.clip(np.rint(values), limits.min, limits.max)
    return base64.b64encode(values.astype(kind).tobytes()).decode()
