"""Months of matches that leave the database for files, and come back."""

import random
import re
from collections.abc import Iterator
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest
from sqlalchemy import select, update

from arena.base.errors import InvalidRequest, NotFound, NotNow, Unavailable
from arena.store import Store, archiving, rebuild
from arena.store.archive import catalogue
from arena.store.archive.catalogue import check_resumable
from arena.store.cache import forget_all
from arena.store.matches import matches, months
from arena.store.registry import audit_log
from arena.store.reports import fits, standings
from arena.store.reports.crosstable import crosstable
from arena.store.reports.own_data import own_data
from arena.store.reports.verdict import verdict_on
from arena.store.save import FaultNote, MatchResult, missing
from arena.store.tables import bots, match_seats, metadata
from arena.store.tournaments import batches, bench, creation, tournaments
from arena.tournaments.formats import check_spec
from dashboard.tournaments.race import course, scores
from tests.integration.cli.test_bench import SPEC, forfeited
from tests.integration.played import play, played, register
from tests.integration.store.test_store_months import of_month, stored_months
from tests.integration.store.test_store_people import person
from tests.integration.store.test_store_people import play as play_casually
from tests.made_archives import (
    ME,
    YEAR,
    archive,
    differences,
    month,
    over,
    own_archives,
    played_for_months,
    rows,
)
from tests.made_luck import calculate
from tests.made_results import entered, results, save, schedule


@pytest.fixture
def store(store: Store, tmp_path: Path) -> Iterator[Store]:
    """An empty store with a separate archive folder."""
    with own_archives(store, tmp_path):
        yield store


def test_a_month_goes_and_comes_back_row_for_row(store: Store) -> None:
    played_for_months(store)
    before = rows(store)

    names = archive(store, 1)

    assert names == [f"matches-{YEAR}-01-1.sqlite"]
    assert sorted(stored_months(store)) == [f"{YEAR}-02", f"{YEAR}-03"]
    assert archiving.restore_month(store, month(1), ME) == names
    assert rows(store) == before
    with store.read() as conn:
        assert catalogue.every(conn) == []
        entries = [(e.action, e.subject) for e in audit_log.entries(conn, 2)]
    assert entries == [(done, f"matches of {YEAR}-01") for done in ("restored", "archived")]


def test_archived_matches_are_shown_and_exported_as_before(store: Store) -> None:
    played = played_for_months(store)
    with store.read() as conn:
        shown = {each.id: matches.get_match(conn, each.id) for each in played}
        exported = list(matches.iterate_matches(conn))
        listed = matches.list_matches(conn, limit=1000)[0]

    archive(store, 1, most=7)
    archive(store, 2, most=1000)

    with store.read() as conn:
        assert {each.id: matches.get_match(conn, each.id) for each in played} == shown
        assert list(matches.iterate_matches(conn)) == exported
        assert list(matches.iterate_matches(conn, played[0].tournament)) == exported
        ids = [row.id for row in listed]
        assert _pages(conn, 7) == ids
        assert _pages(conn, 1000, tournament=played[0].tournament) == ids
        with pytest.raises(NotFound):
            matches.get_match(conn, "nothing")


def _pages(conn: Any, limit: int, **wanted: Any) -> list[str]:
    found, after = [], ""
    while True:
        page, after = matches.list_matches(
            conn, limit=limit, after=after, with_archived=True, **wanted
        )
        found += [row.id for row in page]
        if not after:
            return found


def test_all_numbers_are_the_same_to_the_bit_with_archived_months(store: Store) -> None:
    played_for_months(store)
    played_for_months(store, matches=60)
    with store.read() as conn:
        count = rebuild.compare(conn, "lama")

    archive(store, 1, most=13)
    archive(store, 2)

    with store.snapshot() as conn:
        assert rebuild.games(conn) == ["lama"]
        assert rebuild.compare(conn, "lama") == count
    with store.write() as conn:
        assert rebuild.rebuild(conn, "lama") == count
    archiving.restore_month(store, month(2), ME)
    assert differences(store) == ()


def test_archiving_any_months_keeps_all_projections(store: Store) -> None:
    chance = random.Random(5)
    register(store, "ada", "bob", "cyd", "dan")
    every: list[MatchResult] = []
    for game, seats in (("lama", 3), ("dice", 2), ("lama", 4), ("dice", 4)):
        tournament = play(store, "ada", "bob", "cyd", "dan", seats=seats, only=0, game=game)
        every += [played(tournament, each) for each in schedule(tournament)]
        over(store, tournament.id)
    chance.shuffle(every)  # matches of all tournaments are stored, and wait, side by side
    for number in range(1, 7):
        part = every[len(every) * (number - 1) // 6 : len(every) * number // 6]
        save(store, of_month(part, number, YEAR))
    before, derived_before = rows(store), derived(store)
    assert differences(store) == differences(store, "dice") == ()

    gone = chance.sample(range(1, 6), 3)
    for number in gone:
        archive(store, number, most=chance.choice([3, 11, 1000]))

    assert differences(store) == differences(store, "dice") == ()
    with store.write() as conn:
        for game in rebuild.games(conn):
            assert rebuild.rebuild(conn, game).differences == ()
    assert derived(store) == derived_before
    for number in gone:
        archiving.restore_month(store, month(number), ME)
    assert rows(store) == before
    assert differences(store) == differences(store, "dice") == ()


DERIVED = ("ratings", "elo_zeros", "elo_courses", "seat_sums", "latencies", "deal_sums")
DERIVED_TOO = ("table_sums", "fault_streaks", "entrants", "tournaments")


def derived(store: Store) -> list[list[Any]]:
    """All rows of the tables that follow from matches."""
    tables = [metadata.tables[name] for name in DERIVED + DERIVED_TOO]
    with store.read() as conn:
        found = [
            [tuple(row) for row in conn.execute(select(t).order_by(*t.primary_key.columns))]
            for t in tables
        ]
    assert all(found[:1] + found[2:])  # no anchor has played, so nothing is in `elo_zeros`
    return found


# What holds a month up


def test_a_month_stays_while_its_tournament_still_needs_it(store: Store) -> None:
    tournament = entered(store, matches=12)
    played = of_month(results(tournament), 1, YEAR)
    save(store, played[1:])  # all wait for the first one to be rated
    save(store, of_month(results(entered(store))[:1], 2, YEAR))
    before = rows(store)

    with pytest.raises(NotNow, match=f"Tournament {tournament.id} is not over and still needs"):
        archive(store, 1)

    assert rows(store) == before
    save(store, of_month(played[:1], 3, YEAR))
    archive(store, 1)
    assert differences(store) == ()


def test_a_month_stays_while_a_deal_is_played(store: Store) -> None:
    tournament = entered(store)
    played = results(tournament)
    save(store, of_month(played[:5], 1, YEAR))
    save(store, of_month(results(entered(store))[:1], 2, YEAR))

    with pytest.raises(NotNow, match=f"Deal [0-9]+ of tournament {tournament.id}.* not over"):
        archive(store, 1)

    save(store, of_month(played[5:], 3, YEAR))
    archive(store, 1)
    assert differences(store) == ()


def test_a_deal_that_is_archived_in_part_is_whole(store: Store) -> None:
    tournament = entered(store)
    played = results(tournament)
    save(store, of_month(played[:5], 1, YEAR))
    save(store, of_month(played[5:], 2, YEAR))

    archive(store, 1, most=2)

    with store.read() as conn:
        listed, _ = matches.list_matches(conn, limit=1000, tournament=tournament.id)
        every = list(matches.iterate_matches(conn, tournament.id))
        assert len(listed) == len(played) - 5
        assert not any(row.locked for row in [*listed, *every])


def test_a_batch_that_is_not_finished_keeps_its_month(store: Store) -> None:
    tournament = entered(store, matches=12)
    save(store, of_month(results(tournament)[:6], 1, YEAR))
    save(store, of_month(results(entered(store))[:1], 2, YEAR))
    with store.write() as conn:
        batches.add_batch(conn, tournament.id, 0, schedule(tournament)[:12])

    with pytest.raises(NotNow, match="still needs matches of it"):
        archive(store, 1)


def test_the_newest_month_stays_and_none_is_archived_early(store: Store) -> None:
    played_for_months(store)

    with pytest.raises(NotNow, match="the newest month with matches"):
        archive(store, 3)
    with store.read() as conn:
        assert archiving.months_to_save(conn, month(3)) == [month(1), month(2)]
        assert archiving.months_to_save(conn, month(2)) == [month(1)]
        assert archiving.months_to_save(conn, archiving.default_before()) == [month(1), month(2)]
        with pytest.raises(InvalidRequest, match="is in the future"):
            archiving.months_to_save(conn, months.named("2090-01"))


def test_a_locked_match_stays_locked_in_its_archive(store: Store) -> None:
    tournament = entered(store)
    first = results(tournament)[0]
    save(store, of_month([first], 1, YEAR))
    save(store, of_month(results(entered(store))[:1], 2, YEAR))
    over(store, tournament.id, "cancelled")

    archive(store, 1)

    with store.read() as conn:
        assert matches.get_match(conn, first.id).locked


# What comes after


def test_the_same_result_is_not_stored_twice(store: Store) -> None:
    running, cancelled = entered(store, matches=12), entered(store, matches=12)
    every = results(running)
    played = of_month(every[:6], 1, YEAR)
    unrated = of_month(results(cancelled)[1:6], 1, YEAR)
    save(store, [*played, *unrated])
    save(store, of_month(every[6:8], 2, YEAR))
    over(store, cancelled.id, "cancelled")
    archive(store, 1)

    with store.write() as conn:
        assert missing(conn, running.id, 4, 4) == set()
        assert missing(conn, running.id, 4, 8) == {8, 9, 10, 11}
    assert save(store, [*played, *unrated]) == 0
    assert save(store, of_month(every[4:12], 2, YEAR)) == 4

    with store.read() as conn:
        assert tournaments.played(conn, running.id) == 12
        assert tournaments.played(conn, cancelled.id) == 5
        assert len(list(matches.iterate_matches(conn))) == 17
    assert differences(store) == ()


def test_a_tournament_that_needs_its_archive_is_not_resumed(store: Store) -> None:
    tournament = entered(store, matches=12)
    save(store, of_month(results(tournament)[1:6], 1, YEAR))
    save(store, of_month(results(entered(store))[:1], 2, YEAR))
    over(store, tournament.id, "cancelled")
    (name,) = archive(store, 1)

    with store.read() as conn, pytest.raises(NotNow, match=f"{name}.*arena archive restore"):
        check_resumable(conn, tournament.id)

    archiving.restore_month(store, month(1), ME)
    with store.read() as conn:
        check_resumable(conn, tournament.id)


def test_a_month_that_is_archived_begins_no_second_time(store: Store) -> None:
    every = [entered(store, matches=6) for _ in range(3)]
    for number, each in enumerate(every, 1):
        save(store, of_month(results(each)[:3], number, YEAR))
        over(store, each.id)
    archive(store, 1)
    archive(store, 2)

    late = entered(store, matches=6)
    save(store, of_month(results(late)[:6], 2, YEAR))

    assert stored_months(store) == {f"{YEAR}-03": 9}


def test_a_rebuild_says_that_archived_matches_keep_their_elo(store: Store) -> None:
    played_for_months(store)
    archive(store, 1)
    with store.write() as conn:
        fits.set_anchor(conn, "lama", "ada")

    (said,) = differences(store)

    assert re.fullmatch(r"the Elo of [1-9][0-9,]* archived matches differs from their .*", said)
    archiving.restore_month(store, month(1), ME)
    with store.write() as conn:
        assert rebuild.rebuild(conn, "lama").differences == ()
    assert differences(store) == ()


def test_archiving_does_not_change_the_bench(store: Store) -> None:
    tournament = entered(store, ("ada", "bob"), seats=2, matches=10)
    ada, others = tournament.players[0], ("cyd", "dan", "eve")
    lost = [forfeited(each, ada, True) for each in results(tournament)[:4]]
    save(store, of_month(lost, 1, YEAR))
    over(store, tournament.id)
    save(store, of_month(results(entered(store, others))[:1], 3, YEAR))
    january = of_month(lost, 1, YEAR)[0].finished
    with store.write() as conn:
        bench.clear(conn, "ada", now=january - 1)

    archive(store, 1)

    assert _streak(store, ada) == 4
    spec = check_spec(replace(SPEC, repeats=7, trusted=True))
    with store.write() as conn:
        test = creation.create(conn, spec, kind="test")
    save(store, of_month(results(test)[:1], 4, YEAR))
    over(store, test.id)
    save(store, of_month(results(entered(store, others))[:1], 5, YEAR))
    assert _streak(store, ada) is None
    archive(store, 4)
    assert _streak(store, ada) is None


def _streak(store: Store, player: int) -> int | None:
    with store.read() as conn:
        found = bench.benched(conn, [player], 3).get(player)
    return found.matches if found else None


def test_a_changed_elo_in_an_archive_is_found(store: Store) -> None:
    played_for_months(store)
    with store.write() as conn:
        wrong = update(match_seats).where(match_seats.c.match == months.first(month(1)))
        conn.execute(wrong.values(elo_change=7.0))
    archive(store, 1)

    (said,) = differences(store)

    assert said.startswith("the Elo of 1 archived matches differs")


def test_crosstable_and_race_are_the_same_with_months_archived(store: Store) -> None:
    played = played_for_months(store, deals=4)
    key = played[0].tournament
    save(store, of_month(results(entered(store))[:1], 6, YEAR))
    calculate(store, key)

    def shown() -> tuple[object, ...]:
        forget_all()
        with store.read() as conn:
            tournament = tournaments.get(conn, key)
            racing = course.names(standings.standings(conn, key))
            scored = scores.score_race(conn, tournament, racing)
            return crosstable(conn, key), course.race(conn, tournament, racing), scored

    before = shown()
    assert all(before)
    for number in (1, 2):
        archive(store, number, most=7)

    assert before == shown()
    archive(store, 3)
    assert before == shown()


def test_without_its_archive_a_race_begins_later_and_a_crosstable_says_what_is_missing(
    store: Store,
) -> None:
    key = played_for_months(store, deals=4)[0].tournament
    calculate(store, key)
    (name,) = archive(store, 1)
    (store.archive / name).unlink()

    with store.read() as conn:
        tournament = tournaments.get(conn, key)
        racing = course.names(standings.standings(conn, key))
        race = course.race(conn, tournament, racing)
        assert scores.score_race(conn, tournament, racing) == []
        with pytest.raises(Unavailable, match=f"archive {name}, which is not in"):
            crosstable(conn, key)
    assert race[-1].played == tournament.played


def test_archiving_leaves_the_verdict_on_results_as_it_is(store: Store) -> None:
    late = tuple(FaultNote(seat, 1, "timeout", "no answer", "quit") for seat in range(3))
    made, other = entered(store), entered(store)
    found = [
        replace(each, faults=(3, 3, 3), forfeited=(True,) * 3, ranks=(1,) * 3, notes=late * 3)
        for each in results(made)
    ]
    for tournament, of, number in ((made, found, 1), (other, results(other), 3)):
        save(store, of_month(of, number, YEAR))
        over(store, tournament.id)
    with store.read() as conn:
        before = verdict_on(conn, made.id)

    archive(store, 1)
    forget_all()

    with store.read() as conn:
        after = verdict_on(conn, made.id)
    assert (before.trusted, before.cause) == (False, "shared")
    assert after == before


def test_matches_with_faults_are_listed_from_archives_too(store: Store) -> None:
    played_for_months(store)

    def listed() -> list[str]:
        with store.read() as conn:
            page, _ = matches.list_matches(conn, limit=1000, with_archived=True, faults=True)
        return [row.id for row in page]

    before = listed()
    archive(store, 1)

    assert 0 < len(before) < 20
    assert listed() == before


def test_archived_casual_games_count_for_their_people(store: Store) -> None:
    made = entered(store)
    save(store, of_month(results(made), 1, YEAR))
    over(store, made.id)
    ann = person(store, "ann")
    for number, count in ((2, 12), (4, 1)):
        now = datetime(YEAR, number, 15, tzinfo=UTC).timestamp()
        play_casually(store, ann, "ada", *[(1, 5)] * count, now=now)

    def games() -> tuple[int, int]:
        with store.read() as conn:
            guests = conn.scalars(select(bots.c.id).where(bots.c.owner == ann.id)).all()
            return len(matches.of_people(conn, guests, 200)), len(own_data(conn, ann)["tables"])

    before = games()
    (file,) = archive(store, 2)

    assert before == (13, 13)
    assert games() == before

    (store.archive / file).unlink()
    with store.read() as conn:
        other, missing = own_data(conn, ann)["tables"]
    assert other["finished"].startswith(f"{YEAR}-04-15")
    assert missing == {
        "missing": f"Matches are in the archive {file}, which is missing. Ask the arena's "
        "operator for it."
    }
