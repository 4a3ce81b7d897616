"""Packages that an author brings along: wheels in the folder `wheels`, which the build installs
into `site-packages`."""

from __future__ import annotations

from collections.abc import Sequence

from arena.base.errors import InvalidRequest
from arena.hosting.submission.files import File, shown

WHEELS, FOLDER = "wheels", "site-packages"
ENDING = ".whl"
SOURCES = (".tar.gz", ".zip", ".tar.bz2")


def wheels_of(files: Sequence[File]) -> list[File]:
    """The wheels among these files. Raises InvalidRequest where they cannot be meant: sources
    instead of wheels, or a folder of the author's where they would be installed."""
    inside = [file for file in files if file.name.startswith(f"{WHEELS}/")]
    found = [file for file in inside if file.name.endswith(ENDING) and file.name.count("/") == 1]
    for file in inside:
        if file.name.endswith(SOURCES):
            raise InvalidRequest(
                f"{shown(file.name)} is no wheel, and nothing is run to make one of it: make it on "
                "your machine, with `pip wheel`."
            )
    if found:
        check_free(files)
    return found


def check_free(files: Sequence[File]) -> None:
    """Raises InvalidRequest if there is something where packages are installed."""
    if any(file.name.startswith(f"{FOLDER}/") for file in files):
        raise InvalidRequest(
            f"{FOLDER} is where the build installs packages: give your folder another name, or "
            "leave the packages out."
        )


def hidden(files: Sequence[File]) -> list[str]:
    """The names of installed modules that a module of the bot's folder hides."""
    installed = {_module(file.name.split("/", 2)[1]) for file in files if _is_installed(file)}
    own = {_module(file.name.split("/")[0]) for file in files if _is_module(file.name)}
    return sorted(own & installed)


def _is_installed(file: File) -> bool:
    return file.name.startswith(f"{FOLDER}/")


def _is_module(name: str) -> bool:
    """Whether this file is a module at the root, or makes a folder there one."""
    return name.endswith(".py") and ("/" not in name or name.count("/") == 1)


def _module(name: str) -> str:
    return name.partition(".")[0]
