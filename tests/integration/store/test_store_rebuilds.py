"""Build artifacts that were pruned and cannot be built again: their versions are not hosted."""

from dataclasses import replace

import pytest

from arena.base.errors import InvalidRequest, NotNow
from arena.hosting.submission.manifest import Manifest
from arena.service.health import facts
from arena.store import Store
from arena.store.registry import bots, building, built, submissions
from arena.store.registry.built import FAILED_REBUILDS, FAILING_S, FORGOTTEN_S, GIVEN_UP
from arena.store.registry.submissions import DAY_S, KEPT_DAYS
from arena.store.tournaments import creation, hosted, sign_up
from arena.tournaments.formats import TournamentSpec, check_spec
from arena.tournaments.formats.sign_up import SignUp, check_open

NOW = 1_000_000.0
LATER = NOW + (KEPT_DAYS + 1) * DAY_S
SAID = "The index has no deep."
SPEC = TournamentSpec(bots=("ada", "bob"), seats=2, matches=2, trusted=True)


@pytest.fixture
def number(store: Store) -> int:
    """The submission of ada, whose build artifact is missing."""
    with store.write() as conn:
        bots.register(conn, "bob")
        found = submissions.submit(conn, bots.register(conn, "ada")[0], b"source", now=NOW).id
        building.claim(conn, "h", NOW, 60.0)
        building.accept(conn, found, "h", b"tree", Manifest(entry="bot.py"), b"hello", NOW)
        assert built.prune(conn, [], LATER, 9) == 1
    return found


def fail(store: Store, number: int, *ages: float) -> str:
    """Rebuilds fail this long after the first; the reason of the submission afterwards."""
    with store.write() as conn:
        for age in ages:
            built.not_built_again(conn, number, SAID, LATER + age)
        return submissions.get(conn, number).reason


ENOUGH = [FAILING_S] * FAILED_REBUILDS


def test_only_many_failed_rebuilds_in_a_long_time_count(store: Store, number: int) -> None:
    assert fail(store, number, *range(FAILED_REBUILDS)) == "", "within seconds"
    assert fail(store, number, FAILING_S - 1) == ""
    assert fail(store, number, FAILING_S) == f"{GIVEN_UP} {SAID}"


def test_few_failed_rebuilds_do_not_count(store: Store, number: int) -> None:
    assert fail(store, number, 0, *ENOUGH[2:]) == ""
    assert fail(store, number, FAILING_S) == f"{GIVEN_UP} {SAID}"


@pytest.mark.parametrize("failed", [1, FAILED_REBUILDS])
def test_failed_rebuilds_of_long_ago_are_forgotten(store: Store, number: int, failed: int) -> None:
    assert fail(store, number, *range(failed)) == ""
    later = FAILING_S + FORGOTTEN_S + 1
    assert fail(store, number, *(later + each for each in range(FAILED_REBUILDS))) == ""
    assert fail(store, number, later + FAILING_S) != ""


def test_a_version_that_cannot_be_built_again_enters_nothing(store: Store, number: int) -> None:
    closed = check_spec(SPEC)
    ladder = check_spec(replace(SPEC, format="ladder", bots=("bob", "cleo")))
    places = SignUp()
    opened = check_open(TournamentSpec(), places)
    with store.write() as conn:
        bots.register(conn, "cleo")
        running = creation.create(conn, ladder)
        entering = creation.create(conn, opened, starts_at=NOW + 60, sign_up=places)
        creation.create(conn, closed)  # as the artifact may be built again
    fail(store, number, 0, *ENOUGH)

    expected = f"ada@2 cannot be hosted. {GIVEN_UP} {SAID}"
    with store.write() as conn:
        with pytest.raises(InvalidRequest, match=expected):
            creation.create(conn, closed)
        with pytest.raises(InvalidRequest, match=expected):
            creation.enter(conn, running, "ada")
        with pytest.raises(InvalidRequest, match=expected):
            sign_up.enter(conn, entering, "ada", now=NOW)
        with pytest.raises(NotNow, match=f"Cannot roll back to submission {number}. {GIVEN_UP}"):
            submissions.rollback(conn, bots.get(conn, "ada"), number, LATER)
        built.built_again(conn, number, b"tree")
        assert creation.create(conn, closed).state == "waiting"
        assert submissions.get(conn, number).reason == ""


def test_no_tournament_waits_for_a_version_that_cannot_be_built_again(
    store: Store, number: int
) -> None:
    with store.write() as conn:
        back = submissions.rollback(conn, bots.get(conn, "ada"), number, LATER)
        player = bots.get(conn, "ada").player
        first = submissions.get(conn, number).player or 0
        assert hosted.among(conn, [first, player]) == {first, player}

    fail(store, number, 0, *ENOUGH)

    with store.write() as conn:
        assert hosted.among(conn, [first, player]) == set(), "they have the same files"
        assert submissions.get(conn, back.id).reason == f"{GIVEN_UP} {SAID}"
        assert built.given_up(conn, [player]) == {player: f"{GIVEN_UP} {SAID}"}
        assert facts.stored(conn, LATER).numbers["hosted"] == 0
        assert list(built.to_build_again(conn, [player])) == [number], "hosts go on trying"
        built.built_again(conn, number, b"tree")
        assert hosted.among(conn, [first, player]) == {first, player}
        assert facts.stored(conn, LATER).numbers["hosted"] == 1


def test_after_a_rebuild_failures_are_counted_anew(store: Store, number: int) -> None:
    fail(store, number, 0, *ENOUGH)
    with store.write() as conn:
        built.built_again(conn, number, b"tree")
        built.prune(conn, [], LATER, 9)
    assert fail(store, number, *ENOUGH) == ""


def test_a_program_of_the_arena_that_is_supplied_again_is_hosted(store: Store, number: int) -> None:
    fail(store, number, 0, *ENOUGH)
    with store.write() as conn:
        ada = bots.get(conn, "ada")
        built.supply(conn, ada, b"other", b"tree", Manifest(entry="bot.py"), b"hello")
        assert hosted.among(conn, [ada.player]) == {ada.player}
