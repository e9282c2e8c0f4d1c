"""Studies: what experiments do besides learning: settings, evaluations, tables and pictures, one folder for each."""
