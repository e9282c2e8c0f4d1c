"""Bots behind the dealer protocol of the Annual Computer Poker Competition (ACPC), version 2: a client and a dealer."""
