"""Bulk self-play: its rows are the decisions of the matches and the views of the bots."""

import asyncio
import json
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from pyarrow import parquet

from arena.base.errors import InvalidRequest
from arena.base.extras import MissingExtra
from arena.bots import HOUSE
from arena.games.batch import batch_class, observe
from arena.games.match import Match, MatchSetup, Seat
from arena.games.rules import GAMES
from arena.kit import commands
from arena.learn.parquet import FORMAT, DecisionFile
from arena.learn.selfplay import Lockstep, Played, Table
from arena.sdk import Bot, Decisions

MATCHES = 6


def tables(game: str, bots: int, **options: str) -> list[Table]:
    """Matches at three seats, in which bots take turns; their first number is 10."""
    seats = 3
    seated = [tuple((seat + n) % bots for seat in range(seats)) for n in range(MATCHES)]
    setups = [
        MatchSetup(f"match{n}", game, bytes([n]) * 16, (Seat("b"),) * seats, options)
        for n in range(MATCHES)
    ]
    return [Table(10 + n, setups[n], seated[n]) for n in range(MATCHES)]


def played(game: str, bots: Sequence[Bot], **options: str) -> tuple[list[Table], Played]:
    made = tables(game, len(bots), **options)
    return made, asyncio.run(Lockstep(made, bots).play())


class First(Bot):
    """Answers all decisions together, the first action of each."""

    games = tuple(GAMES)

    def __init__(self) -> None:
        self.asked: list[int] = []

    def choose_batch(self, decisions: Decisions) -> Sequence[Any]:
        self.asked.append(len(decisions))
        return list(decisions.column("indices")[:, 0])


class Clumsy(Bot):
    """Has a fault at the fifth decision of each match, and gives one illegal answer."""

    def choose(self, view: Any) -> str:
        if view.number == 5:
            raise ValueError("out of ideas")
        return "play 99" if view.number == 6 else str(view.actions[0])


# Rows


@pytest.mark.parametrize("game", GAMES)
def test_every_decision_is_a_row_with_observation_action_and_result(game: str) -> None:
    made, told = played(game, [HOUSE["sharp"](), First(), HOUSE["random"]()])
    rows, at = told.rows, 0
    assert told.faults == []
    for table in made:
        match = Match(table.setup)
        begun = at
        while (view := match.decision) is not None:
            assert (rows.match[at], rows.number[at]) == (table.number, view.number)
            assert (rows.seat[at], rows.bot[at]) == (view.seat, table.bots[view.seat])
            assert np.array_equal(rows.observation[at], observe(Decisions.of([view]))[0])
            assert set(np.flatnonzero(rows.legal[at])) == set(view.indices)
            match.answer(int(rows.action[at]))
            at += 1
        for row in range(begun, at):
            assert rows.points[row] == match.result.points[rows.seat[row]]
            assert rows.rank[row] == match.result.ranks[rows.seat[row]]
    assert at == len(rows.match)


def test_a_bot_that_answers_batches_gets_the_decisions_of_all_matches_together() -> None:
    bot = First()
    _, told = played("lama", [bot])
    assert bot.asked[0] == MATCHES
    assert sum(bot.asked) == len(told.rows.match)


def test_decisions_with_a_fault_are_left_out_and_reported() -> None:
    made, told = played("lama", [Clumsy()], max_rounds="1")
    assert {reason for _, reason in told.faults} >= {"ValueError: out of ideas"}
    assert any("'play 99' is not an action" in reason for _, reason in told.faults)
    assert {5, 6}.isdisjoint(told.rows.number.tolist())
    assert len(told.rows.match) > len(made)


def test_an_exception_in_a_batch_is_a_fault_in_each_of_its_matches() -> None:
    class Broken(First):
        def choose_batch(self, decisions: Decisions) -> Sequence[Any]:
            return [0]

    _, told = played("lama", [Broken(), HOUSE["five"]()], max_rounds="1")
    mine = [reason for bot, reason in told.faults if bot == 0]
    assert mine[0].startswith("BadAnswer: choose_batch returned 1 answers to")
    assert set(told.rows.bot.tolist()) == {1}


def test_bots_get_notices_and_failures_in_hooks_are_reported() -> None:
    class Listening(First):
        def __init__(self) -> None:
            super().__init__()
            self.heard: list[str] = []

        def on_match_started(self, started: Any) -> None:
            self.heard.append(f"started {started.match}")

        def on_match_ended(self, ended: Any) -> None:
            self.heard.append(f"ended {ended.match}")
            if ended.match == "match3":
                raise KeyError("where")

    bot = Listening()
    _, told = played("lama", [bot, HOUSE["five"](), HOUSE["five"]()])
    assert sorted(bot.heard) == sorted(
        f"{what} match{n}" for n in range(MATCHES) for what in ("started", "ended")
    )
    assert told.faults == [(0, "on_match_ended raised KeyError: 'where'")]


def test_a_match_too_long_for_a_row_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(Match, "packed", lambda match: None)
    with pytest.raises(InvalidRequest, match="Lower the option max_rounds"):
        played("lama", [First()])


# Parquet


def test_file_has_the_rows_and_documents_them(tmp_path: Path) -> None:
    made, told = played("dice", [HOUSE["sharp"](), First()])
    file, names = tmp_path / "d.parquet", ["sharp", "first"]
    with DecisionFile(file, "dice", 3, made[0].setup.options, names, {"seed": 4}) as written:
        written.write(told.rows)

    table = parquet.read_table(file)
    about = json.loads(table.schema.metadata[FORMAT.encode()])
    assert about["observation"] == list(batch_class("dice")(1, 3, bytes(16)).columns)
    assert about["actions"][:2] == ["quit", "roll"]
    assert (about["game"], about["seats"], about["seed"]) == ("dice", 3, 4)
    kinds = {field.name: str(field.type) for field in table.schema}
    assert kinds == {
        "match": "int32",
        "number": "int32",
        "seat": "int8",
        "bot": "dictionary<values=string, indices=int8, ordered=0>",
        "game": "dictionary<values=string, indices=int8, ordered=0>",
        "observation": f"fixed_size_list<element: int16 not null>[{len(about['observation'])}]",
        "legal": f"fixed_size_list<element: bool not null>[{len(about['actions'])}]",
        "action": "int16",
        "points": "int16",
        "rank": "int8",
    }
    read = table.to_pydict()
    assert set(read["game"]) == {"dice"}
    assert read["bot"] == [names[bot] for bot in told.rows.bot]
    for name in ("match", "number", "seat", "observation", "legal", "action", "points", "rank"):
        assert read[name] == getattr(told.rows, name).tolist(), name
    # As docs/learning.md shows it.
    seen = table["observation"].combine_chunks().flatten().to_numpy().reshape(len(table), -1)
    assert np.array_equal(seen, told.rows.observation)


def test_nothing_is_left_of_a_file_that_was_not_completed(tmp_path: Path) -> None:
    file = tmp_path / "d.parquet"
    with pytest.raises(KeyboardInterrupt), DecisionFile(file, "lama", 3, {}, ["a"], {}):
        raise KeyboardInterrupt
    assert list(tmp_path.iterdir()) == []
    with pytest.raises(InvalidRequest, match="cannot be written"):
        DecisionFile(tmp_path / "nowhere" / "d.parquet", "lama", 3, {}, ["a"], {})


# The command line


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["nobody"], "There is no house bot nobody"),
        (["five", "sharp", "careful", "--seats", "2"], "3 players do not fit at 2 seats"),
        (["five", "--seats", "7"], "2 to 6 seats, not 7"),
        (["five", "--game", "chess"], "chess"),
        (["five", "--option", "max_rounds"], "NAME=VALUE"),
        (["five", "--seed", "-1"], "The seed is -1"),
    ],
)
def test_unplayable_tables_are_rejected(words: list[str], said: str, tmp_path: Path) -> None:
    with pytest.raises(InvalidRequest, match=said):
        commands.run("selfplay", [*words, "--out", str(tmp_path / "d.parquet")])
    assert list(tmp_path.iterdir()) == []


def test_error_without_pyarrow_names_the_extra_to_install(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    find = "arena.base.extras.find_spec"
    monkeypatch.setattr(find, lambda name: None if name == "pyarrow" else sys.modules.get(name, 1))
    with pytest.raises(MissingExtra, match="`arena selfplay` needs the extra 'learn'"):
        commands.run("selfplay", ["five", "--out", str(tmp_path / "d.parquet")])
