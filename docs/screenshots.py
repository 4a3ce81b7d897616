"""Take the picture of the home page for the README, from a running arena.

    arena demo                                   (in another terminal; keep it running)
    .venv/bin/python docs/screenshots.py .arena/demo

It needs the test tools and Chromium, which `make test` installs.
"""

import sys
from pathlib import Path

from playwright.sync_api import ViewportSize, sync_playwright

from arena.base import folder

DOCS = Path(__file__).resolve().parent
sys.path.insert(0, str(DOCS.parent))

from tests.browser.chromium import launch  # noqa: E402 - of this checkout

SIZE = ViewportSize(width=1200, height=760)


def main(data: Path) -> None:
    """Take the picture from the arena in this data folder."""
    running = folder.find_running(data)
    if running is None:
        sys.exit(f"No arena is running in {data}. Start one with `arena demo`.")
    with sync_playwright() as tools:
        _, browser = launch(tools.chromium)
        page = browser.new_page(viewport=SIZE, color_scheme="light", reduced_motion="reduce")
        page.goto(running.dashboard)
        page.wait_for_timeout(1500)  # until charts and live fragments have loaded
        page.screenshot(path=DOCS / "images" / "overview.png")
        browser.close()


if __name__ == "__main__":
    main(Path(sys.argv[1]))
