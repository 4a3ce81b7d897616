"""The Chromium of the browser tests: an installed or a downloaded one.

    python -m tests.browser.chromium

prints which one the tests will use. Without one, it downloads one. If that fails, it prints
what to install and exits with status 1. `make test` runs it before any test.
"""

import os
import shlex
import shutil
import subprocess
import sys
from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from playwright.sync_api import Browser, BrowserType, sync_playwright
from playwright.sync_api import Error as PlaywrightError

# The headless shell comes first because it needs the least CPU time.
ON_PATH = (
    "chromium-headless-shell",
    "chromium",
    "chromium-browser",
    "google-chrome",
    "google-chrome-stable",
)
# One process for all pages of a site saves CPU time.
FLAGS = (
    "--no-sandbox",
    "--disable-gpu",
    "--disable-background-networking",
    "--process-per-site",
)
CONNECT_MS = "15000"  # for each of Playwright's download hosts
LOCK_S = 120  # wait for another apt-get

WHAT_TO_INSTALL = """
The browser tests need Chromium. No installed one starts, and the download failed.
Ask an administrator to install it, then run this again:
    Debian       apt-get install chromium libatomic1
    Fedora       dnf install chromium libatomic
    Ubuntu       apt-get install libatomic1 && {playwright} install-deps chromium
    elsewhere    {playwright} install chromium
Or set CHROMIUM=/path/to/chromium. `make unit` needs no browser.
"""
WRONG_NAME = """
The browser in CHROMIUM does not start. Set it to another one, or unset it to find or download one.
"""


@dataclass(frozen=True)
class Candidate:
    """A possible browser: its program, or None for Playwright's download."""

    program: str | None

    def __str__(self) -> str:
        return self.program or "Playwright's own Chromium"


class NoBrowser(Exception):
    """No candidate starts; contains the reasons."""


def candidates(environ: Mapping[str, str] = os.environ) -> Iterator[Candidate]:
    """The browsers to try, best first; only CHROMIUM if it is set."""
    if named := environ.get("CHROMIUM"):
        yield Candidate(named)
        return
    for name in ON_PATH:
        if found := shutil.which(name, path=environ.get("PATH")):
            yield Candidate(found)
    yield Candidate(None)


def launch(chromium: BrowserType) -> tuple[Candidate, Browser]:
    """Starts the first candidate that works. Raises NoBrowser."""
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
    """The first line of an error; the rest is decoration."""
    return error.message.strip().partition("\n")[0]


def found() -> Candidate:
    """The candidate that the tests will use. Raises NoBrowser."""
    if problem := _driver_problem():
        raise NoBrowser(f"Playwright does not start: {problem}")
    with sync_playwright() as tools:
        candidate, browser = launch(tools.chromium)
        browser.close()
    return candidate


def _driver_problem() -> str:
    """Why Playwright itself does not start, for example a library that its Node.js needs."""
    tried = subprocess.run(_playwright("--version"), capture_output=True, text=True, check=False)
    lines = tried.stderr.strip().splitlines() or [f"it ended with status {tried.returncode}"]
    return lines[-1] if tried.returncode else ""


# Fetching


def fetch() -> None:
    """Tries to install a browser; `found` checks the result."""
    administrator = os.geteuid() == 0 and shutil.which("apt-get") is not None
    if administrator and _driver_problem() and _apt_get("update"):
        _apt_get("install", "libatomic1")
    environ = {"PLAYWRIGHT_DOWNLOAD_CONNECTION_TIMEOUT": CONNECT_MS, **os.environ}
    fetched = _ran(*_playwright("install", "--only-shell", "chromium"), environ=environ)
    if not administrator:
        return
    # Install its libraries, or else Debian's browser.
    if not (fetched and _ran(*_playwright("install-deps", "chromium"))) and _apt_get("update"):
        # Without fonts, all text would be boxes of equal size.
        _apt_get("install", "chromium-headless-shell", "fonts-liberation")


def _playwright(*arguments: str) -> tuple[str, ...]:
    return (sys.executable, "-m", "playwright", *arguments)


def _apt_get(*arguments: str) -> bool:
    options = ("-qq", "--yes", "--no-install-recommends", "-o", f"DPkg::Lock::Timeout={LOCK_S}")
    environ = {**os.environ, "DEBIAN_FRONTEND": "noninteractive"}
    return _ran("apt-get", *options, *arguments, environ=environ)


def _ran(*command: str, environ: Mapping[str, str] | None = None) -> bool:
    """Whether the command succeeded; prints its output only on failure."""
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
    """Finds or downloads a browser; returns the exit status, 1 without one."""
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
