"""The dqn experiment: Double DQN in up to three phases, on hold'em and Leduc."""
