"""Tournaments and their batches."""

import pytest
from sqlalchemy import insert

from arena.base.errors import AlreadyExists, InvalidRequest, LimitReached, NotFound
from arena.store import Store
from arena.store.registry import bots
from arena.store.tables import submissions
from arena.store.tournaments import batches, creation, tournaments
from arena.store.tournaments.batches import Batch
from arena.store.tournaments.tournaments import State
from arena.tournaments.formats import TournamentSpec, check_spec
from tests.made_results import NAMES, entered, schedule


def test_a_created_tournament_waits_with_all_it_was_asked_for(store: Store) -> None:
    made = entered(store, repeats=2**64 - 1, options={"max_rounds": "9"}, name="Spring cup")

    with store.read() as conn:
        found = tournaments.get(conn, made.id)

    assert found == made
    assert (found.id, found.state, found.note, found.created) == (1, "waiting", "", 1000.0)
    assert (found.planned, found.played) == (60, 0)
    assert (found.started, found.finished) == (None, None)
    assert found.spec.repeats == 2**64 - 1
    assert found.spec.options == {"max_rounds": "9"}
    assert found.spec.bots == NAMES


def test_players_are_in_entrant_order(store: Store) -> None:
    first = entered(store)
    backwards = entered(store, names=NAMES[::-1])

    assert backwards.players == first.players[::-1]


def test_bots_are_entered_under_their_registered_names(store: Store) -> None:
    entered(store, names=["Ada", "Bob", "Cyd"])
    spec = check_spec(TournamentSpec(seats=2, bots=("ADA", "bob")))

    with store.write() as conn:
        assert creation.create(conn, spec).spec.bots == ("Ada", "Bob")


def test_two_versions_of_a_bot_enter_side_by_side_and_are_siblings(store: Store) -> None:
    entered(store, names=["Ada", "Bob", "Cyd"])
    with store.write() as conn:
        bots.new_version(conn, "ada", "2")
        spec = check_spec(TournamentSpec(seats=2, bots=("ada", "bob", "ADA@1")))
        made = creation.create(conn, spec)

        assert made.spec.bots == ("Ada", "Bob", "Ada@1")
        assert len(set(made.players)) == 3
        first, bob, third = made.spec.authors
        assert first == third != bob


def test_one_version_enters_once_under_any_name(store: Store) -> None:
    entered(store, names=["Ada", "Bob", "Cyd"])

    spec = check_spec(TournamentSpec(seats=2, bots=("ada", "bob", "ada@1")))
    with store.write() as conn, pytest.raises(InvalidRequest, match="Ada@1 cannot both enter"):
        creation.create(conn, spec)


def test_a_ladder_takes_an_older_version_beside_the_newest(store: Store) -> None:
    entered(store, names=["Ada", "Bob", "Cyd"])
    with store.write() as conn:
        made = creation.create(conn, check_spec(TournamentSpec(
            format="ladder", seats=2, bots=("ada", "bob"), matches=100
        )))  # fmt: skip
        bots.new_version(conn, "ada", "2")
        creation.enter(conn, made, "ada")
        grown = tournaments.get(conn, made.id)
        assert grown.spec.bots == ("Ada", "Bob", "Ada")
        with pytest.raises(AlreadyExists, match="Ada 1 is already in"):
            creation.enter(conn, grown, "ada@1")
        bots.new_version(conn, "ada", "3")
        bots.new_version(conn, "ada", "4")
        creation.enter(conn, grown, "ada@3")
        assert tournaments.get(conn, made.id).spec.bots == ("Ada", "Bob", "Ada", "Ada@3")


def test_a_ladder_takes_only_so_many_bots_and_none_that_no_host_can_play(
    store: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(creation, "MAX_BOTS", 3)
    entered(store, names=["Ada", "Bob", "Cyd", "Dot"])
    with store.write() as conn:
        made = creation.create(conn, check_spec(TournamentSpec(
            format="ladder", seats=2, bots=("ada", "bob"), matches=100
        )))  # fmt: skip
        pruned = bots.new_version(conn, "dot", hosted=True)
        upload = {"bot": pruned.id, "player": pruned.player, "state": "accepted", "size": 1}
        texts = dict.fromkeys(("label", "host", "reason", "log"), "")
        bytes_ = dict.fromkeys(("sha256", "hello", "key"), b"")
        row = {**upload, **texts, **bytes_, "created": 0.0, "attempts": 1, "manifest": "{}"}
        conn.execute(insert(submissions).values(row))
        bots.new_version(conn, "dot")
        with pytest.raises(InvalidRequest, match="upload is no longer stored"):
            creation.enter(conn, made, "dot@2")
        creation.enter(conn, made, "cyd")
        with pytest.raises(LimitReached, match="3 bots with their older versions, the maximum"):
            creation.enter(conn, tournaments.get(conn, made.id), "dot")


def test_bots_that_are_not_registered_are_named(store: Store) -> None:
    entered(store)

    with store.write() as conn, pytest.raises(NotFound, match="zoe"):
        creation.create(conn, check_spec(TournamentSpec(seats=2, bots=("ada", "zoe"))))


def test_tournaments_are_listed_newest_first_in_pages(store: Store) -> None:
    for _ in range(5):
        entered(store)

    with store.read() as conn:
        listed = tournaments.all_tournaments(conn)
        assert [one.id for one in listed] == [5, 4, 3, 2, 1]
        assert tournaments.all_tournaments(conn, limit=2) == listed[:2]
        assert tournaments.all_tournaments(conn, limit=2, before=4) == listed[2:4]


def test_active_ones_are_those_waiting_or_running(store: Store) -> None:
    for _ in range(4):
        entered(store)

    with store.write() as conn:
        for number, state in enumerate(tournaments.STATES, 1):
            tournaments.set_state(conn, number, state)

        assert list(tournaments.under_way(conn)) == [1, 2]


def test_times_are_noted_when_a_tournament_first_runs_and_when_it_ends(store: Store) -> None:
    key = entered(store).id
    steps: list[tuple[State, float, float | None, float | None]] = [
        ("waiting", 10.0, None, None),
        ("running", 20.0, 20.0, None),
        ("running", 30.0, 20.0, None),
        ("cancelled", 40.0, 20.0, 40.0),
        ("cancelled", 50.0, 20.0, 40.0),
        ("waiting", 60.0, 20.0, None),
        ("running", 70.0, 20.0, None),
        ("finished", 80.0, 20.0, 80.0),
    ]

    with store.write() as conn:
        for state, now, started, finished in steps:
            tournaments.set_state(conn, key, state, note=f"at {now}", now=now)
            found = tournaments.get(conn, key)
            assert (found.state, found.note) == (state, f"at {now}")
            assert (found.started, found.finished) == (started, finished)
        assert found.stopped_s == 30.0  # from when it was cancelled until it ran again


def test_time_waiting_for_workers_adds_up(store: Store) -> None:
    key = entered(store).id

    with store.write() as conn:
        for seconds in (10.0, 2.5):
            tournaments.add_queued(conn, key, seconds)

        assert tournaments.get(conn, key).queued_s == 12.5


def test_a_tournament_that_does_not_exist(store: Store) -> None:
    with store.write() as conn:
        for ask in (tournaments.get, tournaments.lock):
            with pytest.raises(NotFound, match="no tournament 7"):
                ask(conn, 7)


def test_a_lock_gives_the_tournament(store: Store) -> None:
    made = entered(store)

    with store.write() as conn:
        assert tournaments.lock(conn, made.id) == made


def test_a_batch_is_stored_once_with_its_matches(store: Store) -> None:
    made = entered(store)
    planned = tuple(schedule(made)[20:40])

    with store.write() as conn:
        assert batches.add_batch(conn, made.id, 1, planned)
        assert not batches.add_batch(conn, made.id, 1, planned[:1])

    with store.read() as conn:
        assert batches.get_batch(conn, made.id, 1) == Batch(made.id, 1, 20, planned, None, False)
        with pytest.raises(NotFound, match="no batch 2"):
            batches.get_batch(conn, made.id, 2)


def test_open_batches_are_those_not_finished(store: Store) -> None:
    made, planned = entered(store), schedule(entered(store))
    with store.write() as conn:
        for number in range(3):
            batches.add_batch(conn, made.id, number, planned[20 * number : 20 * number + 20])

        batches.finish_batch(conn, made.id, 1)

        assert [batch.number for batch in batches.open_batches(conn, made.id)] == [0, 2]
        assert batches.open_numbers(conn, made.id) == [0, 2]
        assert batches.next_number(conn, made.id) == 3
        assert batches.next_number(conn, made.id + 1) == 0


def test_parked_matches_are_kept_until_they_are_taken_or_the_batch_is_done(store: Store) -> None:
    made = entered(store)
    with store.write() as conn:
        batches.add_batch(conn, made.id, 0, schedule(made))
        for blob in (b"\x00state", None, b"state"):
            batches.save_checkpoint(conn, made.id, 0, blob)
            assert batches.get_batch(conn, made.id, 0).checkpoint == blob

        batches.finish_batch(conn, made.id, 0)

        done = batches.get_batch(conn, made.id, 0)
        assert (done.checkpoint, done.done) == (None, True)
