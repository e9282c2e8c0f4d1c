"""Experience: games that a learner plays with itself, with its past selves or with other players."""
