"""One match, and the types of its record."""

from collections.abc import Sequence
from typing import Any, Literal, NotRequired

from flask import Blueprint, render_template
from typing_extensions import TypedDict  # pydantic needs this one before Python 3.12

from arena.base.errors import NotNow
from arena.games.match import FaultKind
from arena.games.packed_log import replay
from arena.games.rules import game_class
from arena.service.control.results import record_of
from arena.store.matches.luck import StoredLuck
from arena.store.matches.matches import StoredMatch
from arena.store.tournaments.daily import why_sealed
from arena.tournaments.ratings.match_luck import GAME, KINDS
from dashboard.api.answer import answers
from dashboard.api.shape import Shape
from dashboard.matches.detail.sheet import sheet
from dashboard.matches.shown import shown

page = Blueprint("match", __name__)


# The type of a match record, made by `arena.games.record.export`, see docs/data.md.
class RecordSeat(TypedDict):
    """The bot at a seat, with its version."""

    bot: str
    version: str


class RecordMove(TypedDict):
    """One move.

    `latency_us` is present if a bot was asked, `fault` if the default action was played instead of
    its answer, `forfeited` if its seat had forfeited, and `dice` for a roll.
    """

    seat: int
    action: str
    latency_us: NotRequired[int]
    fault: NotRequired[FaultKind]
    forfeited: NotRequired[Literal[True]]
    dice: NotRequired[list[str]]


class RecordRound(TypedDict):
    """One round; lists are by seat.

    Games with hands have the `hands` as dealt, the start card `top` and the `pile`, whose first
    card is drawn first. Dice has the `rows` of the seats. `penalties` were scored at the end of
    the round, `points` are the totals after it.
    """

    starter: int
    hands: NotRequired[list[list[str]]]
    top: NotRequired[str]
    pile: NotRequired[list[str]]
    rows: NotRequired[list[list[str]]]
    moves: list[RecordMove]
    penalties: list[int]
    points: list[int]


class RecordResult(TypedDict):
    """The result by seat; `faults` includes the fault by which a seat forfeited."""

    points: list[int]
    ranks: list[int]
    winners: list[int]
    faults: list[FaultKind | None]


class MatchRecord(TypedDict):
    """A complete match, which can be replayed and verified from `seed` and moves."""

    format: Literal["lama-arena/match/1"]
    id: str
    game: str
    ruleset: str
    options: dict[str, str]
    seed: str
    seats: list[RecordSeat]
    rounds: list[RecordRound]
    result: RecordResult


LUCK = Shape(
    "MatchLuck",
    about="Luck of each seat in a match, in wins against an average opponent (a tie counts 0.5). "
    "`kinds` splits it by kind of event. All fields are empty until it is known. "
    "`model` is the version of the luck model.",
    more={"match": str, "model": str, "luck": list[float], "kinds": dict[str, list[float]]},
)


def open_match(match: str) -> StoredMatch:
    """Return a match that is not locked. Raises NotFound, NotNow."""
    stored = shown().match(match)
    if stored.locked:
        raise NotNow(why_sealed(shown().with_tournament(match)[1]))
    return stored


@page.get("/matches/<match:match>")
def show(match: str) -> str:
    stored, tournament = shown().with_tournament(match)
    context = {"match": stored, "tournament": tournament, "options": _changed_options(stored)}
    if stored.locked:
        sentence = why_sealed(tournament)
        return render_template("matches/detail/locked.html", **context, sentence=sentence)
    known = shown().luck(stored)
    reasons = {note.number: note.reason for note in stored.notes}
    played = replay(stored.setup, stored.log, reasons)
    return render_template(
        "matches/detail/page.html",
        **context,
        played=played,
        rounds=sheet(played),
        luck=luck_of(stored, known) if known else None,
    )


@page.get("/api/matches/<match:match>")
@answers(MatchRecord, refuses=(409,))
def as_json(match: str) -> dict[str, Any]:
    """The record of a match ("lama-arena/match/1"), once all matches of its deal are played."""
    return record_of(open_match(match))


@page.get("/api/matches/<match:match>/luck")
@answers(LUCK, refuses=(409,))
def luck_as_json(match: str) -> dict[str, Any]:
    """The luck of a match, once all matches of its deal are played."""
    stored = open_match(match)
    known = shown().luck(stored)
    if known is None:
        return LUCK.tell(match=stored.id, model="", luck=[], kinds={})
    found = luck_of(stored, known)
    return LUCK.tell(match=stored.id, model=known.model, luck=found["all"], kinds=found["kinds"])


def _changed_options(stored: StoredMatch) -> dict[str, str]:
    """Return the options that differ from the game's defaults."""
    usual = game_class(stored.game).check_options({})
    return {name: value for name, value in stored.options.items() if value != usual.get(name)}


def luck_of(match: StoredMatch, known: StoredLuck) -> dict[str, Any]:
    """Return the luck of a match against an average opponent, by seat, and by the kinds of event
    that occurred. `sentence` relates it to the winners."""
    whole = GAME * max(len(match.seats) - 1, 1)
    kinds = {
        kind: (row / whole).tolist()
        for kind, row in zip(KINDS, known.luck.kinds, strict=True)
        if row.any()
    }
    scores = list(known.luck.scores)
    return {"all": scores, "kinds": kinds, "sentence": _sentence(match, scores)}


def _how(luck: float) -> str:
    if f"{abs(luck):.2f}" == "0.00":
        return "with neither good nor bad luck"
    kind = "helped by good luck" if luck > 0 else "despite bad luck"
    return f"{kind} worth {abs(luck):.2f} wins"


def _sentence(match: StoredMatch, scores: Sequence[float]) -> str:
    won = [
        f"{seat.bot} won, {_how(luck)}"
        for seat, luck in zip(match.seats, scores, strict=True)
        if seat.rank == 1 and not seat.forfeited
    ]
    return f"{', and '.join(won)}." if won else "No player won."
