"""Tables in HDF5: every bit comes back, and what a file is not for is named."""

import h5py
import jax
import numpy as np
import pytest

import jaxpoker
from jaxpoker import solvers
from jaxpoker.runs import RunError
from jaxpoker.solvers import abstraction, tree
from jaxpoker.solvers.blueprint import tables_file
from jaxpoker.solvers.sampling.public_cfr import PublicCFR
from jaxpoker.solvers.tree import infosets, lines

MENU = "a, 75%; raises: 1"


def holdem(menu=MENU, stack=40):
    return jaxpoker.make("holdem", menu=menu, stack=stack, small_blind=5, big_blind=10)


def solver_of(how):
    """By boards, by boards with shared rows, by walks."""
    known = abstraction.make("rank_based")
    if how == "external":
        return solvers.make("linear", holdem(), sampling="external", cards=known, batch=64)
    rows = infosets.merged_rows(tree.build(holdem())).row_of if how == "merged" else None
    return solvers.make("dcfr", holdem(), cards=known, rows=rows, batch=2)


def bits(state):
    """All leaves of a state as bytes."""
    data = [
        leaf if not jax.dtypes.issubdtype(leaf.dtype, jax.dtypes.prng_key) else jax.random.key_data(leaf)
        for leaf in jax.tree.leaves(state)
    ]
    return [(leaf.dtype.str, leaf.shape, np.asarray(leaf).tobytes()) for leaf in map(np.asarray, data)]


@pytest.fixture(scope="module", params=["boards", "merged", "external"])
def solved(request, tmp_path_factory):
    """A solver after three iterations, the file of its tables, its bits then, and those after one iteration more."""
    solver, path = solver_of(request.param), tmp_path_factory.mktemp("tables") / "run.h5"
    state = solver.init(jax.random.key(7))
    for _ in range(3):
        state, _ = solver.update(state)
    tables = solver.street_tables(state)
    tables_file.save(path, tables, solver.game.tree, abstraction.make("rank_based"), {"algorithm": "any"})
    before, average = bits(state), solver.average(state)
    later, _ = solver.update(state)
    return solver, path, before, bits(later), average


def test_the_next_iteration_from_a_file_is_that_of_the_run(solved):
    solver, path, before, after, _ = solved
    state = solver.state_of(tables_file.load(path).tables)
    assert bits(state) == before
    later, _ = solver.update(state)
    assert bits(later) == after != before


def test_a_state_can_be_made_twice_of_the_same_tables(solved):
    """An update is given the memory of a state, not that of the tables."""
    solver, path, _, after, _ = solved
    tables = tables_file.load(path).tables
    for _ in range(2):
        later, _ = solver.update(solver.state_of(tables))
        assert bits(later) == after


def test_the_file_has_the_average_strategy(solved):
    _, path, _, _, average = solved
    for found, expected in zip(tables_file.load(path).blueprint().strategy, average, strict=True):
        np.testing.assert_allclose(found, expected, atol=1e-6)


def test_other_programs_find_decisions_by_their_betting(solved):
    solver, path, _, _, average = solved
    betting = solver.game.tree
    with h5py.File(path) as file:
        assert file.attrs["menu"] == holdem().bet_menu.text and file.attrs["stack"] == 40 and file.attrs["step"] == 3
        assert list(file.attrs["num_buckets"]) == [6, 9, 9, 9] and file["about"].attrs["algorithm"] == "any"
        text = [line.decode() for line in file["flop/lines"]]
        assert [lines.node_of(betting, line) for line in text] == betting.decisions(street=1).tolist()
        at = text.index("cc/")
        assert file["flop/seats"][at] == 1  # the big blind acts first after the flop
        legal, sums = file["flop/legal"][at], file["flop/strategy_sums"][at]
        assert legal.tolist() == [False, True, True, True] and (sums[:, 0] == 0).all()
        total = sums.sum(axis=1, keepdims=True)
        came = total[:, 0] > 0
        assert came.any()
        np.testing.assert_allclose((sums / np.where(total > 0, total, 1))[came], average[1][at][came], atol=1e-6)
        np.testing.assert_allclose(file["flop/weights"][at], sums.sum(axis=1), rtol=1e-6)
        everywhere = file["preflop/weights"][0].sum()
        assert (file["river/weights"][:].sum(axis=1) <= everywhere * (1 + 1e-5)).all()  # nobody comes more than always


@pytest.mark.parametrize(
    ("game", "cards", "message"),
    [
        (holdem("a, 50%; raises: 1"), "rank_based", "is for the menu 'preflop: "),
        (holdem(stack=60), "rank_based", "is for a stack of 40 chips, not 60"),
        (holdem(), "rank_history", r"is for the buckets rank_based \[6, 9, 9, 9\] \w+, not rank_history"),
    ],
)
def test_another_game_or_other_cards_are_refused(solved, game, cards, message):
    _, path, *_ = solved
    with pytest.raises(RunError, match=message):
        tables_file.load(path, abstraction.make(cards), tree.build(game))


def test_tables_of_another_solver_are_refused(solved):
    solver, path, *_ = solved
    tables = tables_file.load(path).tables
    with pytest.raises(ValueError, match="regrets by street have shapes"):
        solver.state_of(tables._replace(regrets=tables.regrets[:2]))
    if isinstance(solver, PublicCFR):
        with pytest.raises(ValueError, match=r"boards are counted as \(2, 0, 0\)"):
            solver.state_of(tables._replace(counts=np.zeros((2, 0, 0), np.float32)))


def test_what_is_no_hdf5_or_was_damaged_is_named(solved, tmp_path):
    _, path, *_ = solved
    whole = path.read_bytes()
    with pytest.raises(RunError, match=r"cannot read .*nothing\.h5: No such file"):
        tables_file.load(tmp_path / "nothing.h5")
    bad = tmp_path / "bad.h5"
    bad.write_text("regrets")
    with pytest.raises(RunError, match=r"bad\.h5 is no HDF5 file"):
        tables_file.load(bad)
    bad.write_bytes(whole[: len(whole) // 2])
    with pytest.raises(RunError, match=r"bad\.h5 is damaged"):
        tables_file.load(bad)
    with h5py.File(path) as file:
        at = file["river/regrets"].id.get_chunk_info(0).byte_offset
    bad.write_bytes(whole[: at + 9] + bytes([whole[at + 9] ^ 1]) + whole[at + 10 :])
    with pytest.raises(RunError, match=r"bad\.h5 is damaged: its tables cannot be read"):
        tables_file.load(bad)
    bad.write_bytes(whole)
    with h5py.File(bad, "a") as file:
        del file["turn"]
    with pytest.raises(RunError, match=r"bad\.h5 is damaged"):
        tables_file.load(bad)
    with h5py.File(bad, "a") as file:
        file.attrs["format"] = 99
    with pytest.raises(RunError, match="has format 99"):
        tables_file.load(bad)


def test_without_h5py_the_extra_is_named(monkeypatch, tmp_path):
    monkeypatch.setattr("importlib.util.find_spec", lambda name: None)
    with pytest.raises(RunError, match=r"pip install 'jaxpoker\[hdf5\]'"):
        tables_file.load(tmp_path / "any.h5")
