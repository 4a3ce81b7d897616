"""What holds in every state of every match: the digest's INV-*, and that views tell no secrets."""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Iterator
from itertools import pairwise

from hypothesis import given, settings
from hypothesis import strategies as st

from arena.match import Match, MatchSetup, Seat
from arena.protocol import codec
from arena.protocol.v1 import play_pb2 as pb
from arena.rules.lama import CARDS, Lama

seats = st.integers(2, 6)
seeds = st.binary(min_size=16, max_size=16)
chances = st.integers(0, 2**32).map(random.Random)
PLAY = Lama.parse("play 1")
ORDER = {card: place for place, card in enumerate(CARDS)}


def played(game: Lama) -> list[int]:
    """The discard pile, oldest first."""
    plays = [action - PLAY for _, action in game.log.moves if PLAY <= action < game.keep]
    return [game.start, *plays]


def states(game: Lama, chance: random.Random, patience: float = 0.8) -> Iterator[Lama]:
    """The game in each of its states, played at random but reluctant to quit."""
    while not game.finished:
        yield game
        choice = chance.choice(game.offered)
        if game.ask == "turn" and choice == 0 and chance.random() < patience:
            choice = game.offered[0]
        game.apply(choice)
    yield game


@given(seats, seeds, chances)
def test_inv_1_no_card_appears_or_vanishes(n: int, seed: bytes, chance: random.Random) -> None:
    for game in states(Lama(n, seed), chance):
        held = Counter({k: sum(hand[k] for hand in game.hands) for k in range(7)})
        pile = Counter(game.log.deck[game.drawn :])
        assert held + Counter(played(game)) + pile == Counter(Lama.deck)


@given(seats, seeds, chances)
def test_inv_2_inv_3_only_active_seats_act_and_always_can(
    n: int, seed: bytes, chance: random.Random
) -> None:
    for game in states(Lama(n, seed), chance):
        if game.finished:
            assert game.offered == ()
        elif game.ask == "turn":
            assert game.active[game.seat]
            assert Lama.notation[game.offered[-1]] == "quit"
        else:
            assert game.seat == game.emptier


@given(seats, seeds, chances)
def test_inv_4_discards_go_round_in_steps_of_0_or_1(
    n: int, seed: bytes, chance: random.Random
) -> None:
    for game in states(Lama(n, seed), chance):
        steps = pairwise(played(game))
        assert all((after - before) % 7 in (0, 1) for before, after in steps)


@given(seats, seeds, chances)
def test_inv_5_a_round_ends_when_a_hand_is_empty_or_all_have_quit(
    n: int, seed: bytes, chance: random.Random
) -> None:
    for game in states(Lama(n, seed), chance):
        over = any(not any(hand) for hand in game.hands) or not any(game.active)
        assert over == (game.finished or game.ask == "return")


@given(seats, seeds, chances)
def test_inv_6_the_match_ends_with_the_first_round_that_brings_somebody_to_40(
    n: int, seed: bytes, chance: random.Random
) -> None:
    game = list(states(Lama(n, seed), chance))[-1]
    assert max(game.rounds[-1].points) >= 40
    assert all(max(log.points) < 40 for log in game.rounds[:-1])


@given(seats, seeds, chances)
def test_inv_7_inv_8_points_change_by_the_penalty_or_by_one_token(
    n: int, seed: bytes, chance: random.Random
) -> None:
    game = list(states(Lama(n, seed), chance))[-1]
    before = [0] * n
    for log in game.rounds:
        emptied = [seat for seat, hand in enumerate(log.left) if not any(hand)]
        assert len(emptied) <= 1
        for seat in range(n):
            change = log.points[seat] - before[seat]
            allowed = {0, -1, -10} if seat in emptied else {log.penalties[seat]}
            assert change in allowed
            assert 0 <= log.penalties[seat] <= 31
        before = log.points
    assert max(before) <= 70


@given(seats, seeds, st.integers(0, 2**32))
def test_inv_9_the_same_seed_and_decisions_give_the_same_match(
    n: int, seed: bytes, chance: int
) -> None:
    one, other = (list(states(Lama(n, seed), random.Random(chance)))[-1].rounds for _ in range(2))
    assert one == other


@given(seats, seeds, chances)
def test_inv_11_who_is_alone_never_draws(n: int, seed: bytes, chance: random.Random) -> None:
    for game in states(Lama(n, seed), chance):
        if game.ask == "turn" and sum(game.active) == 1:
            assert game.parse("draw") not in game.offered


def permuted(game: Lama, chance: random.Random) -> Lama:
    """The same game with everything shuffled that the seat to act must not know."""
    other = Lama(game.seats, game.seed)
    for name in (*Lama.__mro__[1].__slots__, *Lama.__mro__[2].__slots__):
        setattr(other, name, getattr(game, name))
    unseen = list(game.log.deck[game.drawn :])
    for seat, hand in enumerate(game.hands):
        if seat != game.seat:
            unseen += [kind for kind, held in enumerate(hand) for _ in range(held)]
    chance.shuffle(unseen)
    other.hands = [
        hand if seat == game.seat else other._counted([unseen.pop() for _ in range(sum(hand))])
        for seat, hand in enumerate(game.hands)
    ]
    assert other.sizes == [sum(hand) for hand in other.hands]
    other.log = type(game.log)(
        game.log.number, game.log.starter, [*[0] * game.drawn, *unseen], game.log.moves
    )
    return other


@settings(max_examples=60)
@given(seats, seeds, chances)
def test_no_secret_gets_into_what_a_seat_is_sent(
    n: int, seed: bytes, chance: random.Random
) -> None:
    for game in states(Lama(n, seed), chance):
        if not game.finished:
            sent = codec.encode_decision(game.view("m", 1), 7, 2000)
            assert codec.encode_decision(permuted(game, chance).view("m", 1), 7, 2000) == sent


@settings(max_examples=40)
@given(seats, seeds, chances)
def test_what_is_public_is_in_the_view(n: int, seed: bytes, chance: random.Random) -> None:
    for game in states(Lama(n, seed), chance):
        if game.finished:
            continue
        view = game.view()
        assert Counter(view.hand) == Counter(
            {CARDS[k]: held for k, held in enumerate(game.hands[game.seat]) if held}
        )
        assert list(view.hand) == sorted(view.hand, key=ORDER.__getitem__)
        assert view.hand_sizes == tuple(sum(hand) for hand in game.hands)
        assert view.discards == tuple(CARDS[kind] for kind in played(game))
        assert view.pile + len(view.discards) + sum(view.hand_sizes) == 56
        assert view.active == tuple(game.active)
        assert view.points == tuple(game.points)
        moves = [f"{seat} {Lama.notation[action]}" for seat, action in game.log.moves]
        assert list(view.history) == moves
        assert tuple(Lama.parse(action) for action in view.actions) == view.indices


@settings(max_examples=40)
@given(seats, seeds, chances)
def test_a_decision_comes_out_of_the_wire_as_it_went_in(
    n: int, seed: bytes, chance: random.Random
) -> None:
    match = Match(MatchSetup("m", "lama", seed, tuple(Seat(f"b{i}") for i in range(n))))
    while match.decision:
        sent = codec.encode_decision(match.decision, ticket=5, time_ms=100)
        assert codec.decode_view(pb.Decision.FromString(sent).view) == match.decision
        match.answer(chance.choice(match.decision.actions))
