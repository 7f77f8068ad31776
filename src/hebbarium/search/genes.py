"""Genes beside entries and etas: blame and eligibility of groups of judgements of a world, and the trace.

`blame` stands for the blame of every group that can be signalled, `blame:wall-turn` for that of one; `eligibility`
likewise. In full, and in the world's order, they are part of what a run was asked for. `trace` is the rule's own decay
of traces; `entries` makes the rule's entries real numbers; `etas` gives each layer its own eta, as `--layers two-etas`.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

from hebbarium.rules.graded import KINDS, MARKS, TRACE
from hebbarium.search.space import REAL
from hebbarium.tools.errors import BadInput, check_choice, shown

if TYPE_CHECKING:
    from hebbarium.worlds.base import World

ETAS = "etas"
WHOLE = (TRACE, REAL, ETAS)
"""Genes that belong to no group."""
EXAMPLE = "such as blame,eligibility:missed"


def genes_of(given: str | Sequence[str] | None, world: World) -> tuple[str, ...]:
    """In full: `blame:open-turn`, ... given: names, or one text with commas between."""
    if not given:
        return ()
    if not isinstance(given, Sequence):
        raise BadInput(f"genes is {shown(given)}, but must be names, {EXAMPLE}.")
    names = [word.strip() for word in given.split(",")] if isinstance(given, str) else given
    chosen: set[str] = set()
    for name in names:
        if not isinstance(name, str):
            raise BadInput(f"genes has {shown(name)}, but must be names, {EXAMPLE}.")
        if name in WHOLE:
            continue
        kind, colon, group = name.partition(":")
        check_choice("genes", name if kind in WHOLE else kind, (*KINDS, *WHOLE))
        known = signalled(world)
        if not known:
            raise BadInput(f"{world.label} never rewards or punishes, so there is nothing that could be a gene.")
        if colon:
            check_choice(f"genes of {kind}", group, world.group_names)
            if group not in known:
                raise BadInput(
                    f"genes has {name}, but {group} is never rewarded or punished, so its {kind} changes nothing; "
                    f"the others are {', '.join(known)}."
                )
        for own in [group] if colon else known:
            if any(mark in MARKS or mark.isspace() for mark in own):
                marks = " ".join(MARKS)
                raise BadInput(f"group {shown(own)} cannot be a gene: its name has a space or one of {marks}.")
            chosen.add(f"{kind}:{own}")
    whole = (name for name in WHOLE if name in names)
    return (*(gene for kind in KINDS for gene in _all(kind, world) if gene in chosen), *whole)


def genes_text(genes: Sequence[str], world: World) -> str:
    """Genes as they are typed, in as few words as possible."""
    words: list[str] = []
    for kind in KINDS:
        own = [gene for gene in genes if gene.startswith(f"{kind}:")]
        words += [kind] if own and own == _all(kind, world) else own
    return ",".join([*words, *(gene for gene in genes if gene in WHOLE)])


def check_apart(genes: Sequence[str], kind: str, weights: Mapping[str, float], world: World) -> None:
    """Refuse a weight that is both fixed and a gene. weights: those that all rules have."""
    both = [group for group in weights if f"{kind}:{group}" in genes]
    if both:
        left = genes_text([gene for gene in genes if gene not in [f"{kind}:{group}" for group in both]], world)
        raise BadInput(
            f"{kind} of {both[0]} is fixed with --{kind} and a gene as well; leave it out there, or give "
            + (f"--genes {left}." if left else "no genes.")
        )


def signalled(world: World) -> tuple[str, ...]:
    """The groups whose judgements are ever a reward or a punishment; those of others change nothing."""
    table = world.group_table()
    found = {
        world.groups[group] if world.groups else str(group)
        for row in world.associations
        for groups, signal in zip(table[:, row.id].tolist(), row.signals, strict=False)
        if signal
        for group in groups
    }
    return tuple(group for group in world.group_names if group in found)


def _all(kind: str, world: World) -> list[str]:
    return [f"{kind}:{group}" for group in signalled(world)]
