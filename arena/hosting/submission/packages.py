"""Packages in an upload: wheels in the folder `wheels`, which the build installs into
`site-packages`."""

from collections.abc import Sequence

from arena.base.errors import InvalidRequest
from arena.hosting.submission.files import File, shown

WHEELS, FOLDER = "wheels", "site-packages"
ENDING = ".whl"
SOURCES = (".tar.gz", ".zip", ".tar.bz2")


def wheels_of(files: Sequence[File]) -> list[File]:
    """Return the wheels among these files. Raises InvalidRequest for source distributions, and if
    the author uses the folder into which wheels are installed."""
    inside = [file for file in files if file.name.startswith(f"{WHEELS}/")]
    found = [file for file in inside if file.name.endswith(ENDING) and file.name.count("/") == 1]
    for file in inside:
        if file.name.endswith(SOURCES):
            raise InvalidRequest(
                f"{shown(file.name)} is not a wheel. Source distributions are not built here. Build"
                " a wheel with `pip wheel` and submit that."
            )
    if found:
        check_free(files)
    return found


def check_free(files: Sequence[File]) -> None:
    """Raises InvalidRequest if the folder into which packages are installed is in use."""
    if any(file.name.startswith(f"{FOLDER}/") for file in files):
        raise InvalidRequest(
            f"The build installs packages into {FOLDER}, but the upload has a folder of that name."
            " Rename your folder, or leave the packages out."
        )


def hidden(files: Sequence[File]) -> list[str]:
    """Return the names of installed modules that are hidden by modules of the bot."""
    installed = {_module(file.name.split("/", 2)[1]) for file in files if _is_installed(file)}
    own = {_module(file.name.split("/")[0]) for file in files if _is_module(file.name)}
    return sorted(own & installed)


def _is_installed(file: File) -> bool:
    return file.name.startswith(f"{FOLDER}/")


def _is_module(name: str) -> bool:
    """Return whether this file is a module at the root, or makes a folder there a package."""
    return name.endswith(".py") and ("/" not in name or name.count("/") == 1)


def _module(name: str) -> str:
    return name.partition(".")[0]
