#!/usr/bin/env python3
"""Makes docs/page.gif: two hands at the page, played by a browser.

.venv/bin/python scripts/make_page_gif.py        a minute; needs a Chromium, and the extra test
"""

from __future__ import annotations

import io
import re
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parent.parent
OUT = ROOT / "docs" / "page.gif"
WIDTH, HEIGHT, SHOWN = 1100, 1000, 700  # of the browser, and the width of the picture
SECONDS, LAST_SECONDS = 1.3, 3.0  # of a frame, and of the last
COLOURS = 96
IDLE = "body:not([data-busy])"


def shot(page: Any) -> bytes:
    """The page from its top on."""
    page.evaluate("scrollTo(0, 0)")
    taken: bytes = page.screenshot()
    return taken


def frames(url: str, chromium: str) -> list[bytes]:
    """Screenshots of two hands, the coach asked once."""
    from playwright import sync_api

    taken: list[bytes] = []
    with sync_api.sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=chromium, args=["--no-sandbox"])
        page = browser.new_page(viewport={"width": WIDTH, "height": HEIGHT}, color_scheme="dark")
        page.set_default_timeout(120_000)
        page.goto(f"{url}?pace=0")
        page.wait_for_selector(IDLE)
        for hand in range(2):
            taken.append(shot(page))
            if hand == 0:
                page.click("#ask-coach")
                page.wait_for_selector("#coach .recommended")
                taken.append(shot(page))
            while not page.locator("#new-hand").is_enabled():
                preferred = (4, 1, 0) if hand == 0 and len(taken) < 4 else (1, 0)
                enabled = [a for a in preferred if page.locator(f"button[data-action='{a}']").is_enabled()]
                page.click(f"button[data-action='{enabled[0]}']")
                page.wait_for_selector(IDLE)
                taken.append(shot(page))
            if hand == 0:
                page.click("#new-hand")
                page.wait_for_selector(IDLE)
        browser.close()
    return taken


def write_gif(taken: list[bytes], out: Path) -> None:
    """One picture after the other."""
    from PIL import Image

    pictures = [Image.open(io.BytesIO(one)).convert("RGB") for one in taken]
    small = [one.resize((SHOWN, SHOWN * one.height // one.width)).quantize(COLOURS) for one in pictures]
    times = [int(1000 * SECONDS)] * (len(small) - 1) + [int(1000 * LAST_SECONDS)]
    small[0].save(out, save_all=True, append_images=small[1:], duration=times, loop=0, optimize=True)


def main() -> int:
    chromium = next(filter(None, map(shutil.which, ("chromium", "chromium-browser", "google-chrome"))), None)
    if chromium is None:
        print("error: no Chromium: install Debian's package chromium", file=sys.stderr)
        return 2
    command = [sys.executable, str(ROOT / "scripts" / "play.py"), "--no-browser", "--port", "0", "--seed", "11"]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as server:
        assert server.stdout is not None
        try:
            url = next(found[0] for line in server.stdout if (found := re.search(r"http://[\d.:]+/", line)))
            taken = frames(url, chromium)
        finally:
            server.terminate()
    write_gif(taken, OUT)
    print(f"{OUT}: {len(taken)} pictures, {OUT.stat().st_size / 1e6:.1f} MB")
    return 0


if __name__ == "__main__":
    sys.exit(main())
