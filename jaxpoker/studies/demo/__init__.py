"""The one-minute demonstration: equities, matches between rule players, and the speed of this machine."""
