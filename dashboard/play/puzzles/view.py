"""Puzzles: the page that offers one, a puzzle with its answer, and both as JSON.

The answer is in no response before the visitor has answered. Without an account nothing is stored.
"""

from collections.abc import Sequence
from contextlib import suppress
from typing import Any

from flask import Blueprint, redirect, render_template, request, url_for
from flask.typing import ResponseReturnValue
from typing_extensions import TypedDict  # pydantic needs this one before Python 3.12

from arena.base import instant
from arena.base.errors import LimitReached, NotFound, NotNow, Unavailable
from arena.games.rules import GAMES
from arena.store.reports import people
from arena.store.reviews import puzzles, requests
from arena.store.reviews.puzzles import PuzzleAttempt, StoredPuzzle
from dashboard.account.guard import limited
from dashboard.account.session import current_account
from dashboard.api.answer import answers
from dashboard.api.parameters import AFTER, choice, limit
from dashboard.api.shape import Many, Shape
from dashboard.matches.replay.review.view import request_review
from dashboard.matches.replay.view import unattended
from dashboard.matches.shown import shown
from dashboard.play.puzzles.position import position_of
from dashboard.play.starting import asked_game
from dashboard.sources import sources

page = Blueprint("puzzles", __name__)

REVIEWS = 3  # requested at once to make puzzles
NOT_OFFERED = "That is not an action of this puzzle. Choose one of the actions on offer."


class PuzzlePosition(TypedDict):
    """The decision, with the fields of the view that the bot got (see the SDK), but without the
    match. `actions` are the legal actions."""

    options: dict[str, str]
    round: int
    ask: str
    seat: int
    starter: int
    hand: list[str]
    penalty: int
    hand_sizes: list[int]
    active: list[bool]
    points: list[int]
    start: str
    top: str
    pile: int
    moves: str
    actions: list[str]
    whites: list[int]
    blacks: list[int]
    rows: list[list[str]]
    llama_row: list[str]
    dice: list[str]
    stage: list[int]
    magic: str


POSITION = Shape("PuzzlePosition", PuzzlePosition)
ANSWER = ("match", "number", "seat", "alternatives")
LINE = Shape(
    "PuzzleLine",
    StoredPuzzle,
    about="A puzzle with its Elo rating. `attempts` counts rated answers, `solved` the right ones.",
    hidden=ANSWER,
)
PUZZLES = Shape(
    "Puzzles",
    about="Puzzles of finished tournaments, in the order of their numbers.",
    more={"puzzles": Many(LINE), "next": str},
)
PUZZLE = Shape(
    "Puzzle",
    StoredPuzzle,
    about="A puzzle with its position, without the answer.",
    hidden=ANSWER,
    more={"position": POSITION},
)
GAME = choice("game", "Only puzzles of this game.", GAMES)


@page.get("/play/puzzles")
def index() -> str:
    """Shows the next puzzle of a game, the visitor's rating and the best people."""
    game, account = asked_game(request.args), current_account()
    with sources().read() as conn:
        near = puzzles.choose(conn, game, account.id if account else None)
    following = _first_readable(near)
    with sources().read() as conn:
        waiting = 0 if following else requests.unfinished(conn, game)
        return render_template(
            "play/puzzles/index.html",
            game=game,
            next=following,
            more=following is None and puzzles.unreviewed(conn, game, 1),
            waiting=waiting,
            unattended=waiting and unattended(),
            some=bool(puzzles.page(conn, game, 1, 0)),
            mine=puzzles.rating_of(conn, account.id, game) if account else None,
            lines=people.puzzle_table(conn, game),
            fewest=people.FEWEST_ANSWERS,
        )


@page.post("/play/puzzles")
@limited("6 per minute", "30 per hour")
def make() -> ResponseReturnValue:
    game = asked_game(request.form)
    with sources().read() as conn:
        found = puzzles.unreviewed(conn, game, REVIEWS)
    with suppress(NotNow, LimitReached):  # then enough reviews are waiting
        for match in found:
            request_review(shown().match(match))
    return redirect(url_for("puzzles.index", game=game), 303)


@page.get("/play/puzzles/<number:number>")
def show(number: int) -> str:
    """Shows a puzzle; to an account that has answered it, with the answer."""
    puzzle, attempt = _found(number)
    if attempt is None and current_account() is None and request.args.get("hint"):
        attempt = PuzzleAttempt(True, "", False, None)
    return _page(puzzle, attempt)


@page.post("/play/puzzles/<number:number>/hint")
@limited("60 per minute", "600 per hour")
def hint(number: int) -> ResponseReturnValue:
    """Strikes out the worst actions. The account's answer will not be rated."""
    account = current_account()
    if account is None:
        return redirect(url_for("puzzles.show", number=number, hint=1, _anchor="panel"), 303)
    with sources().store.write() as conn:
        puzzles.take_hint(conn, number, account.id, instant.now())
    return redirect(url_for("puzzles.show", number=number, _anchor="panel"), 303)


@page.post("/play/puzzles/<number:number>")
@limited("60 per minute", "600 per hour")
def answer(number: int) -> ResponseReturnValue:
    puzzle, attempt = _found(number)
    view, account = position_of(puzzle, answered=False).view, current_account()
    chosen = request.form.get("choice", "")
    offered = dict(zip(map(str, view.indices), view.actions, strict=True))
    if chosen not in offered:
        return _page(puzzle, attempt, NOT_OFFERED), 400
    action = offered[chosen]
    if account is None:
        hinted = bool(request.form.get("hinted"))
        return _page(puzzle, PuzzleAttempt(hinted, action, action == puzzle.best, None))
    with sources().store.write() as conn:
        puzzles.answer(conn, number, account.id, action, instant.now())
    return redirect(url_for("puzzles.show", number=number, _anchor="panel"), 303)


def _found(number: int) -> tuple[StoredPuzzle, PuzzleAttempt | None]:
    account = current_account()
    with sources().read() as conn:
        puzzle = puzzles.get(conn, number)
        return puzzle, puzzles.attempt(conn, number, account.id) if account else None


def _first_readable(found: Sequence[StoredPuzzle]) -> int | None:
    """The number of the first of these puzzles whose match can be read here."""
    for each in found:
        with suppress(NotFound, Unavailable):
            position_of(each, answered=False)
            return each.id
    return None


def _page(puzzle: StoredPuzzle, attempt: PuzzleAttempt | None, problem: str = "") -> str:
    account = current_account()
    answered = attempt is not None and bool(attempt.action)
    struck = puzzle.worse_half if attempt and attempt.hinted and not answered else frozenset()
    found = position_of(puzzle, answered=answered, without=struck)
    mine = account.id if account else None
    with sources().read() as conn:
        near = puzzles.choose(conn, puzzle.game, mine, puzzle.id) if answered else []
    following = _first_readable(near)
    with sources().read() as conn:
        return render_template(
            "play/puzzles/page.html",
            id=puzzle.id,
            game=puzzle.game,
            rating=puzzle.rating,
            answer=puzzle if answered else None,
            attempt=attempt,
            struck=struck,
            scene=found,
            table=found.table,
            state=found.state,
            next=following,
            mine=puzzles.rating_of(conn, mine, puzzle.game) if mine is not None else None,
            problem=problem,
        )


@page.get("/api/puzzles.csv")
@page.get("/api/puzzles")
@answers(PUZZLES, query=(GAME, limit(200), AFTER), rows="puzzles")
def as_json_list(game: str | None, limit: int, after: str) -> dict[str, Any]:
    """The puzzles, without their positions."""
    with sources().read() as conn:
        found = puzzles.page(conn, game, limit + 1, int(after or 0))
    following = str(found[limit - 1].id) if len(found) > limit else ""
    return PUZZLES.tell(puzzles=[LINE.tell(each) for each in found[:limit]], next=following)


@page.get("/api/puzzles/<number:number>")
@answers(PUZZLE)
def as_json(number: int) -> dict[str, Any]:
    """A puzzle: the position as the deciding seat sees it, without the answer."""
    with sources().read() as conn:
        puzzle = puzzles.get(conn, number)
    view = position_of(puzzle, answered=False).view
    return PUZZLE.tell(puzzle, position=POSITION.tell(view))
