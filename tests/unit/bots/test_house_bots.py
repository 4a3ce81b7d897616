"""House bots: sound at every table, repeatable, and of clearly different strength."""

import asyncio
import itertools
from collections import defaultdict
from typing import Any

import pytest

from arena.bots import HOUSE
from arena.bots.__main__ import main
from arena.games.rules import GAMES
from arena.sdk import play, play_async


def moves(record: dict[str, Any]) -> list[list[str]]:
    return [[move["action"] for move in played["moves"]] for played in record["rounds"]]


@pytest.mark.parametrize("seats", [2, 3, 4, 5, 6])
@pytest.mark.parametrize("game", GAMES)
def test_house_bots_play_without_fault_at_every_table(game: str, seats: int) -> None:
    for seed, table in enumerate(itertools.combinations(HOUSE.values(), seats)):
        played = play([kind() for kind in table], game=game, seed=seed)
        faults = [move for r in played["rounds"] for move in r["moves"] if "fault" in move]
        assert faults == []


def test_a_match_of_house_bots_can_be_played_again() -> None:
    def table() -> list[list[str]]:
        return moves(play([kind() for kind in HOUSE.values()], seed=7, match="abc"))

    assert table() == table()


def test_chance_depends_on_the_match_and_decision() -> None:
    played = [moves(play([HOUSE["random"]()] * 3, seed=7, match=match)) for match in ("a", "b")]
    assert played[0] != played[1]


def mean_scores(game: str, deals: int) -> dict[str, float]:
    """Mean share of opponents beaten, over all tables of four in all rotations of each deal."""
    scores: dict[str, list[float]] = defaultdict(list)

    async def tournament() -> None:
        for number, table in enumerate(itertools.combinations(HOUSE, 4)):
            for deal, turn in itertools.product(range(deals), range(4)):
                names = table[turn:] + table[:turn]
                seed = number * 1000 + deal
                bots = [HOUSE[name]() for name in names]
                record = await play_async(bots, game=game, seed=seed, match=f"{seed}-{turn}")
                note(names, record["result"]["points"])

    def note(names: tuple[str, ...], points: list[int]) -> None:
        for seat, name in enumerate(names):
            others = [held for other, held in enumerate(points) if other != seat]
            beaten = [(points[seat] < held) + (points[seat] == held) / 2 for held in others]
            scores[name].append(sum(beaten) / len(beaten))

    asyncio.run(tournament())
    return {name: sum(scores[name]) / len(scores[name]) for name in HOUSE}


@pytest.mark.long
def test_in_lama_each_house_bot_is_stronger_than_the_one_before() -> None:
    means = list(mean_scores("lama", deals=15).values())
    # About two standard errors of a difference: 600 matches each, in rotations of a deal.
    assert all(weaker + 0.01 < stronger for weaker, stronger in itertools.pairwise(means)), means


@pytest.mark.long
@pytest.mark.parametrize("game", [game for game in GAMES if game != "lama"])
def test_in_the_other_games_thought_beats_stubbornness_and_that_beats_chance(game: str) -> None:
    means = mean_scores(game, deals=3)
    assert means["random"] + 0.1 < means["stubborn"]
    for thoughtful in ("five", "careful", "sharp"):
        assert means["stubborn"] + 0.03 < means[thoughtful], means


def test_an_unknown_house_bot_is_refused(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as ended:
        main(["alphago"])
    assert ended.value.code == 2
    assert "careful" in capsys.readouterr().err
