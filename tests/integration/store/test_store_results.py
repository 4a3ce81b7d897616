"""Results are stored once, counted, and rated in scheduled order."""

import random
from dataclasses import replace

import pytest
from sqlalchemy import func, select, update

from arena.base.errors import NotFound
from arena.store import Store
from arena.store.matches import matches
from arena.store.projections.elo import rebuild
from arena.store.reports import leaderboard
from arena.store.save import cancel_matches, missing
from arena.store.tables import match_seats
from arena.store.tables import matches as matches_table
from arena.store.tables import ratings as ratings_table
from arena.store.tables import tournaments as tournaments_table
from arena.store.tournaments import tournaments
from arena.tournaments.ratings.elo import START, changes
from tests.made_results import entered, result, results, save, schedule

EVERYTHING = [
    select(ratings_table).order_by(ratings_table.c.seats, ratings_table.c.player),
    select(matches_table.c.id, matches_table.c.rated_seq).order_by(matches_table.c.id),
    select(
        matches_table.c.id, match_seats.c.seat, match_seats.c.elo_before, match_seats.c.elo_change
    )
    .join_from(match_seats, matches_table)
    .order_by(matches_table.c.id, match_seats.c.seat),
]


def rating_state(store: Store) -> list[list[tuple[object, ...]]]:
    """Every number that ratings consist of."""
    with store.read() as conn:
        return [[tuple(row) for row in conn.execute(query)] for query in EVERYTHING]


def elo(store: Store, seats: int = 0) -> dict[str, float]:
    with store.read() as conn:
        return {line.bot: line.elo for line in leaderboard.table(conn, "lama", seats)}


def test_each_result_is_stored_once_however_often_it_comes(store: Store) -> None:
    tournament = entered(store)
    played = results(tournament)

    assert save(store, played[:10]) == 10
    state = rating_state(store)
    assert save(store, played[:10]) == 0
    assert rating_state(store) == state
    assert save(store, [*played[5:15], *played[12:15]]) == 5

    with store.read() as conn:
        assert tournaments.get(conn, tournament.id).played == 15
        assert conn.scalar(select(func.count()).select_from(matches_table)) == 15
        assert conn.scalar(select(func.count()).select_from(match_seats)) == 45


def test_no_results_are_stored_as_nothing(store: Store) -> None:
    assert save(store, []) == 0


@pytest.mark.parametrize("kind", ["tournament", "table"])
def test_matches_that_are_neither_stored_nor_cancelled_are_missing(store: Store, kind: str) -> None:
    tournament = entered(store, matches=8)
    played = results(tournament)
    with store.write() as conn:
        conn.execute(update(tournaments_table).values(kind=kind))
    save(store, [*played[:3], played[5]])
    with store.write() as conn:
        if kind == "tournament":
            assert cancel_matches(conn, tournament.id, [6]) == 1
        found = missing(conn, tournament.id, 2, 6)

    assert found == ({3, 4, 7} if kind == "tournament" else {3, 4, 6, 7})


def test_a_match_played_again_after_it_was_stored_changes_nothing(store: Store) -> None:
    tournament = entered(store)
    first = results(tournament)[0]
    save(store, [first])

    again = replace(first, points=first.points[::-1], log=b"other", finished=9999.0)

    assert save(store, [again]) == 0
    with store.read() as conn:
        assert matches.get_match(conn, first.id).log == first.log


def test_a_result_of_an_unknown_tournament_stores_nothing_at_all(store: Store) -> None:
    tournament = entered(store)
    sound = results(tournament)[0]

    with pytest.raises(NotFound, match="no tournament 99"):
        save(store, [sound, replace(sound, id="elsewhere", tournament=99)])

    with store.read() as conn:
        assert tournaments.get(conn, tournament.id).played == 0
        assert matches.list_matches(conn) == ([], "")


def test_the_first_match_moves_ratings_as_the_formula_says(store: Store) -> None:
    tournament = entered(store)
    planned = schedule(tournament)[0]

    save(store, [result(tournament, planned, [12, 40, 12])])

    moved = changes([START] * 3, [0] * 3, [12, 40, 12], [False] * 3)
    bots = [tournament.spec.bots[entrant] for entrant in planned.seats]
    assert elo(store) == {bot: START + m for bot, m in zip(bots, moved, strict=True)}
    assert elo(store, seats=3) == elo(store)
    assert elo(store, seats=4) == {}


def test_each_match_starts_from_the_ratings_that_the_one_before_left(store: Store) -> None:
    tournament = entered(store)
    save(store, results(tournament))

    with store.read() as conn:
        now = dict.fromkeys(tournament.players, START)
        played = dict.fromkeys(tournament.players, 0)
        for match in matches.iterate_matches(conn, tournament.id):
            sitting = [seat.player for seat in match.seats]
            assert [seat.elo_before for seat in match.seats] == [now[p] for p in sitting]
            moved = changes(
                [now[p] for p in sitting],
                [played[p] for p in sitting],
                [seat.points for seat in match.seats],
                [seat.forfeited for seat in match.seats],
            )
            assert [seat.elo_change for seat in match.seats] == moved
            for player, change in zip(sitting, moved, strict=True):
                now[player] += change
                played[player] += 1
        assert {line.player: line.elo for line in leaderboard.table(conn, "lama")} == now


def test_the_sum_of_ratings_is_conserved_in_every_table(store: Store) -> None:
    save(store, results(entered(store)))
    save(store, results(entered(store, seats=2)))

    for seats in (0, 2, 3):
        assert sum(elo(store, seats).values()) == pytest.approx(5 * START, abs=1e-9)
    assert elo(store, 2) != elo(store, 3) != elo(store)


def test_an_early_result_waits_until_the_gap_is_filled(store: Store) -> None:
    tournament = entered(store)
    played = results(tournament)

    save(store, played[1:4])
    assert elo(store) == {}
    with store.read() as conn:
        waiting = matches.get_match(conn, played[1].id)
        assert waiting.rated_seq is None
        assert {seat.elo_change for seat in waiting.seats} == {None}
    save(store, [*played[5:8], played[0]])

    with store.read() as conn:
        found = {m.position: m.rated_seq for m in matches.iterate_matches(conn, tournament.id)}
    assert found == {0: 1, 1: 2, 2: 3, 3: 4, 5: None, 6: None, 7: None}


@pytest.fixture(scope="module")
def in_order(module_store: Store) -> Store:
    """A store with a tournament whose results came one by one, in order."""
    for one in results(entered(module_store, deals=4)):
        save(module_store, [one])
    return module_store


@pytest.mark.parametrize("luck", range(3))
def test_ratings_do_not_depend_on_the_order_of_results(
    store: Store, in_order: Store, luck: int
) -> None:
    tournament = entered(store, deals=4)
    with in_order.read() as conn:
        assert replace(tournaments.get(conn, 1), played=0) == tournament
    played = results(tournament)
    chance = random.Random(luck)
    coming = chance.sample(played, len(played))
    while coming:
        size = chance.randrange(1, 40)
        save(store, coming[:size])
        del coming[:size]

    assert rating_state(store) == rating_state(in_order)


def test_many_results_may_wait_for_one(store: Store) -> None:
    tournament = entered(store, deals=20)
    played = results(tournament)
    assert len(played) == 600

    save(store, played[1:])
    save(store, played[:1])

    with store.read() as conn:
        rated = [match.rated_seq for match in matches.iterate_matches(conn, tournament.id)]
    assert rated == list(range(1, 601))


def test_a_slow_tournament_does_not_delay_others(store: Store) -> None:
    slow, fast = entered(store), entered(store)

    save(store, results(slow)[1:2])
    save(store, results(fast)[:3])

    with store.read() as conn:
        assert [m.rated_seq for m in matches.iterate_matches(conn, slow.id)] == [None]
        assert [m.rated_seq for m in matches.iterate_matches(conn, fast.id)] == [1, 2, 3]


def test_results_of_a_cancelled_tournament_stay_rated_and_the_rest_follows(store: Store) -> None:
    tournament = entered(store)
    played = results(tournament)
    save(store, played[:4])
    with store.write() as conn:
        tournaments.set_state(conn, tournament.id, "cancelled")

    save(store, played[6:8])  # was on its way
    with store.write() as conn:
        tournaments.set_state(conn, tournament.id, "running")
    save(store, played[4:6])

    with store.read() as conn:
        rated = [match.rated_seq for match in matches.iterate_matches(conn, tournament.id)]
    assert rated == list(range(1, 9))


def test_a_rebuild_gives_every_number_again_to_the_bit(store: Store) -> None:
    first, second = results(entered(store)), results(entered(store, seats=2), luck=2)
    for start in range(0, 60, 7):  # two tournaments at once, one of them out of order
        save(store, first[start : start + 7])
        save(store, second[::-1][start : start + 7])
    state = rating_state(store)
    damaged = update(match_seats).values(elo_before=0.0, elo_change=1.0)

    with store.write() as conn:
        conn.execute(damaged)
        conn.execute(update(ratings_table).values(elo=1.0, matches=1, points=7))
        count = rebuild(conn, "lama")

    assert rating_state(store) == state
    assert count == 60 + 40


def test_a_rebuild_leaves_matches_that_wait_alone(store: Store) -> None:
    tournament = entered(store)
    played = results(tournament)
    save(store, played[:3])
    save(store, played[5:6])
    state = rating_state(store)

    with store.write() as conn:
        assert rebuild(conn, "lama") == 3

    assert rating_state(store) == state
    save(store, played[3:5])
    with store.read() as conn:
        rated = [match.rated_seq for match in matches.iterate_matches(conn, tournament.id)]
    assert rated == [1, 2, 3, 4, 5, 6]


def test_a_rebuild_of_an_unplayed_game_does_nothing(store: Store) -> None:
    with store.write() as conn:
        assert rebuild(conn, "lama") == 0
        assert leaderboard.table(conn, "lama") == []


def test_more_matches_than_are_read_at_a_time_are_rebuilt(
    store: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("arena.store.matches.read_columns.CHUNK", 7)
    monkeypatch.setattr("arena.store.projections.elo.CHUNK", 11)
    save(store, results(entered(store)))
    state = rating_state(store)

    with store.write() as conn:
        assert rebuild(conn, "lama") == 60

    assert rating_state(store) == state


def test_a_forfeit_costs_as_much_as_the_last_place(store: Store) -> None:
    tournament = entered(store, names=["ada", "bob"], seats=2)
    planned = schedule(tournament)[0]
    sound = result(tournament, planned, [0, 40])
    forfeit = replace(sound, ranks=(2, 1), faults=(3, 0), forfeited=(True, False))

    save(store, [forfeit])

    with store.read() as conn:
        seats = matches.get_match(conn, forfeit.id).seats
    assert [seat.elo_change for seat in seats] == [-32.0, 32.0]
