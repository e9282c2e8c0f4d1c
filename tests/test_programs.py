"""All main programs lower for accelerators that are not here, and what must be exact is exact there."""

import importlib.util
import subprocess
import sys

import jax
import pytest

import jaxpoker
from jaxpoker import learners

# Products of 0, 1 and 2: exact in bfloat16, too.
SMALL_NUMBERS = ("game: chicago observe", "player: blueprint in holdem")
# Probabilities of Leduc's boards are rounded: public sampling of a listed game is not quite exact there.
NETWORKS = ("player: dqn in holdem", "player: ppo in holdem", "player: chicagonet in chicago")


@pytest.fixture(scope="module")
def programs(repository):
    spec = importlib.util.spec_from_file_location("programs", repository / "scripts" / "programs.py")
    module = importlib.util.module_from_spec(spec)
    sys.modules["programs"] = module  # dataclasses look there
    spec.loader.exec_module(module)
    yield module
    del sys.modules["programs"]


@pytest.mark.slow
def test_every_program_lowers_for_cuda_and_tpu_and_rounds_only_in_networks(programs):
    found, failed, rounds = programs.programs(), {}, set()
    for name, make in found.items():
        try:
            module = programs.lowered(make)
        except Exception as error:
            failed[name] = str(error)[:300]
            continue
        assert '"cuda"' in module or ("cuda" in module and "tpu" in module), name
        if programs.rounding(module):
            rounds.add(name)
    assert not failed, failed
    assert len(found) > 100
    networks = {name for name in found if name.startswith("learner: ")} | set(NETWORKS)
    assert rounds == networks | set(SMALL_NUMBERS)


def test_the_list_is_made_of_what_there_is(programs, forgets_names, monkeypatch):
    from jaxpoker.games.kuhn import Kuhn

    before = set(programs.programs())
    families = {name.split(":")[0] for name in before}
    assert families == {"evaluator", "equity", "game", "player", "match", "solver", "learner", "search"}
    assert {f"game: {name} step" for name in jaxpoker.GAMES} < before
    jaxpoker.register("kuhn for three", lambda: Kuhn(3))
    jaxpoker.register("another", lambda game: jaxpoker.players.make("random", game), plays="leduc")
    monkeypatch.setattr(learners, "__all__", [*learners.__all__, "Novel"])
    monkeypatch.setattr(
        learners, "Novel", type("Novel", (), {"init": 0, "update": lambda self, state: state}), raising=False
    )
    new = set(programs.programs()) - before
    assert {"game: kuhn for three step", "match: kuhn for three", "player: another in leduc", "learner: Novel"} <= new
    with pytest.raises(KeyError, match="no recipe for Novel"):
        programs.programs()["learner: Novel"]()


@pytest.mark.parametrize("name", ["game: kuhn step", "evaluator: ids", "solver: leduc cfr+ exact"])
def test_some_programs_lower_and_are_exact(programs, name):
    module = programs.lowered(programs.programs()[name])
    assert "stablehlo" in module and not programs.rounding(module)


def test_what_cannot_be_lowered_and_what_rounds_would_be_noticed(programs):
    shape = jax.ShapeDtypeStruct((4, 4), jax.numpy.float32)

    def asks_python(x):
        return jax.pure_callback(lambda y: y, shape, x, vmap_method="sequential")

    with pytest.raises(Exception, match="callback"):
        programs.lowered(lambda: programs.Program(asks_python, (shape,)))
    product = programs.lowered(lambda: programs.Program(lambda x: x @ x, (shape,)))
    assert programs.rounding(product) and "HIGHEST" not in product


def test_what_a_program_takes_is_told(programs):
    took = programs.cost(programs.programs()["game: kuhn step"])
    assert took.arguments == 2 * 4 * programs.TABLES and took.results == 4 * programs.TABLES


BFLOAT16 = """
import jax, jax.numpy as jnp
from jax._src.lax import lax

exactly = lax.dot_general
def rounded(lhs, rhs, dimension_numbers, precision=None, preferred_element_type=None, **more):
    if "HIGHEST" not in str(precision).upper() and lhs.dtype == jnp.float32:
        lhs, rhs = (jax.lax.reduce_precision(x, 8, 7) for x in (lhs, rhs))
    return exactly(lhs, rhs, dimension_numbers, precision, preferred_element_type, **more)
lax.dot_general = jax.lax.dot_general = rounded
some = jax.random.normal(jax.random.key(0), (8, 8))
assert abs(some @ some - jnp.matmul(some, some, precision="highest")).max() > 1e-3

import jaxpoker
from jaxpoker import learners, players, solvers
from jaxpoker.models import observer
from jaxpoker.players import networks
from jaxpoker.solvers.exact import best_response
leduc = solvers.make("cfr+", jaxpoker.make("leduc"))
print(float(solvers.exploitability(leduc.game, leduc.average(leduc.run(leduc.init(), 500)))))
kuhn = jaxpoker.make("kuhn")
network = observer.network(kuhn)
rates = {"learning_rate": (5e-3, 1e-3), "entropy_weight": (0.01, 0.0), "learned_share": 0.5, "snapshots": 2}
against = learners.Sparring(kuhn, (players.make("random", kuhn), networks.of_policy(network, "past")), (0.8, 0.2))
learner = learners.PPO(kuhn, network, updates=150, tables=256, turns=8, minibatches=4, sparring=against, **rates)
state = learner.init(jax.random.key(0))
for _ in range(150):
    state, _ = learner.update(state)
game = solvers.make("cfr", kuhn).game
own = solvers.of_player(game, networks.of_policy(network), state.params)
uniform = game.uniform()
made = sum(float(best_response.value_against(game, own, uniform, seat)) for seat in range(2)) / 2
print(made / float(solvers.exploitability(game, uniform)))
"""


@pytest.mark.thorough
def test_solvers_are_as_exact_and_networks_learn_when_products_are_rounded_to_bfloat16():
    done = subprocess.run([sys.executable, "-c", BFLOAT16], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    leduc, kuhn = (float(line) for line in done.stdout.split())
    assert leduc < 0.002  # as with whole floats
    assert kuhn > 0.85  # of what a best response wins of random play
