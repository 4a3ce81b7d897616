"""Which browser the tests take, and what is said where there is none."""

import os
import shlex
import subprocess
import sys
from pathlib import Path

import pytest

from tests.browser import chromium


def program(path: Path) -> str:
    """A program that runs but is not a browser."""
    path.write_text("#!/bin/sh\nexit 1\n")
    path.chmod(0o755)
    return str(path)


def programs(**environ: str) -> list[str | None]:
    return [candidate.program for candidate in chromium.candidates(environ)]


def test_the_one_that_chromium_names_is_the_only_one(tmp_path: Path) -> None:
    program(tmp_path / "chromium")
    assert programs(CHROMIUM="/opt/chromium", PATH=str(tmp_path)) == ["/opt/chromium"]


def test_those_on_path_come_before_the_one_that_playwright_fetched(tmp_path: Path) -> None:
    names = ("google-chrome", "chromium-browser", "chromium", "chromium-headless-shell")
    google, browser, plain, shell = (program(tmp_path / name) for name in names)
    assert programs(PATH=str(tmp_path)) == [shell, plain, browser, google, None]
    assert programs(PATH=str(tmp_path / "empty")) == [None]


@pytest.fixture
def environ(tmp_path: Path) -> dict[str, str]:
    """A machine without a browser, on which none can be fetched."""
    return {
        "PATH": str(tmp_path),
        "HOME": str(tmp_path),
        "PLAYWRIGHT_BROWSERS_PATH": str(tmp_path / "browsers"),
        "PLAYWRIGHT_DOWNLOAD_HOST": "http://127.0.0.1:9",  # discard: refused at once
    }


def make_browser(environ: dict[str, str]) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-m", "tests.browser.chromium"]
    return subprocess.run(
        command, env=environ, capture_output=True, text=True, timeout=60, check=False
    )


def test_missing_browser_error_says_what_to_install(environ: dict[str, str]) -> None:
    done = make_browser(environ)

    assert done.returncode == 1
    assert "Fetching a browser (once)" in done.stdout
    assert "apt-get install chromium" in done.stderr
    assert f"{shlex.quote(sys.executable)} -m playwright install chromium" in done.stderr
    assert "CHROMIUM=/path/to/chromium" in done.stderr
    assert "Traceback" not in done.stdout + done.stderr


def test_a_program_that_is_no_browser_is_said_to_be_none(
    environ: dict[str, str], tmp_path: Path
) -> None:
    environ["CHROMIUM"] = program(tmp_path / "none")

    done = make_browser(environ)

    assert done.returncode == 1
    # On a bare machine not even Playwright's own program starts, which tries browsers.
    said = (f"{tmp_path / 'none'} does not start", "Playwright does not start")
    assert any(sentence in done.stdout for sentence in said)
    assert "The browser in CHROMIUM does not start" in done.stderr
    assert "Fetching" not in done.stdout


def test_an_administrator_of_debian_has_it_installed(
    environ: dict[str, str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    commands: list[str] = []

    def ran(*command: str, environ: object = None) -> bool:
        commands.append(" ".join(command))
        return "playwright" not in command  # which cannot download

    program(tmp_path / "apt-get")
    monkeypatch.setenv("PATH", str(tmp_path))
    monkeypatch.setattr(chromium, "_ran", ran)
    monkeypatch.setattr(os, "geteuid", lambda: 0)
    chromium.fetch()
    assert [command.split()[0] for command in commands[-2:]] == ["apt-get", "apt-get"]
    assert commands[-1].endswith("chromium-headless-shell fonts-liberation")

    commands.clear()
    monkeypatch.setattr(os, "geteuid", lambda: 1000)
    chromium.fetch()
    assert len(commands) == 1
