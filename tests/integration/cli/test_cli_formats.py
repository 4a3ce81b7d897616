"""Formats on the command line, and what the Control contract tells of them."""

import json
import sys
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from arena import cli
from arena.base.errors import InvalidRequest, NotFound, NotNow
from arena.protocol.v1 import control_pb2 as pb
from arena.service.control.service import ControlService
from arena.store import Store
from arena.store.tournaments import format_state, tournaments
from arena.tournaments.formats import FORMATS, format_of
from tests.made_results import entered, result, save

Run = Callable[..., tuple[int, str, str]]


@pytest.fixture
def run(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], tmp_path: Path) -> Run:
    """Runs `arena ...` on the arena in the test's folder: status, stdout, stderr."""
    for name in ("ARENA_URL", "ARENA_ADMIN_TOKEN", "ARENA_REDIS_URL"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("ARENA_DATA", str(tmp_path))

    def call(*arguments: str) -> tuple[int, str, str]:
        monkeypatch.setattr(sys, "argv", ["arena", *arguments])
        with pytest.raises(SystemExit) as end:
            cli.main()
        captured = capsys.readouterr()
        return int(end.value.code or 0), captured.out, captured.err

    return call


@pytest.fixture
def control(sqlite_store: Store, redis_url: str) -> Iterator[ControlService]:
    service = ControlService(sqlite_store, redis_url)
    yield service
    service.close()


def play_block(store: Store, number: int) -> None:
    """Plays the next block of a tournament: who is entered first always does best."""
    with store.read() as conn:
        tournament = tournaments.get(conn, number)
        known = format_state.get(conn, number)
    block = format_of(tournament.spec.format).block(tournament.spec, known.blocks, known.so_far)
    save(store, [result(tournament, one, one.seats) for one in block])
    with store.write() as conn:
        format_state.fold(conn, tournaments.lock(conn, number))


def test_the_formats_are_listed_with_their_options(run: Run) -> None:
    status, out, _ = run("tournament", "formats")

    assert status == 0
    for name, format_ in FORMATS.items():
        assert f"{name}: " in out
        for option, about in format_.options.items():
            assert f"    {option}={about.default}  " in out


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        (("--format", "swish"), 'Unknown tournament format "swish"'),
        (
            ("--format-option", "rounds=3"),
            'round-robin has no option "rounds". It has: tables, siblings, deals.',
        ),
        (("--format", "swiss", "--format-option", "rounds"), "Write, for example, --format-option"),
        (("--format", "knockout", "--format-option", "advance=2"), "advance must be at most 1"),
    ],
)
def test_a_format_that_cannot_be_played_is_refused_with_a_sentence(
    run: Run, sqlite_store: Store, arguments: tuple[str, ...], sentence: str
) -> None:
    entered(sqlite_store)

    status, _, err = run("tournament", "new", "ada", "bob", "--seats", "2", *arguments)

    assert status == 2
    assert sentence in err
    assert "Traceback" not in err


def test_a_tournament_shows_what_its_format_has_to_say(run: Run, sqlite_store: Store) -> None:
    entered(sqlite_store, ["ada", "bob"], seats=2, deals=5)
    entered(sqlite_store, ["ada", "bob", "cyd"], seats=2, format="knockout")

    assert "every pair of bots meets in 10 matches" in run("tournament", "show", "1")[1]
    assert "Stage 1: 3 still in, 1 table, 1 with a bye." in run("tournament", "show", "2")[1]


def test_options_of_the_format_are_kept_complete(
    control: ControlService, sqlite_store: Store
) -> None:
    entered(sqlite_store)

    spec = pb.TournamentSpec(game="lama", seats=2, bots=["ada", "bob"], format="versus")
    spec.format_options["elo1"] = "30"
    created = control.create_tournament(spec)

    assert dict(created.spec.format_options) == {
        "elo0": "0", "elo1": "30", "alpha": "0.05", "beta": "0.05", "max_deals": "10000",
        "seatings": "mirrored", "siblings": "apart", "deals": "own",
    }  # fmt: skip
    assert created.planned == 10_000


def test_a_sequential_test_is_told_in_numbers(control: ControlService, sqlite_store: Store) -> None:
    entered(sqlite_store, ["ada", "bob"], seats=2, deals=4, format="versus")
    play_block(sqlite_store, 1)

    found = control.get_tournament(pb.TournamentId(id=1))

    assert (found.test.state, found.test.deals, found.test.mean) == ("running", 4, 1.0)
    assert found.test.lower < 0 < found.test.llr < found.test.upper
    assert found.remarks[1] == "Not decided yet."
    assert not control.list_tournaments(pb.ListTournamentsRequest()).tournaments[0].remarks


def test_a_bot_enters_a_ladder_in_its_newest_version(
    control: ControlService, sqlite_store: Store, run: Run
) -> None:
    entered(sqlite_store, ["ada", "bob"], seats=2, format="ladder")
    control.register_bot(pb.RegisterBotRequest(name="zoe"))

    assert run("tournament", "enter", "1", "zoe")[0] == 0
    control.new_version(pb.NewVersionRequest(name="ada"))
    shown = control.enter_tournament(pb.EnterRequest(tournament=1, bot="ada"))

    assert list(shown.spec.bots) == ["ada", "bob", "zoe", "ada"]
    lines = {(line.bot, line.version) for line in shown.standings}
    assert lines == {("ada", "1"), ("ada", "2"), ("bob", "1"), ("zoe", "1")}


def test_a_tournament_has_a_priority_that_can_be_changed(
    control: ControlService, sqlite_store: Store, run: Run
) -> None:
    entered(sqlite_store, ["ada", "bob"], seats=2)
    assert control.get_tournament(pb.TournamentId(id=1)).priority == "normal"

    status, out, _ = run("tournament", "priority", "1", "high")

    assert status == 0
    assert "Priority: high." in out
    assert control.get_tournament(pb.TournamentId(id=1)).priority == "high"
    status, _, said = run("tournament", "priority", "1", "highest")
    assert status == 2
    assert "'low', 'normal', 'high'" in said
    with pytest.raises(InvalidRequest, match="Choose low, normal, high"):
        control.set_priority(pb.PriorityRequest(tournament=1, priority="highest"))
    with pytest.raises(NotFound):
        control.set_priority(pb.PriorityRequest(tournament=9, priority="high"))


def test_bots_cannot_enter_finished_or_closed_tournaments(
    control: ControlService, sqlite_store: Store
) -> None:
    entered(sqlite_store, ["ada", "bob"], seats=2)
    control.register_bot(pb.RegisterBotRequest(name="zoe"))

    with pytest.raises(InvalidRequest, match="not a ladder"):
        control.enter_tournament(pb.EnterRequest(tournament=1, bot="zoe"))
    control.cancel_tournament(pb.TournamentId(id=1))
    with pytest.raises(NotNow, match="cancelled. Bots can no longer enter"):
        control.enter_tournament(pb.EnterRequest(tournament=1, bot="zoe"))


def test_a_spec_stored_before_there_were_format_options_is_still_read(
    control: ControlService, sqlite_store: Store
) -> None:
    entered(sqlite_store)
    with sqlite_store.write() as conn:
        text = conn.exec_driver_sql("SELECT spec FROM tournaments").scalar_one()
        old = {k: v for k, v in json.loads(text).items() if k != "format_options"}
        conn.exec_driver_sql("UPDATE tournaments SET spec = ?", (json.dumps(old),))

    assert control.get_tournament(pb.TournamentId(id=1)).spec.format == "round-robin"
