"""A bot is asked once more what it was asked in a match that is over."""

import json
from copy import deepcopy
from typing import Any

import pytest

from arena.cli.explain import lines
from arena.games.match import Match, MatchSetup, Seat
from arena.games.record import RecordError, export
from arena.games.rules import GAMES, View
from arena.sdk import Bot, MatchEnded, MatchStarted, RoundEnded
from arena.sdk.again import AskedAgain, ask_again
from arena.sdk.local import play

KEY = bytes(32)


class Drawing(Bot):
    """Plays what `view.rng()` says, which follows from its key; it quits when it must."""

    def __init__(self, key: bytes = KEY) -> None:
        self.key = key

    async def choose(self, view: View) -> str:
        return view._replace(key=self.key).rng().choice(view.actions[:-1] or view.actions)


def asked(record: dict[str, Any], seat: int, bot: Bot) -> list[AskedAgain]:
    return list(ask_again(record, seat, bot))


@pytest.mark.parametrize("game", GAMES)
def test_the_same_bot_answers_the_same_to_the_same_views(game: str) -> None:
    seen: list[View] = []

    class Noting(Drawing):
        async def choose(self, view: View) -> str:
            seen.append(view._replace(key=b""))
            return await super().choose(view)

    record = play([Drawing(), Noting(), Drawing()], game, seed=5, match="m")
    shown = seen[:]

    again = asked(record, 1, Drawing())

    assert [each.view for each in again] == shown
    assert len(again) > 5
    assert not any(each.differs for each in again)


class Hasty(Bot):
    """Takes the first of its options."""

    def choose(self, view: View) -> str:
        return view.actions[0]


def test_another_bot_differs_where_it_does_and_the_match_goes_on_as_played() -> None:
    record = play([Drawing(), Drawing()], "lama", seed=5)

    again = asked(record, 0, Hasty())

    assert [each.view for each in again] == [each.view for each in asked(record, 0, Drawing())]
    for each in again:
        assert each.now == each.view.actions[0]
        assert each.differs == (each.view.actions[0] != each.played)
    assert 0 < sum(each.differs for each in again) < len(again)


def test_indices_are_answers_too() -> None:
    class First(Bot):
        def choose(self, view: View) -> int:
            return view.indices[0]

    record = play([First(), First()], "lama", seed=5)

    assert not any(each.differs for each in asked(record, 1, First()))


def test_what_is_wrong_with_an_answer_is_told_and_the_next_one_asked() -> None:
    class Failing(Bot):
        answers = iter(["jump", "return 10", 10_000, None])

        def choose(self, view: View) -> Any:
            answer = next(self.answers, "")
            if answer == "":
                raise LookupError("no idea")
            return answer

    record = play([Drawing(), Drawing()], "lama", seed=5)

    bad, illegal, beyond, none, *rest = asked(record, 0, Failing())

    assert (bad.now, bad.problem) == (
        "jump",
        "'jump' is not an action of L.A.M.A.; `arena rules lama` lists them.",
    )
    assert (illegal.now, illegal.problem) == (
        "return 10",
        "return 10 is not among the legal actions of this decision.",
    )
    assert "choose returned 10000, which is not an entry of view.indices" in beyond.problem
    assert "choose returned None" in none.problem
    assert len(rest) > 3
    for each in rest:
        assert each.differs
        assert each.problem.startswith("Traceback")
        assert each.problem.rstrip().endswith("LookupError: no idea")
        assert "asyncio" not in each.problem  # only what the author wrote
        assert "in choose" in each.problem


def test_hooks_are_called_as_in_the_arena() -> None:
    class Hooked(Drawing):
        def __init__(self) -> None:
            super().__init__()
            self.told: list[str] = []

        def on_match_started(self, started: MatchStarted) -> None:
            self.told.append(f"started in seat {started.seat}")

        def on_round_ended(self, ended: RoundEnded) -> None:
            self.told.append(f"round {ended.round}")

        def on_match_ended(self, ended: MatchEnded) -> None:
            self.told.append("ended")

    record, bot = play([Drawing(), Drawing()], "dice", seed=5), Hooked()

    asked(record, 1, bot)

    rounds = [f"round {number}" for number in range(1, len(record["rounds"]) + 1)]
    assert bot.told == ["started in seat 1", *rounds, "ended"]


def forfeited() -> dict[str, Any]:
    """A match in which seat 0 was at fault twice, and forfeited by the second one."""
    match = Match(MatchSetup("m", "lama", bytes(16), (Seat("ann"), Seat("bob")), fault_limit=2))
    while view := match.decision:
        if view.seat == 0:
            match.fail("timeout", "too late")
        else:
            match.answer(view.actions[0])
    return export(match)


def test_a_seat_is_asked_until_it_forfeited() -> None:
    record = forfeited()

    first, second = asked(record, 0, Drawing())

    assert (first.fault, second.fault) == ("timeout", "timeout")
    assert first.played == "quit"
    assert len(asked(record, 1, Drawing())) == sum(
        "latency_us" in move
        for round_ in record["rounds"]
        for move in round_["moves"]
        if move["seat"] == 1
    )


def without(record: dict[str, Any], *path: Any) -> dict[str, Any]:
    broken = deepcopy(record)
    inner = broken
    for step in path[:-1]:
        inner = inner[step]
    del inner[path[-1]]
    return broken


def test_a_record_that_does_not_fit_is_refused() -> None:
    record = forfeited()
    wrong = json.loads(json.dumps(record).replace('"seed": "00', '"seed": "01'))
    for broken in (without(record, "id"), without(record, "rounds", 0, "moves", 0, "seat"), wrong):
        with pytest.raises(RecordError):
            asked(broken, 0, Drawing())


def test_faults_that_do_not_fit_are_refused() -> None:
    record = forfeited()
    played = [m for m in record["rounds"][0]["moves"] if m["action"].startswith("play")]
    played[0]["fault"] = "timeout"  # its default would have been to quit

    with pytest.raises(RecordError, match="do not fit"):
        asked(record, 0, Drawing())


def test_moves_of_a_seat_that_forfeited_are_refused() -> None:
    class Quitting(Drawing):
        async def choose(self, view: View) -> str:
            return view.rng().choice(view.actions)

    record = play([Quitting(), Drawing()], "lama", seed=7)
    own = [m for round_ in record["rounds"] for m in round_["moves"] if m["seat"] == 0]
    quit_, *later = own[[m["action"] for m in own].index("quit") :]
    assert "latency_us" in quit_
    assert {"play", "draw"} & {move["action"].split()[0] for move in later}
    quit_["fault"] = "timeout"
    record["result"] |= {"faults": ["timeout", None], "ranks": [2, 1], "winners": [1]}

    with pytest.raises(RecordError, match="do not fit"):
        asked(record, 1, Drawing())


@pytest.mark.parametrize("game", GAMES)
def test_a_decision_is_told_in_80_columns(game: str) -> None:
    record = play([Drawing() for _ in range(6)], game, seed=9)

    for each in asked(record, 3, Hasty()):
        told = list(lines(each))
        words = " ".join(told).split()

        assert max(map(len, told)) <= 80
        assert words[0] == str(each.view.number)
        shown = [
            "hand",
            *each.view.hand,
            "options",
            *", ".join(each.view.actions).split(),
            "played",
        ]
        assert " ".join(shown) in " ".join(words)
        assert ("*" in words) == each.differs
