"""Pictures of the belief experiment (the extra ``plots``): learning, ranges, latent steps, the geometry of beliefs."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, Literal, NamedTuple

import jax
import numpy as np

from jaxpoker import core, plots
from jaxpoker.games.kuhn import Kuhn
from jaxpoker.games.leduc import Leduc
from jaxpoker.learners.belief.information_states import every_row, example_states
from jaxpoker.models.belief import BeliefNetwork, Encoded, tokens_of
from jaxpoker.plots import HeatMap, Points
from jaxpoker.studies import update_plots
from jaxpoker.studies.belief import geometry
from jaxpoker.studies.belief.equilibrium import Solved
from jaxpoker.studies.belief.evaluation import RangeQuality
from jaxpoker.studies.update_plots import Row

Array = jax.Array

LOSSES = {
    "policy_loss": "KL from the target, nats",
    "value_loss": "mean square",
    "transition_distance": "mean square",
    "range_loss": "nats",
}
RANKS = "JQK"
GRID = 60  # cells of a landscape, either way
LANDSCAPE_MARGIN = 0.15  # around the beliefs, in parts of their range


# --- learning -----------------------------------------------------------------------------------


def exploitability(
    path: Path, rows: Sequence[Row], lines: Mapping[str, float], solved: Solved, against: Literal["step", "seconds"]
) -> None:
    """Of the averaged and of the latest policy, against "step" or "seconds", with CFR+'s beside them."""
    names = {"exploitability": "averaged policy", "exploitability_latest": "latest policy"}
    measured = [row for row in rows if row.get("exploitability") is not None]
    curves = {
        label: ([row[against] for row in measured], [max(row[name], 1e-6) for row in measured])
        for name, label in names.items()
    }
    way = solved.step if against == "step" else solved.seconds
    curves["CFR+, averaged strategy"] = (list(way), list(solved.exploitability))
    words = {"step": "updates (iterations of CFR+)", "seconds": "seconds, compiling included"}
    plots.curves(path, curves, words[against], "exploitability", "Exploitability", True, True, lines)


def losses(path: Path, rows: Sequence[Row]) -> None:
    """The four losses, update by update."""
    update_plots.updates(path, rows, LOSSES, "Losses")


def ranges(path: Path, quality: RangeQuality) -> None:
    """Probabilities of the opponent's hands: the exact ones against those that the head gave."""
    series = {"range head": (quality.said, quality.true), "exact": (np.array([0.0, 1.0]), np.array([0.0, 1.0]))}
    plots.curves(path, series, "probability by the range head", "Bayes posterior", "Calibration of the range head")


def step_errors(path: Path, errors: Sequence[float]) -> None:
    """How far latent steps are from the beliefs that came."""
    title = "latent steps against the beliefs that came"
    names = [f"{i + 1} ahead" for i in range(len(errors))]
    bars = {title: {"error": plots.Bars(np.asarray(errors))}}
    plots.bar_panels(path, bars, {title: names}, "part of the beliefs' variance", "Error of latent steps")


# --- geometry -----------------------------------------------------------------------------------


class Scene(NamedTuple):
    """All information sets as the network sees them: R of them."""

    texts: list[str]  # [R]
    tokens: np.ndarray  # [R, tokens, 4]
    beliefs: np.ndarray  # [R, latent]
    by_token: np.ndarray  # [R, tokens, latent] beliefs as they would be if each token were the last
    values: np.ndarray  # [R]
    attention: np.ndarray  # [layers, R, heads, tokens, tokens]
    card: np.ndarray  # [R] str: the observer's rank
    outcome: np.ndarray  # [R] mean return of the policy's own games from there


def scene(game: Kuhn | Leduc, network: BeliefNetwork, params: Any, outcome: np.ndarray) -> Scene:
    """Of a network; ``outcome`` ``[R]`` is what its games then brought."""

    @jax.jit
    def looked_at(params: Any, states: Any) -> tuple[Array, Encoded, Array]:
        net, tokens = network.of(params), tokens_of(game, states)[:, : every_row(game).tokens.shape[1]]
        encoded = net.encode(tokens)
        return tokens, encoded, net.value(encoded.belief)

    tokens, encoded, values = jax.device_get(looked_at(params, example_states(game)))
    texts = [game.infoset_text(row) for row in range(game.num_infosets)]
    cards = np.array([text[0] for text in texts])
    return Scene(texts, tokens, encoded.belief, encoded.tokens, values, encoded.attention, cards, outcome)


def beliefs(folder: Path, game: Kuhn | Leduc, network: BeliefNetwork, params: Any, seen: Scene, unit: float) -> None:
    """All pictures of beliefs, into ``folder``; values are divided by ``unit``, that of the rewards."""
    plane = geometry.principal_components(seen.beliefs)
    projections(folder / "beliefs.png", seen, plane.of(seen.beliefs), "principal component", unit)
    projections(folder / "beliefs_tsne.png", seen, geometry.neighbour_map(seen.beliefs), "t-SNE", unit)
    landscape(folder / "value_landscape.png", network, params, seen, plane, unit)
    paths(folder / "belief_paths.png", seen, plane, unit)
    attention(folder / "attention.png", game, seen)
    layers(folder / "attention_layers.png", seen)
    variance(folder / "variance.png", seen.beliefs)


def projections(path: Path, seen: Scene, places: np.ndarray, kind: str, unit: float) -> None:
    """Beliefs in a plane, coloured by the observer's card, by value, by outcome and by tokens seen."""
    order = np.argsort([RANKS.index(card) for card in seen.card], kind="stable")  # jacks first, as everywhere
    panels = {
        "by the observer's card": Points(places[order], seen.card[order]),
        "by value": Points(places, seen.values / unit),
        "by outcome": Points(places, seen.outcome / unit),
        "by tokens seen": Points(places, (seen.tokens[..., 0] > 0).sum(axis=1).astype(float)),
    }
    plots.point_panels(path, panels, f"{kind} 1", f"{kind} 2", "Beliefs at all information sets")


def landscape(
    path: Path,
    network: BeliefNetwork,
    params: Any,
    seen: Scene,
    plane: geometry.Projection,
    unit: float,
) -> None:
    """What the value head says on the plane of the first two components, as dots on a grid, and at the real beliefs."""
    real = plane.of(seen.beliefs)
    low, high = real.min(axis=0), real.max(axis=0)
    margin = LANDSCAPE_MARGIN * (high - low)
    ticks = [np.linspace(a, b, GRID) for a, b in zip(low - margin, high + margin, strict=True)]
    grid = np.stack(np.meshgrid(*ticks), axis=-1).reshape(-1, 2)
    value = jax.jit(lambda params, z: network.of(params).value(z))
    values = np.asarray(value(params, plane.back(grid).astype(np.float32))) / unit
    panels = {"on the plane": Points(grid, values), "at real beliefs": Points(real, seen.values / unit)}
    plots.point_panels(path, panels, "principal component 1", "principal component 2", "Value landscape")


def paths(path: Path, seen: Scene, plane: geometry.Projection, unit: float) -> None:
    """How the belief moves in single hands, token by token, over all beliefs."""
    length = (seen.tokens[..., 0] > 0).sum(axis=1)
    panels = {}
    for seat in range(2):
        own = seen.tokens[:, 0, 0] == core.FIRST_SEAT + seat
        longest = np.flatnonzero(own & (length == length[own].max()))
        hands = {rank: longest[seen.card[longest] == rank][0] for rank in RANKS}
        moves = {seen.texts[row]: plane.of(seen.by_token[row, : length[row]]) for row in hands.values()}
        panels[f"seat {seat}"] = Points(plane.of(seen.beliefs), seen.values / unit, moves)
    plots.point_panels(path, panels, "principal component 1", "principal component 2", "Beliefs of single hands")


def attention(path: Path, game: Kuhn | Leduc, seen: Scene) -> None:
    """Attention of each layer, mean over the heads, in the hand with the most tokens, and its flow through them all."""
    length = (seen.tokens[..., 0] > 0).sum(axis=1)
    row = int(np.argmax(length))
    words = [_word(game, token) for token in seen.tokens[row, : length[row]]]
    maps = {f"layer {i + 1}": layer[row].mean(axis=0) for i, layer in enumerate(seen.attention)}
    maps["flow through all layers"] = geometry.attention_flow(seen.attention[:, row : row + 1])[0]
    panels = {
        name: HeatMap(weights[: length[row], : length[row]][::-1], "to", "from", rows=words[::-1], columns=words)
        for name, weights in maps.items()
    }
    plots.heat_maps(path, panels, f"Attention: {seen.texts[row]}")


def layers(path: Path, seen: Scene) -> None:
    """Part of the belief's attention that goes to the opponent's actions, by the observer's card and layer."""
    share = geometry.attention_to_opponent(seen.attention, seen.tokens).mean(axis=2)  # [layers, R]
    acted = share.max(axis=0) > 0
    cards = [card for card in RANKS if (seen.card == card).any()]
    names = [f"layer {i + 1}" for i in range(len(share))]
    bars = {
        card: plots.Bars(np.array([layer[acted & (seen.card == card)].mean() for layer in share])) for card in cards
    }
    title = "attention to the opponent's actions"
    entropy = geometry.attention_entropy(seen.attention, seen.tokens)
    spread = {f"head {i + 1}": plots.Bars(entropy[:, i]) for i in range(entropy.shape[1])}
    panels = {title: bars, "entropy of the attention": spread}
    units = {title: "part of the belief's attention", "entropy of the attention": "nats"}
    plots.bar_panels(path, panels, {name: names for name in panels}, units, "Attention by layer")


def variance(path: Path, beliefs: np.ndarray) -> None:
    """Variance of each latent dimension, the largest first, and how much of all the first so many components have."""
    by_dimension = np.sort(geometry.belief_variance(beliefs))[::-1]
    explained = np.cumsum(geometry.principal_components(beliefs, beliefs.shape[1]).explained)
    panels = {
        "by dimension": {"variance": (np.arange(1, len(by_dimension) + 1), by_dimension)},
        "principal components": {"explained": (np.arange(1, len(explained) + 1), explained)},
    }
    units = {"by dimension": "variance", "principal components": "part of the variance"}
    plots.curve_panels(path, panels, "number", units, "Which directions vary")


def _word(game: Kuhn | Leduc, token: np.ndarray) -> str:
    """A token in a word: "Kh", "pass"."""
    actor, card, action, _ = token.tolist()
    if card:
        return ("board " if actor == core.TABLE else "") + game.card_text(card - 1)
    return game.action_text(action - 1)
