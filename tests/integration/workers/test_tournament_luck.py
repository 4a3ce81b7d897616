"""A tournament tells what cards and seats did in it."""

from statistics import fmean

from arena.protocol.v1 import control_pb2 as pb
from arena.service.control.service import ControlService
from arena.store import Store
from arena.store.matches.matches import iterate_matches
from tests.integration.conftest import Run
from tests.integration.played import play, register


def known(store: Store, tournament: int) -> pb.Luck:
    return ControlService(store, None).get_tournament(pb.TournamentId(id=tournament)).luck


def test_mean_points_by_seat_are_those_of_the_matches(sqlite_store: Store) -> None:
    register(sqlite_store, "ann", "bob", "cho")
    play(sqlite_store, "ann", "bob", "cho", deals=4)

    luck = known(sqlite_store, 1)

    with sqlite_store.read() as conn:
        matches = list(iterate_matches(conn))
    assert (luck.deals, luck.matches) == (12, 24)
    assert list(luck.mean_points) == [
        fmean(m.seats[seat].points for m in matches) for seat in (0, 1)
    ]
    assert luck.HasField("saved")
    assert -1 <= luck.saved <= 1


def test_before_a_second_deal_it_is_not_known_what_rotations_save(sqlite_store: Store) -> None:
    register(sqlite_store, "ann", "bob")
    play(sqlite_store, "ann", "bob", deals=1)

    luck = known(sqlite_store, 1)

    assert (luck.deals, luck.matches) == (0, 2)
    assert not luck.HasField("saved")


def test_an_empty_tournament_tells_nothing(sqlite_store: Store) -> None:
    register(sqlite_store, "ann", "bob")
    play(sqlite_store, "ann", "bob", only=0)

    luck = known(sqlite_store, 1)

    assert (luck.deals, luck.matches, list(luck.mean_points)) == (0, 0, [])
    assert not luck.HasField("saved")


def test_lists_of_tournaments_are_told_without_it(sqlite_store: Store) -> None:
    register(sqlite_store, "ann", "bob")
    play(sqlite_store, "ann", "bob", deals=2)

    (listed,) = (
        ControlService(sqlite_store, None).list_tournaments(pb.ListTournamentsRequest()).tournaments
    )

    assert not listed.HasField("luck")


def test_it_stands_below_the_standings(run: Run, sqlite_store: Store) -> None:
    register(sqlite_store, "ann", "bob", "cho")
    play(sqlite_store, "ann", "bob", "cho", deals=4)

    below = run("tournament", "show", "1").out.splitlines()[-2:]

    assert below[0].startswith("Duplicate deals")
    assert below[0].endswith("measured on 12 deals).")
    assert below[1].startswith("Mean points by seat, first to last, over 24 matches: ")
