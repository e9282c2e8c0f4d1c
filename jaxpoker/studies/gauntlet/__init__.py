"""The gauntlet: one player against everybody who looks for a simple mistake."""
