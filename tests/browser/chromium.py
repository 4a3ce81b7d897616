"""The Chromium of the browser tests: found on this machine, or fetched.

    python -m tests.browser.chromium

says which one the tests will use. Where there is none it fetches one, and where that fails it says
what to install and ends with status 1. `make test` runs it before any test.
"""

from __future__ import annotations

import os
import shlex
import shutil
import subprocess
import sys
from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from playwright.sync_api import Browser, BrowserType, sync_playwright
from playwright.sync_api import Error as PlaywrightError

# First the one without windows, which opens pages with a quarter less CPU time.
ON_PATH = (
    "chromium-headless-shell",
    "chromium",
    "chromium-browser",
    "google-chrome",
    "google-chrome-stable",
)
# One process for all pages of a site: starting one for each page takes a quarter more CPU time.
FLAGS = (
    "--no-sandbox",
    "--disable-gpu",
    "--disable-background-networking",
    "--process-per-site",
)
CONNECT_MS = "15000"  # for each of Playwright's download hosts; its own default is twice that
LOCK_S = 120  # for another apt-get to end

WHAT_TO_INSTALL = """
The browser tests need Chromium: none was found that starts, and none could be fetched.
Have an administrator install it, then run this again:
    Debian       apt-get install chromium libatomic1
    Fedora       dnf install chromium libatomic
    Ubuntu       apt-get install libatomic1 && {playwright} install-deps chromium
    elsewhere    {playwright} install chromium
Or name one that is installed: CHROMIUM=/path/to/chromium. `make unit` needs no browser.
"""
WRONG_NAME = """
CHROMIUM names no browser that starts: set it to one, or unset it to have one found or fetched.
"""


@dataclass(frozen=True)
class Candidate:
    """A browser that may be there: its program, or None for the one that Playwright fetched."""

    program: str | None

    def __str__(self) -> str:
        return self.program or "Playwright's own Chromium"


class NoBrowser(Exception):
    """No candidate starts; says why not."""


def candidates(environ: Mapping[str, str] = os.environ) -> Iterator[Candidate]:
    """The browsers to try, the best first; CHROMIUM, where it is set, is the only one."""
    if named := environ.get("CHROMIUM"):
        yield Candidate(named)
        return
    for name in ON_PATH:
        if found := shutil.which(name, path=environ.get("PATH")):
            yield Candidate(found)
    yield Candidate(None)


def launch(chromium: BrowserType) -> tuple[Candidate, Browser]:
    """Starts the first browser that starts. Raises NoBrowser."""
    reasons = []
    for candidate in candidates():
        try:
            browser = chromium.launch(executable_path=candidate.program, args=list(FLAGS))
        except PlaywrightError as error:
            reasons.append(f"{candidate} does not start: {_first_line(error)}")
        else:
            return candidate, browser
    raise NoBrowser("\n".join(reasons))


def _first_line(error: PlaywrightError) -> str:
    """Of what Playwright says; the rest draws boxes."""
    return error.message.strip().partition("\n")[0]


def found() -> Candidate:
    """The browser that the tests will use. Raises NoBrowser."""
    if problem := _driver_problem():
        raise NoBrowser(f"Playwright does not start: {problem}")
    with sync_playwright() as tools:
        candidate, browser = launch(tools.chromium)
        browser.close()
    return candidate


def _driver_problem() -> str:
    """Why Playwright itself does not run: it brings a Node.js, which needs a library or two."""
    tried = subprocess.run(_playwright("--version"), capture_output=True, text=True, check=False)
    lines = tried.stderr.strip().splitlines() or [f"it ended with status {tried.returncode}"]
    return lines[-1] if tried.returncode else ""


# Fetching


def fetch() -> None:
    """Tries to put a browser on this machine; whether it worked, `found` tells."""
    administrator = os.geteuid() == 0 and shutil.which("apt-get") is not None
    if administrator and _driver_problem() and _apt_get("update"):
        _apt_get("install", "libatomic1")
    environ = {"PLAYWRIGHT_DOWNLOAD_CONNECTION_TIMEOUT": CONNECT_MS, **os.environ}
    fetched = _ran(*_playwright("install", "--only-shell", "chromium"), environ=environ)
    if not administrator:
        return
    # The libraries it needs, or else Debian's own browser with them.
    if not (fetched and _ran(*_playwright("install-deps", "chromium"))) and _apt_get("update"):
        # Without fonts all text would be boxes of one size.
        _apt_get("install", "chromium-headless-shell", "fonts-liberation")


def _playwright(*arguments: str) -> tuple[str, ...]:
    return (sys.executable, "-m", "playwright", *arguments)


def _apt_get(*arguments: str) -> bool:
    options = ("-qq", "--yes", "--no-install-recommends", "-o", f"DPkg::Lock::Timeout={LOCK_S}")
    environ = {**os.environ, "DEBIAN_FRONTEND": "noninteractive"}
    return _ran("apt-get", *options, *arguments, environ=environ)


def _ran(*command: str, environ: Mapping[str, str] | None = None) -> bool:
    """Whether the command ended well; what it says is shown only if it did not."""
    print("  " + " ".join(command), flush=True)
    done = subprocess.run(
        command, env=environ, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, check=False
    )
    if done.returncode:
        sys.stdout.write(_last_lines(done.stdout.decode(errors="replace")))
    return done.returncode == 0


def _last_lines(text: str, count: int = 3) -> str:
    return "".join(f"    {line}\n" for line in text.splitlines()[-count:])


def main() -> int:
    """What `make test` runs. Gives the exit status: 1 where there is no browser."""
    if _said_what_is_found():
        return 0
    if os.environ.get("CHROMIUM"):
        sys.stderr.write(WRONG_NAME)
        return 1
    print("Fetching a browser (once)")
    fetch()
    if _said_what_is_found():
        return 0
    sys.stderr.write(WHAT_TO_INSTALL.format(playwright=shlex.join(_playwright())))
    return 1


def _said_what_is_found() -> bool:
    try:
        print(f"Browser: {found()}", flush=True)
    except NoBrowser as reasons:
        print(reasons, flush=True)
        return False
    return True


if __name__ == "__main__":
    sys.exit(main())
