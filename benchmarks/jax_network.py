"""The plastic network in JAX, for one lifetime; `vmap` makes it many.

What XLA's CPU backend makes of it was measured. Sums over the inputs are written out term by term: a
`reduce` over them is not vectorised over the hidden neurons. The output layer has only three rows, so
there the long axis is the last one, and a `reduce` is best.
"""

from __future__ import annotations

import jax
import jax.numpy as jnp


def born(key: jax.Array, inputs: int, hidden: int) -> tuple[jax.Array, jax.Array]:
    """Weights in U[-1, 1), scaled: hidden [input or bias, neuron] and output [output, neuron or bias]."""
    one, other = jax.random.split(key)
    first = jax.random.uniform(one, (inputs + 1, hidden), jnp.float64, -1.0, 1.0)
    second = jax.random.uniform(other, (3, hidden + 1), jnp.float64, -1.0, 1.0)
    return first / jnp.linalg.norm(first, axis=0), second / jnp.linalg.norm(second, axis=1, keepdims=True)


def written_out_sum(terms: list[jax.Array]) -> jax.Array:
    total = terms[0]
    for term in terms[1:]:
        total = total + term
    return total


def hidden_active(weights: jax.Array, senses: jax.Array) -> jax.Array:
    """bool [neuron or bias]. senses: bool [input or bias]."""
    sums = written_out_sum([jnp.where(senses[j], weights[j], 0.0) for j in range(weights.shape[0])])
    return jnp.append(sums > 0.0, True)


def output_sums(weights: jax.Array, active: jax.Array) -> jax.Array:
    return jnp.where(active, weights, 0.0).sum(axis=1)


def change_hidden(weights, senses, active, delta, changes):
    """delta: float64 [pre active, post active], 0 where nothing changes. changes: bool."""
    by_passive, by_active = (jnp.where(active[:-1], delta[pre, 1], delta[pre, 0]) for pre in (0, 1))
    weights = weights + jnp.where(senses[:, None], by_active, by_passive)
    squares = written_out_sum([weights[j] * weights[j] for j in range(weights.shape[0])])
    return weights * jnp.where(changes, 1.0 / jnp.sqrt(squares), 1.0)


def change_output(weights, active, action, delta, changes):
    to_passive, to_winner = (jnp.where(active, delta[1, post], delta[0, post]) for post in (0, 1))
    weights = weights + jnp.where((jnp.arange(3) == action)[:, None], to_winner, to_passive)
    return weights * jnp.where(changes, 1.0 / jnp.sqrt((weights * weights).sum(axis=1)), 1.0)[:, None]
