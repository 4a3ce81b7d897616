"""What commands print."""

import json
from contextlib import suppress

import pytest

from arena.cli.screen import as_json, note, print_table, say
from arena.protocol.v1 import control_pb2 as pb


def test_numbers_of_64_bits_stay_numbers_and_defaults_are_there() -> None:
    assert as_json(pb.BotStatus(name="ann", matches=2**40)) == {
        "name": "ann",
        "version": "",
        "created": 0.0,
        "connected": False,
        "sdk": "",
        "games": [],
        "matches": 2**40,
    }


def test_a_full_disk_ends_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    """A message of the supervisor ended the whole arena."""
    went_on = False
    with suppress(OSError), open("/dev/full", "w", buffering=1) as log:  # to close it fails
        monkeypatch.setattr("sys.stderr", log)
        note("beat was killed; restarting it in 1 s")
        note("twice")
        went_on = True
    assert went_on


def test_nested_messages_maps_and_absent_fields() -> None:
    message = pb.Tournament(
        id=3,
        spec=pb.TournamentSpec(options={"b": "2", "a": "1"}, bots=["ann", "bob"]),
        standings=[pb.Standing(bot="ann")],
        started=2.5,
    )

    shown = json.loads(json.dumps(as_json(message)))

    assert shown["spec"]["options"] == {"a": "1", "b": "2"}
    assert shown["spec"]["bots"] == ["ann", "bob"]
    assert shown["spec"]["seed"] is None
    assert (shown["started"], shown["finished"]) == (2.5, None)
    assert shown["standings"][0]["bot"] == "ann"


def test_a_table_in_a_pipe_is_neither_cut_nor_wrapped(capsys: pytest.CaptureFixture[str]) -> None:
    long = "x" * 120

    print_table(("bot", "Elo"), [(long, 1500), ("ann", 3)], left=("bot",))

    lines = capsys.readouterr().out.splitlines()
    assert lines[2].split() == [long, "1500"]
    assert lines[3].split() == ["ann", "3"]
    assert lines[3].rstrip().endswith("   3")


def test_markup_is_printed_unchanged(capsys: pytest.CaptureFixture[str]) -> None:
    print_table(("name",), [("[red]cup[/red] :smile:",)], left=("name",))
    say("[bold]")

    out = capsys.readouterr().out
    assert "[red]cup[/red] :smile:" in out
    assert "[bold]" in out
