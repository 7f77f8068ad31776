"""Why the paper's best rule ages: lives that differ in one thing each, and how steady the hidden layer still is.

Twelve lifetimes each take seconds. `python examples/why_rule_1_ages.py 200` gives the table of docs/findings.md.
"""

import sys

import numpy as np

import hebbarium as hb

LIFETIMES = int(sys.argv[1]) if sys.argv[1:] and sys.argv[1].isdigit() else 12
ETA = 0.0375
LIVES = {
    "rule 1 as it is": (f"00+-/0000@{ETA}", {}),
    "hidden bias fixed": (f"00+-/0000@{ETA}", {"hidden_bias": "fixed"}),
    "no hidden bias": (f"00+-/0000@{ETA}", {"hidden_bias": "none"}),
    "hidden layer frozen": (f"frozen,00+-/0000@{ETA}", {}),
    "hidden layer slower": (f"00+-/0000@0.005,00+-/0000@{ETA}", {}),
    "output layer slower": (f"00+-/0000@{ETA},00+-/0000@0.005", {}),
    "output bias fixed": (f"00+-/0000@{ETA}", {"output_bias": "fixed"}),
    "noise 0.03": (f"00+-/0000@{ETA}", {"weight_noise": 0.03}),
}

# What an agent most often sees: nothing, or one green item, blue item or wall to its left, in front or to its right.
EMPTY, GREEN, BLUE, WALL = (0, 0), (1, 0), (0, 1), (1, 1)
VIEWS = [
    [thing if cell == place else EMPTY for cell in range(3)] for thing in (GREEN, BLUE, WALL) for place in range(3)
]
VIEWS = np.array([[*np.ravel(view), 1] for view in [[EMPTY] * 3, *VIEWS]])  # the last input is the bias


def active(hidden: np.ndarray) -> np.ndarray:
    """bool [life, view, neuron]. hidden: float64 [life, neuron, input]"""
    return np.einsum("lni,vi->lvn", hidden, VIEWS) > 0


def changed(hidden: np.ndarray, eta: float, bias: str) -> tuple[float, float]:
    """Which share of the hidden layer's answers one punishment changes: over all views, and where nothing is seen."""
    before, flips = active(hidden), []
    for place, view in enumerate(VIEWS):
        step = np.where(before[:, place], -eta, eta)[:, :, None] * view  # 00+-: from an active neuron
        own = 6 if bias in ("fixed", "none") else 7  # weights that change and are scaled
        after = hidden.copy()
        after[:, :, :own] += step[:, :, :own]
        after[:, :, :own] /= np.linalg.norm(after[:, :, :own], axis=2, keepdims=True)
        flips.append(active(after) != before)
    return float(np.mean(flips)), float(np.mean([flip[:, 0] for flip in flips]))


usual = None
print(f"{'':22}{'seasons 1-4':>12}{'29-32':>8}   {'gain when late':<24}{'one punishment changes':>24}")
for name, (rule, settings) in LIVES.items():
    lives = hb.live("foraging", rule, seasons=32, lifetimes=LIFETIMES, seed=5, keep_networks=True, **settings)
    late = lives.fitness[:, 28:].mean(axis=1)
    usual = late if usual is None else usual
    gain, error = (late - usual).mean(), (late - usual).std(ddof=1) / np.sqrt(LIFETIMES)
    eta = 0.0 if name == "hidden layer frozen" else 0.005 if name == "hidden layer slower" else ETA
    all_views, nothing_seen = changed(lives.networks.hidden, eta, settings.get("hidden_bias", "plastic"))
    print(
        f"{name:22}{lives.fitness[:, :4].mean():12.1f}{late.mean():8.1f}   {gain:+5.1f} ± {error:.1f}{'':12}"
        f"{all_views:8.0%} of answers, {nothing_seen:.0%} where nothing is seen"
    )
print("\nRule 1 as it is, over its life: how far the hidden neurons' sums are from zero, and what that does")
for seasons in (0, 4, 16, 32):
    grown = hb.live(
        "foraging",
        LIVES["rule 1 as it is"][0],
        frozen=seasons == 0,
        seasons=seasons or 1,
        lifetimes=LIFETIMES,
        seed=5,
        keep_networks=True,
    ).networks.hidden
    sums = np.abs(np.einsum("lni,vi->lvn", grown, VIEWS))
    codes = np.mean([len(np.unique(life, axis=0)) for life in active(grown)])
    all_views, nothing_seen = changed(grown, ETA, "plastic")
    print(
        f"after {seasons:2} seasons: median sum {np.median(sums):.2f}, {codes:.1f} different codes for ten views; "
        f"one punishment changes {all_views:.0%} of answers, {nothing_seen:.0%} where nothing is seen"
    )

print("\nEight more seasons in fresh worlds, with networks that have lived 28 seasons under rule 1, or none")
settings = {"lifetimes": LIFETIMES, "seed": 5, "keep_networks": True}
old = hb.live("foraging", LIVES["rule 1 as it is"][0], seasons=28, **settings).networks
new = hb.live("foraging", frozen=True, seasons=1, **settings).networks
PAIRS = {
    "old network": (old, "rule 1 as it is"),
    "old hidden layer, new output layer": (hb.Networks("foraging", old.hidden, new.output), "rule 1 as it is"),
    "new hidden layer, old output layer": (hb.Networks("foraging", new.hidden, old.output), "rule 1 as it is"),
    "new network": (new, "rule 1 as it is"),
    "old network, its hidden layer frozen": (old, "hidden layer frozen"),
    "new network, its hidden layer frozen": (new, "hidden layer frozen"),
}
for name, (networks, life) in PAIRS.items():
    fitness = hb.live("foraging", LIVES[life][0], networks=networks, seasons=8, lifetimes=LIFETIMES, seed=6).fitness
    error = fitness.mean(axis=1).std(ddof=1) / np.sqrt(LIFETIMES)
    print(f"{name:38}{fitness.mean():6.1f} ± {error:.1f}")
