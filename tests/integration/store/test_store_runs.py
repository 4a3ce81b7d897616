"""Runs: what became of the processes of hosted bots, and how many of them are kept."""

import pytest

from arena.base.errors import NotFound
from arena.store import Store
from arena.store.registry import bots, runs
from arena.store.registry.runs import NewRun, OutputPart, RunKind, RunLimits

SMALL = RunLimits(runs=3, characters=100)


@pytest.fixture
def player(store: Store) -> int:
    with store.write() as conn:
        return bots.register(conn, "nora")[0].player


def run(player: int, kind: RunKind = RunKind.OTHER, text: str = "", began: float = 1.0) -> NewRun:
    parts = (OutputPart("end", text, "", 0, 0),) if text else ()
    return NewRun(player, "m1", kind, began, 0.25, 9000, "It ended.", parts)


def kept(store: Store, name: str = "nora") -> list[runs.Run]:
    with store.read() as conn:
        return runs.of_bot(conn, bots.get(conn, name).id)


def test_a_run_is_read_as_it_was_reported(store: Store, player: int) -> None:
    parts = (
        OutputPart("start", "ready\n", "", 0, 0),
        OutputPart("decision", "how äh \N{PILE OF POO}\tso\n", "m1", 7, 2),
        OutputPart("end", "\x1b[31mred\x00", "", 0, 0),
    )
    with store.write() as conn:
        new = NewRun(
            player, "m1", RunKind.ENDED, 5.5, 0.25, 9000, "It \x07 ended.", parts, wall_s=28.5
        )
        runs.add(conn, [new])

    (listed,) = kept(store)
    with store.read() as conn:
        read = runs.get(conn, listed.id)

    assert (listed.bot, listed.version, listed.match) == ("nora", "1", "m1")
    assert (listed.kind, listed.began, listed.cpu_s) == (RunKind.ENDED, 5.5, 0.25)
    assert (listed.wall_s, read.wall_s) == (28.5, 28.5)
    assert (listed.memory_kb, listed.ending) == (9000, "It \N{REPLACEMENT CHARACTER} ended.")
    assert (listed.size, listed.parts) == (sum(len(part.text) for part in parts), ())
    assert read.parts[:2] == parts[:2]
    assert read.parts[2].text == "\N{REPLACEMENT CHARACTER}[31mred\N{REPLACEMENT CHARACTER}"


def test_of_each_kind_the_newest_are_kept(store: Store, player: int) -> None:
    with store.write() as conn:
        runs.add(conn, [run(player, RunKind.ENDED, began=0.0)], SMALL)
        runs.add(conn, [run(player, RunKind.WROTE, "hm", began=0.0)], SMALL)
        for began in range(1, 6):
            runs.add(conn, [run(player, began=float(began))], SMALL)
        runs.add(conn, [run(player, RunKind.ENDED, began=float(n)) for n in range(1, 6)], SMALL)

    of_kind = {kind: [each.began for each in kept(store) if each.kind == kind] for kind in RunKind}
    assert of_kind == {
        RunKind.OTHER: [5.0, 4.0, 3.0],
        RunKind.WROTE: [0.0],
        RunKind.ENDED: [5.0, 4.0, 3.0],
    }


def test_output_of_runs_is_limited(store: Store, player: int) -> None:
    with store.write() as conn:
        runs.add(conn, [run(player, RunKind.ENDED, "", began=1.0)], SMALL)
        runs.add(conn, [run(player, RunKind.ENDED, "x" * 60, began=2.0)], SMALL)
        runs.add(conn, [run(player, RunKind.ENDED, "y" * 60, began=3.0)], SMALL)
        runs.add(conn, [run(player, RunKind.WROTE, "z" * 60, began=4.0)], SMALL)

    assert [each.began for each in kept(store)] == [4.0, 3.0, 1.0]


def test_runs_are_limited_for_each_bot_separately(store: Store, player: int) -> None:
    with store.write() as conn:
        other = bots.register(conn, "bob")[0].player
        runs.add(conn, [run(other)], SMALL)
        runs.add(conn, [run(player, began=float(n)) for n in range(9)], SMALL)

    assert (len(kept(store)), len(kept(store, "bob"))) == (3, 1)


def test_versions_of_a_bot_share_the_limits_of_runs(store: Store, player: int) -> None:
    with store.write() as conn:
        newer = bots.new_version(conn, "nora", "2").player
        runs.add(
            conn, [run(one, began=float(n)) for n in range(3) for one in (player, newer)], SMALL
        )

    assert [each.version for each in kept(store)] == ["2", "1", "2"]


def test_the_list_has_pages_and_can_be_of_those_that_were_ended(store: Store, player: int) -> None:
    kinds = (RunKind.ENDED, RunKind.OTHER, RunKind.WROTE, RunKind.ENDED)
    with store.write() as conn:
        runs.add(conn, [run(player, kind, began=float(n)) for n, kind in enumerate(kinds)])
    with store.read() as conn:
        bot = bots.get(conn, "nora").id
        first = runs.of_bot(conn, bot, 2)
        second = runs.of_bot(conn, bot, 2, first[-1].id)
        ended = runs.of_bot(conn, bot, ended=True)

    assert [each.began for each in (*first, *second)] == [3.0, 2.0, 1.0, 0.0]
    assert [each.began for each in ended] == [3.0, 0.0]


def test_an_unknown_run_is_not_found(store: Store, player: int) -> None:
    with store.write() as conn:
        runs.add(conn, [run(player + 77)])
    with store.read() as conn:
        assert runs.of_bot(conn, bots.get(conn, "nora").id) == []
        with pytest.raises(NotFound, match="There is no run 5"):
            runs.get(conn, 5)
