"""A table as text, as seen from a seat."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

import numpy as np

from arena.games.batch import Games

PLACE = re.compile(r" \+(\d)$")  # the end of the names of columns by seat


def table_text(games: Games, seen: Sequence[int], seat: int) -> str:
    """Returns a seat's view of the first game of a batch; `seen` is its observation (C,)."""
    seats: list[dict[str, list[str]]] = [{} for _ in range(games.seats)]
    table: dict[str, list[str]] = {}
    for name, value in zip(games.columns, seen, strict=True):
        place = PLACE.search(name)
        into = seats[(seat + int(place[1])) % games.seats] if place else table
        label, shown = _entry(games.rules.kinds, PLACE.sub("", name), value)
        into.setdefault(label, []).extend(shown)
    return "\n".join(_lines(games, seats, table, seat))


def _entry(kinds: Sequence[str], name: str, value: int) -> tuple[str, list[str]]:
    """Returns a column's label and its value: repeated cards, or a number."""
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
