"""Solvers: equilibria of two-player poker, and how far from one a strategy is.

    game = public_game.of(jaxpoker.make("leduc"))          # the betting tree, the deals, and where everything is
    solver = cfr.CFR(game, cfr.ALGORITHMS["cfr+"])
    strategy = solver.average(solver.run(solver.init(), 1000))     # [information sets, actions]
    best_response.exploitability(game, strategy)           # exact
    player = strategies.as_player(game)                    # plays in match.play with the strategy as its params

``tree`` is the public betting tree of any game here, ``deals`` who may hold what and who wins.
"""
