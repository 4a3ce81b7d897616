"""Programs of the laboratory, which an installation does not have."""

import sys


def python(module: str, *arguments: str) -> tuple[str, ...]:
    """The command that runs a module of `tests`, from the project's folder."""
    return (sys.executable, "-m", module, *arguments)
