"""The reinforce experiment: REINFORCE on Chicago, Kuhn poker and Leduc."""
