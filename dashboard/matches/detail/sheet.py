"""A match as a score sheet: a column per seat, a line per turn of the table.

Actions are texts: "play 4" becomes "plays" and the card 4.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import accumulate, pairwise
from typing import Any, NamedTuple

from arena.games.match import Fault, Match
from arena.games.record import export
from arena.games.replay import Step, restarted, steps

VERBS = {
    verb: f"{verb}s"
    for verb in (
        *("collect", "discard", "draw", "give", "keep", "play"),
        *("quit", "return", "roll", "swap", "take"),
    )
}
OF_CARDS = ("discard", "play", "take")
TURN = "turn"


class Words(NamedTuple):
    """A verb with its cards, token or further text."""

    verb: str
    cards: tuple[str, ...] = ()
    token: str = ""
    more: str = ""


def in_words(action: str, seat: int, names: Sequence[str]) -> Words:
    """Return an action as text; unknown actions are returned unchanged."""
    verb, _, what = action.partition(" ")
    if verb not in VERBS:
        return Words(action)
    if verb in OF_CARDS:
        return Words(VERBS[verb], tuple(what.split()))
    if verb == "return" and what.isdigit():
        return Words(VERBS[verb], token=what)
    if verb == "give" and what[:1] == "+" and what[1:].isdigit():
        # The number is the receiver's distance to the left.
        return Words(VERBS[verb], more=f"to {names[(seat + int(what[1:])) % len(names)]}")
    return Words(VERBS[verb], more=what)


@dataclass(frozen=True)
class Move:
    """One move, as text and cards."""

    number: int  # of the decision
    seat: int
    words: Words
    dice: Sequence[str]
    drawn: Sequence[str]  # cards drawn from the pile
    begins_turn: bool  # False for further moves in the same turn
    latency_us: int | None  # None for a forced move
    fault: Fault | None
    forfeited: bool  # played for a seat that had forfeited


Line = list[list[Move]]  # by seat: the moves of its turn


@dataclass(frozen=True)
class RoundSheet:
    """One round; sequences are by seat."""

    number: int
    starter: int
    hands: Sequence[Sequence[str]]  # as dealt, or face-up rows
    top: str  # the start card, where there is one
    lines: list[Line]
    left: Sequence[Sequence[str]]  # cards at the end
    penalties: Sequence[int]  # points for those
    otherwise: Sequence[int]  # other changes of the points, such as returned tokens
    points: Sequence[int]
    faults: list[Fault]


def sheet(match: Match) -> list[RoundSheet]:
    rounds = export(match)["rounds"]
    firsts = accumulate((len(record["moves"]) for record in rounds), initial=1)
    held = [restarted(match.game).points, *(record["points"] for record in rounds)]
    stepped = steps(match.game)
    return [
        _round(match, index, record, list(_moves(match, record, first, stepped)), before)
        for index, (record, first, (before, _)) in enumerate(
            zip(rounds, firsts, pairwise(held), strict=False)
        )
    ]


def _round(
    match: Match, index: int, record: Mapping[str, Any], moves: list[Move], before: Sequence[int]
) -> RoundSheet:
    changes = zip(before, record["penalties"], record["points"], strict=True)
    return RoundSheet(
        number=index + 1,
        starter=record["starter"],
        hands=record.get("hands") or record.get("rows") or (),
        top=record.get("top", ""),
        lines=laps(moves, match.game.seats),
        left=match.game.final_hands(match.game.rounds[index]),
        penalties=record["penalties"],
        otherwise=[after - held - penalty for held, penalty, after in changes],
        points=record["points"],
        faults=[move.fault for move in moves if move.fault],
    )


def _moves(
    match: Match, record: Mapping[str, Any], first: int, stepped: Iterator[Step]
) -> Iterator[Move]:
    faults = {fault.number: fault for fault in match.faults}
    names = [seat.bot for seat in match.setup.seats]
    for number, move in enumerate(record["moves"], first):
        step = next(stepped)
        yield Move(
            number=number,
            seat=move["seat"],
            words=in_words(move["action"], move["seat"], names),
            dice=move.get("dice", ()),
            drawn=step.drawn,
            begins_turn=step.view.ask == TURN,
            latency_us=move.get("latency_us"),
            fault=faults.get(number),
            forfeited=move.get("forfeited", False),
        )


def laps(moves: Sequence[Move], seats: int) -> list[Line]:
    """Return the moves in lines, each read from left to right, with all moves of a turn in one."""
    lines: list[Line] = []
    last = seats
    for move in moves:
        if move.seat < last or (move.seat == last and move.begins_turn):
            lines.append([[] for _ in range(seats)])
        lines[-1][move.seat].append(move)
        last = move.seat
    return lines
