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
    installed: set[str] = set()
    own: set[str] = set()
    for file in files:
        top, *inside = file.name.split("/")
        if top == FOLDER and inside:
            installed.add(_module(inside[0]))
        if file.name.endswith(".py") and len(inside) <= 1:  # at the root, or in a package there
            own.add(_module(top))
    return sorted(own & installed)


def _module(name: str) -> str:
    return name.partition(".")[0]
