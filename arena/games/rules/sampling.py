"""Games from a view: states in which the deciding seat would see just that.

    for game in sample_states(view, 100, rng):
        game.apply(game.legal_actions[0])       # and on, to the end of the match

A game is made of the view and of 16 random bytes, its seed: the hidden cards follow from it, and
all cards and dice to come. Nobody knows the seed of the real match, which will go on differently.
"""

from __future__ import annotations

import random
from collections import Counter
from typing import Final

from arena.games.rules import game_class
from arena.games.rules.errors import BadView
from arena.games.rules.game import NOBODY, Game, RoundLog
from arena.games.rules.shuffles import SEED_BYTES, shuffled
from arena.games.rules.view import View

UNKNOWN: Final = -1  # in the deck of a round: a card not dealt yet


def sample_states(view: View, count: int, rng: random.Random) -> list[Game]:
    """`count` games in play, each of which has this `view()`, but for match, number and key.

    Cards that the seat has not seen lie at random in the other hands, in the pile or aside: all
    cards are equally likely everywhere, whatever the others' moves suggest. Points, tokens, rows
    and moves of the round are those of the view. Equal views and generators give equal games.

    What a view does not tell, a game does not know: `rounds` has empty logs for earlier rounds
    (no record can be made of it), and one whose round has been scored has no `penalties` for it.

    Raises UnknownGame, BadSeats, BadOption; BadView if nobody can have this view; NotSampled if
    the game cannot be set up from a view; ValueError for a negative count.
    """
    if count < 0:
        raise ValueError(f"a number of states is 0 or more, not {count}")
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
        if cards:  # six players of Dice see them all
            game.deal_hidden(hidden, shuffled(game.seed, view.round, cards))
        games.append(game)
    return games


def _check_seats(view: View) -> None:
    if not len(view.hand_sizes) == len(view.active) == view.seats:
        raise BadView("The view does not have the hand size and the state of every seat.")
    if not 0 <= view.seat < view.seats or not view.active[view.seat]:
        raise BadView(f"Seat {view.seat} cannot be asked: it is not in the round.")
    if view.round < 1:
        raise BadView(f"Rounds are counted from 1; there is no round {view.round}.")


def _restore_round(game: Game, view: View) -> None:
    """Sets what all games have: the moves of the round, points, who is in and who is asked."""
    moves = [game.parse_move(move) for move in view.history]
    game.log = RoundLog(view.round, view.starter, [UNKNOWN] * len(game.make_deck()), moves)
    game.rounds = [RoundLog(number, NOBODY, []) for number in range(1, view.round)]
    game.rounds.append(game.log)
    game.history, game.codes = list(view.history), b""
    game.points = list(view.points)
    game.active = list(view.active)
    game.in_round = sum(view.active)
    # Without cards they went out, or still have to say who gets a token (KAD-31). With cards they
    # return a token for three llamas, and the round goes on (DICE-8).
    game.scored = view.ask == "return" and not view.hand_sizes[view.seat]
    game.went_out = view.seat if game.scored else NOBODY
    game.last_actor = moves[-1][0] if moves else NOBODY
    game.seat = view.seat


def _unseen(game: Game) -> list[int]:
    """The cards of the deck that are not yet in the round's, ascending."""
    seen, whole = Counter(game.log.deck), Counter(game.make_deck())
    del seen[UNKNOWN]
    if surplus := seen - whole:
        kind = min(surplus)
        raise BadView(
            f"The view shows {seen[kind]} of the card {game.kinds[kind]}; "
            f"the deck of {game.title} has {whole[kind]}."
        )
    return sorted((whole - seen).elements())


def _compare(game: Game, view: View) -> None:
    """Raises BadView if parts of the view contradict each other."""
    again = game.view(view.match, view.number)._replace(key=view.key)
    for name, given, follows in zip(View._fields, view, again, strict=True):
        if given != follows:
            raise BadView(
                f"The view contradicts itself: {name} is {given!r}; "
                f"by the rest of it, it would be {follows!r}."
            )
