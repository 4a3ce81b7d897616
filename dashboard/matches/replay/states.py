"""The table at each decision of a round, from replaying the game.

Everything on the table comes from the views of the seats that may see it. Only without a chosen
seat there is one thing more: the card that would be drawn next.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

from arena.games.match import Match
from arena.games.rules import Game, View
from arena.store.matches.bot_notes import BotNote
from arena.value.review import Judged
from dashboard.matches.detail.sheet import Move
from dashboard.matches.detail.sheet import RoundSheet as Sheet

NOBODY = -1  # eyes that see only public information


@dataclass(frozen=True)
class SeatState:
    """One seat's side of the table."""

    seat: int
    bot: str
    hand: Sequence[str] | None  # ascending; None if face down
    size: int  # of the hand
    penalty: int | None  # of the hand if the round ended now; None if face down
    active: bool
    starts: bool
    points: int
    tokens: Sequence[tuple[str, int]]  # (value, count), highest value first
    last: str  # its last action in this round, with its roll
    to_act: bool
    scored: int | None  # penalty points of the hand, at the end of a round


@dataclass(frozen=True)
class State:
    """The table before one move, or at the end of a round."""

    key: str  # "move-12", "scored-3"
    round: int
    ask: str  # "turn", ...; "" at the end of a round
    seat: int | None  # to decide
    offered: Sequence[str] | None  # legal actions; None if hidden
    action: str  # the chosen one, in notation
    move: Move | None  # the same in words, with details
    places: Sequence[SeatState]
    discards: Sequence[str]
    pile: int
    coming: str  # the card that would be drawn next; "" if hidden
    llama_row: Sequence[str]
    dice: Sequence[str]  # the last roll of the round
    in_use: bool  # whether that roll has yet to be used
    stage: Sequence[int]  # whites and blacks; empty in games without a stage
    magic: str  # "pool", "stage", or a seat
    winners: Sequence[int]  # at the end of the match
    judged: Judged | None = None  # by a review, if visible
    note: BotNote | None = None  # of the bot, if visible


def states(match: Match, sheets: Sequence[Sheet], number: int, eyes: int | None) -> list[State]:
    """The states of round `number`; `eyes` is a seat, NOBODY, or None to see all. The game is
    replayed with this round as its last, so that the final table is kept."""
    kind, played = type(match.game), match.game
    game = kind(played.seats, played.seed, {**played.options, "max_rounds": str(number)})
    for log in played.rounds[: number - 1]:
        for seat, action in log.moves:
            game.apply(action, seat)
    frames, sheet = [], sheets[number - 1]
    moves = iter(sorted(all_moves(sheet), key=lambda move: move.number))
    for seat, action in played.rounds[number - 1].moves:
        state, sizes = _state(match, game, eyes), _sizes(game)
        game.apply(action, seat)
        grown = [s for s, size in enumerate(_sizes(game)) if size > sizes[s]]
        move = _as_seen(next(moves), eyes, grown, open_hands=bool(state.llama_row))
        notation = kind.notation[action]
        frames.append(replace(state, key=f"move-{move.number}", action=notation, move=move))
    return [*frames, _scored(match, game, sheet)]


def with_notes(
    states: Sequence[State], notes: Mapping[int, BotNote], eyes: int | None
) -> list[State]:
    """The states with these notes, by number of the decision. A note may reveal the hand of its
    seat, so other seats do not see it."""
    return [
        replace(state, note=notes.get(state.move.number))
        if state.move and eyes in (None, state.seat)
        else state
        for state in states
    ]


def at_decision(match: Match, eyes: int) -> State:
    """The table of a running match at its open decision, as one seat sees it."""
    return _state(match, match.game, eyes)


def all_moves(sheet: Sheet) -> list[Move]:
    return [move for line in sheet.lines for moves in line for move in moves]


def _sizes(game: Game) -> tuple[int, ...]:
    return seen_by(game, 0).hand_sizes


def _as_seen(move: Move, eyes: int | None, grown: Sequence[int], open_hands: bool) -> Move:
    """A move without information that the seat cannot have.

    Hides drawn cards, reasons of other seats' faults (which may name legal actions), and other
    seats' latencies (which reveal whether there was a choice).
    """
    if eyes is None or open_hands:
        return move
    drawn = move.drawn if eyes in grown else ()
    if move.seat == eyes:
        return replace(move, drawn=drawn)
    fault = move.fault and replace(move.fault, reason="")
    return replace(move, drawn=drawn, fault=fault, latency_us=None)


def _state(match: Match, game: Game, eyes: int | None) -> State:
    views = [seen_by(game, seat) for seat in range(game.seats)]
    open_to = range(game.seats) if eyes is None or views[0].rows else (eyes,)
    view = views[0]
    rolls = [entry.split()[2:] for entry in view.history if entry.split()[1] == "roll"]
    return State(
        key="",
        round=view.round,
        ask=game.phase,
        seat=game.seat,
        offered=views[game.seat].actions if game.seat in open_to else None,
        action="",
        move=None,
        places=[_seen(match, game, views[seat], seat in open_to) for seat in range(game.seats)],
        discards=view.discards,
        pile=view.pile,
        coming=_coming(game, view) if eyes is None else "",
        llama_row=view.llama_row,
        dice=rolls[-1] if rolls else (),
        in_use=bool(view.dice),
        stage=view.stage,
        magic=view.magic,
        winners=(),
    )


def _scored(match: Match, game: Game, sheet: Sheet) -> State:
    """The end of a round, with all cards open and no decision."""
    state = _state(match, game, None)
    places = [
        replace(seen, to_act=False, scored=sheet.penalties[seen.seat]) for seen in state.places
    ]
    last = sheet.number == len(match.game.rounds)
    return replace(
        state,
        key=f"scored-{sheet.number}",
        ask="",
        seat=None,
        offered=None,
        coming="",
        in_use=False,
        places=places,
        winners=match.result.winners if last else (),
    )


def _coming(game: Game, view: View) -> str:
    return game.kinds[game.log.deck[-view.pile]] if view.pile else ""


def _seen(match: Match, game: Game, view: View, is_open: bool) -> SeatState:
    seat = view.seat
    actions = [entry.partition(" ")[2] for entry in view.history if entry.startswith(f"{seat} ")]
    return SeatState(
        seat=seat,
        bot=match.setup.seats[seat].bot,
        hand=view.hand if is_open else None,
        size=view.hand_sizes[seat],
        penalty=view.penalty if is_open else None,
        active=view.active[seat],
        starts=view.starter == seat,
        points=view.points[seat],
        tokens=_tokens(game, view),
        last=actions[-1] if actions else "",
        to_act=game.seat == seat,
        scored=None,
    )


def _tokens(game: Game, view: View) -> list[tuple[str, int]]:
    """The tokens of a seat. In games with free swaps, its points in as few tokens as possible."""
    if view.whites:
        held = [("10", view.blacks[view.seat]), ("1", view.whites[view.seat])]
    else:
        held, left = [], view.points[view.seat]
        for value in sorted(game.returns, reverse=True):
            held.append((str(value), left // value))
            left %= value
    return [(value, count) for value, count in held if count]


def seen_by(game: Game, seat: int) -> View:
    """The view of any seat. It has legal actions only if that seat is to move."""
    to_act = game.seat
    game.seat = seat
    try:
        view = game.view()
    finally:
        game.seat = to_act
    return view if seat == to_act else view._replace(actions=(), indices=())
