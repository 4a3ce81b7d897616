"""The messages to a seat: no secrets, and everything that is public, byte by byte."""

import random
from collections import Counter
from typing import cast

import pytest
from hypothesis import given

from arena.games.match import Match, MatchSetup, Seat
from arena.games.rules import Game, RoundLog
from arena.games.rules.cards import HAND
from arena.games.rules.dice import Dice
from arena.games.rules.kadabra import Kadabra
from arena.games.rules.kadabra_tokens import POOL, STAGE
from arena.games.rules.packed import layout_of
from arena.games.rules.rows import match_bytes
from arena.games.rules.shedding import SheddingGame
from arena.protocol import codec, decisions
from arena.protocol.v1 import play_pb2 as pb
from tests.property.play import (
    AnyGame,
    card_games,
    chances,
    choose,
    discarded,
    every_game,
    held,
    patiences,
    seats,
    seeds,
    states,
    unseen,
)
from tests.tables import counted


def permuted(game: AnyGame, chance: random.Random) -> AnyGame:
    """The same game, with everything shuffled that the seat to act must not know.

    These are the other hands (and so their draws), the order of the pile, in Dice the discarded
    cards, and the seed. The legal actions are computed again.
    """
    other = game.clone()
    other.seed = chance.randbytes(16)
    other.rounds = cast(list[RoundLog], [None] * len(game.rounds))
    secret = list(unseen(game))
    if isinstance(other, SheddingGame):
        others = [seat for seat in range(game.seats) if seat != game.seat]
        secret += [kind for seat in others for kind in held(game)[seat].elements()]
        chance.shuffle(secret)
        for seat in others:
            other.hands[seat] = counted(other, [secret.pop() for _ in range(other.sizes[seat])])
        known = [0] * other.drawn
    else:
        chance.shuffle(secret)
        known = game.log.deck[: HAND * game.seats]
    other.log = RoundLog(game.log.number, game.log.starter, [*known, *secret], game.log.moves)
    ask_again(other)
    return other


def ask_again(game: Game) -> None:
    """Makes the same decision again, without side effects."""
    if isinstance(game, Kadabra) and game.phase == "give":
        game.begin_give()
    elif game.phase == "return":
        game.begin_return(game.seat)
    elif game.phase in ("turn", "show"):
        game.begin_turn(game.seat)


@pytest.mark.long
@every_game
@given(seats, seeds, chances, patiences)
def test_messages_to_a_seat_contain_no_secret(
    kind: type[Game], n: int, seed: bytes, chance: random.Random, patience: float
) -> None:
    for game in states(kind(n, seed), chance, patience):
        if not game.finished:
            sent = decisions.encode_decision(game.view("m", 1), 7, 2000)
            packed = game.packed(match_bytes("m"), 1)
            other = permuted(game, chance)
            assert decisions.encode_decision(other.view("m", 1), 7, 2000) == sent
            assert other.packed(match_bytes("m"), 1) == packed


@every_game
def test_permuted_states_differ(kind: type[Game]) -> None:
    game, chance = kind(3, bytes(16)), random.Random(1)
    other = permuted(game, chance)
    assert unseen(other) != unseen(game)
    assert Counter(unseen(other)) != Counter(unseen(game)) or kind is Dice
    assert (held(other)[1:] != held(game)[1:]) == (kind is not Dice)


def public_moves(game: Game) -> list[str]:
    """The public history of the round."""
    moves = []
    for place, (seat, action) in enumerate(game.log.moves):
        shown = cast(list[str], game.move_result(game.log, place).get("dice", []))
        moves.append(" ".join([f"{seat} {game.notation[action]}", *shown]))
    return moves


@pytest.mark.long
@every_game
@given(seats, seeds, chances, patiences)
def test_info_1_public_information_is_in_the_view(
    kind: type[Game], n: int, seed: bytes, chance: random.Random, patience: float
) -> None:
    for game in states(kind(n, seed), chance, patience):
        if game.finished:
            continue
        view, cards = game.view(), held(game)
        assert Counter(view.hand) == Counter(kind.kinds[k] for k in cards[game.seat].elements())
        assert list(view.hand) == sorted(view.hand, key=kind.kinds.index)
        assert view.hand_sizes == tuple(own.total() for own in cards)
        assert (view.active, view.points) == (tuple(game.active), tuple(game.points))
        assert (view.round, view.starter) == (len(game.rounds), game.log.starter)
        assert list(view.history) == public_moves(game)
        assert (
            tuple(kind.parse(action) for action in view.actions)
            == view.indices
            == game.legal_actions
        )


@card_games
@given(seats, seeds, chances, patiences)
def test_info_1_pile_and_discards_are_in_the_view(
    kind: type[SheddingGame], n: int, seed: bytes, chance: random.Random, patience: float
) -> None:
    for game in states(kind(n, seed), chance, patience):
        if not game.finished:
            view = game.view()
            assert view.discards == tuple(kind.kinds[card] for card in discarded(game))
            assert view.top == view.discards[-1]
            assert view.pile == len(unseen(game))
            assert view.pile + len(view.discards) + sum(view.hand_sizes) == len(kind.deck)


@given(seats, seeds, chances, patiences)
def test_info_1_tokens_stage_and_magic_token_are_in_kadabras_view(
    n: int, seed: bytes, chance: random.Random, patience: float
) -> None:
    for game in states(Kadabra(n, seed), chance, patience):
        if not game.finished:
            view = game.view()
            assert view.whites == tuple(purse.whites for purse in game.tokens)
            assert view.blacks == tuple(purse.blacks for purse in game.tokens)
            assert view.stage == (game.stage.whites, game.stage.blacks)
            places = {POOL: "pool", STAGE: "stage"} | {seat: str(seat) for seat in range(n)}
            assert view.magic == places[game.magic]


@given(seats, seeds, chances, patiences)
def test_info_3_all_rows_and_the_llama_row_are_in_the_view_of_dice(
    n: int, seed: bytes, chance: random.Random, patience: float
) -> None:
    for game in states(Dice(n, seed), chance, patience):
        if not game.finished:
            view = game.view()
            rows = [Counter(Dice.kinds.index(card) for card in row) for row in view.rows]
            assert rows == held(game)
            assert view.hand == view.rows[view.seat]
            there = tuple(Dice.kinds[value] for value in range(7) if game.llama_row[value])
            assert view.llama_row == there
            assert view.whites == tuple(purse.whites for purse in game.tokens)
            assert view.blacks == tuple(purse.blacks for purse in game.tokens)
            assert (len(view.dice) == 3) == (view.ask in ("discard", "take") or three_llamas(game))
            assert view.discards == ()


def three_llamas(game: Dice) -> bool:
    """Whether a token may go back because of a roll, not because the round was won."""
    return game.phase == "return" and not game.log.penalties


@every_game
@given(seats, seeds, chances, patiences)
def test_info_4_all_cards_are_revealed_when_a_round_ends(
    kind: type[Game], n: int, seed: bytes, chance: random.Random, patience: float
) -> None:
    setup = MatchSetup("m", kind.name, seed, tuple(Seat(f"b{i}") for i in range(n)))
    match = Match(setup)
    while match.decision:
        match.answer(choose(match.game, chance, patience))
    for log in match.game.rounds:
        told = pb.RoundEnded.FromString(codec.encode_round(match, log.number))
        cards = [Counter(kind.kinds.index(card) for card in hand.cards) for hand in told.hands]
        assert cards == [
            Counter({k: c for k, c in enumerate(left) if c}) for left in log.final_hands
        ]
        assert list(told.penalties) == log.penalties
        assert list(told.points) == log.points


@every_game
@given(seats, seeds, chances, patiences)
def test_a_decision_comes_out_of_the_wire_as_it_went_in(
    kind: type[Game], n: int, seed: bytes, chance: random.Random, patience: float
) -> None:
    setup = MatchSetup("m", kind.name, seed, tuple(Seat(f"b{i}") for i in range(n)))
    match = Match(setup)
    while match.decision:
        sent = decisions.encode_decision(match.decision, ticket=5, time_ms=100)
        told = pb.Decision.FromString(sent)
        assert (told.ticket, told.time_ms) == (5, 100)
        assert decisions.decode_view(told.view) == match.decision
        packed = match.packed()
        assert packed is not None
        assert layout_of(kind, n).unpack(*packed, match.decision.options, b"") == match.decision
        match.answer(choose(match.game, chance, patience))


@pytest.mark.parametrize(
    ("ticket", "time_ms"), [(0, 0), (1, 127), (2**63, 128), (2**64 - 1, 3_600_000)]
)
def test_tickets_and_times_of_any_size_come_out_as_they_went_in(ticket: int, time_ms: int) -> None:
    view = Match(MatchSetup("m", "lama", bytes(16), (Seat("a"), Seat("b")))).decision
    assert view is not None
    longest = view._replace(number=70_000, moves=", ".join(["0 play llama"] * 3000), pile=0)
    told = pb.Decision.FromString(decisions.encode_decision(longest, ticket, time_ms))
    assert (told.ticket, told.time_ms) == (ticket, time_ms)
    assert decisions.decode_view(told.view) == longest


@pytest.mark.parametrize("time_ms", [0, 127, 128, 3_600_000])
def test_a_decision_gets_another_time_and_stays_as_it_was(time_ms: int) -> None:
    view = Match(MatchSetup("m", "lama", bytes(16), (Seat("a"), Seat("b")))).decision
    assert view is not None
    sent = decisions.encode_decision(view, ticket=5, time_ms=2000)
    again = pb.Decision.FromString(decisions.with_time(sent, time_ms))
    assert (again.ticket, again.time_ms) == (5, time_ms)
    assert decisions.decode_view(again.view) == view


@every_game
def test_the_size_of_every_hand_takes_one_byte(kind: type[Game]) -> None:
    assert len(kind.deck) < 128
