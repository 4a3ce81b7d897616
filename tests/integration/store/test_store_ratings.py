"""Rating tables with error bars out of the store."""

import random
import time
from collections.abc import Callable
from dataclasses import replace
from threading import Thread
from typing import Any

import pytest
from sqlalchemy import Connection, func, select, update

from arena.base.errors import NotFound
from arena.store import Store, cache, rebuild
from arena.store.projections import deal_sums, rating_history
from arena.store.registry import bots
from arena.store.reports import fits, leaderboard
from arena.store.reports.leaderboard import Rating
from arena.store.save import MatchResult
from arena.store.tables import deal_sums as deal_sums_table
from arena.store.tables import elo_zeros, match_seats
from arena.store.tables import matches as matches_table
from arena.store.tables import ratings as ratings_table
from arena.store.tournaments.tournaments import Tournament
from arena.tournaments.formats import PlannedMatch
from arena.tournaments.ratings.deal_sums import DealGroup
from arena.tournaments.ratings.normal import Z95
from tests.made_results import entered, result, results, save, schedule


def every_rating(store: Store) -> dict[tuple[str, str], float]:
    """By bot and version; all have one."""
    lines = table(store, all_versions=True)
    found = {(line.bot, line.version): line.rating for line in lines if line.rating is not None}
    assert len(found) == len(lines)
    return found


def table(store: Store, seats: int = 0, **which: Any) -> list[Rating]:
    with store.read() as conn:
        return leaderboard.table(conn, "lama", seats, **which)


def by_strength(tournament: Tournament) -> list[MatchResult]:
    """Entrant 0 beats 1 beats 2 and so on, nearly always."""
    played = [result(tournament, p, [5 * e for e in p.seats]) for p in schedule(tournament)]
    return [
        replace(match, points=match.points[::-1], ranks=match.ranks[::-1])
        if match.position % 4 == 0
        else match
        for match in played
    ]


def test_a_table_is_ordered_by_the_rating_and_says_how_sure_it_is(store: Store) -> None:
    save(store, by_strength(entered(store, deals=30)))

    lines = table(store)

    assert [line.bot for line in lines] == ["ada", "bob", "cyd", "dan", "eve"]
    assert sum(line.rating or 0 for line in lines) == pytest.approx(5 * 1500)
    assert {line.deals for line in lines} == {6 * 30}
    assert not any(line.provisional or line.disconnected for line in lines)
    assert all(line.latest for line in lines)
    assert all(line.rank_low <= line.rank <= line.rank_high for line in lines)
    assert (lines[0].rank_low, lines[0].rank_high) == (1, 1)
    assert 5 < (lines[0].plus_minus or 0) < 60


def test_the_first_version_of_five_is_the_anchor_unless_another_is_taken(store: Store) -> None:
    save(store, by_strength(entered(store, names=("ada", "five", "cyd"))))
    before = {line.bot: line for line in table(store)}
    assert before["five"].rating == 1500
    assert before["five"].plus_minus == 0

    with store.write() as conn:
        bots.new_version(conn, "five")
    save(store, results(entered(store, names=("ada", "five", "cyd"))))
    of_five = [line for line in table(store, all_versions=True) if line.bot == "five"]
    assert {line.version: line.plus_minus == 0 for line in of_five} == {"1": True, "2": False}

    with store.write() as conn:
        assert fits.set_anchor(conn, "lama", "CYD").bot == "cyd"
    anchored = every_rating(store)
    assert anchored["cyd", "1"] == 1500
    with store.write() as conn:
        fits.set_anchor(conn, "lama", "")
    centred = every_rating(store)
    assert sum(centred.values()) == pytest.approx(4 * 1500)
    shifts = [centred[key] - anchored[key] for key in centred]
    assert shifts == pytest.approx([shifts[0]] * 4)


def test_an_anchor_that_is_not_registered_is_refused(store: Store) -> None:
    with store.write() as conn, pytest.raises(NotFound, match="nobody"):
        fits.set_anchor(conn, "lama", "nobody")


def test_the_newest_version_is_shown_and_the_others_on_request(store: Store) -> None:
    save(store, results(entered(store)))
    with store.write() as conn:
        new = bots.new_version(conn, "ada", "2.0")
    assert [line.version for line in table(store) if line.bot == "ada"] == ["1"]  # has not played

    save(store, results(entered(store)))

    assert [line.version for line in table(store) if line.bot == "ada"] == ["2.0"]
    assert [line.player for line in table(store) if line.bot == "ada"] == [new.player]
    every = table(store, all_versions=True)
    assert {(line.version, line.latest) for line in every if line.bot == "ada"} == {
        ("1", False),
        ("2.0", True),
    }
    assert len(every) == len(table(store)) + 1 == 6


def test_bots_that_have_not_played_since_can_be_hidden(store: Store) -> None:
    old, new = entered(store), entered(store, names=("ada", "bob", "cyd"))
    save(store, results(old))
    later = [replace(r, started=9000.0, finished=9001.0) for r in results(new)]
    save(store, later)

    shown = table(store, active_since=9000.0)

    assert {line.bot for line in shown} == {"ada", "bob", "cyd"}
    assert {line.last_played for line in shown} == {9001.0}
    assert sorted(line.rank for line in shown) == [1, 2, 3]
    assert max(line.rank_high for line in shown) <= 3
    assert table(store, active_since=9002.0) == []


def test_each_number_of_seats_has_a_table_of_its_own(store: Store) -> None:
    save(store, results(entered(store)))
    save(store, results(entered(store, seats=2), luck=3))

    tables = {seats: {line.bot: line for line in table(store, seats)} for seats in (0, 2, 3)}

    assert {line.deals for line in tables[2].values()} == {8}
    assert {line.deals for line in tables[3].values()} == {12}
    assert {line.deals for line in tables[0].values()} == {20}
    assert tables[2]["ada"].rating != tables[3]["ada"].rating


def test_until_a_deal_is_complete_there_is_elo_but_no_rating(store: Store) -> None:
    tournament = entered(store)
    save(store, results(tournament)[:1])

    lines = table(store)

    assert len(lines) == 3
    assert {line.rating for line in lines} == {line.plus_minus for line in lines} == {None}
    assert {(line.rank_low, line.rank_high, line.provisional) for line in lines} == {(1, 3, True)}


def test_pairs_have_expected_and_actual_scores(store: Store) -> None:
    save(store, by_strength(entered(store)))
    lines = table(store)

    with store.read() as conn:
        found = leaderboard.pairs(conn, "lama", 0, [line.player for line in lines])

    assert len(found) == 10
    for pair in found:
        assert pair.difference >= 0
        assert 0.5 <= pair.stronger <= 1
        assert 0 <= pair.observed <= 1
        assert pair.deals == 6
        assert pair.expected == pytest.approx(1 / (1 + 10 ** (-pair.difference / 400)))
    best_to_worst = found[3]
    ends = lines[0], lines[-1]
    assert (best_to_worst.player, best_to_worst.other) == tuple(line.player for line in ends)
    assert best_to_worst.plus_minus > Z95 * 5


def test_a_table_follows_every_result_and_is_kept_in_between(
    store: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    played = results(entered(store))
    save(store, played[:30])
    with store.read() as conn:
        first = fits.fitted(conn, "lama")
        assert fits.fitted(conn, "lama") is first
    save(store, played[30:])
    with store.read() as conn:
        second = fits.fitted(conn, "lama")
        assert second.fit.total == 20 > first.fit.total

        # One that takes long is not made again at once, and then while the old one is given.
        monkeypatch.setattr(cache, "QUICK_S", -1.0)
        monkeypatch.setattr(cache, "REST", 1e9)
    save(store, results(entered(store)))
    with store.read() as conn:
        assert fits.fitted(conn, "lama") is second
        monkeypatch.setattr(cache, "REST", 0)
        assert fits.fitted(conn, "lama") is second
        wait_until(lambda: fits.fitted(conn, "lama").fit.total == 40)


def wait_until(true: Callable[[], bool]) -> None:
    deadline = time.monotonic() + 20
    while not true():
        assert time.monotonic() < deadline
        time.sleep(0.01)


def test_slow_fits_are_computed_in_advance(store: Store, monkeypatch: pytest.MonkeyPatch) -> None:
    save(store, results(entered(store)))
    made: list[tuple[str, int]] = []
    groups = deal_sums.groups

    def counted(conn: Connection, game: str, seats: int) -> list[DealGroup]:
        made.append((game, seats))
        return groups(conn, game, seats)

    monkeypatch.setattr(deal_sums, "groups", counted)
    with store.read() as conn:
        fits.prepare(conn, first=True)
        assert made == [("lama", 0), ("lama", 3)]
    save(store, results(entered(store)))
    with store.read() as conn:
        fits.prepare(conn, first=False)
        assert len(made) == 2  # they are quick
        monkeypatch.setattr(cache, "QUICK_S", -1.0)
        monkeypatch.setattr(cache, "REST", 0)
        fits.prepare(conn, first=False)
        wait_until(lambda: fits.fitted(conn, "lama").fit.total == 40)


def test_a_comparison_finds_nothing_and_a_damage_is_named(store: Store) -> None:
    save(store, results(entered(store)))
    save(store, results(entered(store, seats=2)))
    with store.read() as conn:
        sound = rebuild.compare(conn, "lama")
        assert rebuild.games(conn) == ["lama"]
    assert (sound.matches, sound.deals, sound.differences) == (100, 40, ())

    with store.write() as conn:
        one = select(func.min(matches_table.c.number)).scalar_subquery()
        conn.execute(update(match_seats).where(match_seats.c.match == one).values(elo_change=1.0))
        player = bots.get(conn, "bob").player
        conn.execute(update(ratings_table).where(ratings_table.c.player == player).values(elo=1))
        conn.execute(update(deal_sums_table).where(deal_sums_table.c.seats == 2).values(deals=7))
    with store.read() as conn:
        damaged = rebuild.compare(conn, "lama")
    assert damaged.differences == (
        "the Elo of 1 matches differs",
        "the line of bob (version 1) differs in the leaderboard for all seats",
        "the line of bob (version 1) differs in the leaderboard for 2 seats",
        "the line of bob (version 1) differs in the leaderboard for 3 seats",
        "the sums of 10 compositions differ",
    )

    with store.write() as conn:
        assert rebuild.rebuild(conn, "lama").deals == 40
        assert rebuild.compare(conn, "lama").differences == ()


def test_a_snapshot_does_not_see_later_matches(store: Store) -> None:
    played = results(entered(store))
    save(store, played[:30])
    with store.snapshot() as conn:
        assert rebuild.compare(conn, "lama").matches == 30

        save(store, played[30:])

        during = rebuild.compare(conn, "lama")
    assert (during.matches, during.differences) == (30, ())
    with store.snapshot() as conn:
        assert rebuild.compare(conn, "lama").matches == 60
    with store.write() as conn:
        bots.register(conn, "zoe")  # connections are given back as they were


def test_an_empty_pool_is_an_empty_table(store: Store) -> None:
    with store.read() as conn:
        assert leaderboard.table(conn, "lama") == []
        assert list(leaderboard.pairs(conn, "lama")) == []
        assert deal_sums.groups(conn, "lama") == []
        assert rebuild.compare(conn, "lama").differences == ()


# Live Elo counted from the anchor


WITH_FIVE = ("ada", "five", "cyd", "dan")


def elos(store: Store, seats: int = 0) -> dict[str, float]:
    return {line.bot: line.elo for line in table(store, seats)}


def differences(store: Store) -> tuple[str, ...]:
    with store.snapshot() as conn:
        return rebuild.compare(conn, "lama").differences


def test_the_anchor_has_one_number_in_rating_and_elo_and_others_are_counted_from_it(
    store: Store,
) -> None:
    played = by_strength(entered(store, names=WITH_FIVE, deals=30))
    for first in range(0, len(played), 50):
        save(store, played[first : first + 50])

    lines = {line.bot: line for line in table(store)}
    assert (lines["five"].elo, lines["five"].rating) == (1500, 1500)
    for name in ("ada", "cyd", "dan"):
        assert (lines[name].elo > 1500) == ((lines[name].rating or 0) > 1500)
    with store.read() as conn:
        changes = conn.scalars(
            select(match_seats.c.elo_change).where(match_seats.c.player == lines["five"].player)
        ).all()
        course = rating_history.history(conn, "lama", lines["five"].player)
        other = rating_history.history(conn, "lama", lines["ada"].player)
    assert set(changes) == {0}
    assert {(point.elo, point.low, point.high) for point in course} == {(1500, 1500, 1500)}
    widths = [point.high - point.low for point in other]
    assert widths == sorted(widths, reverse=True)
    assert differences(store) == ()


def test_results_in_other_portions_give_the_same_elo_to_the_bit(store: Store) -> None:
    played = by_strength(entered(store, names=WITH_FIVE, deals=10))
    for first in range(0, len(played), 7):
        save(store, played[first : first + 7])
    before = elos(store), elos(store, 3)

    with store.write() as conn:
        rebuild.rebuild(conn, "lama")

    assert (elos(store), elos(store, 3)) == before


def test_another_anchor_counts_elo_again_and_so_does_none(store: Store) -> None:
    save(store, by_strength(entered(store, names=WITH_FIVE, deals=30)))
    count = sum(line.matches for line in table(store)) // 3
    from_five = elos(store)

    with store.write() as conn:
        assert fits.set_anchor(conn, "lama", "five") == ("five", 0)  # is it already
        assert fits.set_anchor(conn, "lama", "cyd") == ("cyd", count)
    from_cyd = elos(store)
    assert from_cyd["cyd"] == 1500
    assert from_cyd["five"] > 1520
    assert differences(store) == ()

    with store.write() as conn:
        fits.set_anchor(conn, "lama", "")
    assert sum(elos(store).values()) == pytest.approx(4 * 1500)
    with store.write() as conn:
        fits.set_anchor(conn, "lama", "five")
    assert elos(store) == from_five
    assert differences(store) == ()


def test_where_the_anchor_has_not_played_the_mean_stays_1500(store: Store) -> None:
    save(store, by_strength(entered(store, names=WITH_FIVE, deals=10)))
    save(store, by_strength(entered(store, names=("ada", "cyd"), seats=2, deals=10)))

    assert sum(elos(store, 2).values()) == pytest.approx(2 * 1500)
    assert elos(store, 3)["five"] == 1500
    assert sum(elos(store, 3).values()) != pytest.approx(4 * 1500)
    assert differences(store) == ()


def test_results_that_wait_for_a_new_anchor_are_rated_with_it(store: Store) -> None:
    """The anchor is looked up only after the rating lock is taken."""
    played = by_strength(entered(store, names=WITH_FIVE, deals=30))
    save(store, played[:150])
    with store.write() as conn:
        fits.set_anchor(conn, "lama", "dan")
        later = Thread(target=save, args=(store, played[150:]))
        later.start()
        time.sleep(0.3)
        assert later.is_alive()
    later.join(30)

    assert elos(store)["dan"] == 1500
    assert sum(line.matches for line in table(store)) == 3 * len(played)
    assert differences(store) == ()


def test_a_zero_that_was_tampered_with_is_named(store: Store) -> None:
    save(store, by_strength(entered(store, names=WITH_FIVE)))
    with store.write() as conn:
        conn.execute(update(elo_zeros).where(elo_zeros.c.seats == 3).values(shift=7.0))

    assert differences(store) == ("the reference point of Elo differs",)


def test_ratings_that_come_mostly_from_ladders_are_provisional(store: Store) -> None:
    names = ("ada", "bob", "cyd")
    options = {"matches": "400", "deals": "own"}
    ladder = entered(store, names, seats=2, format="ladder", matches=2, format_options=options)
    chance = random.Random(3)
    played = [
        result(
            ladder,
            PlannedMatch(position, position, (position % 3, (position + 1) % 3)),
            [chance.randrange(9), chance.randrange(9)],
        )
        for position in range(390)
    ]
    save(store, played)
    assert {line.provisional for line in table(store)} == {True}
    assert {line.provisional for line in table(store, 2)} == {True}
    assert {line.matches for line in table(store)} == {260}

    # Another game's, or other seats', are none of its business.
    with store.read() as conn:
        assert (
            leaderboard.matches_in_ladders(conn, "dice")
            == leaderboard.matches_in_ladders(conn, "lama", 3)
            == {}
        )
        assert set(leaderboard.matches_in_ladders(conn, "lama", 2).values()) == {260}
    # Where half of the matches come from elsewhere, most were not chosen.
    save(store, results(entered(store, names, seats=2, matches=120)))
    assert {line.provisional for line in table(store)} == {True}
    save(store, results(entered(store, names, seats=2, matches=10)))
    assert {line.provisional for line in table(store)} == {False}
