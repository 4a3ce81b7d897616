"""Data stored for each player with every result: Elo history, results by seat, latencies."""

import random
from collections import Counter, defaultdict
from collections.abc import Sequence
from dataclasses import replace

import numpy as np
import pytest
from sqlalchemy import Connection, text, update

from arena.games.packed_log import latency_code, latency_codes, latency_of, replay
from arena.store import Store, rebuild
from arena.store.matches import matches
from arena.store.projections import latencies, rating_history, seat_totals
from arena.store.projections.rating_history import Mark
from arena.store.save import MatchResult
from arena.store.tables import elo_courses
from arena.store.tables import seat_sums as seat_sums_table
from arena.store.tournaments.tournaments import Tournament
from tests.integration.played import play, register
from tests.lab.bench import synthetic_arena
from tests.made_results import elo_course, entered, results, save


def measured(found: Sequence[MatchResult], seed: int = 3) -> list[MatchResult]:
    """The same results, with a few latency codes for each seat."""
    chance = random.Random(seed)
    return [
        replace(r, latencies=tuple(bytes(chance.choices(range(40, 120), k=5)) for _ in r.players))
        for r in found
    ]


def by_player(found: Sequence[MatchResult]) -> dict[int, Counter[int]]:
    """The histogram of every player, counted one by one."""
    counts: dict[int, Counter[int]] = defaultdict(Counter)
    for result in found:
        for player, codes in zip(result.players, result.latencies, strict=True):
            counts[player].update(codes)
    return counts


def answers_of(conn: Connection, game: str, player: int) -> latencies.Latencies | None:
    return latencies.of_players(conn, [player]).get(player, {}).get(game)


# The course of Elo


def test_a_course_has_a_mark_after_each_match_at_first(store: Store) -> None:
    tournament = entered(store)
    save(store, results(tournament))
    player = tournament.players[1]

    with store.read() as conn:
        marks = rating_history.marks_of(conn, "lama", player)
        every = elo_course(conn, player)

    assert [mark.match for mark in marks] == list(range(1, len(every) + 1))
    assert [mark.elo for mark in marks] == pytest.approx([point.elo for point in every], abs=1e-3)
    assert [mark.finished for mark in marks] == [int(point.finished) for point in every]
    widths = [mark.plus_minus for mark in marks]
    assert widths == sorted(widths, reverse=True)


def test_a_course_stays_short_and_evenly_spaced_however_many_matches_there_are(
    store: Store,
) -> None:
    tournament = entered(store, seats=2, deals=100, names=("ada", "bob", "cyd", "dan"))
    found = results(tournament)
    player = tournament.players[0]
    for first in range(0, len(found), 130):
        save(store, found[first : first + 130])

    with store.read() as conn:
        marks = rating_history.marks_of(conn, "lama", player)
        history = elo_course(conn, player)

    assert len(history) == 600
    assert [mark.match for mark in marks] == list(range(4, 601, 4))
    assert [mark.elo for mark in marks] == pytest.approx(
        [history[mark.match - 1].elo for mark in marks], abs=1e-3
    )


def test_courses_do_not_depend_on_how_results_come_in_portions() -> None:
    marks = [Mark(n, n, 1500.0 + n, 10.0) for n in range(1, 2001) if rating_history.is_marked(n)]
    whole = rating_history.extended(marks)

    for portion in (1, 7, 100, 999):
        grown = None
        for first in range(0, len(marks), portion):
            grown = rating_history.extended(marks[first : first + portion], grown)
        assert grown == whole
    assert [mark.match for mark in whole.marks] == list(range(8, 2001, 8))


@pytest.mark.parametrize("match", [1, 2, 255, 256, 257, 258, 512, 513, 1024, 10_000, 1_000_000])
def test_a_course_has_at_most_256_marks(match: int) -> None:
    assert match // rating_history.spacing(match) <= 256
    assert match < 256 or match // rating_history.spacing(match) >= 128


def test_each_number_of_seats_has_a_course_of_its_own(store: Store) -> None:
    three, two = entered(store), entered(store, seats=2)
    save(store, results(three))
    save(store, results(two, luck=4))
    player = three.players[0]

    with store.read() as conn:
        lengths = {s: len(rating_history.marks_of(conn, "lama", player, s)) for s in (0, 2, 3, 4)}

    assert lengths[2]
    assert lengths[3]
    assert lengths[0] == lengths[2] + lengths[3]
    assert lengths[4] == 0


def test_trends_are_the_ends_of_the_courses(store: Store) -> None:
    tournament = entered(store, deals=6)
    save(store, results(tournament)[:70])

    with store.read() as conn:
        found = rating_history.trends(conn, "lama")
        whole = {p: rating_history.marks_of(conn, "lama", p) for p in tournament.players}
        assert rating_history.trends(conn, "dice") == {}

    assert set(found) == set(tournament.players)
    assert {len(trend) for trend in found.values()} == {rating_history.TREND}
    for player, marks in whole.items():
        assert len(marks) > rating_history.TREND
        assert found[player] == [mark.elo for mark in marks[-rating_history.TREND :]]


def test_a_short_trend_is_all_there_is(store: Store) -> None:
    tournament = entered(store)
    save(store, results(tournament)[:4])

    with store.read() as conn:
        found = rating_history.trends(conn, "lama")

    assert sum(len(trend) for trend in found.values()) == 4 * 3


# From each seat


def test_results_by_seat_are_those_of_the_matches(store: Store) -> None:
    tournament = entered(store, deals=4)
    found = [
        replace(r, faults=(2, 0, 1), forfeited=(r.position % 7 == 0, False, False))
        for r in results(tournament)
    ]
    save(store, found[:50])
    save(store, found[50:])
    player = tournament.players[2]

    with store.read() as conn:
        lines = seat_totals.by_seat(conn, "lama", player)

    assert [(line.seats, line.seat) for line in lines] == [(3, 0), (3, 1), (3, 2)]
    for line in lines:
        own = [r for r in found if r.players[line.seat] == player]
        places = [list(zip(r.forfeited, r.points, strict=True)) for r in own]
        better = [
            1.0 if table[line.seat] < other else 0.5 if table[line.seat] == other else 0.0
            for table in places
            for seat, other in enumerate(table)
            if seat != line.seat
        ]
        assert line.matches == len(own)
        assert line.score == pytest.approx(sum(better) / len(better))
        assert line.mean_points == pytest.approx(sum(r.points[line.seat] for r in own) / len(own))
        assert line.faults == sum(r.faults[line.seat] for r in own)
        assert line.wins == sum(r.ranks[line.seat] == 1 and not r.forfeited[line.seat] for r in own)


def test_a_result_that_comes_early_counts_at_once_and_one_that_comes_twice_once(
    store: Store,
) -> None:
    found = measured(results(entered(store)))
    save(store, found[10:20])
    save(store, found[10:25])

    with store.read() as conn:
        counted = sum(line[0] for line in seat_totals.stored(conn, "lama").values())
        answers = answers_of(conn, "lama", found[10].players[0])

    assert counted == 15 * 3
    assert answers is not None
    assert answers.answers == sum(by_player(found[10:25])[found[10].players[0]].values())


# Latencies


def test_latencies_are_counted_by_game_and_player(store: Store) -> None:
    found = measured(results(entered(store)))
    save(store, found[:20])
    save(store, found[20:])

    with store.read() as conn:
        for player, counts in by_player(found).items():
            told = answers_of(conn, "lama", player)
            codes = sorted(counts.elements())
            assert told is not None
            assert told.answers == len(codes)
            assert told.p50_us == latency_of(codes[(len(codes) - 1) // 2])
            assert told.p99_us == latency_of(codes[-(-99 * len(codes) // 100) - 1])
            assert told.slowest_us == latency_of(codes[-1])
            assert answers_of(conn, "dice", player) is None


def test_many_logs_are_replayed_by_several_processes(
    sqlite_store: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(latencies, "FEW", 0)
    monkeypatch.setattr(latencies, "CHUNK", 7)
    synthetic_arena.make(sqlite_store, 80, 20, lambda _: None, 1e9)

    with sqlite_store.read() as conn:
        assert not list(latencies.LatenciesProjection().differences(conn, "lama"))


def test_histograms_are_stored_without_loss() -> None:
    for counts in ({0: 1}, {255: 2**40}, {0: 3, 255: 1}, {17: 5, 19: 2}):
        histogram = np.array([counts.get(code, 0) for code in range(256)])
        assert latencies.unpack(latencies.pack(histogram)).tolist() == histogram.tolist()


def test_every_code_stands_for_a_latency_that_has_this_code() -> None:
    assert [latency_code(latency_of(code)) for code in range(256)] == list(range(256))


def test_a_quantile_is_a_latency_that_so_many_did_not_exceed() -> None:
    counts = {10: 98, 50: 1, 90: 1}

    assert latencies.quantile(counts, 0.5) == latency_of(10)
    assert latencies.quantile(counts, 0.99) == latency_of(50)
    assert latencies.quantile(counts, 1.0) == latency_of(90)


def test_latency_codes_belong_to_the_seat_that_decided(sqlite_store: Store) -> None:
    register(sqlite_store, "ada", "bob", "cyd")
    play(sqlite_store, "ada", "bob", "cyd", seats=3)
    with sqlite_store.read() as conn:
        stored = matches.get_match(conn, matches.list_matches(conn)[0][0].id)
    match = replay(stored.setup, stored.log)

    assert sum(map(len, latency_codes(match))) == len(match.logged)

    # A bot that was not there has answered nothing; one that was late took all of its time.
    again = type(match)(stored.setup)
    assert again.decision is not None
    late = again.decision.seat
    again.fail("timeout", "", 2_000_000)
    while again.decision:
        again.fail("disconnect", "")
    assert latency_codes(again)[late] == bytes([latency_code(2_000_000)])
    assert sum(map(len, latency_codes(again))) == 1


# Made again from the matches


def test_a_comparison_names_courses_and_seats_that_differ(store: Store) -> None:
    save(store, results(entered(store)))
    save(store, results(entered(store, seats=2)))
    with store.read() as conn:
        assert rebuild.compare(conn, "lama").differences == ()

    with store.write() as conn:
        conn.execute(update(elo_courses).where(elo_courses.c.seats == 2).values(every=7))
        wrong = update(seat_sums_table).where(seat_sums_table.c.seat == 1).values(points=1)
        conn.execute(wrong.where(seat_sums_table.c.seats == 3))
    with store.read() as conn:
        differences = rebuild.compare(conn, "lama").differences

    assert differences == ("5 Elo histories differ", "the results by seat differ 5 times")
    with store.write() as conn:
        rebuild.rebuild(conn, "lama")
        assert rebuild.compare(conn, "lama").differences == ()


def test_latencies_come_out_of_the_logs_again(store: Store) -> None:
    register(store, "ada", "bob", "cyd")
    played = play(store, "ada", "bob", "cyd")

    with store.write() as conn:
        assert rebuild.compare(conn, "lama").differences == ()
        conn.execute(text("DELETE FROM latencies"))
        (difference,) = rebuild.compare(conn, "lama").differences
        rebuild.rebuild(conn, "lama")
        assert rebuild.compare(conn, "lama").differences == ()

    assert difference == "the times to answer of 3 players differ"
    with store.read() as conn:
        told = {p: answers_of(conn, "lama", p) for p in played.players}
        asked = sum(
            len(replay(match.setup, match.log).logged) for match in matches.iterate_matches(conn)
        )
    assert sum(each.answers for each in told.values() if each) == asked


def test_tournaments_that_do_not_rate_are_not_counted(store: Store) -> None:
    tournament = entered(store)
    with store.write() as conn:
        conn.execute(text("UPDATE tournaments SET kind = 'test'"))

    save(store, measured(results(tournament)))

    with store.write() as conn:
        assert seat_totals.stored(conn, "lama") == {}
        assert answers_of(conn, "lama", tournament.players[0]) is None
        rebuild.rebuild(conn, "lama")
        assert seat_totals.stored(conn, "lama") == {}
        assert rating_history.trends(conn, "lama") == {}


# How they are found


PAGE_QUERIES = (
    "SELECT every, marks FROM elo_courses WHERE game = 'lama' AND (seats, player) IN ((0, 5))",
    "SELECT player, marks FROM elo_courses WHERE game = 'lama' AND seats = 0",
    "SELECT * FROM seat_sums WHERE game = 'lama' AND player = 5 ORDER BY seats, seat",
    "SELECT counts FROM latencies WHERE game = 'lama' AND player = 5",
)


@pytest.mark.parametrize("query", PAGE_QUERIES)
def test_pages_look_up_rows_by_key_and_scan_no_table(sqlite_store: Store, query: str) -> None:
    tournament: Tournament = entered(sqlite_store, deals=40)
    save(sqlite_store, measured(results(tournament)))

    with sqlite_store.read() as conn:
        plan = [row.detail for row in conn.execute(text(f"EXPLAIN QUERY PLAN {query}"))]

    assert plan
    assert not [step for step in plan if step.startswith("SCAN") and "CONSTANT" not in step], plan
