"""Luck that is stored after the match, and what it does to ratings, on both databases."""

import random
from collections import Counter
from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from sqlalchemy import update

from arena.store import Store, rebuild, tables
from arena.store import luck as lucks
from arena.store.cache import forget_all
from arena.store.projections import deal_luck, player_luck, table_luck
from arena.store.reports.fits import Included, fitted, included
from arena.store.save import MatchResult
from arena.store.tournaments.tournaments import Tournament, set_state
from arena.tournaments.ratings.bradley_terry import Fit, fit
from arena.tournaments.ratings.coefficient import FOLDS, parts_of
from arena.tournaments.ratings.deal_sums import SeatResults
from tests.made_luck import calculate, luck_of
from tests.made_results import entered, results, save
from tests.tallies import AdjustedTally, DealTally


def rated(store: Store) -> Fit:
    forget_all()
    with store.read() as conn:
        return fitted(conn, "lama").fit


def in_memory(played: list[MatchResult], known: set[str], tournament: int = 1) -> Fit:
    """The ratings of these results, with the luck of the deals whose matches are all known."""
    tally, plain = AdjustedTally(), DealTally()
    for deal in sorted({match.deal for match in played}):
        matches = [match for match in played if match.deal == deal]
        rows = [SeatResults(match.players, match.points, match.forfeited) for match in matches]
        whole = all(match.id in known for match in matches)
        luck = [luck_of(match.id, len(match.players)).pairs for match in matches]
        fold = int(parts_of(tournament, np.array([deal]))[0]) % FOLDS
        tally.add(rows, luck if whole else None, fold)
        plain.add(rows)
    return fit(tally.less_luck().groups, plain=plain.groups())


def same(one: Fit, other: Fit) -> bool:
    return bool((one.ratings == other.ratings).all() and (one.covariance == other.covariance).all())


@pytest.mark.parametrize("asked", [{"matches": 6}, {"deals": 3}])
def test_ratings_go_by_scores_without_luck_and_until_it_is_known_by_plain_ones(
    store: Store, asked: dict[str, Any]
) -> None:
    tournament = entered(store, **asked)
    played = results(tournament)
    save(store, played)
    assert same(rated(store), in_memory(played, set()))

    calculate(store, tournament.id, 10)
    assert same(rated(store), in_memory(played, {match.id for match in played[:10]}))

    calculate(store, tournament.id)
    after = rated(store)
    assert same(after, in_memory(played, {match.id for match in played}))
    assert not same(after, in_memory(played, set()))


@pytest.mark.parametrize("asked", [{"matches": 6}, {"deals": 3}])
def test_a_leaderboard_counts_included_matches_and_pending_luck(
    store: Store, asked: dict[str, Any]
) -> None:
    tournament = entered(store, **asked)
    other = entered(store, seats=2, matches=1, luck="raw")
    played = results(tournament)
    save(store, played)
    save(store, results(other))
    per_deal, known = (1, 10) if "matches" in asked else (3, 70)
    deals = Counter(match.deal for match in played[:known])
    whole = sum(count == per_deal for count in deals.values())
    assert 0 < whole < len(played) // per_deal

    def of(seats: int) -> Included:
        forget_all()
        with store.read() as conn:
            return included(conn, "lama", seats)

    before = of(3)
    assert (before.matches, before.deals) == (len(played), len(played) // per_deal)
    assert (before.corrected_matches, before.luck_pending) == (0, len(played))

    calculate(store, tournament.id, known)
    some = of(3)
    assert (some.corrected_deals, some.corrected_matches) == (whole, whole * per_deal)
    assert some.luck_pending == len(played) - known
    assert of(0).luck_pending == some.luck_pending  # scores stay as played in the other one
    assert of(0).matches == len(played) + other.planned
    assert of(2).luck_pending == 0

    calculate(store, tournament.id)
    after = of(3)
    assert (after.corrected_matches, after.luck_pending) == (len(played), 0)


def test_luck_without_a_model_is_not_waited_for(store: Store) -> None:
    tournament = entered(store, matches=3)
    save(store, results(tournament))
    with store.write() as conn:
        lucks.skip_all(conn, tournament.id)
    with store.read() as conn:
        assert included(conn, "lama").luck_pending == 0


def test_matches_that_live_elo_waits_to_rate_are_counted(store: Store) -> None:
    tournament = entered(store, matches=3)
    first, *others = results(tournament)
    with store.write() as conn:
        set_state(conn, tournament.id, "running")
    save(store, others)
    with store.read() as conn:
        found = included(conn, "lama")
    assert (found.matches, found.elo_pending) == (len(others), len(others))
    save(store, [first])
    with store.read() as conn:
        assert included(conn, "lama").elo_pending == 0


def test_numbers_do_not_depend_on_when_which_luck_was_known(store: Store) -> None:
    tournament = entered(store, ("ada", "bob", "cyd", "dan"), deals=3)
    played = results(tournament)
    chance = random.Random(4)
    for match in chance.sample(played, len(played)):
        save(store, [match])
        if chance.random() < 0.3:
            calculate(store, tournament.id, chance.randrange(1, 9))
    calculate(store, tournament.id)

    assert same(rated(store), in_memory(played, {match.id for match in played}))
    with store.read() as conn:
        assert rebuild.compare(conn, "lama").differences == ()


def test_luck_that_is_handed_in_twice_counts_once(store: Store) -> None:
    tournament = entered(store, matches=3)
    save(store, results(tournament))
    with store.read() as conn:
        found = lucks.next_matches(conn, tournament.id, 5)
    lucky = {match.number: luck_of(match.id, 3) for match in found}

    with store.write() as conn:
        first = lucks.save_luck(conn, tournament.id, dict(lucky), "one")
    before = rated(store)
    with store.write() as conn:
        lucks.look_again(conn, tournament.id)
        lucks.save_luck(conn, tournament.id, dict(lucky), "two")

    assert first == 5
    assert same(rated(store), before)
    with store.read() as conn:
        assert rebuild.compare(conn, "lama").differences == ()


def test_of_a_raw_tournament_luck_is_known_and_does_not_count(store: Store) -> None:
    tournament = entered(store, matches=6, luck="raw")
    played = results(tournament)
    save(store, played)

    calculate(store, tournament.id)

    assert same(rated(store), in_memory(played, set()))
    with store.read() as conn:
        assert sum(each.matches for each in player_luck.stored(conn, tournament.id).values()) == (
            3 * len(played)
        )
        assert deal_luck.corrected(conn, "lama") is None


def test_counted_again_everything_is_the_same_to_the_bit(store: Store) -> None:
    tournament = entered(store, deals=4)
    save(store, results(tournament)[:-2])
    calculate(store, tournament.id, 40)
    before = rated(store)
    with store.read() as conn:
        tables_before = table_luck.stored(conn, tournament.id)
        players_before = player_luck.stored(conn, tournament.id)

    with store.write() as conn:
        rebuild.rebuild(conn, "lama")

    assert same(rated(store), before)
    with store.read() as conn:
        assert rebuild.compare(conn, "lama").differences == ()
        assert table_luck.stored(conn, tournament.id) == tables_before
        assert player_luck.stored(conn, tournament.id) == players_before


def test_wrong_luck_sums_are_found_and_rebuilt(store: Store) -> None:
    tournament = entered(store, matches=3)
    save(store, results(tournament))
    calculate(store, tournament.id)
    with store.write() as conn:
        for table in (tables.deal_luck, tables.table_luck):
            conn.execute(update(table).values(deals=table.c.deals + 1))
        conn.execute(update(tables.player_luck).values(luck=tables.player_luck.c.luck + 1))

    with store.write() as conn:
        found = rebuild.compare(conn, "lama").differences
        rebuild.rebuild(conn, "lama")
        after = rebuild.compare(conn, "lama").differences

    assert [each.partition(" ")[0] for each in found] == ["the"] * 3
    assert after == ()


def test_a_bots_luck_and_its_luckiest_wins_add_up(store: Store) -> None:
    tournament = entered(store, matches=30)
    played = results(tournament)
    save(store, played)
    calculate(store, tournament.id, 17)
    calculate(store, tournament.id)

    with store.read() as conn:
        found = player_luck.stored(conn, tournament.id)
    with store.write() as conn:
        lucks.look_again(conn, tournament.id)
        numbers = {match.number for match in lucks.next_matches(conn, tournament.id, 10_000)}
    for player in tournament.players:
        lucky = [
            (int(luck_of(match.id, 3).by_seat[seat]), match)
            for match in played
            for seat, who in enumerate(match.players)
            if who == player
        ]
        assert found[player].luck == sum(units for units, _ in lucky)
        assert found[player].matches == len(lucky)
        assert sum(found[player].kinds) == found[player].luck
        wins = [units for units, match in lucky if match.ranks[match.players.index(player)] == 1]
        assert [units for units, _ in found[player].wins] == sorted(wins, reverse=True)[:10]
        assert all(number in numbers for _, number in found[player].wins)
    assert sum(each.luck for each in found.values()) == 0


@pytest.mark.parametrize("chosen", [5, 18, 35])
def test_the_luck_of_a_bot_counts_whole_deals_only(store: Store, chosen: int) -> None:
    """Otherwise the difference of two readings tells what an open deal gave a seat."""
    tournament = entered(store, ("ada", "bob", "cyd", "dan"), deals=3)
    played = random.Random(chosen).sample(results(tournament), 36)
    deals = Counter(match.deal for match in played[:chosen])
    whole = [match for match in played[:chosen] if deals[match.deal] == 3]

    for first in range(0, chosen, 4):
        save(store, played[first : min(first + 4, chosen)])
        calculate(store, tournament.id)

    assert lucks_of(store, tournament) == expected_lucks(whole)
    save(store, played[chosen:])
    calculate(store, tournament.id)
    assert lucks_of(store, tournament) == expected_lucks(played)


def lucks_of(store: Store, tournament: Tournament) -> dict[int, tuple[int, int]]:
    """By player the matches and the luck that are kept."""
    with store.read() as conn:
        found = player_luck.stored(conn, tournament.id)
        assert rebuild.compare(conn, "lama").differences == ()
    return {player: (each.matches, each.luck) for player, each in found.items()}


def expected_lucks(played: list[MatchResult]) -> dict[int, tuple[int, int]]:
    found: dict[int, tuple[int, int]] = {}
    for match in played:
        for player, units in zip(match.players, luck_of(match.id, 3).by_seat, strict=True):
            matches, luck = found.get(player, (0, 0))
            found[player] = matches + 1, luck + int(units)
    return found


def test_luck_is_calculated_of_the_newest_tournament_first_and_of_tables_too(store: Store) -> None:
    one, other = entered(store, matches=3), entered(store, matches=3, repeats=8)
    for each in (one, other):
        save(store, results(each))
    with store.read() as conn:
        assert lucks.pending(conn, 9) == [other.id, one.id]

    calculate(store, other.id)
    with store.write() as conn:
        assert lucks.pending(conn, 9) == [one.id]
        lucks.skip_all(conn, one.id)
        assert lucks.pending(conn, 9) == []
        lucks.look_again(conn)
        assert lucks.pending(conn, 9) == [one.id]


def test_forfeits_stay_lost_and_their_luck_is_taken_out_as_of_others(store: Store) -> None:
    tournament = entered(store, ("ann", "bob"), seats=2, matches=40)
    played = [
        replace(match, forfeited=(True, False), ranks=(2, 1)) if at % 3 == 0 else match
        for at, match in enumerate(results(tournament))
    ]
    save(store, played)
    calculate(store, tournament.id)

    assert same(rated(store), in_memory(played, {match.id for match in played}))
    assert np.isfinite(rated(store).ratings).all()
