"""The plastic network in JAX, for one lifetime; `vmap` makes it many.

What XLA's CPU backend makes of it was measured. Sums over the inputs are written out term by term: a
`reduce` over them is not vectorised over the hidden neurons. Where there are many inputs, or only three
neurons, the long axis is the last one, and a `reduce` or a product is best.
"""

from __future__ import annotations

import jax
import jax.numpy as jnp


def born(key: jax.Array, post: int, pre: int) -> jax.Array:
    """Weights [post, pre] in U[-1, 1), scaled to unit length."""
    weights = jax.random.uniform(key, (post, pre), jnp.float64, -1.0, 1.0)
    return weights / jnp.linalg.norm(weights, axis=1, keepdims=True)


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


def change_columns(weights, pre, post, delta, changes):
    """weights: float64 [pre, post]; pre, post: bool; delta: float64 [pre active, post active], 0.0 without a change."""
    by_passive, by_active = (jnp.where(post, delta[active, 1], delta[active, 0]) for active in (0, 1))
    weights = weights + jnp.where(pre[:, None], by_active, by_passive)
    squares = written_out_sum([weights[j] * weights[j] for j in range(weights.shape[0])])
    return weights * jnp.where(changes, 1.0 / jnp.sqrt(squares), 1.0)


def change_rows(weights, pre, post, delta, changes):
    """The same for weights [post, pre]."""
    to_passive, to_active = (jnp.where(pre, delta[1, active], delta[0, active]) for active in (0, 1))
    weights = weights + jnp.where(post[:, None], to_active, to_passive)
    return weights * jnp.where(changes, 1.0 / jnp.sqrt((weights * weights).sum(axis=1)), 1.0)[:, None]
