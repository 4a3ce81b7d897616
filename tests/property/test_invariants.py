"""Invariants of every state of every match in every game: INV-* of the rules digest."""

import random
from collections import Counter
from itertools import pairwise

from hypothesis import given
from hypothesis import strategies as st

from arena.games.rules import Game, RoundLog
from arena.games.rules.dice import ROLL, TAKE, Dice, discards
from arena.games.rules.kadabra import SHOW_AT, SWAP, Kadabra
from arena.games.rules.kadabra_cards import LLAMA, VALUES, may_follow
from arena.games.rules.kadabra_tokens import POOL, STAGE
from arena.games.rules.lama import Lama
from arena.games.rules.party import PINK, Party, step
from arena.games.rules.shedding import DRAW, QUIT, SheddingGame
from tests.property.play import (
    card_games,
    chances,
    discarded,
    every_game,
    held,
    patiences,
    played_out,
    seats,
    seeds,
    states,
    unseen,
)

MOST = {"lama": 31, "party": 41, "dice": 31, "kadabra": 41}  # points scored in one round
OVER = ("", "return")  # asked when a round is over, but see three llamas in Dice


@every_game
@given(seats, seeds, chances, patiences)
def test_inv_1_no_card_appears_or_vanishes(
    kind: type[Game], n: int, seed: bytes, chance: random.Random, patience: float
) -> None:
    for game in states(kind(n, seed), chance, patience):
        cards = sum(held(game), Counter(discarded(game))) + Counter(unseen(game))
        if isinstance(game, Dice):
            row = Counter({value: 1 for value, there in enumerate(game.llama_row) if there})
            assert cards + row == Counter(game.deck) + Counter(range(7))
        else:
            assert cards == Counter(game.make_deck())


@every_game
@given(seats, seeds, chances, patiences)
def test_inv_2_inv_3_only_active_seats_act_and_always_can(
    kind: type[Game], n: int, seed: bytes, chance: random.Random, patience: float
) -> None:
    for game in states(kind(n, seed), chance, patience):
        assert len(set(game.legal_actions)) == len(game.legal_actions)
        assert bool(game.legal_actions) != game.finished
        assert (QUIT in game.legal_actions) == (game.phase == "turn")
        if game.phase not in OVER:
            assert game.active[game.seat]
        elif game.went_out >= 0 and not game.finished:
            assert game.seat == game.went_out


@card_games
@given(seats, seeds, chances, patiences)
def test_inv_4_discards_go_round_in_steps_of_0_or_1(
    kind: type[SheddingGame], n: int, seed: bytes, chance: random.Random, patience: float
) -> None:
    for game in states(kind(n, seed), chance, patience):
        for under, card in pairwise(discarded(game)):
            if isinstance(game, Kadabra):
                assert may_follow(VALUES[card], VALUES[under])
            elif isinstance(game, Party):
                assert card == PINK or (step(card) - step(under)) % 7 in (0, 1)
            else:
                assert (card - under) % 7 in (0, 1)


def table_is_done(game: Game) -> bool:
    """Whether the cards on the table mean the end of the round."""
    empty = not all(held(game)) or not any(game.active)
    return empty or (isinstance(game, Dice) and not any(game.llama_row))


def why_ended(game: Game, log: RoundLog) -> set[str]:
    """The ends of a round in the rule sheet, from its log alone."""
    moves = [game.notation[action] for _, action in log.moves]
    last = [move for move in moves if move[:4] not in ("keep", "retu", "give")][-1]
    takes = [move for move in moves if move.startswith("take")]
    found = {
        "a hand is empty": not all(any(hand) for hand in log.final_hands),
        "all have quit": moves.count("quit") == game.seats,
        "bust": last == "roll",
        "the llama row is gone": len(takes) == 7,
        "KAD-34": moves.count("quit") == game.seats - 1 and last[-1] == "#",
    }
    return {why for why, so in found.items() if so}


@every_game
@given(seats, seeds, chances, patiences)
def test_inv_5_a_round_ends_when_the_sheet_says_so_and_not_before(
    kind: type[Game], n: int, seed: bytes, chance: random.Random, patience: float
) -> None:
    for game in states(kind(n, seed), chance, patience):
        giving = game.phase == "give" and not held(game)[game.seat]  # the last card's action
        if not game.log.penalties and not giving:
            assert not table_is_done(game)
    assert all(why_ended(game, log) for log in game.rounds)


@every_game
@given(seats, seeds, chances, patiences)
def test_inv_6_match_ends_with_the_first_round_that_brings_a_player_to_40(
    kind: type[Game], n: int, seed: bytes, chance: random.Random, patience: float
) -> None:
    game = played_out(kind(n, seed), chance, patience)
    assert max(game.rounds[-1].points) >= 40
    assert all(max(log.points) < 40 for log in game.rounds[:-1])
    assert game.rounds[-1].points == game.points


@every_game
@given(seats, seeds, chances, patiences)
def test_inv_7_inv_8_points_change_by_penalties_and_single_tokens(
    kind: type[Game], n: int, seed: bytes, chance: random.Random, patience: float
) -> None:
    game = played_out(kind(n, seed), chance, patience)
    before = list(kind(n, seed).points)
    for log in game.rounds:
        back = [0] * n
        for seat, action in log.moves:
            if action > game.keep and action <= game.keep + len(kind.returns):
                back[seat] += kind.returns[action - game.keep - 1]
        assert all(0 <= penalty <= MOST[kind.name] for penalty in log.penalties)
        if kind is not Dice:
            assert sum(token > 0 for token in back) <= 1
        changes = [log.penalties[seat] - back[seat] for seat in range(n)]
        if kind is not Kadabra:
            assert log.points == [
                points + change for points, change in zip(before, changes, strict=True)
            ]
        before = log.points


@every_game
@given(seats, seeds, st.integers(0, 2**32), patiences)
def test_inv_9_the_same_seed_and_decisions_give_the_same_match(
    kind: type[Game], n: int, seed: bytes, luck: int, patience: float
) -> None:
    one, other = (played_out(kind(n, seed), random.Random(luck), patience) for _ in range(2))
    assert one.rounds == other.rounds


@card_games
@given(seats, seeds, chances, patiences)
def test_inv_11_player_who_is_alone_never_draws(
    kind: type[SheddingGame], n: int, seed: bytes, chance: random.Random, patience: float
) -> None:
    for game in states(kind(n, seed), chance, patience):
        if game.phase == "turn":
            may_draw = sum(game.active) > 1 and bool(unseen(game))
            assert (DRAW in game.legal_actions) == may_draw


@every_game
@given(seats, seeds, chances, patiences)
def test_com_14_the_emptier_has_less_than_40_except_in_kadabra(
    kind: type[Game], n: int, seed: bytes, chance: random.Random, patience: float
) -> None:
    for game in states(kind(n, seed), chance, patience):
        if game.phase == "return" and kind is not Kadabra:
            assert game.points[game.seat] < 40


@every_game
@given(seats, seeds, chances, patiences)
def test_cards_and_dice_do_not_depend_on_actions(
    kind: type[Game], n: int, seed: bytes, chance: random.Random, patience: float
) -> None:
    one = played_out(kind(n, seed), chance, patience)
    other = played_out(kind(n, seed), chance, 1 - patience)
    for mine, theirs in zip(one.rounds, other.rounds, strict=False):
        assert mine.deck == theirs.deck
        pairs = zip(rolls(one, mine.number), rolls(other, theirs.number), strict=False)
        assert all(roll == same for roll, same in pairs)


def rolls(game: Game, number: int) -> list[object]:
    """The dice of each roll in a round."""
    log = game.rounds[number - 1]
    outcomes = [game.move_result(log, place) for place in range(len(log.moves))]
    return [outcome["dice"] for outcome in outcomes if outcome]


REACHED = {
    "lama": {"turn", "return", "return 10", "keep", "a hand is empty", "all have quit"},
    "party": {"turn", "return", "return 20", "play pink", "play 6+", "a hand is empty"},
    "dice": {
        *("turn", "return", "discard", "take", "discard 6 llama llama", "return 10"),
        *("a hand is empty", "all have quit", "bust", "the llama row is gone"),
    },
    "kadabra": {
        *("turn", "return", "show", "give", "give +1", "swap", "collect", "return magic"),
        *("a hand is empty", "all have quit", "KAD-34"),
    },
}


@every_game
def test_these_matches_get_around(kind: type[Game]) -> None:
    """The tests are only as good as the states that they reach."""
    chance, reached = random.Random(1), set()
    for _ in range(600):
        start = kind(chance.randint(2, 4), chance.randbytes(16))
        for game in states(start, chance, chance.choice([0.0, 0.8, 0.98])):
            reached.add(game.phase)
        for log in start.rounds:
            reached |= {start.notation[action] for _, action in log.moves} | why_ended(start, log)
    assert reached >= REACHED[kind.name]


# Dice


@given(seats, seeds, chances, patiences)
def test_inv_12_seven_cards_are_taken_at_most_and_no_number_is_rolled_thrice(
    n: int, seed: bytes, chance: random.Random, patience: float
) -> None:
    for game in states(Dice(n, seed), chance, patience):
        takes = [action for _, action in game.log.moves if TAKE <= action < TAKE + 7]
        assert len(set(takes)) == len(takes) <= 7
        assert game.dice == (6, 6, 6) or len(set(game.dice)) != 1
        if game.phase == "discard":
            assert game.legal_actions == discards(game.matching(game.dice))
        assert game.points == [tokens.points for tokens in game.tokens]


@given(seats, seeds, chances, patiences)
def test_dice_32_the_last_to_roll_or_quit_starts(
    n: int, seed: bytes, chance: random.Random, patience: float
) -> None:
    game = played_out(Dice(n, seed), chance, patience)
    for log, following in pairwise(game.rounds):
        acts = [seat for seat, action in log.moves if action in (ROLL, QUIT)]
        assert following.starter == acts[-1]


# Kadabra


@given(seats, seeds, chances, patiences)
def test_inv_10_there_is_one_magic_token(
    n: int, seed: bytes, chance: random.Random, patience: float
) -> None:
    for game in states(Kadabra(n, seed), chance, patience):
        assert game.magic in {POOL, STAGE, *range(n)}
        if game.log.penalties:
            assert game.magic in {POOL, STAGE}
        assert game.points == [tokens.points for tokens in game.tokens]


@given(seats, seeds, chances, patiences)
def test_kad_38_kad_51_a_show_is_on_with_five_tokens_and_a_llama_on_top(
    n: int, seed: bytes, chance: random.Random, patience: float
) -> None:
    for game in states(Kadabra(n, seed), chance, patience):
        if game.phase == "show":
            assert game.stage.count + (game.magic == STAGE) >= SHOW_AT
            assert game.top == LLAMA
            assert ("play llama" in game.view().actions) == bool(game.hands[game.seat][LLAMA])


@given(seats, seeds, chances, patiences)
def test_kad_64_tokens_come_and_go_only_at_scoring_by_returns_and_by_swaps(
    n: int, seed: bytes, chance: random.Random, patience: float
) -> None:
    counts: Counter[str] = Counter()
    last = -1  # the round in which they were counted
    for game in states(Kadabra(n, seed), chance, patience):
        purses = [*game.tokens, game.stage]
        now = Counter(white=sum(p.whites for p in purses), black=sum(p.blacks for p in purses))
        if game.round == last and not game.log.penalties:
            swapped = bool(game.log.moves) and game.log.moves[-1][1] == SWAP
            change = {"white": 10, "black": -1} if swapped else {"white": 0, "black": 0}
            assert {name: counts[name] - now[name] for name in change} == change
        counts, last = now, game.round


@given(seats, seeds, chances, patiences)
def test_lama_31_lama_33_the_last_to_play_a_card_starts_or_the_last_to_act(
    n: int, seed: bytes, chance: random.Random, patience: float
) -> None:
    game = played_out(Lama(n, seed), chance, patience)
    for log, following in pairwise(game.rounds):
        turns = [(seat, Lama.notation[a]) for seat, a in log.moves if a < Lama.keep]
        plays = [seat for seat, action in turns if action.startswith("play")]
        assert following.starter == (plays or [turns[-1][0]])[-1]
