"""An author's machine: an environment with gRPC and protobuf, without this checkout."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import venv
from collections.abc import Iterable
from dataclasses import dataclass
from importlib.metadata import distribution
from pathlib import Path

NEEDED = ("grpcio", "protobuf", "typing_extensions")


@dataclass(frozen=True)
class AuthorsMachine:
    """An environment, and the folder in which its commands are run."""

    environment: Path
    folder: Path

    @property
    def packages(self) -> Path:
        """Where packages are installed."""
        return next(self.environment.glob("lib/python*/site-packages"))

    def install(self, *what: str) -> None:
        """As pip does it there; nothing that is missing is fetched, byte code is made when it is
        needed."""
        python = str(self.environment / "bin/python")
        pip = [sys.executable, "-m", "pip", "--python", python]
        done = self._run([*pip, "install", "-q", "--no-compile", *what])
        assert done.returncode == 0, done.stdout + done.stderr

    def say(self, program: str, *words: str, **environment: str) -> str:
        """All that a program of the environment prints."""
        done = self._run([str(self.environment / "bin" / program), *words], **environment)
        return done.stdout + done.stderr

    def _run(self, command: list[str], **more: str) -> subprocess.CompletedProcess[str]:
        kept = {name: value for name, value in os.environ.items() if name != "PYTHONPATH"}
        return subprocess.run(
            command, cwd=self.folder, env=kept | more, capture_output=True, text=True, check=False
        )


def authors_machine(place: Path, needed: Iterable[str] = NEEDED) -> AuthorsMachine:
    """A new one, in a folder. What it needs is copied from here, so no registry is asked."""
    made = AuthorsMachine(place / "environment", place / "home")
    made.folder.mkdir()
    venv.create(made.environment, with_pip=False, symlinks=True)
    for name in needed:
        for file in distribution(name).files or ():
            if ".." not in file.parts and Path(str(file.locate())).exists():
                into = made.packages / file
                into.parent.mkdir(parents=True, exist_ok=True)
                # With its times, by which byte code knows its sources.
                shutil.copy2(str(file.locate()), into)
    return made
