"""The geometry of beliefs: where attention goes, which directions vary, and pictures' coordinates.

Attention is ``Encoded.attention``: ``[layers, n, heads, tokens, tokens]``, rows that sum to 1.
"""

from __future__ import annotations

import importlib.util
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from jaxpoker import core

_LEAST = 1e-12


def attention_to_opponent(attention: ArrayLike, tokens: ArrayLike) -> np.ndarray:
    """``[layers, n, heads]``: the part of the belief's own attention that goes to the opponent's actions.

    The belief is the last token of ``tokens`` ``[n, tokens, 4]`` that is no padding, and its observer the actor of the
    first card that a player holds. 0 where the opponent has not acted.
    """
    weights, seen = np.asarray(attention), np.asarray(tokens)
    actor, card, action = (seen[..., field] for field in range(3))
    last = (actor > 0).sum(axis=1) - 1
    of_belief = weights[:, np.arange(len(seen)), :, last]  # [n, layers, heads, tokens]
    holds = (card > 0) & (actor >= core.FIRST_SEAT)
    observer = np.take_along_axis(actor, np.argmax(holds, axis=1)[:, None], axis=1)  # [n, 1]
    is_theirs = (actor >= core.FIRST_SEAT) & (actor != observer) & (action > 0)
    return (of_belief * is_theirs[:, None, None]).sum(axis=-1).swapaxes(0, 1)


def attention_flow(attention: ArrayLike) -> np.ndarray:
    """``[n, tokens, tokens]``: how much of each token arrives in each after all layers (Abnar & Zuidema, 2020).

    A layer mixes by (attention, mean over heads, + identity) / 2, the identity being the residual; layers multiply.
    """
    mixed = np.asarray(attention, np.float64).mean(axis=2)
    layers = (mixed + np.eye(mixed.shape[-1])) / 2
    flow = layers[0]
    for layer in layers[1:]:
        flow = layer @ flow
    return flow


def attention_entropy(attention: ArrayLike, tokens: ArrayLike) -> np.ndarray:
    """``[layers, heads]``: mean entropy in nats of the belief's own attention; 0 where it is one token."""
    weights, seen = np.asarray(attention, np.float64), np.asarray(tokens)
    last = (seen[..., 0] > 0).sum(axis=1) - 1
    of_belief = weights[:, np.arange(len(seen)), :, last]  # [n, layers, heads, tokens]
    return -(of_belief * np.log(np.maximum(of_belief, _LEAST))).sum(axis=-1).mean(axis=0)


def belief_variance(beliefs: ArrayLike) -> np.ndarray:
    """``[latent]``: variance of each dimension over beliefs ``[n, latent]``."""
    return np.asarray(beliefs, np.float64).var(axis=0)


class Projection(NamedTuple):
    """Principal components of beliefs."""

    mean: np.ndarray  # [latent]
    axes: np.ndarray  # [components, latent] orthonormal
    explained: np.ndarray  # [components] part of the variance along each

    def of(self, beliefs: ArrayLike) -> np.ndarray:
        """``[n, components]`` coordinates."""
        return (np.asarray(beliefs, np.float64) - self.mean) @ self.axes.T

    def back(self, coordinates: ArrayLike) -> np.ndarray:
        """``[n, latent]``: the beliefs on the plane of the components that have these coordinates."""
        return self.mean + np.asarray(coordinates, np.float64) @ self.axes


def principal_components(beliefs: ArrayLike, components: int = 2) -> Projection:
    """By singular values of the centred beliefs ``[n, latent]``; each axis points to its largest entry."""
    z = np.asarray(beliefs, np.float64)
    mean = z.mean(axis=0)
    _, sizes, axes = np.linalg.svd(z - mean, full_matrices=False)
    axes = axes[:components]
    axes = axes * np.sign(axes[np.arange(len(axes)), np.abs(axes).argmax(axis=1)])[:, None]
    power = sizes**2
    return Projection(mean, axes, power[:components] / max(power.sum(), _LEAST))


def neighbour_map(beliefs: ArrayLike, seed: int = 0) -> np.ndarray:
    """``[n, 2]``: t-SNE, by scikit-learn (the extra ``analysis``)."""
    if importlib.util.find_spec("sklearn") is None:
        raise ModuleNotFoundError("t-SNE needs scikit-learn: pip install 'jaxpoker[analysis]'", name="sklearn")
    from sklearn.manifold import TSNE

    z = np.asarray(beliefs, np.float64)
    perplexity = min(30.0, (len(z) - 1) / 3)
    placed: np.ndarray = TSNE(2, perplexity=perplexity, init="pca", random_state=seed).fit_transform(z)
    return placed
