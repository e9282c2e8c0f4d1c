#!/usr/bin/env python3
"""``jaxpoker-play`` from a checkout, whose folder keeps the compiled functions: the page, or the game in a terminal.

.venv/bin/python scripts/play.py --help
"""

from __future__ import annotations

import os
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent

if __name__ == "__main__":
    os.environ.setdefault("JAX_COMPILATION_CACHE_DIR", str(ROOT / ".cache" / "jax"))
    from jaxpoker.app.play import main

    sys.exit(main())
