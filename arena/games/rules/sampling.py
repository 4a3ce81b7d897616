"""Samples game states that are consistent with a view of the deciding seat.

    for game in sample_states(view, 100, rng):
        game.apply(game.legal_actions[0])       # and on, to the end of the match

Each game is built from the view and 16 random bytes, its seed, which determine the hidden cards
and all later cards and dice. The seed of the real match is unknown, so its future differs.
"""

import random
from collections import Counter
from typing import Final

from arena.games.rules import game_class
from arena.games.rules.errors import BadView
from arena.games.rules.game import Game
from arena.games.rules.rounds import NOBODY, RoundLog
from arena.games.rules.shuffles import SEED_BYTES, shuffled
from arena.games.rules.view import View

UNKNOWN: Final = -1  # a card in a round's deck that is not assigned yet


def sample_states(view: View, count: int, rng: random.Random) -> list[Game]:
    """Returns `count` games in play with this `view()`, except for match, number and key.

    Unseen cards are placed at random in the other hands, in the pile or aside. All placements
    are equally likely, regardless of the others' moves. Points, tokens, rows and moves of the round
    are taken from the view. Equal views and generators give equal games.

    Games lack information that a view does not have: `rounds` has empty logs for earlier rounds,
    so no record can be made, and a round that has been scored has no `penalties`.

    Raises UnknownGame, BadSeats or BadOption; BadView if the view is impossible; NotSampled if the
    game cannot be set up from a view; ValueError for a negative count.
    """
    if count < 0:
        raise ValueError(f"the number of states must be 0 or more, not {count}")
    known = game_class(view.game)(view.seats, bytes(SEED_BYTES), view.options, dealt=False)
    _check_seats(view)
    _restore_round(known, view)
    hidden = known.restore_cards(view)
    cards = _unseen(known)
    known.begin_phase(view.ask)
    _compare(known, view)
    games: list[Game] = []
    for _ in range(count):
        game = known.clone()
        game.seed = rng.randbytes(SEED_BYTES)
        if cards:  # with six players of Dice, there are no unseen cards
            game.deal_hidden(hidden, shuffled(game.seed, view.round, cards))
        games.append(game)
    return games


def _check_seats(view: View) -> None:
    if not len(view.hand_sizes) == len(view.active) == view.seats:
        raise BadView("The view does not have the hand size and state of every seat.")
    if not 0 <= view.seat < view.seats or not view.active[view.seat]:
        raise BadView(f"Seat {view.seat} cannot decide, because it is not in the round.")
    if view.round < 1:
        raise BadView(f"Rounds count from 1. Round {view.round} does not exist.")


def _restore_round(game: Game, view: View) -> None:
    """Sets the state that all games share: moves, points, active seats, deciding seat."""
    moves = [game.parse_move(move) for move in view.history]
    game.log = RoundLog(view.round, view.starter, [UNKNOWN] * len(game.make_deck()), moves)
    game.rounds = [RoundLog(number, NOBODY, []) for number in range(1, view.round)]
    game.rounds.append(game.log)
    game.history, game.codes = list(view.history), b""
    game.points = list(view.points)
    game.active = list(view.active)
    game.in_round = sum(view.active)
    # A seat without cards went out, or must still give a token (KAD-31). A seat with cards may
    # return a token after three llamas, and the round continues (DICE-8).
    game.scored = view.ask == "return" and not view.hand_sizes[view.seat]
    game.went_out = view.seat if game.scored else NOBODY
    game.last_actor = moves[-1][0] if moves else NOBODY
    game.seat = view.seat


def _unseen(game: Game) -> list[int]:
    """Returns the cards of the deck that are not assigned yet, ascending."""
    seen, whole = Counter(game.log.deck), Counter(game.make_deck())
    del seen[UNKNOWN]
    if surplus := seen - whole:
        kind = min(surplus)
        raise BadView(
            f"The view shows {seen[kind]} of the card {game.kinds[kind]}. "
            f"The deck of {game.title} has {whole[kind]}."
        )
    return sorted((whole - seen).elements())


def _compare(game: Game, view: View) -> None:
    """Raises BadView if parts of the view contradict each other."""
    again = game.view(view.match, view.number)._replace(key=view.key)
    for name, given, follows in zip(View._fields, view, again, strict=True):
        if given != follows:
            raise BadView(
                f"The view contradicts itself: {name} is {given!r}, "
                f"but follows as {follows!r} from the rest."
            )
