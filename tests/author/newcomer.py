#!/usr/bin/env python3
"""Takes a bot from an empty folder to an arena: creates, tests, measures, connects and hosts it.

    python newcomer.py http://HOST:7421 [--language python] [--folder DIR]

It needs Python, the URL of an arena with a bot host, and the tools of the bot's language (such as
Node.js or a C++ compiler). It signs up for a new account.
"""

import argparse
import html
import http.cookiejar
import json
import os
import re
import secrets
import shutil
import signal
import subprocess
import sys
import tempfile
import time
import urllib.error
import urllib.parse
import urllib.request
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import IO, Any

PATIENCE_S = 120.0
TEST_MATCH = {"game": "lama", "seats": "2"}
SNIPPET = re.compile(r"data-copy><pre[^>]*><code>(.*?)</code>", re.DOTALL)
CSRF = re.compile(r'name="csrf_token" value="([^"]+)"')


class Failed(Exception):
    """A step failed; the message contains all output."""


class Website:
    """A minimal browser for an arena's pages and forms."""

    def __init__(self, address: str) -> None:
        self.address = address.rstrip("/")
        jar = urllib.request.HTTPCookieProcessor(http.cookiejar.CookieJar())
        self._opener = urllib.request.build_opener(jar)

    def page(self, path: str) -> str:
        """Returns the text of a page. Raises Failed."""
        return self._open(urllib.request.Request(self._url(path)))[1]

    def json(self, path: str) -> Any:
        """Returns an answer of the JSON API. Raises Failed."""
        return json.loads(self.page(path))

    def send(self, form: str, to: str = "", **fields: str) -> tuple[str, str]:
        """Submits a page's form; returns the resulting URL and page. Raises Failed."""
        (token, *_) = CSRF.findall(self.page(form)) or [""]
        data = urllib.parse.urlencode({"csrf_token": token, **fields}).encode()
        headers = {"Referer": self._url(form), "Origin": self.address}
        return self._open(urllib.request.Request(self._url(to or form), data, headers))

    def sign_up(self) -> None:
        """Signs up with a random name."""
        name, password = f"newcomer-{secrets.token_hex(4)}", secrets.token_urlsafe(16)
        self.send("/sign-up", name=name, password=password)

    def create_bot(self, name: str) -> str:
        """Creates a bot and returns its token. Raises Failed."""
        return self.token_on(self.new_bot(name), name)

    def new_bot(self, name: str) -> str:
        """Creates a bot and returns the page with its token and connection help. Raises Failed."""
        return self.send("/my/bots/-/new", name=name)[1]

    def token_on(self, page: str, name: str) -> str:
        """Returns the token on a page. Raises Failed."""
        found = re.search(r"lama_[A-Za-z0-9_-]{20,}", page)
        if found is None:
            raise Failed(f"The page of the new bot {name} shows no token.")
        return found[0]

    def gateway(self) -> str:
        """Returns the value for ARENA_URL from the page for authors."""
        lines = "\n".join(self.snippets("/sdk")).splitlines()
        (found,) = (line for line in lines if line.startswith("export ARENA_URL="))
        return found.partition("=")[2]

    def snippets(self, path: str) -> list[str]:
        """The commands and files that a page offers to copy."""
        return snippets(self.page(path))

    def _url(self, path: str) -> str:
        return path if path.startswith("http") else self.address + path

    def _open(self, request: urllib.request.Request) -> tuple[str, str]:
        try:
            with self._opener.open(request, timeout=60) as answer:
                return answer.geturl(), answer.read().decode(errors="replace")
        except urllib.error.HTTPError as error:
            page = error.read().decode(errors="replace")
            main = re.sub(r"<[^>]+>", " ", page.partition("<main")[2].partition("</main>")[0])
            said = " ".join(main.split()) or page[:1000]
            raise Failed(f"{request.full_url} answers {error.code}: {said}") from None
        except OSError as error:
            raise Failed(f"{request.full_url} cannot be reached: {error}") from None


def snippets(page: str) -> list[str]:
    """The commands and files that a page offers to copy."""
    return [html.unescape(each) for each in SNIPPET.findall(page)]


# `curl -O URL`, for machines without curl.
CURL = """#!{python}
import sys, urllib.request
url = sys.argv[-1]
urllib.request.urlretrieve(url, url.rpartition("/")[2])
"""


class Machine:
    """A folder with a virtual environment, without any clone on its path."""

    def __init__(self, folder: Path, python: str = sys.executable) -> None:
        self.home, self.environment = folder / "home", folder / "environment"
        self.home.mkdir(parents=True)
        # Output of earlier lines, by the line and the programs it names.
        self.typed: dict[tuple[str, ...], str] = {}
        if not self.environment.exists():
            subprocess.run([python, "-m", "venv", str(self.environment)], check=True)
        kept = ("LANG", "PIP_", "SSL_", "npm_")
        outer = {k: v for k, v in os.environ.items() if k.startswith(kept)}
        paths = (str(self.environment / "bin"), "/usr/local/bin", "/usr/bin", "/bin")
        self.variables = outer | {"HOME": str(self.home), "PATH": os.pathsep.join(paths)}
        if shutil.which("curl", path=self.variables["PATH"]) is None:
            script = self.environment / "bin/curl"
            script.write_text(CURL.format(python=self.environment / "bin/python"))
            script.chmod(0o755)
        self.variables["PIP_NO_COMPILE"] = "1"  # compile on first use
        self.variables["PIP_DISABLE_PIP_VERSION_CHECK"] = "1"
        self.variables["npm_config_audit"] = self.variables["npm_config_fund"] = "false"
        self.variables["npm_config_update_notifier"] = "false"
        self.variables["MAKEFLAGS"] = "CXXFLAGS=-std=c++17"  # compile without optimisation

    def run(
        self,
        line: str,
        folder: str = ".",
        more: Mapping[str, str] | None = None,
        *,
        fails: bool = False,
        traceback: bool = False,
    ) -> str:
        """Types a line and returns its output. `more` are environment variables.

        Raises Failed if it fails, or if it succeeds although it `fails`. Also raises for a
        traceback, unless `traceback` says that the command prints the bot's.
        """
        program = self._start(line, folder, more or {}, subprocess.PIPE)
        try:
            said, _ = program.communicate(timeout=PATIENCE_S * 4)
        except subprocess.TimeoutExpired:
            raise Failed(f"$ {line}\nhas not ended after {PATIENCE_S * 4:.0f} s.") from None
        finally:
            end(program)
        if (program.returncode != 0) != fails or ("Traceback" in said and not traceback):
            raise Failed(f"$ {line}\n{said}\nended with status {program.returncode}.")
        return said

    @contextmanager
    def running(
        self, line: str, folder: str = ".", more: Mapping[str, str] | None = None
    ) -> Iterator[Path]:
        """Runs a program during the block and yields its log. Raises Failed if it ends early."""
        log = self.home / "program.log"
        with log.open("w") as output:
            program = self._start(line, folder, more or {}, output)
        try:
            yield log
            if program.poll() is not None:
                raise Failed(f"$ {line}\nhas ended:\n{log.read_text()}")
        finally:
            end(program)

    def _start(
        self, line: str, folder: str, more: Mapping[str, str], output: IO[str] | int
    ) -> subprocess.Popen[str]:
        return subprocess.Popen(
            ["bash", "-c", line],
            cwd=self.home / folder,
            env={**self.variables, **more},
            stdin=subprocess.DEVNULL,
            stdout=output,
            stderr=subprocess.STDOUT,
            text=True,
            start_new_session=True,
        )


def end(program: subprocess.Popen[str]) -> None:
    """Ends a program and its children."""
    for number in (signal.SIGTERM, signal.SIGKILL):
        with suppress(ProcessLookupError):
            os.killpg(program.pid, number)
        with suppress(subprocess.TimeoutExpired):
            program.wait(10)


def wait(condition: Callable[[], bool], what: str) -> None:
    """Waits for a condition. Raises Failed."""
    end = time.monotonic() + PATIENCE_S
    pause_s = 0.05
    while not condition():
        if time.monotonic() > end:
            raise Failed(f"After {PATIENCE_S:.0f} s {what}.")
        time.sleep(pause_s)
        pause_s = min(pause_s * 1.5, 0.5)  # pages are slow to render


class Newcomer:
    """The steps of a bot in one language."""

    def __init__(self, machine: Machine, website: Website, language: str) -> None:
        self.machine, self.website, self.language = machine, website, language
        self.folder = f"{language}_{secrets.token_hex(3)}"

    def write(self) -> None:
        """Creates a bot and runs its test as `arena new` recommends."""
        said = self.machine.run(f"arena new {self.folder} --language {self.language} --hosted")
        for line in re.findall(r"^  (.+)$", said, re.MULTILINE):
            if not line.startswith(("cd ", "arena bot submit")):
                self.machine.run(line, self.folder)

    def measure(self) -> None:
        """Plays it against a house bot and checks it with `arena check`."""
        program = f"{self.folder}.py"
        self.machine.run(f"arena play {program} sharp --seats 2 --deals 1 --jobs 1", self.folder)
        self.machine.run(f"arena check {program} --matches 1", self.folder)

    def connect(self) -> None:
        """Creates it on the website, connects it, and plays a test match."""
        name, variables = self._created("connected")
        with self.machine.running(f"python {self.folder}.py", self.folder, variables):
            wait(lambda: self._connected(name), f"{name} is not connected")
            play_a_test_match(self.website, name)

    def host(self) -> None:
        """Creates another bot on the website, submits it, and plays a test match."""
        name, variables = self._created("hosted")
        said = self.machine.run("arena bot submit .", self.folder, variables)
        if "accepted" not in said:
            raise Failed(said)
        wait(lambda: self._connected(name), f"{name} is not hosted")
        play_a_test_match(self.website, name)

    def _created(self, kind: str) -> tuple[str, dict[str, str]]:
        """Creates a bot; returns its name and the variables that connect it."""
        name = f"{self.folder}-{kind}"
        token = self.website.create_bot(name)
        return name, {"ARENA_URL": self.website.gateway(), "ARENA_TOKEN": token}

    def _connected(self, name: str) -> bool:
        with suppress(Failed):
            return bool(
                self.website.json(f"/api/bots/{name}")["connection"]["state"] == "connected"
            )
        return False


def play_a_test_match(website: Website, name: str) -> None:
    """Plays a test match of a connected bot. Raises Failed if it has a fault."""

    def verdict() -> str:
        found = re.search(r'role="status">(.*?)</p>', website.page(where), re.DOTALL)
        return " ".join(re.sub(r"<[^>]+>", " ", found[1]).split()) if found else ""

    page = f"/my/bots/{name}"
    where, _ = website.send(page, f"{page}/tests", **TEST_MATCH)
    wait(lambda: not verdict().startswith(("Playing", "Starting")), f"{where} has no verdict")
    if "without a fault" not in verdict():
        raise Failed(f"{where} says: {verdict()}")


def main() -> int:
    """Runs all steps and prints their durations."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n")[0])
    parser.add_argument("address", help="the arena's website, http://HOST:7421")
    parser.add_argument("--language", choices=("python", "node", "cpp"), default="python")
    parser.add_argument("--folder", type=Path, help="an empty folder (default: a temporary one)")
    asked = parser.parse_args()
    with tempfile.TemporaryDirectory() as scratch:
        website = Website(asked.address)
        machine = Machine(asked.folder or Path(scratch))
        newcomer = Newcomer(machine, website, asked.language)
        steps: tuple[tuple[str, Callable[[], object]], ...] = (
            ("install", lambda: machine.run(website.snippets("/sdk")[0])),
            ("sign up", website.sign_up),
            ("write and test", newcomer.write),
            ("measure", newcomer.measure),
            ("connect", newcomer.connect),
            ("host", newcomer.host),
        )
        for step, do in steps:
            begun = time.monotonic()
            try:
                do()
            except Failed as failure:
                print(f"{step}: failed\n{failure}", file=sys.stderr)
                return 1
            print(f"{step}: {time.monotonic() - begun:.0f} s", flush=True)
    return 0


if __name__ == "__main__":
    sys.exit(main())
