"""A match as a score sheet: a column per seat, a line each time round the table."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from arena.match import Fault, Match
from arena.record import export


@dataclass(frozen=True)
class Move:
    """One move. `verb` and `card` are what is to be read: plays 4, draws llama, returns 10."""

    number: int  # of the decision
    seat: int
    verb: str
    card: str = ""
    token: str = ""
    dice: tuple[str, ...] = ()
    latency_us: int | None = None  # None where the rules left no choice
    fault: Fault | None = None
    forfeited: bool = False  # played for a seat that had forfeited


@dataclass(frozen=True)
class Round:
    """One round; sequences are by seat."""

    number: int
    starter: int
    hands: Sequence[Sequence[str]]
    top: str
    lines: list[list[Move | None]]
    left: Sequence[Sequence[str]]  # in hand at the end
    penalties: Sequence[int]
    returned: Sequence[int]  # points given back
    points: Sequence[int]
    faults: list[Fault] = field(default_factory=list)


def sheet(match: Match) -> list[Round]:
    """The rounds of a finished match."""
    record = export(match)
    faults = {fault.number: fault for fault in match.faults}
    numbers = iter(range(1, 1 + sum(len(told["moves"]) for told in record["rounds"])))
    rounds: list[Round] = []
    held: Sequence[int] = [0] * len(record["seats"])
    for index, (told, log) in enumerate(zip(record["rounds"], match.game.rounds, strict=True), 1):
        moves = list(_moves(told, numbers, faults))
        scored = zip(held, told["penalties"], told["points"], strict=True)
        held = told["points"]
        rounds.append(
            Round(
                number=index,
                starter=told["starter"],
                hands=told.get("hands", ()),
                top=told.get("top", ""),
                lines=laps(moves, len(record["seats"])),
                left=match.game.closing(log),
                penalties=told["penalties"],
                returned=[before + penalty - after for before, penalty, after in scored],
                points=told["points"],
                faults=[move.fault for move in moves if move.fault],
            )
        )
    return rounds


def _moves(
    told: Mapping[str, Any], numbers: Iterator[int], faults: Mapping[int, Fault]
) -> Iterator[Move]:
    pile = iter(told.get("pile", ()))
    for move in told["moves"]:
        number = next(numbers)
        yield Move(
            number=number,
            seat=move["seat"],
            dice=tuple(move.get("dice", ())),
            latency_us=move.get("latency_us"),
            fault=faults.get(number),
            forfeited=move.get("forfeited", False),
            **in_words(move["action"], pile),
        )


def in_words(action: str, pile: Iterator[str]) -> dict[str, str]:
    """An action in notation as something that a seat does; a drawn card comes from the pile."""
    verb, _, what = action.partition(" ")
    if verb == "play" and what:
        return {"verb": "plays", "card": what}
    if action == "draw":
        return {"verb": "draws", "card": next(pile, "")}
    if verb == "return" and what.isdigit():
        return {"verb": "returns", "token": what}
    plain = {"quit": "quits", "keep": "keeps all tokens"}
    return {"verb": plain.get(action, action)}


def laps(moves: Sequence[Move], seats: int) -> list[list[Move | None]]:
    """The moves in lines: a new one whenever the turn passes seat 0, or comes back to a seat."""
    lines: list[list[Move | None]] = []
    last = seats
    for move in moves:
        if move.seat <= last:
            lines.append([None] * seats)
        lines[-1][move.seat] = move
        last = move.seat
    return lines
