"""`python -m tests.lab`, in the project's folder."""

from __future__ import annotations

from typing import TYPE_CHECKING

from arena.cli import main_of

if TYPE_CHECKING:
    import click


def root() -> click.Command:
    """The command, imported only now."""
    from tests.lab.commands.root import lab

    return lab


if __name__ == "__main__":
    main_of("python -m tests.lab", root)
