"""The events since the player's last move."""

import random
from collections import Counter

import pytest

from arena.games.match import Match, MatchSetup, Seat
from arena.games.rules import GAMES
from dashboard.play.story import Scored, StoryLine, _events, story
from tests.property.play import choose

NAMES = ("you", "ada", "bob", "cyd")
every_game = pytest.mark.parametrize("game", GAMES)


def begin(game: str, seed: int = 1, seats: int = 3) -> Match:
    deal = random.Random(seed).randbytes(16)
    return Match(MatchSetup("m", game, deal, tuple(Seat(name) for name in NAMES[:seats])))


def play_on(match: Match, chance: random.Random, seat: int = 0) -> None:
    """Plays at random to the next decision of a seat, or to the end."""
    while match.decision and match.decision.seat != seat:
        match.answer(choose(match.game, chance, 0.9))


@every_game
def test_story_has_no_gap_between_the_players_decisions(game: str) -> None:
    for seed in range(5):
        match, chance = begin(game, seed), random.Random(seed)
        told = 0
        play_on(match, chance)
        while match.decision:
            told += sum(isinstance(event, StoryLine) for event in story(match, 0, NAMES))
            match.answer(choose(match.game, chance, 0.9))
            play_on(match, chance)
        told += sum(isinstance(event, StoryLine) for event in story(match, 0, NAMES))
        assert told == sum(len(log.moves) for log in match.game.rounds)


@pytest.mark.parametrize("game", ["lama", "party", "kadabra"])
def test_only_the_players_own_draws_are_shown(game: str) -> None:
    """At every decision, the hand is the deal, plus the shown draws, minus the played cards."""
    for seed in range(8):
        match, chance = begin(game, seed, seats=2 + seed % 3), random.Random(seed)
        play_on(match, chance)
        while match.decision:
            view, log = match.decision, match.game.log
            number = sum(len(one.moves) for one in match.game.rounds) - len(log.moves)
            events = [event for at, event in _events(match, 0, NAMES) if at > number]
            moves = [event for event in events if isinstance(event, StoryLine)]
            dealt = match.game.round_start(log)["hands"]
            assert isinstance(dealt, list)
            hand = Counter[str](dealt[0])
            for move in moves:
                hand.update(move.drawn)
                if move.seat == 0 and move.words.verb == "play":
                    hand.subtract(move.words.cards)
            assert +hand == Counter(view.hand)
            match.answer(choose(match.game, chance, 0.95))
            play_on(match, chance)


def test_end_of_a_round_opens_and_scores_all_cards() -> None:
    match, chance = begin("lama"), random.Random(3)
    match.game.max_rounds = 2
    scored = []
    play_on(match, chance)
    while match.decision:
        match.answer(choose(match.game, chance, 0.9))
        play_on(match, chance)
        scored += [event for event in story(match, 0, NAMES) if isinstance(event, Scored)]

    assert [event.round for event in scored] == [log.number for log in match.game.rounds]
    before = [0, 0, 0]
    for event in scored:
        after = zip(before, event.penalties, event.otherwise, strict=True)
        assert [sum(parts) for parts in after] == list(event.points)
        assert event.left == match.game.final_hands(match.game.rounds[event.round - 1])
        before = list(event.points)


def test_default_and_forced_moves_are_marked() -> None:
    match = begin("lama")
    while match.decision and match.decision.seat != 0:
        match.answer("draw" if "draw" in match.decision.actions else "quit")
    match.fail("timeout", "No answer within 600000 ms.")

    own = [
        event
        for event in story(match, 0, NAMES)
        if isinstance(event, StoryLine) and event.seat == 0
    ]

    assert (own[-1].who, own[-1].words.verb) == ("You", "quit")
    assert own[-1].fault is not None
    assert own[-1].fault.kind == "timeout"
