"""The belief experiment: beliefs, a policy and a model of the opponent in Kuhn poker and Leduc."""
