"""The worker that benches run in one process."""

import pytest

from arena.games.rules import GAMES
from tests.lab.bench import one_worker


@pytest.mark.parametrize("game", GAMES)
def test_packed_or_not_the_same_matches_are_played(game: str) -> None:
    decisions = one_worker.play(game, 6)
    assert decisions > 6
    assert one_worker.play(game, 6, packed=False) == decisions
