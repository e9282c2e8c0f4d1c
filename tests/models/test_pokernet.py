"""PokerNet against its equations."""

import math

import jax
import jax.numpy as jnp
import numpy as np
import pytest
from flax import nnx

from jaxpoker.models import pokernet as net
from jaxpoker.models.modules import functions_of

STEPS = 50

# How a genome is laid out: (part of the network, shape).
LAYOUT = {
    "game": {"bias": (200,), "kernel": (8, 200), "recurrent": (50, 200)},
    "hidden": {"bias": (32,), "kernel": (60, 32)},
    "opponent": {"bias": (40,), "kernel": (8, 40), "recurrent": (10, 40)},
    "output": {"bias": (1,), "kernel": (32, 1)},
}


# --- the network in NumPy, float64 ------------------------------------------------------------


def cut(genome):
    """The parts of a genome [14545], by ``LAYOUT``."""
    parts, at = {}, 0
    for module, arrays in LAYOUT.items():
        parts[module] = {}
        for name, shape in arrays.items():
            size = math.prod(shape)
            parts[module][name] = np.asarray(genome[at : at + size]).reshape(shape)
            at += size
    assert at == len(genome)
    return parts


def logistic(z):
    return np.exp(-np.logaddexp(0, -z))


def lstm(weights, x, hidden, cell):
    z = x @ weights["kernel"] + hidden @ weights["recurrent"] + weights["bias"]
    units = len(hidden)
    into, forget, new, out = (z[gate * units : (gate + 1) * units] for gate in range(4))
    cell = logistic(forget) * cell + logistic(into) * np.tanh(new)
    return logistic(out) * np.tanh(cell), cell


def decide(parts, x, memory):
    """o and the memory after features x [8]."""
    game_hidden, game_cell = lstm(parts["game"], x, *memory[:2])
    opponent_hidden, opponent_cell = lstm(parts["opponent"], x, *memory[2:])
    both = np.concatenate([game_hidden, opponent_hidden])
    hidden = np.tanh(both @ parts["hidden"]["kernel"] + parts["hidden"]["bias"])
    output = np.tanh(hidden @ parts["output"]["kernel"] + parts["output"]["bias"])
    return output[0], (game_hidden, game_cell, opponent_hidden, opponent_cell)


def double(tree):
    return jax.tree.map(lambda x: np.asarray(x, np.float64), tree)


@pytest.fixture(scope="module")
def sequence():
    """[50, 8] features as no table has them: all of them between 0 and 1."""
    return np.random.default_rng(0).random((STEPS, net.NUM_FEATURES)).astype(np.float32)


@pytest.fixture(scope="module")
def decisions():
    """``decisions(genomes [8, 14545], features [50, 8])``: o [8, 50] and the memories after it [8, 50, ...]."""

    def of_one(genome, features):
        params = net.params_of(genome)

        def step(memory, x):
            output, memory = net.apply(params, x, memory)
            return memory, (output, memory)

        return jax.lax.scan(step, net.empty_memory(), features)[1]

    return jax.jit(jax.vmap(of_one, in_axes=(0, None)))


@pytest.fixture(scope="module")
def genomes():
    """[8, 14545], from timid to as wild as the first generation (0.5) and beyond."""
    spreads = jnp.array([0.1, 0.2, 0.3, 0.4, 0.5, 1.0, 2.0, 5.0])
    return spreads[:, None] * net.random_genomes(jax.random.key(1), 8, spread=1.0)


def test_number_of_parameters():
    params = jax.eval_shape(net.params_of, np.zeros(14_545, np.float32))
    sizes = {name: sum(x.size for x in jax.tree.leaves(params[name])) for name in LAYOUT}
    assert sizes == {"game": 11_800, "opponent": 760, "hidden": 1_952, "output": 33}
    assert sum(x.size for x in jax.tree.leaves(params)) == net.GENOME_SIZE == 14_545


def test_the_network_is_two_lstms_and_a_decision_network(decisions, genomes, sequence):
    """Over 50 decisions."""
    outputs, memories = jax.tree.map(np.asarray, decisions(genomes, sequence))
    for row in range(4):
        parts, memory = double(cut(genomes[row])), tuple(np.zeros(units) for units in (50, 50, 10, 10))
        for step, x in enumerate(sequence.astype(np.float64)):
            output, memory = decide(parts, x, memory)
            np.testing.assert_allclose(outputs[row, step], output, rtol=0, atol=1e-5)
            for ours, expected in zip(memories, memory, strict=True):
                np.testing.assert_allclose(ours[row, step], expected, rtol=0, atol=1e-5)
    assert np.ptp(outputs[:4], axis=1).min() > 0.01  # it does react to what it sees


def test_each_decision_of_large_weights(decisions, genomes, sequence):
    """With large weights an LSTM is chaotic, and rounding grows from step to step: one step from each memory."""
    outputs, memories = jax.tree.map(np.asarray, decisions(genomes, sequence))
    for row in range(8):
        parts = double(cut(genomes[row]))
        for step in range(1, STEPS):
            before = double(tuple(memory[row, step - 1] for memory in memories))
            output, after = decide(parts, sequence[step].astype(np.float64), before)
            np.testing.assert_allclose(outputs[row, step], output, rtol=0, atol=3e-5)
            for ours, expected in zip(memories, after, strict=True):
                np.testing.assert_allclose(ours[row, step], expected, rtol=1e-5, atol=3e-5)
    assert np.isfinite(outputs).all()
    assert (np.abs(outputs) <= 1).all()
    assert np.abs(memories.game_cell).max() > 5


def test_extreme_weights_saturate_and_stay_finite(decisions, genomes, sequence):
    outputs, memories = decisions(1e6 * genomes, sequence)
    assert all(np.isfinite(x).all() for x in jax.tree.leaves((outputs, memories)))
    assert (np.abs(outputs) <= 1).all()


@pytest.fixture(scope="module")
def module():
    init, of = functions_of(net.PokerNet)
    return of(init(jax.random.key(3)))


def test_a_genome_and_its_parameters_are_the_same_bits(module, genomes):
    params_of, genome = jax.jit(net.params_of), np.asarray(genomes[4])
    genome_of = jax.jit(lambda params: net.genome_of(nnx.merge(nnx.graphdef(module), params)))
    params = params_of(genome)
    np.testing.assert_array_equal(genome_of(params), genome)
    for part, arrays in cut(genome).items():
        for name, values in arrays.items():
            np.testing.assert_array_equal(params[part][name][...], values)
    params = params_of(genome_of(nnx.state(module)))
    for ours, theirs in zip(jax.tree.leaves(params), jax.tree.leaves(nnx.state(module)), strict=True):
        np.testing.assert_array_equal(ours, theirs)


def test_a_module_and_its_genome_decide_alike(module, decisions, sequence):
    output, memory = jax.jit(lambda x: module(x, net.empty_memory()))(sequence[0])
    genome = np.asarray(jax.jit(lambda: net.genome_of(module))())
    outputs, memories = decisions(np.tile(genome, (8, 1)), sequence)
    assert abs(output) > 1e-3
    np.testing.assert_allclose(outputs[0, 0], output, atol=1e-6)
    for ours, theirs in zip(memory, memories, strict=True):
        np.testing.assert_allclose(ours, theirs[0, 0], atol=1e-6)


def test_every_gene_counts(decisions, sequence):
    """23 genes of each part of the network, each changed on its own; few steps, before rounding could show."""
    rng = np.random.default_rng(2)
    genes, module_of, at = [], [], 0
    for module, arrays in LAYOUT.items():
        for size in map(math.prod, arrays.values()):
            chosen = at + rng.choice(size, min(23, size), replace=False)
            genes.extend(chosen)
            module_of.extend([module] * len(chosen))
            at += size
    assert len(genes) > 200
    genome = np.asarray(net.random_genomes(jax.random.key(5), 1, spread=0.2)[0])
    variants = np.tile(genome, (len(genes) + 1, 1))
    variants[np.arange(len(genes)), genes] += 1
    outputs, memories = jax.tree.map(np.asarray, decisions(variants, sequence[:4]))
    change = np.abs(outputs[:-1] - outputs[-1]).max(axis=1)  # the last one is as it was
    assert (change > 1e-5).all(), f"genes {np.array(genes)[change <= 1e-5]} change nothing"
    for module, parts in (("game", memories[:2]), ("opponent", memories[2:])):
        for memory in parts:
            moved = np.abs(memory[:-1] - memory[-1]).max(axis=(1, 2)) > 1e-5
            np.testing.assert_array_equal(moved, np.array(module_of) == module)


def test_random_genomes():
    genomes = np.asarray(net.random_genomes(jax.random.key(6), 50))
    assert genomes.shape == (50, 14_545)
    assert genomes.dtype == np.float32
    count = genomes.size
    assert abs(genomes.mean()) < 4.5 * 0.5 / math.sqrt(count)
    assert abs(genomes.std() - 0.5) < 4.5 * 0.5 / math.sqrt(2 * count)
    assert abs((np.abs(genomes) > 1).mean() - math.erfc(2 / math.sqrt(2))) < 4.5 * math.sqrt(0.0455 / count)  # normal
    assert abs(np.corrcoef(genomes[0], genomes[1])[0, 1]) < 4.5 / math.sqrt(14_545)
    assert len(np.unique(genomes[:, 0])) == 50
    assert abs(np.asarray(net.random_genomes(jax.random.key(6), 50, spread=2.0)).std() - 2) < 0.01


def test_jit_and_vmap_change_nothing(genomes, sequence):
    """One decision of each of three genomes from a memory of its own: plainly, jitted, and as one batch."""
    memories = [net.Memory(*(jnp.full(n, 0.1 * i) for n in (50, 50, 10, 10))) for i in (1, 2, 3)]
    jitted = jax.jit(lambda genome, x, memory: net.apply(net.params_of(genome), x, memory))
    batch = jax.jit(jax.vmap(jitted))
    together = batch(genomes[:3], sequence[:3], jax.tree.map(lambda *x: jnp.stack(x), *memories))
    for row, memory in enumerate(memories):
        plain = net.apply(net.params_of(genomes[row]), sequence[row], memory)
        for other in (
            jitted(genomes[row], sequence[row], memory),
            jax.tree.map(lambda x, row=row: x[row], together),
        ):
            assert jax.tree.structure(other) == jax.tree.structure(plain)
            for a, b in zip(jax.tree.leaves(plain), jax.tree.leaves(other), strict=True):
                np.testing.assert_allclose(a, b, atol=1e-6)


def test_features_may_come_in_batches(decisions, genomes, sequence):
    params = net.params_of(genomes[3])
    memory = jax.tree.map(lambda x: jnp.broadcast_to(x, (STEPS, *x.shape)), net.empty_memory())
    outputs, _ = jax.jit(net.apply)(params, sequence, memory)
    assert outputs.shape == (STEPS,)
    first, _ = decisions(genomes, sequence)
    np.testing.assert_allclose(outputs[0], first[3, 0], atol=1e-6)
    assert np.ptp(outputs) > 0.01


# --- memory -----------------------------------------------------------------------------------


def test_a_new_opponent_is_met_with_an_empty_memory():
    memory = net.empty_memory()
    assert [x.shape for x in memory] == [(50,), (50,), (10,), (10,)]
    assert not any(np.asarray(x).any() for x in memory)


@pytest.mark.parametrize("value", [0.7, -0.7, np.nan, np.inf])
def test_a_new_hand_clears_the_game_memory_alone(value):
    before = net.Memory(*(jnp.full(n, value, jnp.float32) for n in (50, 50, 10, 10)))
    after = net.new_hand(before)
    np.testing.assert_array_equal(after.game_hidden, np.zeros(50, np.float32))
    np.testing.assert_array_equal(after.game_cell, np.zeros(50, np.float32))
    np.testing.assert_array_equal(after.opponent_hidden, before.opponent_hidden)
    np.testing.assert_array_equal(after.opponent_cell, before.opponent_cell)
