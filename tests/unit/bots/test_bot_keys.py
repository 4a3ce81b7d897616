"""A bot's random numbers: repeatable with its key, unpredictable without."""

import pytest

from arena.games.match import Match, MatchSetup, Seat
from arena.games.rules import GAMES
from arena.games.rules.view import View
from arena.protocol.decisions import decode_view, encode_decision
from arena.protocol.v1 import play_pb2 as pb
from arena.sdk import Bot, client, play


class Dicey(Bot):
    """Records its draws."""

    games = tuple(GAMES)

    def __init__(self) -> None:
        self.drawn: list[float] = []

    def choose(self, view: View) -> str:
        self.drawn.append(view.rng().random())
        return view.rng().choice(view.actions)


def a_view(game: str = "lama") -> View:
    match = Match(MatchSetup("m", game, bytes(16), (Seat("a"), Seat("b"))))
    assert match.decision is not None
    return match.decision


def test_match_and_decision_do_not_reveal_random_numbers_of_a_bot() -> None:
    view = a_view()

    drawn = {view._replace(key=Dicey().key).rng().random() for _ in range(50)}

    assert len(drawn) == 50
    assert view.rng().random() not in drawn


@pytest.mark.parametrize("game", GAMES)
def test_the_key_is_the_bots_and_never_sent(game: str) -> None:
    view = a_view(game)
    key = Dicey().key

    sent = pb.Decision.FromString(encode_decision(view._replace(key=key), 1, 2))

    assert key not in sent.SerializeToString()
    assert decode_view(sent.view).key == b""
    assert decode_view(sent.view, key) == view._replace(key=key)


def test_a_class_with_a_constructor_of_its_own_has_a_key_too() -> None:
    assert len(Dicey().key) == 32
    assert Dicey().key != Dicey().key


def test_with_a_key_given_chance_is_the_same_again(monkeypatch: pytest.MonkeyPatch) -> None:
    async def nothing(*_: object) -> None:
        """There is no arena."""

    monkeypatch.setattr(client, "stay_connected", nothing)
    one, two, other, drawn = Dicey(), Dicey(), Dicey(), Dicey()
    before = drawn.key

    one.run(token="t", key="mine")
    monkeypatch.setenv("ARENA_BOT_KEY", "mine")
    two.run(token="t")
    other.run(token="t", key="another")
    monkeypatch.setenv("ARENA_BOT_KEY", "")
    drawn.run(token="t")

    assert one.key == two.key != other.key
    assert drawn.key == before


def test_a_local_match_with_a_seed_is_repeatable_and_seats_draw_differently() -> None:
    def again(seed: int | None) -> tuple[object, list[float], list[float]]:
        one, other = Dicey(), Dicey()
        return play([one, other], seed=seed)["rounds"], one.drawn, other.drawn

    assert again(5) == again(5)
    assert again(None) != again(None)
    _, one, other = again(5)
    assert not set(one) & set(other)
