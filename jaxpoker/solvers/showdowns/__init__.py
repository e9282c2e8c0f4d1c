"""What hands win from each other: hands that share a card cannot meet, and the stronger one wins."""
