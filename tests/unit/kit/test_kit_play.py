"""Plans, names and sums of `arena play`, without processes."""

import io
import random
import sys
from collections import Counter, deque
from collections.abc import Callable, Iterator
from multiprocessing import Pipe
from pathlib import Path
from typing import Any, cast

import pytest

from arena.base.errors import InvalidRequest
from arena.games.match import Match
from arena.kit.check.program import Program
from arena.kit.output import table
from arena.kit.play.bar import Bar
from arena.kit.play.compare import FEWEST, Mean, Tally
from arena.kit.play.job import PlayedMatch
from arena.kit.play.plan import PlayRequest, round_robin, versus
from arena.kit.play.pool import Pool, _Process
from arena.kit.play.standing import MatchState
from arena.kit.play.worker import Ready
from arena.kit.players import is_command, players_of
from arena.tournaments.formats import PlannedMatch, Played
from arena.tournaments.ratings.sprt import Evidence, Hypotheses, elo_difference


def names(*sources: str) -> list[str]:
    return [player.name for player in players_of(sources)]


# Names


def test_a_player_is_named_after_its_file_or_its_class() -> None:
    assert names("bots/mine.py", "bots/mine.py:Other", "pack.age:Third", "sharp") == [
        "mine",
        "Other",
        "Third",
        "sharp",
    ]


def test_the_same_player_twice_gets_a_number() -> None:
    assert names("mine.py", "mine.py", "sharp", "sharp") == ["mine", "mine-2", "sharp", "sharp-2"]


def test_files_of_one_name_are_told_apart_by_their_folders() -> None:
    assert names("old/mine.py", "new/mine.py") == ["old-mine", "new-mine"]


def test_a_command_is_named_after_the_file_that_it_runs() -> None:
    python = sys.executable
    assert names(f"{python} -B bots/mine.py --fast", python, "five") == [
        "mine",
        Path(python).stem,
        "five",
    ]
    assert names(f"{python} old/mine.py", f"{python} new/mine.py") == ["old-mine", "new-mine"]


@pytest.mark.parametrize(
    ("source", "command"),
    [
        ("mine.py", False),
        ("my bots/mine.py:Mine", False),
        ("pack.age:Mine", False),
        (f"{sys.executable} mine.py", True),
        ("./mine", True),
        ("mine --port=1:2", True),
    ],
)
def test_a_source_that_is_no_python_bot_is_a_command(source: str, command: bool) -> None:
    assert is_command(source) == command


def test_a_name_is_one_that_an_arena_would_take() -> None:
    assert names("my bots/äh, so.py", "sharp") == ["h-so", "sharp"]


def test_an_unknown_bot_is_refused_with_the_names_of_those_there_are() -> None:
    with pytest.raises(InvalidRequest, match="no house bot shrap. Choose one of random, .*, sharp"):
        names("shrap", "sharp")


# Plans


def test_each_deal_is_played_in_every_rotation_at_every_table() -> None:
    plan = round_robin(("sharp", "five", "timid", "careful"), 3, PlayRequest(seats=3, seed=1))
    matches = [match for chunk in plan.chunks() for match in chunk]

    assert len(matches) == plan.matches == 4 * 3 * 3  # tables, deals, rotations
    for deal in {match.deal for match in matches}:
        seatings = [match.seats for match in matches if match.deal == deal]
        assert len({frozenset(seats) for seats in seatings}) == 1
        assert all(len(set(at_seat)) == 3 for at_seat in zip(*seatings, strict=True))


def test_no_chunk_has_a_deal_twice_so_that_no_bot_meets_its_cards_again() -> None:
    plan = round_robin(("sharp", "five"), 400, PlayRequest(seed=1))
    chunks = list(plan.chunks())
    assert max(map(len, chunks)) > 1
    assert all(len({match.deal for match in chunk}) == len(chunk) for chunk in chunks)


def test_all_rotations_of_a_deal_come_soon_after_each_other() -> None:
    plan = round_robin(("sharp", "five", "timid"), 400, PlayRequest(seed=1))
    seen: Counter[int] = Counter()
    for chunk in plan.chunks():
        seen.update(match.deal for match in chunk)
        assert sum(count < 3 for count in seen.values()) <= 16


def test_the_seed_fixes_schedule_cards_and_ids() -> None:
    def planned(seed: int) -> list[tuple[object, ...]]:
        plan = round_robin(("sharp", "five", "timid"), 2, PlayRequest(seed=seed))
        setups = [plan.job.setup(match) for chunk in plan.chunks() for match in chunk]
        return [(setup.id, setup.seed, setup.seats) for setup in setups]

    assert planned(5) == planned(5)
    assert planned(5) != planned(6)


def test_a_test_seats_the_candidate_first_and_fills_up_with_house_bots() -> None:
    plan = versus("timid", "five", ["careful"], {}, PlayRequest(seats=5, seed=1))
    assert plan.spec.bots == ("five", "timid", "careful", "sharp", "sharp-2")


def test_sequential_test_at_two_seats_has_no_other_bots() -> None:
    with pytest.raises(InvalidRequest, match="takes two bots"):
        versus("timid", "five", ["careful"], {}, PlayRequest(seats=2))


# The bar


class Terminal(io.StringIO):
    def isatty(self) -> bool:
        return True


def test_a_terminal_sees_how_far_it_is(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("sys.stderr", Terminal())
    monkeypatch.setattr("arena.kit.play.bar.EVERY_S", 0.0)
    with Bar(4) as bar:
        assert list(bar.over("abcd", lambda: "so far even")) == list("abcd")
    assert isinstance(sys.stderr, Terminal)
    shown = sys.stderr.getvalue().split("\r")
    assert "[###############...............] 2/4 matches" in shown[2]
    assert shown[2].endswith("so far even")
    assert shown[-1] == "\x1b[K"  # nothing is left of it


def test_a_file_sees_no_bar(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("sys.stderr", io.StringIO())
    with Bar(2) as bar:
        list(bar.over("ab"))
    assert isinstance(sys.stderr, io.StringIO)
    assert sys.stderr.getvalue() == ""


# Sums


def outcome(
    position: int, deal: int, seats: tuple[int, ...], points: tuple[int, ...]
) -> PlayedMatch:
    best = min(points)
    winners = [seat for seat, held in enumerate(points) if held == best]
    ranks = tuple(1 + sum(other < held for other in points) for held in points)
    played = Played(PlannedMatch(position, deal, seats), points, ranks, (False,) * len(seats))
    return PlayedMatch(played, winners, points, 2, (3,) * len(seats), (6_000_000,) * len(seats))


def test_a_deal_counts_when_all_its_matches_are_there() -> None:
    tally = Tally(2, 2)
    tally.add(outcome(0, 0, (0, 1), (10, 40)))
    assert (tally.deals, tally.players[0].wins.deals) == (0, 0)
    tally.add(outcome(1, 0, (1, 0), (40, 40)))
    assert (tally.deals, tally.players[0].wins.mean) == (1, 0.75)  # won one, shared the other
    assert tally.players[1].points.mean == 40
    assert tally.pairs[0, 1].points.mean == -15
    assert tally.players[0].per_round == 50 / 4
    assert tally.players[0].ms == 2.0


def test_there_is_no_interval_of_few_deals() -> None:
    mean = Mean()
    for number in range(FEWEST - 1):
        mean.add(number)
    assert mean.plus_minus is None
    mean.add(FEWEST)
    assert mean.plus_minus is not None


def test_player_without_wins_has_an_interval() -> None:
    mean = Mean(0.25)
    for _ in range(30):
        mean.add(0.0)
    assert mean.plus_minus == pytest.approx(1.96 * (0.25 / 30 / 30) ** 0.5, rel=0.001)


@pytest.mark.parametrize(("greatest", "rate"), [(0.0, 0.5), (0.25, 0.1), (0.25, 0.4)])
def test_an_interval_contains_the_truth_in_95_of_100_runs(greatest: float, rate: float) -> None:
    chance, runs, inside = random.Random(7), 600, 0
    for _ in range(runs):
        mean = Mean(greatest)
        for _ in range(60):
            luck = chance.uniform(-0.1, 0.1)  # of the deal, for all its matches
            mean.add(sum(chance.random() < rate + luck for _ in range(4)) / 4)
        error = mean.plus_minus
        assert error is not None
        inside += abs(mean.mean - rate) <= error
    assert 0.925 <= inside / runs <= 0.985


def test_elo_follows_from_the_mean_score() -> None:
    test = Hypotheses()
    even = Evidence.of([0.5] * 20, test)
    assert elo_difference(even)[0] == 0.0
    ahead = Evidence.of([0.5, 1.0] * 2000, test)  # three of four points: 191 Elo
    elo, plus_minus = elo_difference(ahead)
    assert elo == pytest.approx(190.8, abs=0.5)
    # By simulation: 1.96 standard errors of the score, 0.25 / sqrt(4000), and 927 Elo a point.
    assert plus_minus == pytest.approx(7.2, abs=0.1)


def test_elo_is_finite_after_wins_alone() -> None:
    elo, plus_minus = elo_difference(Evidence.of([1.0] * 12, Hypotheses()))
    assert 0 < elo < 2000
    assert 0 < plus_minus < 2000


def test_a_table_has_words_left_and_numbers_right() -> None:
    assert list(table(("bot", "wins"), [("a", "5"), ("longer", "12%")])) == [
        "bot     wins",
        "a          5",
        "longer   12%",
    ]


def test_a_file_is_found_from_where_one_stands(tmp_path: Path) -> None:
    [player] = players_of([str(tmp_path / "mine.py")])
    assert player.home == tmp_path


# Processes that are ended


def test_a_process_that_came_back_just_before_it_was_ended_loses_nothing(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    job = round_robin(["sharp", "five"], 1, PlayRequest(seed=1)).job
    planned = PlannedMatch(deal=0, position=0, seats=(0, 1))
    ours, theirs = Pipe()
    for said in (outcome(0, 0, (0, 1), (10, 40)), Ready()):
        theirs.send(said)
    theirs.close()
    pool, started = Pool(job, 1), list[str]()
    monkeypatch.setattr(pool, "_kill", lambda _: None)
    monkeypatch.setattr(pool, "_start", lambda: started.append("another"))
    standing = MatchState()
    standing.begin(0)
    standing.call(0)
    ended = _Process(cast("Any", None), ours, standing, deque([deque([planned])]), ready=True)
    pool._processes.append(ended)

    assert [each.planned for each in pool._replaced(ended)] == [planned]
    assert started == ["another"]
    assert not pool._again


class Overtaken(MatchState):
    """One whose process goes on after each time that somebody looks at it."""

    steps: Iterator[Callable[[], None]]

    @property
    def entrant(self) -> int:
        seen = super().entrant
        next(self.steps)()
        return seen

    @property
    def changed(self) -> float:
        seen = super().changed
        next(self.steps)()
        return seen


@pytest.mark.parametrize("first", [0, 1, 2, 3])
def test_decision_in_progress_is_never_older_than_its_question(first: int) -> None:
    """The watcher reads who decides and since when; in between the process goes on."""
    job = round_robin(["sharp", "five"], 1, PlayRequest(seed=1)).job
    standing, match = Overtaken(), Match(job.setup(PlannedMatch(deal=0, position=0, seats=(0, 1))))
    life = [
        lambda: standing.begin(0),
        lambda: standing.ask(0, 1, match),
        standing.end,
        lambda: standing.begin(1),
        lambda: standing.ask(1, 1, match),
        standing.end,
    ]
    for step in life[:first]:
        step()
    standing.steps = iter(life[first:])
    watched = _Process(cast("Any", None), cast("Any", None), standing, ready=True)

    assert not Pool(job, 1)._takes_too_long(watched)


def test_last_lines_of_long_output_are_kept() -> None:
    program = Program([], "", "")
    with program._log as log:
        log.write(b"first\n" + 1_000_000 * b"x" + b"\nlast\n")
        said = program.said()

    assert said.endswith("x\n    last")
    assert len(said) < 20_000
