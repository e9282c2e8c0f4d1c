"""Evolution: populations of networks whose fittest have children, and a policy gradient of the same network."""
