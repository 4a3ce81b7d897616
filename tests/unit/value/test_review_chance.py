"""The luck of cards, deals and rolls in reviews."""

import numpy as np
import pytest

from arena.games.packed_log import pack
from arena.value.luck import UNIT, FinishedMatch, luck_of
from arena.value.review import chance
from arena.value.review.chance import chances
from arena.value.review.payload import from_payload, payload
from tests.unit.value.test_review import played, reviewed


@pytest.mark.parametrize("game", ["lama", "party", "dice", "kadabra"])
def test_every_event_is_there_and_adds_up_to_the_luck_of_the_match(game: str) -> None:
    match = played(game, seats=4, max_rounds=None)
    found = chances(match)
    whole = luck_of(game, 4, [FinishedMatch("m1", match.setup.seed, pack(match))])[0]
    assert whole is not None
    assert np.allclose(np.sum([each.luck for each in found], axis=0), whole.by_seat, atol=9 / UNIT)
    assert all(abs(sum(each.luck)) < 9 / UNIT for each in found)
    deals = [each.round for each in found if each.kind == "deal"]
    assert deals in ([], list(range(1, len(match.game.rounds) + 1)))


@pytest.mark.parametrize(("game", "action"), [("lama", "draw"), ("dice", "roll")])
def test_an_event_names_the_move_that_led_to_it(game: str, action: str) -> None:
    match = played(game, seats=3, max_rounds=None)
    moves = [move for log in match.game.rounds for move in log.moves]
    asked = [each for each in chances(match) if each.kind == action]
    assert asked
    for each in asked:
        seat, made = moves[each.number - 1]
        assert each.seat == seat
        if action == "draw":
            assert type(match.game).notation[made] == "draw"


@pytest.mark.long
def test_they_are_the_same_after_json() -> None:
    told = payload(reviewed(played(seats=4, max_rounds=None)))
    assert told["chances"]
    assert payload(from_payload(told))["chances"] == told["chances"]


def test_without_models_there_are_no_chances(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(chance, "luck_of", lambda *args: [None])
    found = reviewed(played())
    assert found.chances == ()
    assert found.decisions
