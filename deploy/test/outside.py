"""What people do who see of an arena its address only: bots, a tournament, pages, all with TLS."""

import json
import os
import ssl
import subprocess
import sys
import urllib.error
import urllib.request
from collections import Counter
from pathlib import Path
from typing import Any

from deployment import ROOT, Failed, run, until

ARENA = (sys.executable, "-P", "-m", "arena.cli")
HOUSE = ("sharp", "careful", "five")
EVERYBODY = ("first", "cautious", "hosted", *HOUSE)


class Outside:
    """The arena at one address, by gRPC and by HTTPS."""

    def __init__(self, port: int, admin_token: str, authority: Path) -> None:
        """`authority` is the certificate (PEM) that the proxy's are signed with."""
        self.url = f"grpcs://localhost:{port}"
        self.pages = f"https://localhost:{port}"
        self._tls = ssl.create_default_context(cafile=str(authority))
        clean = {k: v for k, v in os.environ.items() if not k.startswith("ARENA_")}
        self._env = {
            **clean,
            "PYTHONPATH": str(ROOT),
            "ARENA_URL": self.url,
            "ARENA_TLS_CA": str(authority),
        }
        self._admin = {**self._env, "ARENA_ADMIN_TOKEN": admin_token}
        self._bots: list[subprocess.Popen[bytes]] = []

    def arena(self, *words: str) -> str:
        """What `arena ...` prints, as the administrator."""
        return run(*ARENA, *words, env=self._admin)

    def told(self, *words: str) -> Any:
        """The same, of a command that prints JSON."""
        return json.loads(self.arena(*words, "--json"))

    def page(self, path: str) -> str:
        """A page, by HTTPS. Raises Failed."""
        try:
            with urllib.request.urlopen(self.pages + path, context=self._tls, timeout=10) as answer:
                return str(answer.read().decode())
        except (OSError, urllib.error.HTTPError) as error:
            raise Failed(f"{self.pages}{path} cannot be read: {error}") from None

    def health(self) -> dict[str, Any]:
        """How the arena is, as the dashboard tells."""
        told: dict[str, Any] = json.loads(self.page("/api/health"))
        return told

    def connect(self, name: str, program: str, log: Path) -> None:
        """Registers a bot, and has its program connected."""
        token = self.told("bot", "add", name)["token"]
        with log.open("wb") as output:
            process = subprocess.Popen(
                [*ARENA, "bot", "connect", program],
                cwd=ROOT,
                env={**self._env, "ARENA_TOKEN": token},
                stdout=output,
                stderr=output,
            )
        self._bots.append(process)

    def submit(self, name: str, program: str) -> None:
        """Registers a bot and uploads its program, which a host accepts. Raises Failed."""
        token = self.told("bot", "add", name)["token"]
        run(*ARENA, "bot", "submit", str(ROOT / program), env={**self._env, "ARENA_TOKEN": token})

    def await_connected(self, *names: str) -> None:
        """Waits until these bots are connected."""

        def all_there() -> bool:
            bots = self.told("bot", "list")["bots"]
            return set(names) <= {bot["name"] for bot in bots if bot.get("connected")}

        until(f"{', '.join(names)} are connected", all_there, 120)

    def disconnect(self) -> None:
        """Ends the programs."""
        for bot in self._bots:
            bot.terminate()
        for bot in self._bots:
            bot.wait(10)

    # A tournament

    def tournament(self, number: int) -> dict[str, Any]:
        """How it stands."""
        told: dict[str, Any] = self.told("tournament", "show", str(number))
        return told

    def check(self, number: int, total: int, commitment: str, folder: Path) -> str:
        """Checks that all `total` matches are stored, that no bot had a fault, and that all cards
        follow from the secret. Returns a summary. Raises Failed."""
        told = self.tournament(number)
        if told["state"] != "finished" or told["played"] != total:
            raise Failed(f"The tournament has not ended well: {told}")
        for bot in EVERYBODY:
            if faults := self.told("bot", "faults", bot)["faults"]:
                kinds = Counter(fault["kind"] for fault in faults)
                raise Failed(f"{bot} was blamed: {dict(kinds)}, such as {faults[0]}")
        audit, records = folder / "audit.jsonl", folder / "records.jsonl"
        self.arena("tournament", "export", str(number), "--what", "audit", "--out", str(audit))
        self.arena("match", "export", "--tournament", str(number), "--out", str(records))
        files = (str(audit), str(records))
        said = self.arena("tournament", "verify", *files, "--commitment", commitment)
        return " ".join(said.split())
