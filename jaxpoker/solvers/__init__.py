"""Solvers: equilibria of two-player poker, and how far from one a strategy is.

    game = public_game.of(jaxpoker.make("leduc"))          # the betting tree, the deals, and where everything is
    solver = cfr.CFR(game, cfr.ALGORITHMS["cfr+"])
    strategy = solver.average(solver.run(solver.init(), 1000))     # [information sets, actions]
    best_response.exploitability(game, strategy)           # exact
    player = strategies.as_player(game)                    # plays in match.play with the strategy as its params

Hold'em is too large for that: cards become buckets, boards are sampled, and what comes out is a blueprint.

    cards = abstraction.make("rank_based")                 # who may share a strategy
    solver = mccfr.holdem(jaxpoker.make("holdem", menu="solver", stack=1000, small_blind=5, big_blind=10), cards)
    state, metrics = solver.update(solver.init(jax.random.key(0)))
    solved = blueprint.Blueprint(solver.game.tree, cards, [np.asarray(street) for street in solver.average(state)])
    solved.infoset(infosets.InfoSetKey(0, Street.PREFLOP, "", card_bucket=5, spr_bucket=2)).average_strategy
    player = blueprint.as_player(solved)                   # plays any bet sizes, with solved.params

``tree`` is the public betting tree of any game here, ``deals`` who may hold what and who wins.
"""
