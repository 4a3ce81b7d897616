"""Expected seats and waits, compared with schedules that are played to their end."""

import asyncio
import random
from collections import Counter
from itertools import product
from typing import Any

import pytest

from arena.bots import HOUSE
from arena.games.match import Match, MatchSetup, Seat
from arena.games.rules import GAMES
from arena.sdk.local import LocalMatch
from arena.service.forecast.measured import schedule
from arena.service.forecast.typical import decisions
from arena.tournaments.formats import NOTHING, Played, SoFar, TournamentSpec, check_spec, format_of


def checked(**asked: Any) -> TournamentSpec:
    fields: dict[str, Any] = {"bots": tuple("abcdefgh"), "seats": 4, "matches": 8, **asked}
    return check_spec(TournamentSpec(**fields))


def play(spec: TournamentSpec, blocks: int | None = None) -> tuple[Counter[int], int, SoFar]:
    """By entrant the matches it sat in, the blocks played, and the state after each."""
    format_, so_far, number = format_of(spec.format), NOTHING, 0
    chance, sat = random.Random(1), Counter[int]()
    while number != blocks and (block := format_.block(spec, number, so_far)):
        played = []
        for match in block:
            points = tuple(chance.randrange(40) for _ in match.seats)
            ranks = tuple(1 + sum(other < mine for other in points) for mine in points)
            played.append(Played(match, points, ranks, (False,) * len(points)))
            sat.update(match.seats)
        so_far = format_.fold(spec, so_far, played)
        number += 1
    return sat, number, so_far


SPECS: dict[str, dict[str, Any]] = {
    "round-robin": {},
    "gauntlet": {"format": "gauntlet"},
    "swiss": {"format": "swiss"},
    "swiss with byes": {"format": "swiss", "seats": 3},
    "knockout": {"format": "knockout"},
    "knockout of two": {"format": "knockout", "seats": 2},
    "ladder": {"format": "ladder", "format_options": {"matches": "1500"}},
    "versus": {"format": "versus", "format_options": {"max_deals": "120", "elo1": "1"}},
    "versus of two": {
        "format": "versus", "bots": ("a", "b"), "seats": 2,
        "format_options": {"max_deals": "120", "elo1": "1"},
    },
}  # fmt: skip


@pytest.mark.parametrize("asked", SPECS.values(), ids=list(SPECS))
def test_shares_and_blocks_are_those_that_are_played(asked: dict[str, Any]) -> None:
    spec = checked(**asked)
    total = format_of(spec.format).count(spec)

    plan = schedule(spec, total)

    sat, blocks, _ = play(spec)
    assert plan.matches == total
    if format_of(spec.format).needs_results:
        assert plan.blocks == blocks
    else:
        assert plan.blocks == 1, "they are planned ahead, so nobody waits between them"
    assert sum(plan.shares) * total == pytest.approx(sat.total())
    if spec.format not in ("knockout", "ladder"):  # there results say who plays more
        for entrant, share in enumerate(plan.shares):
            assert share * total == pytest.approx(sat[entrant], rel=0.15)


def test_only_bots_still_in_a_knockout_have_matches_left() -> None:
    spec = checked(format="knockout", seats=2)
    before, _, so_far = play(spec, blocks=2)
    whole, _, _ = play(spec)
    left = (whole - before).total() // 2

    plan = schedule(spec, left, so_far)

    assert plan.blocks == 1
    assert {e for e, share in enumerate(plan.shares) if share} == set(whole - before)


def test_last_version_of_a_bot_plays_in_a_ladder() -> None:
    spec = checked(format="ladder", seats=2, bots=("a", "b", "c"))
    entered = TournamentSpec(**{**vars(spec), "bots": ("a", "b", "c", "A")})

    assert schedule(entered, 100).shares == pytest.approx((0.0, 2 / 3, 2 / 3, 2 / 3))


def test_which_formats_may_end_early() -> None:
    assert [name for name in SPECS if format_of(checked(**SPECS[name]).format).ends_early] == [
        "ladder", "versus", "versus of two",
    ]  # fmt: skip


# Typical numbers


def test_every_game_has_its_typical_number_of_decisions() -> None:
    assert all("typical_decisions" in vars(game) for game in GAMES.values())
    assert decisions("chess", 2) > 0, "a new game has one, too, if a vague one"


@pytest.mark.long
@pytest.mark.parametrize("game", GAMES)
@pytest.mark.parametrize("seats", [2, 4, 6])
def test_typical_numbers_of_decisions_match_house_bots(game: str, seats: int) -> None:
    chance, asked = random.Random(2), []
    pairs = list(product(HOUSE, repeat=2))
    for number, pair in enumerate(pairs):
        names = [*pair, *chance.choices(list(HOUSE), k=seats - 2)]
        match = Match(
            MatchSetup(
                id=f"m{number}", game=game, seed=chance.randbytes(16),
                seats=tuple(map(Seat, names)), options={}, fault_limit=3,
            )
        )  # fmt: skip
        asyncio.run(LocalMatch(match, [HOUSE[name]() for name in names]).play())
        asked.append(len(match.logged))

    assert sum(asked) / len(asked) == pytest.approx(decisions(game, seats), rel=0.25)
