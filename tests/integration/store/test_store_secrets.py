"""The secret of a tournament is random, hidden until the end, and then published."""

import json
from dataclasses import asdict
from pathlib import Path
from typing import Any

import pytest
from sqlalchemy import select

from arena.base.errors import InvalidRequest
from arena.store import Store, upgrade_store
from arena.store import tables as schema
from arena.store.registry import accounts, bots
from arena.store.tournaments import creation, tournaments
from arena.store.tournaments.tournaments import State, Tournament
from arena.tournaments.formats import FromSecret, TournamentSpec, check_spec
from arena.tournaments.formats.secret import commitment, repeatable
from tests.integration.worker_world import FakeGateway, World


def made(store: Store, **asked: object) -> Tournament:
    """A tournament of two strangers."""
    fields = {"bots": ("ann", "bob"), "seats": 2, **asked}
    with store.write() as conn:
        if not bots.all_bots(conn):
            for name in ("ann", "bob"):
                bots.register(conn, name)
        return creation.create(conn, check_spec(TournamentSpec(**fields)))  # type: ignore[arg-type]


def secret_of(store: Store, number: int) -> bytes:
    with store.read() as conn:
        column = select(schema.tournaments.c.secret).where(schema.tournaments.c.id == number)
        return bytes(conn.scalar(column) or b"")


def test_each_has_a_secret_of_256_bits_and_publishes_its_digest(store: Store) -> None:
    one, other = made(store), made(store)

    secrets = [secret_of(store, tournament.id) for tournament in (one, other)]

    assert [len(secret) for secret in secrets] == [32, 32]
    assert secrets[0] != secrets[1]
    assert [one.commitment, other.commitment] == [commitment(s).hex() for s in secrets]
    assert not one.repeatable


@pytest.mark.parametrize("states", [(), ("running",), ("running", "cancelled")])
def test_the_secret_is_hidden_until_the_end(store: Store, states: tuple[State, ...]) -> None:
    tournament = made(store)
    for state in states:
        with store.write() as conn:
            tournaments.set_state(conn, tournament.id, state)
    secret = secret_of(store, tournament.id)

    with store.read() as conn:
        found = tournaments.get(conn, tournament.id)
        every = tournaments.all_tournaments(conn)
        source = tournaments.source(conn, tournament.id)

    assert (found.secret, found.open_seed) == ("", None)
    for shown in (repr(found), repr(every), json.dumps(asdict(found), default=str), repr(source)):
        assert secret.hex() not in shown
        assert repr(secret) not in shown


def test_when_it_is_finished_it_is_shown(store: Store) -> None:
    tournament = made(store)
    with store.write() as conn:
        tournaments.set_state(conn, tournament.id, "finished")

    with store.read() as conn:
        found = tournaments.get(conn, tournament.id)

    assert commitment(bytes.fromhex(found.secret)).hex() == tournament.commitment


def test_cards_and_ids_follow_from_it_and_from_the_tournaments_number(store: Store) -> None:
    tournament = made(store)

    with store.read() as conn:
        source = tournaments.source(conn, tournament.id)

    assert source == FromSecret(secret_of(store, tournament.id), tournament.id)
    assert isinstance(source, FromSecret)
    assert tournament.spec.seed == source.schedule_seed


def test_with_a_number_it_is_repeatable_and_the_number_is_told_at_the_end(store: Store) -> None:
    tournament = made(store, repeats=7, trusted=True)
    assert (tournament.repeatable, tournament.open_seed, tournament.open_salt) == (True, None, "")

    with store.write() as conn:
        tournaments.set_state(conn, tournament.id, "finished")

    with store.read() as conn:
        over = tournaments.get(conn, tournament.id)
    assert over.open_seed == 7
    assert secret_of(store, tournament.id) == repeatable(7, bytes.fromhex(over.open_salt))


def test_the_number_cannot_be_found_by_trying_all_of_them(store: Store) -> None:
    """The commitment, ids, the schedule and messages to bots do not reveal it, because its random
    half is published only at the end."""
    tournament = made(store, repeats=7, trusted=True)
    with store.read() as conn:
        source = tournaments.source(conn, tournament.id)
    public = {
        bytes.fromhex(tournament.commitment),
        source.match_id(0),
        source.deal_seed(0),  # public when the first match is over
        tournament.spec.seed,
    }

    for number in range(20):
        guess = FromSecret(repeatable(number), tournament.id)
        found = commitment(guess.secret), guess.match_id(0), guess.deal_seed(0), guess.schedule_seed
        assert public.isdisjoint(found)
    salts = {made(store, repeats=7, trusted=True).spec.salt for _ in range(9)}
    assert {len(bytes.fromhex(salt)) for salt in salts} == {16}
    assert len(salts) == 9


def test_number_and_salt_repeat_a_tournament_in_another_arena(
    sqlite_store: Store, tmp_path: Path
) -> None:
    first = made(sqlite_store, repeats=7, trusted=True)
    other = upgrade_store(f"sqlite:///{tmp_path / 'other.db'}")

    again = made(other, repeats=7, salt=first.spec.salt, trusted=True)

    assert (again.id, again.commitment, again.spec) == (first.id, first.commitment, first.spec)
    other.dispose()


@pytest.mark.parametrize(
    ("asked", "wrong"),
    [
        ({"salt": "0" * 32}, "The salt has no seed"),
        ({"repeats": 7, "salt": "0" * 31}, "must have 32 hexadecimal digits"),
        ({"repeats": 7, "salt": "F" * 32}, "must have 32 hexadecimal digits"),
    ],
)
def test_a_salt_that_is_none_is_refused(asked: dict[str, Any], wrong: str) -> None:
    with pytest.raises(InvalidRequest, match=wrong):
        check_spec(TournamentSpec(bots=("ann", "bob"), seats=2, **asked))


def test_a_number_that_strangers_may_guess_takes_the_organisers_word(store: Store) -> None:
    with store.write() as conn:
        ada = accounts.sign_up(conn, "ada", "-").id
        bots.register(conn, "ann", owner=ada)
        bots.register(conn, "bob")
    spec = check_spec(TournamentSpec(bots=("ann", "bob"), seats=2, repeats=7))

    with (
        store.write() as conn,
        pytest.raises(InvalidRequest, match=r"seed and salt.*: bob\."),
    ):
        creation.create(conn, spec, owner=ada)


def test_the_same_number_deals_other_cards_in_the_next_tournament(store: Store) -> None:
    numbers = [made(store, repeats=7, trusted=True).id for _ in range(2)]

    with store.read() as conn:
        one, other = (tournaments.source(conn, number) for number in numbers)

    assert not {one.deal_seed(deal) for deal in range(600)} & {
        other.deal_seed(deal) for deal in range(600)
    }
    assert one.match_id(0) != other.match_id(0)


def test_cards_follow_from_the_secret(world: World, gateway: FakeGateway) -> None:
    tournament = world.tournament()
    gateway.connect(*tournament.players)

    ended = world.play_all(tournament)

    source = FromSecret(bytes.fromhex(ended.secret), tournament.id)
    with world.store.read() as conn:
        rows = conn.execute(select(schema.matches)).all()
    assert len({bytes(row.seed) for row in rows}) == len(rows) == 6
    for row in rows:
        assert row.id == source.match_id(row.position)
        assert bytes(row.seed) == source.deal_seed(row.deal)
