"""`arena tournament new` with a start time, and open for sign-up."""

import json
import time
from datetime import UTC, datetime, timedelta
from zoneinfo import ZoneInfo

import pytest
from sqlalchemy import update

from arena.store import Store, tables
from arena.store.registry import bots
from arena.store.tournaments import tournaments
from arena.store.tournaments.tournaments import Tournament
from tests.integration.conftest import Run
from tests.integration.played import register

LATER = datetime.fromtimestamp(time.time() // 3600 * 3600 + 86_400, UTC)
AT = f"{LATER:%Y-%m-%dT%H:%MZ}"


@pytest.fixture
def new(run: Run, sqlite_store: Store, redis_url: str, monkeypatch: pytest.MonkeyPatch) -> Run:
    """`arena tournament` with an arena that runs and has bots."""
    register(sqlite_store, "ann", "bob")
    monkeypatch.setenv("ARENA_REDIS_URL", redis_url)
    return lambda *arguments: run("tournament", *arguments)


def first(store: Store) -> Tournament:
    with store.read() as conn:
        return tournaments.get(conn, 1)


def test_a_tournament_is_given_a_start_time(new: Run, sqlite_store: Store) -> None:
    made = new("new", "ann", "bob", "--seats", "2", "--starts-at", AT)

    assert made.status == 0
    assert "scheduled; 0 of 20 matches played" in made.out
    assert "Starts at " in made.out
    assert first(sqlite_store).starts_at == LATER.timestamp()
    listed = new("list")
    assert "scheduled" in listed.out


def test_another_zone_than_utc_is_understood(new: Run, sqlite_store: Store) -> None:
    east = datetime.fromtimestamp(LATER.timestamp() + 7200, UTC)
    new("new", "ann", "bob", "--seats", "2", "--starts-at", f"{east:%Y-%m-%dT%H:%M}+02:00")
    assert first(sqlite_store).starts_at == LATER.timestamp()


def test_the_name_of_a_zone_is_understood(new: Run, sqlite_store: Store) -> None:
    there = LATER.astimezone(ZoneInfo("Asia/Tokyo"))
    new("new", "ann", "bob", "--seats", "2", "--starts-at", f"{there:%Y-%m-%d %H:%M} Asia/Tokyo")
    assert first(sqlite_store).starts_at == LATER.timestamp()


def test_a_dry_run_takes_a_start_time(new: Run) -> None:
    assert new("new", "ann", "bob", "--seats", "2", "--starts-at", AT, "--dry-run").status == 0


def test_authors_can_enter_one_that_is_open(new: Run, sqlite_store: Store) -> None:
    made = new("new", "--open", "--max-bots", "5", "--max-per-author", "1", "--starts-at", AT)
    assert made.status == 0
    assert "scheduled; open for sign-up, 0 of 5 places taken, up to 1 bot per" in made.out

    assert "1 of 5 places taken" in new("enter", "1", "ann").out
    assert "ann is already in tournament 1" in new("enter", "1", "ann").err
    told = json.loads(new("show", "1", "--json").out)
    assert told["sign_up"] == {"max_bots": 5, "bots_per_author": 1}
    assert "no matches" not in new("list").out
    assert "0 of 5 places taken" in new("withdraw", "1", "ann").out
    assert "only 1 bot" not in new("withdraw", "1", "ann").err
    assert "no bot has entered" in new("resume", "1").err


def test_bots_left_out_are_named_with_the_reason(new: Run, sqlite_store: Store) -> None:
    new("new", "ann", "bob", "--open", "--seats", "2", "--starts-at", AT)
    with sqlite_store.write() as conn:
        row = update(tables.tournaments).where(tables.tournaments.c.id == 1)
        conn.execute(row.values(left_out=json.dumps({"cow": "benched", "dot": "retired"})))

    shown = new("show", "1").out
    told = json.loads(new("show", "1", "--json").out)

    assert "Excluded at the start: cow (benched), dot (retired)." in " ".join(shown.split())
    assert told["left_out"] == {"cow": "benched", "dot": "retired"}


def test_without_a_limit_sixteen_may_enter(new: Run, sqlite_store: Store) -> None:
    new("new", "ann", "--open", "--starts-at", AT)
    made = first(sqlite_store)
    assert made.sign_up is not None
    assert (made.sign_up.max_bots, made.sign_up.bots_per_author) == (16, 3)
    assert made.spec.bots == ("ann",)


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        (("ann", "bob", "--starts-at", "soon"), '"soon" is not a start time. Write it like "2026'),
        (("ann", "bob", "--starts-at", "2001-01-01T00:00Z"), "is in the past. Choose a later one"),
        (("ann", "bob", "--starts-at", "2999-01-01T00:00Z"), "more than 366 days ahead"),
        (("--open",), "needs an end. Set the tournament's start time"),
        (("--open", "--starts-at", AT, "--max-bots", "1"), "Choose a number from 2"),
        (("--open", "--starts-at", AT, "--format", "versus"), "cannot be open for sign-up"),
        (("--open", "--starts-at", AT, "--dry-run"), "the entrants are not known yet"),
        (("ann", "bob", "--max-bots", "8"), "need --open"),
        (("--starts-at", AT), "No bots. Name them or pass --all."),
    ],
)
def test_invalid_options_are_refused_with_a_sentence(
    new: Run, arguments: tuple[str, ...], sentence: str
) -> None:
    failed = new("new", "--seats", "2", *arguments)

    assert failed.status == 2
    assert sentence in failed.err
    assert "Traceback" not in failed.err


@pytest.mark.parametrize(
    ("entrant", "at", "sentence"),
    [
        ("bob", "2001-01-01T00:00Z", "is in the past. Choose a later one"),
        ("bob", "2999-01-01T00:00Z", "more than 366 days ahead"),
        ("old", AT, "old cannot enter"),
    ],
)
@pytest.mark.parametrize("dry", [(), ("--dry-run",)], ids=["created", "dry"])
def test_a_dry_run_refuses_what_creation_refuses(
    new: Run, sqlite_store: Store, dry: tuple[str, ...], entrant: str, at: str, sentence: str
) -> None:
    register(sqlite_store, "old")
    with sqlite_store.write() as conn:
        bots.retire(conn, "old")

    failed = new("new", "ann", entrant, "--seats", "2", "--starts-at", at, *dry)

    assert failed.status == 2
    assert sentence in failed.err


def test_a_tournament_repeats_in_the_zone_of_its_start(new: Run, sqlite_store: Store) -> None:
    there = LATER.astimezone(ZoneInfo("Asia/Tokyo"))
    until = f"{there.date() + timedelta(days=30)}"
    starts = ("--open", "--starts-at", f"{there:%Y-%m-%d %H:%M} Asia/Tokyo")
    assert "Pass --every." in new("new", *starts, "--until", until).err
    assert "is not a date" in new("new", *starts, "--every", "week").err
    offset = ("--open", "--starts-at", f"{there:%Y-%m-%dT%H:%M}+09:00")
    repeated = ("--name", "Cup", "--every", "week", "--until", until)
    assert "needs the name of its time zone" in new("new", *offset, *repeated).err
    made = new("new", *offset[:2], f"{offset[2]}[Asia/Tokyo]", *repeated)
    assert "`arena tournament series 1`" in made.out
    shown = new("series", "1").out
    assert f"Every week on {there:%A} at {there:%H:%M} (Asia/Tokyo), until {until}." in shown
    assert "The next one opens for" in shown
    assert "No further tournament follows." in new("series", "1", "--end").out
    assert "cannot be ended" in new("series", "1", "--end").err
    assert json.loads(new("series", "1", "--json").out)["name"] == "Cup"
