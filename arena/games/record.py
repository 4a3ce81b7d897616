"""The record of a match as JSON: export and verification."""

import json
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from typing import Any

from arena.base.errors import InvalidRequest
from arena.games.match import Match, result_of
from arena.games.rules import Game, RoundLog, game_class
from arena.games.rules.errors import RulesError

FORMAT = "lama-arena/match/1"


class RecordError(InvalidRequest):
    """A record is damaged, or does not follow from its seed and moves."""


def export(match: Match) -> dict[str, Any]:
    """Returns the record of a finished match in the JSON export format.

    Moves that a bot decided have `latency_us`. Default actions played for a seat after it
    forfeited have `forfeited: true`.
    """
    setup, game, result = match.setup, match.game, match.result
    details = move_details(match)
    return {
        "format": FORMAT,
        "id": setup.id,
        "game": setup.game,
        "ruleset": game.ruleset,
        "options": dict(game.options),
        "seed": setup.seed.hex(),
        "seats": [{"bot": seat.bot, "version": seat.version} for seat in setup.seats],
        "rounds": [round_record(game, log, details) for log in game.rounds],
        "result": {
            "points": list(result.points),
            "ranks": list(result.ranks),
            "winners": list(result.winners),
            "faults": list(result.faults),
        },
    }


def round_record(game: Game, log: RoundLog, details: Iterator[dict[str, Any]]) -> dict[str, Any]:
    """Returns a round of a record; takes its moves' details from `details`."""
    moves = [
        {
            "seat": seat,
            "action": game.notation[action],
            **game.move_result(log, place),
            **next(details),
        }
        for place, (seat, action) in enumerate(log.moves)
    ]
    return {
        "starter": log.starter,
        **game.round_start(log),
        "moves": moves,
        "penalties": list(log.penalties),
        "points": list(log.points),
    }


def move_details(match: Match) -> Iterator[dict[str, Any]]:
    """Yields the additional fields of each move in order, next to seat and action."""
    logged = {entry.number: entry for entry in match.logged}
    forfeits = {fault.seat: fault.number for fault in match.faults if fault.forfeited}
    moves = [seat for log in match.game.rounds for seat, _ in log.moves]
    for number, seat in enumerate(moves, 1):
        details: dict[str, Any] = {}
        if number in logged:
            details["latency_us"] = logged[number].latency_us
            if logged[number].fault:
                details["fault"] = logged[number].fault
        elif number > forfeits.get(seat, number):
            details["forfeited"] = True
        yield details


def parse(text: str | bytes) -> dict[str, Any]:
    """Parses a JSON record. Raises RecordError if it is not one, or in another format."""
    try:
        return in_format(json.loads(text))
    except ValueError as error:
        raise RecordError(f"The record is not valid JSON ({error}).") from None


def in_format(record: Any) -> dict[str, Any]:
    """Returns the record. Raises RecordError unless this release reads its format."""
    if not isinstance(record, dict) or "format" not in record:
        raise RecordError("This is not a match record.")
    if record["format"] != FORMAT:
        raise RecordError(
            f"The record has the format {record['format']!r}, but this release reads {FORMAT!r}. "
            "Install a newer lama-arena."
        )
    return record


def verify(record: Mapping[str, Any]) -> None:
    """Replays a JSON record from its seed and moves, and compares everything else with it. Raises
    RecordError that names the first difference or missing part."""
    with explained():
        compare(record, play_again(record))


def replayed(record: Mapping[str, Any]) -> Game:
    """Returns the finished game of a JSON record. Raises RecordError if the record is malformed or
    breaks the rules. Does not compare rounds and result; see `verify`."""
    with explained():
        return play_again(record)


@contextmanager
def explained() -> Iterator[None]:
    """Converts the errors that a damaged record causes to RecordError."""
    try:
        yield
    except (KeyError, TypeError, ValueError, AttributeError) as error:
        raise RecordError(f"The record is incomplete or malformed ({error!r}).") from None
    except RulesError as error:
        raise RecordError(f"The record breaks the rules: {error}") from None


def play_again(record: Mapping[str, Any]) -> Game:
    """Returns the game replayed from a record's seed and moves."""
    if not in_format(record)["ruleset"]:
        raise RecordError("The record does not name a ruleset.")
    kind = game_class(record["game"], record["ruleset"])
    game = kind(len(record["seats"]), bytes.fromhex(record["seed"]), record["options"])
    for round_number, recorded in enumerate(record["rounds"], 1):
        for move in recorded["moves"]:
            if game.round != round_number:
                raise RecordError(f"Round {round_number} has moves after its end.")
            game.apply(kind.parse(move["action"]), move["seat"])
    return game


def compare(record: Mapping[str, Any], game: Game) -> None:
    """Raises RecordError if a record's rounds or result differ from the replayed game."""
    if not game.finished or len(game.rounds) != len(record["rounds"]):
        raise RecordError("The moves end before the match does.")
    for number, (recorded, log) in enumerate(zip(record["rounds"], game.rounds, strict=True), 1):
        replayed = round_record(game, log, ({} for _ in log.moves))
        for key in replayed.keys() - {"moves"}:
            if recorded[key] != replayed[key]:
                raise RecordError(
                    f"Round {number}: {key} is {recorded[key]}, replayed {replayed[key]}."
                )
        compare_moves(number, recorded["moves"], replayed["moves"])
    recorded_result = record["result"]
    result = result_of(game.points, list(recorded_result["faults"]))
    for key in ("points", "ranks", "winners"):
        if list(recorded_result[key]) != list(getattr(result, key)):
            raise RecordError(f"The result's {key} do not follow from the moves.")


def compare_moves(
    number: int, recorded: list[dict[str, Any]], replayed: list[dict[str, Any]]
) -> None:
    """Raises RecordError if the dice of a move differ from the replayed ones."""
    for place, (move, again) in enumerate(zip(recorded, replayed, strict=True), 1):
        if move.get("dice") != again.get("dice"):
            raise RecordError(
                f"Round {number}, move {place}: dice are {move.get('dice')}, "
                f"replayed {again.get('dice')}."
            )
