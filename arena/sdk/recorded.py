"""Replays a finished match from its record, one decision at a time."""

from collections.abc import Mapping, Sequence
from typing import Any

from arena.games.match import FAULT_KINDS, Fault, Match, MatchSetup, Seat
from arena.games.record import RecordError, explained, verify

DO_NOT_FIT = "The faults of the record do not fit its moves."
NO_LIMIT = 2**31  # fault limit; the record states which seats forfeited

Record = Mapping[str, Any]
Move = Mapping[str, Any]  # a move of a record


class Recorded:
    """The match of a record that `replayed` has verified, at one of its decisions."""

    def __init__(self, record: Record) -> None:
        """Starts at the first decision. Raises RecordError."""
        with explained():
            self.match = Match(_setup(record))
            self.moves = [move for round_ in record["rounds"] for move in round_["moves"]]
            self._forfeiting = _forfeiting(record, self.moves)

    @property
    def move(self) -> Move:
        """The recorded move at the current decision. Raises RecordError."""
        view = self.match.decision
        assert view is not None
        if view.number > len(self.moves) or self.moves[view.number - 1]["seat"] != view.seat:
            raise RecordError(DO_NOT_FIT)
        move: Move = self.moves[view.number - 1]
        return move

    def step(self) -> Fault | None:
        """Moves to the next decision. Returns the fault, if any. Raises RecordError."""
        with explained():
            move, spent = self.move, int(self.move.get("latency_us", 0))
            if "fault" in move:
                return self._fail(move, spent)
            if self.match.answer(move["action"], spent) is not None:
                raise RecordError(DO_NOT_FIT)
            return None

    def _fail(self, move: Move, spent: int) -> Fault:
        view = self.match.decision
        assert view is not None
        if move["fault"] not in FAULT_KINDS:
            raise RecordError(f"Decision {view.number} has the unknown fault {move['fault']!r}.")
        fault = self.match.fail(move["fault"], "", spent, view.number in self._forfeiting)
        if fault.instead != move["action"]:
            raise RecordError(DO_NOT_FIT)
        return fault


def replayed(record: Record) -> Match:
    """Returns the finished match of a record. Raises RecordError if the record does not follow from
    its seed and moves, or if its faults do not fit them."""
    verify(record)
    recorded = Recorded(record)
    while recorded.match.decision is not None:
        recorded.step()
    match = recorded.match
    with explained():
        expected = [(move["seat"], match.game.parse(move["action"])) for move in recorded.moves]
    if [move for log in match.game.rounds for move in log.moves] != expected:
        raise RecordError(DO_NOT_FIT)
    return match


def _setup(record: Record) -> MatchSetup:
    seats = tuple(Seat(str(seat["bot"]), str(seat["version"])) for seat in record["seats"])
    seed = bytes.fromhex(record["seed"])
    return MatchSetup(
        str(record["id"]), record["game"], seed, seats, record["options"], NO_LIMIT,
        record["ruleset"],
    )  # fmt: skip


def _forfeiting(record: Record, moves: Sequence[Move]) -> set[int]:
    """Returns the decisions at whose faults seats forfeited: the last fault of each."""
    last = {move["seat"]: number for number, move in enumerate(moves, 1) if "fault" in move}
    forfeited = [seat for seat, fault in enumerate(record["result"]["faults"]) if fault]
    return {last[seat] for seat in forfeited}
