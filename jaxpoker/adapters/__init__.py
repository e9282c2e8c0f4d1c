"""Games of this package for code written for others: each adapter imports its library, so import the one you need."""
