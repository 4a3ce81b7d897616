"""A match record as text: who played, then every round, move by move."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

Record = Mapping[str, Any]


def lines(record: Record) -> Iterator[str]:
    """The whole match."""
    names = [f"{seat['bot']}" for seat in record["seats"]]
    yield f"Match {record['id']}: {record['game']} ({record['ruleset']})"
    yield f"Seed  {record['seed']}"
    yield from _result(record, names)
    for number, round_ in enumerate(record["rounds"], 1):
        yield ""
        yield from _round(number, round_, names)


def _result(record: Record, names: list[str]) -> Iterator[str]:
    result = record["result"]
    width = max(map(len, names))
    for seat, name in enumerate(names):
        fault = result["faults"][seat]
        yield (
            f"  seat {seat}  {name:{width}}  rank {result['ranks'][seat]}"
            f"  {_points(result['points'][seat]):>10}"
            + (f"  forfeited: {fault}" if fault else "")
            + ("  winner" if seat in result["winners"] else "")
        )


def _round(number: int, round_: Record, names: list[str]) -> Iterator[str]:
    width = max(map(len, names))
    yield f"Round {number}"
    for name, hand in zip(names, round_.get("hands", ()), strict=False):
        yield f"  {name:{width}}  {' '.join(hand)}"
    if "top" in round_:
        yield f"  {'start card':{width}}  {round_['top']}"
    for move in round_["moves"]:
        yield f"  {names[move['seat']]:>{width}}: {_move(move)}"
    scored = [
        f"{name} +{penalty} = {held}"
        for name, penalty, held in zip(names, round_["penalties"], round_["points"], strict=True)
    ]
    yield f"  Points: {', '.join(scored)}"


def _move(move: Record) -> str:
    words = str(move["action"])
    if "dice" in move:
        words += f": {' '.join(move['dice'])}"
    if "fault" in move:
        words += f"  (fault: {move['fault']})"
    elif move.get("forfeited"):
        words += "  (forfeited)"
    return words


def _points(count: int) -> str:
    return f"{count} point{'' if count == 1 else 's'}"
