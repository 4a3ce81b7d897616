"""Tournaments whose matches have a deal each: what is stored, locked, counted and shown."""

import pytest
from sqlalchemy import select

from arena.base.errors import InvalidRequest
from arena.protocol.v1 import control_pb2 as pb
from arena.service.control.messages import filled
from arena.service.control.sentences import luck_lines
from arena.store import Store
from arena.store import tables as schema
from arena.store.matches import matches
from arena.store.projections import deal_sums
from arena.store.projections.deal_sums import DealSumsProjection
from arena.store.projections.table_sums import TableSumsProjection
from arena.store.registry import accounts, bots
from arena.store.reports import variance
from arena.store.tournaments import creation, tournaments
from arena.tournaments.formats import TournamentSpec, check_spec
from tests.made_results import entered, results, save

SHARED = {"deals": "duplicate"}


def test_a_match_may_be_watched_as_soon_as_it_is_over(store: Store) -> None:
    tournament = entered(store, ("ann", "bob", "cid"), matches=6)

    save(store, results(tournament)[:1])

    with store.read() as conn:
        ((match,), _) = matches.list_matches(conn, tournament=tournament.id)
        assert not match.locked


def test_with_shared_deals_it_is_locked_until_the_last_match_of_the_deal(store: Store) -> None:
    tournament = entered(store, ("ann", "bob", "cid"), deals=2)

    save(store, results(tournament)[:1])

    with store.read() as conn:
        ((match,), _) = matches.list_matches(conn, tournament=tournament.id)
        assert match.locked


def test_every_match_counts_by_itself_for_ratings_and_errors(store: Store) -> None:
    tournament = entered(store, matches=6)
    played = results(tournament)

    save(store, played[:25])

    with store.read() as conn:
        assert sum(group.deals.sum() for group in deal_sums.groups(conn, "lama")) == 25
        assert not list(DealSumsProjection().differences(conn, "lama"))
        assert not list(TableSumsProjection().differences(conn, "lama"))
    save(store, played[25:])
    with store.read() as conn:
        assert set(variance.score_errors(conn, tournament.id)) == set(tournament.players)


def test_nothing_is_said_of_savings_but_the_seats_are_compared(store: Store) -> None:
    tournament = entered(store, matches=6)
    save(store, results(tournament))

    with store.read() as conn:
        known = variance.luck(conn, tournament.id)

    assert (known.shared, known.deals, known.saved, known.plus_minus) == (False, 0, None, None)
    assert known.matches == tournament.planned
    (line,) = luck_lines(filled(pb.Luck, known))
    assert line.startswith("Mean points by seat")


def test_the_savings_of_shared_deals_have_an_error(store: Store) -> None:
    tournament = entered(store, deals=8)
    save(store, results(tournament))

    with store.read() as conn:
        known = variance.luck(conn, tournament.id)

    assert known.shared
    assert known.plus_minus is not None
    assert 0.02 < known.plus_minus < 0.6
    assert f"(± {known.plus_minus:.0%}, measured on 80 deals)" in next(
        luck_lines(filled(pb.Luck, known))
    )


def make(store: Store, *names: str, owner: int | None = None, **asked: object) -> int:
    fields = {"seats": 2, "format_options": SHARED, **asked}
    spec = check_spec(TournamentSpec(bots=names, **fields))  # type: ignore[arg-type]
    with store.write() as conn:
        return creation.create(conn, spec, owner=owner).id


@pytest.fixture
def people(store: Store) -> tuple[int, int]:
    """Ada with two bots, Bob with one, and a bot of the house."""
    with store.write() as conn:
        ada, bob = (accounts.sign_up(conn, name, "-").id for name in ("ada", "bob"))
        for name, owner in (("ada1", ada), ("ada2", ada), ("bob1", bob), ("five", None)):
            bots.register(conn, name, owner=owner)
        conn.execute(schema.bots.update().where(schema.bots.c.name == "five").values(kind="house"))
    return ada, bob


def test_shared_deals_among_strangers_are_refused_naming_them(
    store: Store, people: tuple[int, int]
) -> None:
    ada, _ = people

    with pytest.raises(InvalidRequest, match=r"--trusted.*nor house bots: bob1\.$"):
        make(store, "ada1", "bob1", "five", owner=ada)
    with pytest.raises(InvalidRequest, match="nor house bots: ada1, ada2, bob1"):
        make(store, "ada1", "ada2", "bob1")  # made by nobody's account
    with store.read() as conn:
        assert conn.scalars(select(schema.tournaments.c.id)).all() == []


def test_ones_own_bots_and_the_houses_may_share_deals(
    store: Store, people: tuple[int, int]
) -> None:
    ada, _ = people

    assert make(store, "ada1", "ada2", owner=ada, format="versus")
    assert make(store, "ada1", "ada2", "five", owner=ada)


def test_a_trusted_tournament_takes_any_bot(store: Store, people: tuple[int, int]) -> None:
    number = make(store, "ada1", "bob1", trusted=True)

    with store.read() as conn:
        assert tournaments.get(conn, number).spec.trusted


@pytest.fixture
def hosted(store: Store) -> tuple[str, ...]:
    """Hosted bots, each of another author."""
    with store.write() as conn:
        for name in ("cyd", "dan", "eve"):
            bots.register(conn, name, owner=accounts.sign_up(conn, name, "-").id)
            bots.new_version(conn, name, hosted=True)
    return ("cyd", "dan", "eve")


def test_hosted_bots_may_share_deals_for_they_remember_none(
    store: Store, people: tuple[int, int], hosted: tuple[str, ...]
) -> None:
    assert make(store, *hosted)
    assert make(store, *hosted, "five")

    with pytest.raises(InvalidRequest, match=r"hosted Python bots.*house bots: cyd, dan, eve\.$"):
        make(store, *hosted, isolation="tournament")
    with pytest.raises(InvalidRequest, match="nor house bots: cyd"):
        make(store, "cyd", "ada1", owner=people[0])  # which might remember
    with pytest.raises(InvalidRequest, match="seed and salt"):
        make(store, *hosted, repeats=7)


def test_matches_of_a_program_can_exchange_data_so_it_is_taken_for_one_with_a_memory(
    store: Store, hosted: tuple[str, ...]
) -> None:
    with store.write() as conn:
        bots.new_version(conn, "eve", hosted=True, program=True)

    with pytest.raises(InvalidRequest, match=r"house bots: cyd, dan, eve\.$"):
        make(store, *hosted)
    assert make(store, "cyd", "dan")


def test_a_bot_entered_later_must_be_hosted_too(
    store: Store, people: tuple[int, int], hosted: tuple[str, ...]
) -> None:
    ada, _ = people
    number = make(store, "cyd", "dan", owner=ada, format="ladder", deals=1)

    with store.write() as conn, pytest.raises(InvalidRequest, match="cyd, dan"):
        creation.enter(conn, tournaments.lock(conn, number), "ada1")
    with store.write() as conn, pytest.raises(InvalidRequest, match="cyd, dan, eve"):
        creation.enter(conn, tournaments.lock(conn, number), "eve@1")  # which is not hosted
    with store.write() as conn:
        creation.enter(conn, tournaments.lock(conn, number), "eve")


def test_a_stranger_cannot_be_entered_later_without_that_word(
    store: Store, people: tuple[int, int]
) -> None:
    ada, _ = people
    number = make(store, "ada1", "ada2", owner=ada, format="ladder", deals=1)

    with store.write() as conn, pytest.raises(InvalidRequest, match="bob1"):
        creation.enter(conn, tournaments.lock(conn, number), "bob1")
    with store.write() as conn:
        creation.enter(conn, tournaments.lock(conn, number), "five")


def test_own_deals_need_no_trust(store: Store, people: tuple[int, int]) -> None:
    assert make(store, "ada1", "bob1", format_options={})
