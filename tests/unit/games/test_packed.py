"""Views as rows of bytes, and the errors for invalid rows."""

import random
from collections.abc import Iterator
from typing import Any, cast

import pytest

from arena.games.rules import GAMES, Game, View, game_class
from arena.games.rules.errors import BadPacking, BadSeats
from arena.games.rules.game import FEWEST_SEATS, MOST_SEATS
from arena.games.rules.packed import Layout, layout_of
from arena.games.rules.rows import NONE, match_bytes

ID = "x7k2m9qd4t8w5zr3"
KEY = b"secret"


def played(name: str, seats: int, seed: int) -> Iterator[Game]:
    """A game, again and again as it is played by random legal actions."""
    rng = random.Random(f"{name} {seats} {seed}")
    game = game_class(name)(seats, rng.randbytes(16))
    while not game.finished:
        yield game
        game.apply(rng.choice(game.legal_actions))


def first(name: str, seats: int = 4) -> View:
    """The first decision of a match."""
    return next(played(name, seats, 0)).view(ID, 1)


@pytest.mark.parametrize("seats", range(FEWEST_SEATS, MOST_SEATS + 1))
@pytest.mark.parametrize("name", GAMES)
class TestRandomPlay:
    def test_a_row_is_the_view(self, name: str, seats: int) -> None:
        layout = layout_of(game_class(name), seats)
        for seed in range(3):
            for number, game in enumerate(played(name, seats, seed), 1):
                view = game.view(ID, number)
                row, moves = game.packed(match_bytes(ID), number)
                assert len(row) == layout.width
                assert layout.unpack(row, moves, view.options, b"") == view
                assert layout.pack(view) == (row, moves)

    def test_a_copy_goes_its_own_way(self, name: str, seats: int) -> None:
        layout = layout_of(game_class(name), seats)
        rng = random.Random(1)
        for game in played(name, seats, 7):
            game.packed(match_bytes(ID), 1)
            copy = game.clone()
            copy.apply(rng.choice(copy.legal_actions))
            if not copy.finished:
                copied = layout.unpack(*copy.packed(match_bytes(ID), 2), {}, b"")
                assert copied == copy.view(ID, 2)._replace(options={})
            assert (
                layout.unpack(*game.packed(match_bytes(ID), 1), {}, b"").moves == game.view().moves
            )


class TestColumns:
    def test_fields_are_in_their_documented_places(self) -> None:
        layout = layout_of(game_class("lama"), 4)
        view = first("lama")
        row, moves = layout.pack(view)
        assert row[layout.columns["match"]] == ID.encode()
        assert [*row[layout.columns["points"]]] == [0, 0, 0, 0]
        hand = dict(zip(layout.kind.kinds, row[layout.columns["hand"]], strict=True))
        assert hand == {kind: view.hand.count(kind) for kind in layout.kind.kinds}
        indices = row[layout.columns["indices"]]
        assert [one for one in indices if one != NONE] == [*view.indices]
        assert moves == b""
        assert sum(part.stop - part.start for part in layout.columns.values()) == layout.width

    def test_large_numbers(self) -> None:
        layout = layout_of(game_class("lama"), 4)
        view = first("lama")._replace(number=65_535, round=10_000, points=(255, 0, 0, 0))
        assert layout.unpack(*layout.pack(view), {}, b"") == view

    def test_a_short_match_id(self) -> None:
        layout = layout_of(game_class("lama"), 4)
        assert layout.unpack(*layout.pack(first("lama")._replace(match="m")), {}, b"").match == "m"

    def test_the_key_is_the_bots(self) -> None:
        layout = layout_of(game_class("dice"), 3)
        view = layout.unpack(*layout.pack(first("dice", 3)), {}, KEY)
        assert view == first("dice", 3)._replace(key=KEY)


class TestRefusals:
    @pytest.mark.parametrize(
        "change",
        [
            {"points": (256, 0, 0, 0)},
            {"number": 65_536},
            {"match": "m" * 17},
            {"match": "ä"},
            {"ask": "wait"},
            {"top": "9"},
            {"indices": tuple(range(20))},
        ],
    )
    def test_views_that_do_not_fit_are_rejected(self, change: dict[str, Any]) -> None:
        with pytest.raises(BadPacking, match="does not fit"):
            layout_of(game_class("lama"), 4).pack(first("lama")._replace(**change))

    def test_another_number_of_seats(self) -> None:
        with pytest.raises(BadPacking, match="at 3 seats"):
            layout_of(game_class("lama"), 3).pack(first("lama"))

    def test_another_game(self) -> None:
        with pytest.raises(BadPacking, match="is not of"):
            layout_of(game_class("lama"), 4).pack(first("lama")._replace(game="party"))

    @pytest.mark.parametrize("moves", ["0 fly", "x quit", "0", "7 quit,"])
    def test_moves_that_are_none(self, moves: str) -> None:
        with pytest.raises(BadPacking, match="not a move"):
            layout_of(game_class("lama"), 4).pack(first("lama")._replace(moves=moves))

    def test_a_row_of_another_width(self) -> None:
        layout = layout_of(game_class("lama"), 4)
        with pytest.raises(BadPacking, match="bytes"):
            layout.unpack(bytes(layout.width + 1), b"", {}, b"")

    @pytest.mark.parametrize("name", GAMES)
    def test_any_bytes(self, name: str) -> None:
        """Whatever comes, it is a view or BadPacking."""
        layout, rng = layout_of(game_class(name), 4), random.Random(1)
        for _ in range(2000):
            row = rng.randbytes(layout.width)
            moves = rng.randbytes(rng.randrange(12))
            try:
                view = layout.unpack(row, moves, {}, b"")
            except BadPacking:
                continue
            assert isinstance(view, View)

    def test_a_game_that_packs_nothing(self) -> None:
        class Plain:
            title = "Plain"
            most_legal = 0

        with pytest.raises(BadPacking, match="cannot be packed"):
            Layout(cast("type[Game]", Plain), 4)

    def test_seats(self) -> None:
        with pytest.raises(BadSeats):
            Layout(game_class("lama"), 7)
