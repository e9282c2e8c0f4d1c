"""What experiments do besides learning."""
