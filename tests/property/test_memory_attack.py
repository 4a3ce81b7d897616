"""Bots with a memory pool all their messages in a tournament to infer hidden cards.

The attack is strong: all bots share everything from earlier matches, and in the current match a
bot has its view. It recognises a deal by the start card and its hand (in Dice, by the open rows),
and claims that the others' hands (the next roll) are the same as before. With duplicate deals this
must work, or the test proves nothing. With separate deals, a claim is no better than a guess.
"""

from collections import defaultdict
from collections.abc import Iterator
from dataclasses import dataclass, field

import pytest

from arena.bots import STRATEGIES
from arena.games.match import Match, MatchSetup, Seat
from arena.games.record import export
from arena.games.rules import GAMES
from arena.games.rules.view import View
from arena.tournaments.formats import FORMATS, FromSecret, PlannedMatch, Played
from arena.tournaments.formats.secret import repeatable
from tests.played_out import play_out, spec_of, with_points

ROUNDS = 2  # of a match: enough to recognise the second by the first, too
QUICK = ("five", "stubborn", "timid")  # the others think longer
MOST = 72  # matches of a tournament that are played
SCHEDULES = {
    "round-robin": (6, 4, 2, {}),
    "gauntlet": (6, 3, 2, {}),
    "knockout": (6, 3, 4, {}),
    "swiss": (6, 2, 6, {}),
    "versus": (2, 2, 30, {}),
    "ladder": (6, 4, 2, {"matches": 96}),
}


@dataclass
class Pool:
    """Everything that bots were sent in the matches so far."""

    # By round and start card, hands by seat as first seen; in Dice by round and rows, all rolls.
    hands: dict[tuple[int, str], list[dict[int, tuple[str, ...]]]] = field(
        default_factory=lambda: defaultdict(list)
    )
    rolls: dict[tuple[int, object], list[str]] = field(default_factory=dict)

    def learn(self, views: list[View]) -> None:
        """A match is over."""
        seen: dict[tuple[int, str], dict[int, tuple[str, ...]]] = defaultdict(dict)
        for view in views:
            seen[view.round, view.start].setdefault(view.seat, view.hand)
        for key, hands in seen.items():
            self.hands[key].append(hands)
        for (number, rows), rolled in rolls_of(views).items():
            known = self.rolls.get((number, rows), [])
            self.rolls[number, rows] = max(known, rolled, key=len)

    def claims(self, view: View) -> Iterator[tuple[int, tuple[str, ...]]]:
        """Seats with the hands they should have been dealt, if the deal is recognised."""
        for hands in self.hands[view.round, view.start]:
            if hands.get(view.seat) == view.hand:
                yield from ((seat, hand) for seat, hand in hands.items() if seat != view.seat)

    def next_roll(self, number: int, rows: object) -> str | None:
        """The expected first roll of the round."""
        return next(iter(self.rolls.get((number, rows), [])), None)


@dataclass
class Score:
    """How often something hidden was asked for, claimed, and rightly claimed."""

    asked: int = 0
    claimed: int = 0
    right: int = 0

    def count(self, claim: object, truth: object) -> None:
        self.asked += 1
        self.claimed += claim is not None
        self.right += claim is not None and claim == truth


def rolls_of(views: list[View]) -> dict[tuple[int, object], list[str]]:
    """By round and its rows as dealt, the rolls that were seen, in order."""
    dealt: dict[int, object] = {}
    found: dict[int, list[str]] = {}
    for view in views:
        dealt.setdefault(view.round, view.rows)
        rolled = [move.partition("roll ")[2] for move in view.history if " roll " in move]
        if len(rolled) > len(found.get(view.round, [])):
            found[view.round] = rolled
    return {(number, dealt[number]): rolled for number, rolled in found.items()}


def attack(game: str, deals: str, format_name: str, seed: int = 1) -> Score:
    """Plays a tournament, and lets the pool try in every match."""
    bots, seats, cycles, options = SCHEDULES[format_name]
    spec = spec_of(format_name, bots, seats, cycles, deals=deals, **options)
    pool, score, source = Pool(), Score(), FromSecret(repeatable(seed), 1)
    left = MOST

    def play(planned: PlannedMatch) -> Played:
        nonlocal left
        left -= 1
        if left < 0:
            return with_points(planned, planned.seats)
        match, views = played(game, planned, source)
        score_match(game, pool, match, views, score)
        pool.learn(views)
        return with_points(planned, match.result.points)

    play_out(spec, play, most_blocks=1 + 512 // MOST)
    return score


def played(game: str, planned: PlannedMatch, source: FromSecret) -> tuple[Match, list[View]]:
    """A match among house bots, with every view that one of them was sent."""
    names = tuple(Seat(f"bot-{entrant}") for entrant in planned.seats)
    match = Match(
        MatchSetup(
            source.match_id(planned.position),
            game,
            source.deal_seed(planned.deal),
            names,
            {"max_rounds": str(ROUNDS)},
        )
    )
    strategies = [STRATEGIES[game][name] for name in QUICK]
    views = []
    while (view := match.decision) is not None:
        views.append(view)
        strategy = strategies[planned.seats[view.seat] % len(strategies)]
        match.answer(strategy.choose(view))
    return match, views


def score_match(game: str, pool: Pool, match: Match, views: list[View], score: Score) -> None:
    rounds = export(match)["rounds"]
    done: set[tuple[int, int]] = set()
    for view in views:
        if (view.round, view.seat) in done:
            continue
        done.add((view.round, view.seat))
        if game == "dice":
            if view.history:  # rows are as dealt at the first decision only
                continue
            moves = rounds[view.round - 1]["moves"]
            if truth := next((" ".join(move["dice"]) for move in moves if "dice" in move), ""):
                score.count(pool.next_roll(view.round, view.rows), truth)
        else:
            claims = dict(pool.claims(view))
            for seat, hand in enumerate(rounds[view.round - 1]["hands"]):
                if seat != view.seat:
                    claim = claims.get(seat)
                    score.count(claim and sorted(claim), sorted(hand))


every_game = pytest.mark.parametrize("game", GAMES)
every_format = pytest.mark.parametrize("name", FORMATS)


def test_all_formats_are_tried() -> None:
    assert set(SCHEDULES) == set(FORMATS)


@pytest.mark.long
@every_game
@every_format
def test_memory_identifies_hidden_cards_of_shared_deals(game: str, name: str) -> None:
    score = attack(game, "duplicate", name)

    assert score.right > 0.2 * score.asked, score
    assert score.right > 0.8 * score.claimed, score


@pytest.mark.long
@every_game
@every_format
def test_memory_is_useless_with_separate_deals(game: str, name: str) -> None:
    score = attack(game, "own", name)

    assert score.asked > 50
    # Two deals may look the same to a seat; the other hands do not follow from that.
    assert score.right <= 1 + 0.02 * score.claimed, score


def test_the_same_number_deals_other_cards_in_another_tournament() -> None:
    first, second = (FromSecret(repeatable(7), number) for number in (1, 2))

    cards = {first.deal_seed(deal) for deal in range(600)}

    assert len(cards) == 600
    assert not cards & {second.deal_seed(deal) for deal in range(600)}
