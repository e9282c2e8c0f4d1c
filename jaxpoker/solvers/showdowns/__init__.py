"""What hands win from each other."""
