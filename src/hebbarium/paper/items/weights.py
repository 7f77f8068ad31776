"""Figures 8 and 9: the weights of both layers at birth and after each of three seasons."""

from __future__ import annotations

from typing import Any

from hebbarium.paper.items.base import Figure, Item, Results, Scale, Section, Works
from hebbarium.paper.items.shared_reductions import FORAGING, percent
from hebbarium.paper.works import Weights
from hebbarium.show.pages import heat_map

MOMENTS = ("At birth", "After Summer1", "After Winter1", "After Summer2")


def weights_work(scale: Scale, seed: int) -> Weights:
    return Weights(task="foraging", rule="foraging:1", lifetimes=scale.lives, seed=seed)


class WeightMaps(Item):
    name = "weights"
    title = "Foraging: what learning does to the weights"
    where = "Figures 8 and 9"
    about = "The hidden layer's weights spread over [-1, 1]; the output layer's drift into [0, 1]."

    def works(self, scale: Scale, seed: int) -> Works:
        return {"weights": weights_work(scale, seed)}

    def reduce(self, scale: Scale, results: Results) -> Section:
        weights = results["weights"]
        axes: dict[str, dict[str, Any]] = {
            "hidden": {"x_label": "input", "y_label": "hidden neuron", "x_names": [*FORAGING.input_names, "bias"]},
            "output": {
                "x_label": "hidden neuron (the last is the bias)",
                "y_label": "output",
                "y_names": FORAGING.actions,
            },
        }
        hidden, output = (
            [heat_map(weights[layer][0, place], title=moment, **axis) for place, moment in enumerate(MOMENTS)]
            for layer, axis in axes.items()
        )
        share = (weights["output"][:, 1:] >= 0).mean()
        return Section(
            ran=f"One life under rule 1 is shown; the shares below are over {scale.lives} lives.",
            figures=[
                Figure("From inputs to hidden neurons", hidden, "Teal above zero, orange below.", layout="narrow"),
                Figure("From hidden neurons to outputs", output),
            ],
            remarks=[
                f"{percent(float(share))} of the output layer's weights are not negative at the ends of seasons; "
                f"at birth {percent(float((weights['output'][:, 0] >= 0).mean()))}. What the paper says about these "
                "figures is judged among the statements."
            ],
        )
