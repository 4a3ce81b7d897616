"""A view in plain words."""

from collections.abc import Iterator

from arena.games.rules import game_class
from arena.games.rules.view import View

ASKS = {
    "turn": "It is your turn.",
    "return": "You may return a token.",
    "discard": "Choose which cards to discard.",
    "take": "Choose which card of the llama row to take.",
    "show": "There is a magic show on your turn.",
    "give": "Choose who gets your token. +1 is the next seat to the left.",
}


def text(view: View) -> str:
    """Returns all that the seat knows, with the legal actions in the last line."""
    return "\n".join(_lines(view))


def _lines(view: View) -> Iterator[str]:
    game, last = game_class(view.game), view.seats - 1
    yield f"{game.title}, round {view.round}. You have seat {view.seat}; the seats are 0 to {last}."
    for name, value in view.options.items():
        yield f"Option {name}={value}: {game.known_options[name].about}"
    yield from _table(view)
    for seat in range(view.seats):
        yield _seat(view, seat)
    yield f"Moves of this round, with their seats: {view.moves or 'none'}."
    hand = "row" if view.rows else "hand"
    yield f"Your {hand}: {_cards(view.hand)}. It costs {view.penalty} now."
    yield f"{ASKS[view.ask]} Legal actions: {', '.join(view.actions)}"


def _table(view: View) -> Iterator[str]:
    if view.rows:
        yield f"Llama row: {_cards(view.llama_row)}."
        if view.dice:
            yield f"Dice: {_cards(view.dice)}."
        return
    yield f"Start card: {view.start}. Top card: {view.top}. Cards in the draw pile: {view.pile}."
    if view.magic:
        where = f"seat {view.magic}" if view.magic.isdigit() else view.magic
        yield f"Stage: {_tokens(view.stage[0], view.stage[1])}. Magic token: {where}."


def _seat(view: View, seat: int) -> str:
    parts = [f"{view.points[seat]} points"]
    if view.whites:
        parts.append(_tokens(view.whites[seat], view.blacks[seat]))
    parts.append(_cards(view.rows[seat]) if view.rows else f"{view.hand_sizes[seat]} cards")
    you = " (you)" if seat == view.seat else ""
    quit_ = "" if view.active[seat] else "; has quit"
    return f"Seat {seat}{you}: {'; '.join(parts)}{quit_}."


def _tokens(whites: int, blacks: int) -> str:
    return f"{whites} white and {blacks} black tokens"


def _cards(cards: tuple[str, ...]) -> str:
    return ", ".join(cards) or "no cards"
