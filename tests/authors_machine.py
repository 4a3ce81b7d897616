"""An author's machine: an environment with gRPC and protobuf, without this checkout."""

import os
import shutil
import subprocess
import sys
import venv
from collections.abc import Iterable
from dataclasses import dataclass
from importlib.metadata import distribution, distributions, requires
from pathlib import Path

from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

NEEDED = ("grpcio", "protobuf", "typing_extensions")
PIP = "import sys\n\nfrom pip._internal.cli.main import main\n\nsys.exit(main())\n"


@dataclass(frozen=True)
class AuthorsMachine:
    """An environment, and the working directory of its commands."""

    environment: Path
    folder: Path

    @property
    def packages(self) -> Path:
        """Its site-packages."""
        return site_packages(self.environment)

    def install(self, *what: str) -> None:
        """Runs pip without downloads and without compiling."""
        python = str(self.environment / "bin/python")
        pip = [sys.executable, "-m", "pip", "--python", python]
        done = self._run([*pip, "install", "-q", "--no-compile", *what])
        assert done.returncode == 0, done.stdout + done.stderr

    def say(self, program: str, *words: str, **environment: str) -> str:
        """Runs a program of the environment and returns its output."""
        done = self._run([str(self.environment / "bin" / program), *words], **environment)
        return done.stdout + done.stderr

    def _run(self, command: list[str], **more: str) -> subprocess.CompletedProcess[str]:
        kept = {name: value for name, value in os.environ.items() if name != "PYTHONPATH"}
        return subprocess.run(
            command, cwd=self.folder, env=kept | more, capture_output=True, text=True, check=False
        )


def environment_with_pip(place: Path) -> None:
    """A virtual environment with copies of this one's pip and of the packages that are always
    required, which is faster than installing them."""
    venv.create(place, with_pip=False, symlinks=True)
    copy_packages(["pip", *NEEDED], site_packages(place))
    script = place / "bin/pip"
    script.write_text(f"#!{place}/bin/python\n{PIP}")
    script.chmod(0o755)


def authors_machine(place: Path, needed: Iterable[str] = NEEDED) -> AuthorsMachine:
    """A new author's machine in a folder. Packages are copied, so no registry is needed."""
    made = AuthorsMachine(place / "environment", place / "home")
    made.folder.mkdir()
    venv.create(made.environment, with_pip=False, symlinks=True)
    copy_packages(needed, made.packages)
    return made


def site_packages(environment: Path) -> Path:
    """The site-packages of an environment."""
    return next(environment.glob("lib/python*/site-packages"))


def copy_packages(names: Iterable[str], into: Path) -> None:
    """Copies packages, without their commands, to another site-packages that lacks them. The copies
    are hard links on the same file system."""
    there = {canonicalize_name(each.name) for each in distributions(path=[str(into)])}
    for name in names:
        for file in distribution(name).files or ():
            if name not in there and ".." not in file.parts and Path(str(file.locate())).exists():
                copy = into / file
                copy.parent.mkdir(parents=True, exist_ok=True)
                try:
                    os.link(str(file.locate()), copy)
                except OSError:
                    # Keep the times, which bytecode is checked against.
                    shutil.copy2(str(file.locate()), copy)


def needed_by(extra: str) -> list[str]:
    """The direct and transitive dependencies of one of our extras."""
    names, found = {f"lama-arena[{extra}]"}, {"lama-arena"}
    while names:
        wanted = Requirement(names.pop())
        for line in requires(wanted.name) or ():
            each = Requirement(line)
            extras = wanted.extras or {""}
            name = canonicalize_name(each.name)
            fits = not each.marker or any(each.marker.evaluate({"extra": e}) for e in extras)
            if fits and name not in found:
                found.add(name)
                names.add(f"{name}[{','.join(each.extras)}]" if each.extras else name)
    return sorted(found - {"lama-arena"})
