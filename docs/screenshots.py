"""Takes the pictures in docs/images from a running arena's dashboard.

    arena demo                                   (in one terminal; it stays up)
    .venv/bin/python docs/screenshots.py http://127.0.0.1:7421

Needs the test tools (`make test` installs them) and Chromium.
"""

from __future__ import annotations

import json
import shutil
import sys
import urllib.request
from pathlib import Path

from playwright.sync_api import sync_playwright

IMAGES = Path(__file__).parent / "images"
CHROMIUM_FLAGS = ["--disable-gpu", "--disable-background-networking", "--hide-scrollbars"]
SIZE = {"width": 1200, "height": 820}


def pictures(address: str) -> dict[str, str]:
    """Names of the pictures and what they show."""
    newest = urllib.request.urlopen(f"{address}/api/matches?limit=1").read()
    match = json.loads(newest)["matches"][0]["id"]
    return {
        "overview": "/",
        "tournament": "/tournaments/1",
        "match": f"/matches/{match}",
        "ratings": "/ratings",
    }


def main(address: str) -> None:
    """Takes them all."""
    IMAGES.mkdir(exist_ok=True)
    chromium = shutil.which("chromium") or shutil.which("chromium-browser")
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(
            executable_path=chromium, args=CHROMIUM_FLAGS, chromium_sandbox=False
        )
        page = browser.new_page(viewport=SIZE, color_scheme="light")
        for name, path in pictures(address).items():
            page.goto(address + path)
            page.screenshot(path=IMAGES / f"{name}.png")
        browser.close()


if __name__ == "__main__":
    main(sys.argv[1].rstrip("/"))
