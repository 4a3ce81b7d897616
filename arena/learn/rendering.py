"""A table as text, from what one seat sees of it."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

import numpy as np

from arena.games.batch import Games

PLACE = re.compile(r" \+(\d)$")  # of a column that is by seat


def table_text(games: Games, seen: Sequence[int], seat: int) -> str:
    """The first game of a batch through the eyes of a seat, whose observation (C,) is `seen`."""
    seats: list[dict[str, list[str]]] = [{} for _ in range(games.seats)]
    table: dict[str, list[str]] = {}
    for name, value in zip(games.columns, seen, strict=True):
        place = PLACE.search(name)
        into = seats[(seat + int(place[1])) % games.seats] if place else table
        label, shown = _entry(games.rules.kinds, PLACE.sub("", name), value)
        into.setdefault(label, []).extend(shown)
    return "\n".join(_lines(games, seats, table, seat))


def _entry(kinds: Sequence[str], name: str, value: int) -> tuple[str, list[str]]:
    """A column's label and what it says: cards, each as often as there are, or a number."""
    for kind in kinds:
        if name.endswith(f" {kind}"):
            return name.removesuffix(f" {kind}"), [kind] * value
    return name, [str(value)]


def _lines(
    games: Games, seats: list[dict[str, list[str]]], table: dict[str, list[str]], seat: int
) -> Iterator[str]:
    over = bool(games.finished[0])
    state = "the match is over" if over else f"{games.rules.phases[games.phase[0]]}"
    yield f"{games.rules.title}, round {games.round[0]}, player_{seat}: {state}"
    for number, entries in enumerate(seats):
        quit_ = " (quit)" if entries.pop("active") == ["0"] else ""
        said = ", ".join(f"{label} {' '.join(shown) or 'none'}" for label, shown in entries.items())
        yield f"  player_{number}{quit_}: {said}"
    for label, shown in table.items():
        if label != "round" and not label.startswith("phase "):
            yield f"  {label}: {' '.join(shown)}".rstrip()
    if not over:
        legal = [games.rules.notation[index] for index in np.flatnonzero(games.legal[0])]
        yield f"  legal: {', '.join(legal)}"
