"""A progress bar for repeated runs."""

import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager

import click


@contextmanager
def progress_bar(runs: int, label: str = "runs") -> Iterator[Callable[[int], object]]:
    """Show a progress bar on stderr if it is a terminal."""
    hidden = not sys.stderr.isatty()
    with click.progressbar(length=runs, file=sys.stderr, label=label, hidden=hidden) as bar:
        yield lambda _: bar.update(1)
