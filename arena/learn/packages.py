"""The packages of the extra `learn`, which an author need not have."""

from __future__ import annotations

from arena.errors import Unavailable


class MissingPackage(Unavailable):
    """A package of the extra is not installed."""

    def __init__(self, name: str) -> None:
        super().__init__(
            f'This needs the package {name}: install it with pip install "lama-arena[learn]".'
        )
