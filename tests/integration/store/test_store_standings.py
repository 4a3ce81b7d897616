"""Tables: a tournament's standings, ratings, and their history."""

from dataclasses import replace

import pytest
from sqlalchemy import insert

from arena.base.errors import NotFound
from arena.store import Store
from arena.store.registry import bots
from arena.store.reports import leaderboard
from arena.store.reports.standings import shared_ranks, standings
from arena.store.tables import players
from arena.store.tournaments import creation
from arena.tournaments.formats import TournamentSpec, check_spec, format_of
from tests.made_results import SALT, elo_course, entered, result, results, save, schedule


def test_standings_count_the_matches(store: Store) -> None:
    tournament = entered(store, names=["ada", "bob", "cyd"], deals=1)
    by_bot = {"ada": 10, "bob": 10, "cyd": 41}, {"ada": 50, "bob": 3, "cyd": 20}
    played = [
        result(tournament, planned, [points[tournament.spec.bots[e]] for e in planned.seats])
        for planned, points in zip(schedule(tournament)[:2], by_bot, strict=True)
    ]
    cyd = played[1].players.index(tournament.players[2])
    at_fault = tuple(3 * (seat == cyd) for seat in range(3))
    played[1] = replace(
        played[1], faults=at_fault, forfeited=tuple(map(bool, at_fault)), ranks=(1, 1, 1)
    )
    ranks = {tournament.players[0]: 2, tournament.players[1]: 1, tournament.players[2]: 3}
    played[1] = replace(played[1], ranks=tuple(ranks[p] for p in played[1].players))

    save(store, played)

    with store.read() as conn:
        bob, ada, cyd_line = standings(conn, tournament.id)
    assert (bob.rank, bob.bot, bob.version, bob.matches) == (1, "bob", "1", 2)
    assert (bob.wins, bob.shared_wins, bob.mean_points) == (2, 1, 6.5)
    assert bob.score == (0.5 + 1 + 1 + 1) / 4
    assert (ada.bot, ada.wins, ada.shared_wins, ada.mean_points) == ("ada", 1, 1, 30.0)
    assert ada.score == (0.5 + 1 + 0 + 1) / 4
    assert (cyd_line.bot, cyd_line.wins, cyd_line.score) == ("cyd", 0, 0.0)
    assert (cyd_line.faults, cyd_line.forfeits) == (3, 1)
    assert (bob.faults, bob.forfeits) == (0, 0)


def test_a_match_of_forfeits_has_no_winner(store: Store) -> None:
    tournament = entered(store, names=["ada", "bob", "cyd"], deals=1)
    planned = schedule(tournament)[0]
    lost = result(tournament, planned, [40, 40, 40])
    save(store, [replace(lost, faults=(3, 3, 3), forfeited=(True, True, True))])

    with store.read() as conn:
        lines = standings(conn, tournament.id)
        table = leaderboard.table(conn, "lama")

    assert [line.wins for line in lines] == [0, 0, 0]
    assert [(line.wins, line.shared_wins) for line in table] == [(0, 0)] * 3
    assert [line.elo for line in table] == [1500.0] * 3


def test_standings_agree_with_the_matches_they_are_made_of(store: Store) -> None:
    tournament = entered(store)
    played = results(tournament)
    for start in range(0, 60, 13):
        save(store, played[start : start + 13])

    with store.read() as conn:
        lines = {line.player: line for line in standings(conn, tournament.id)}
        elo = {line.player: line.elo for line in leaderboard.table(conn, "lama")}

    for player in tournament.players:
        mine = [(m, m.players.index(player)) for m in played if player in m.players]
        wins = [m for m, seat in mine if m.ranks[seat] == 1]
        scores = [
            (m.points[seat] < other) + 0.5 * (m.points[seat] == other)
            for m, seat in mine
            for place, other in enumerate(m.points)
            if place != seat
        ]
        line = lines[player]
        assert (line.matches, line.wins) == (len(mine), len(wins))
        assert line.shared_wins == sum(m.ranks.count(1) > 1 for m in wins)
        assert line.mean_points == sum(m.points[seat] for m, seat in mine) / len(mine)
        assert line.score == sum(scores) / len(scores)
        assert line.elo == elo[player]
    assert any(line.shared_wins for line in lines.values())


def test_standings_are_ordered_by_score_then_points_then_name(store: Store) -> None:
    tournament = entered(store)

    with store.read() as conn:
        before = standings(conn, tournament.id)
    save(store, results(tournament))
    with store.read() as conn:
        after = standings(conn, tournament.id)

    assert [(line.rank, line.bot, line.elo) for line in before] == [
        (1, name, 1500.0) for name in sorted(tournament.spec.bots)
    ]
    keys = [(-line.score, line.mean_points, line.bot) for line in after]
    assert keys == sorted(keys)
    assert {line.score for line in before} == {line.mean_points for line in before} == {0.0}


@pytest.mark.parametrize("format_", ["round-robin", "swiss", "ladder"])
def test_bots_that_have_not_played_come_last(store: Store, format_: str) -> None:
    tournament = entered(store, names=["ann", "bea", "yen", "zoe"], seats=2, format=format_)
    yen, zoe = tournament.players[2:]
    planned = replace(format_of(format_).block(tournament.spec, 0)[0], seats=(2, 3))
    save(store, [replace(result(tournament, planned, [5, 40]), players=(yen, zoe))])

    with store.read() as conn:
        lines = standings(conn, tournament.id)

    assert [(line.rank, line.bot, line.matches) for line in lines] == [
        (1, "yen", 1),
        (2, "zoe", 1),
        (3, "ann", 0),
        (3, "bea", 0),
    ]


def test_standings_of_a_tournament_that_does_not_exist(store: Store) -> None:
    with store.read() as conn, pytest.raises(NotFound):
        standings(conn, 5)


def test_equal_lines_share_the_better_rank() -> None:
    assert shared_ranks([9, 9, 7, 5, 5, 5, 1]) == [1, 1, 3, 4, 4, 4, 7]
    assert shared_ranks([]) == []


def test_a_rating_table_sums_up_all_rated_matches(store: Store) -> None:
    threes, twos = entered(store), entered(store, seats=2)
    played = [*results(threes), *results(twos)]
    save(store, played)

    with store.read() as conn:
        overall = leaderboard.table(conn, "lama")
        by_seats = {seats: leaderboard.table(conn, "lama", seats) for seats in (2, 3)}
        assert leaderboard.games(conn) == ["lama"]
        assert leaderboard.seat_counts(conn, "lama") == [2, 3]
        assert leaderboard.table(conn, "dice") == []

    found = [line.rating or 0.0 for line in overall]
    assert found == sorted(found, reverse=True)
    assert [line.rank for line in overall] == [1, 2, 3, 4, 5]
    assert {line.matches for line in overall} == {36 + 16}
    assert {line.matches for line in by_seats[2]} == {16}
    for line in overall:
        parts = [
            part for table in by_seats.values() for part in table if part.player == line.player
        ]
        for name in ("matches", "wins", "shared_wins", "faults"):
            assert getattr(line, name) == sum(getattr(part, name) for part in parts)
        points = sum(part.mean_points * part.matches for part in parts)
        assert line.mean_points == pytest.approx(points / line.matches)


def test_waiting_results_are_in_the_standings_but_not_in_the_ratings(store: Store) -> None:
    tournament = entered(store)
    save(store, results(tournament)[1:2])

    with store.read() as conn:
        assert sum(line.matches for line in standings(conn, tournament.id)) == 3
        assert leaderboard.table(conn, "lama") == []


def test_a_history_ends_at_the_rating_of_now(store: Store) -> None:
    tournament = entered(store)
    played = results(tournament)
    save(store, played[5:])
    save(store, played[:5])

    with store.read() as conn:
        for line in leaderboard.table(conn, "lama"):
            points = elo_course(conn, line.player)
            mine = [m for m in played if line.player in m.players]
            assert [point.rated_seq for point in points] == [m.position + 1 for m in mine]
            assert [point.finished for point in points] == [m.finished for m in mine]
            assert points[-1].elo == line.elo
        assert elo_course(conn, tournament.players[0], "dice") == []


def test_a_new_version_of_a_bot_starts_at_1500_beside_the_old_one(store: Store) -> None:
    save(store, results(entered(store)))
    with store.write() as conn:
        old = bots.get(conn, "ada")
        conn.execute(insert(players).values(bot=old.id, version="2", created=0.0))
    again = entered(store)
    first = next(m for m in results(again) if m.position == 0)
    save(store, [first])

    with store.read() as conn:
        history = elo_course(conn, old.player)
        lines = [
            line for line in leaderboard.table(conn, "lama", all_versions=True) if line.bot == "ada"
        ]

    assert len(history) == 36
    if again.players[0] in first.players:
        assert sorted(line.version for line in lines) == ["1", "2"]
    else:
        assert [line.version for line in lines] == ["1"]


def test_equal_versions_of_a_bot_are_in_the_order_of_entry(store: Store) -> None:
    names = ("ada@3", "ada@1", "ada@2")
    with store.write() as conn:
        bots.register(conn, "ada")
        for _ in range(2):
            bots.new_version(conn, "ada")
        spec = TournamentSpec(bots=names, seats=2, matches=2, repeats=1, salt=SALT, trusted=True)
        made = creation.create(conn, check_spec(spec))
    save(store, [result(made, planned, [7, 7]) for planned in schedule(made)])

    with store.read() as conn:
        assert [each.called for each in standings(conn, made.id)] == list(names)
