"""`arena analyse` on files of records."""

import json
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from arena.base.errors import InvalidRequest, NotFound, Unavailable
from arena.bots import HOUSE
from arena.games.match import Match, MatchSetup, Seat
from arena.games.record import export
from arena.kit import analysis, commands
from arena.sdk.local import play
from arena.value.review import Review, review_match


@pytest.fixture(scope="module")
def file(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Two short matches of a bot that plays at random, and two others."""
    return written(tmp_path_factory.mktemp("records") / "played.jsonl", 2)


@pytest.fixture(scope="module", autouse=True)
def _each_reviewed_once() -> Iterator[None]:
    """Keeps the reviews of matches, because they take most of the time of these tests."""
    kept = dict[tuple[str, tuple[Seat, ...], int], Review]()

    def reviewed(match: Match, again: int = 0) -> Review:
        which = (match.setup.id, match.setup.seats, again)
        if which not in kept:
            kept[which] = review_match(match, again=again)
        return kept[which]

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(analysis, "review_match", reviewed)
        yield


def written(path: Path, matches: int) -> Path:
    with path.open("w") as out:
        for seed in range(matches):
            bots = [HOUSE[name]() for name in ("random", "five", "sharp")]
            record = play(bots, seed=seed, match=f"m{seed}")
            out.write(json.dumps(record) + "\n")
    return path


def printed(capsys: pytest.CaptureFixture[str], *words: str) -> str:
    assert commands.run("analyse", words) == 0
    return capsys.readouterr().out


@pytest.mark.long
def test_a_match_is_a_table_of_seats_and_decisions(
    file: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    text = printed(capsys, "--file", str(file), "--match", "1")
    assert text.startswith("m0, lama, by ")
    assert "m1" not in text
    assert all(f"\n{name} " in text for name in ("Random", "Five", "Sharp"))
    assert "expected" in text
    assert "luck by" in text
    assert text.splitlines()[-1].split()[0] == "all"


@pytest.mark.long
def test_a_match_begins_with_what_decided_it_and_says_what_seats_saw(
    file: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    lines = printed(capsys, "--file", str(file), "--match", "1").splitlines()
    assert lines[1].endswith(".")
    head = next(line for line in lines if "expected" in line)
    (first, second) = lines[lines.index(head) + 1 : lines.index(head) + 3]
    for name, shown in ("points", "0 : 0, 0"), ("others hold", "6, 6"):
        at = head.index(name)
        assert first[at : at + len(shown)] == shown
    assert first[head.index("hand") :].split() == sorted(first[head.index("hand") :].split())
    assert len(second[head.index("hand") :].split()) == 6


@pytest.mark.long
def test_leaks_add_up_the_losses_of_a_bot_beside_house_bots(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    file = written(tmp_path / "played.jsonl", 6)
    found = json.loads(printed(capsys, "--file", str(file), "--bot", "Random", "--leaks", "--json"))
    assert found  # a bot that plays at random has leaks
    lost = [each["lost"] for each in found]
    assert lost == sorted(lost, reverse=True)
    first = found[0]
    assert (first["game"], first["seats"]) == ("lama", 3)
    assert set(first["others"]) == {"sharp", "student", "master"}
    assert first["others"]["master"]["asked"] == min(10, first["times"])
    lines = printed(capsys, "--file", str(file), "--bot", "Random", "--leaks").splitlines()
    assert lines[0].startswith("Leaks of Random at L.A.M.A. in 6 matches")
    (row,) = [line for line in lines if line.endswith(f"{first['match']} {first['number']}")]
    assert row.startswith(first["chosen"])


@pytest.mark.long
def test_each_match_is_printed_once_it_is_reviewed(
    file: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    printed_before = list[str]()

    def reviewed(match: Match) -> Review:
        printed_before.append(capsys.readouterr().out)
        return review_match(match)

    monkeypatch.setattr(analysis, "review_match", reviewed)
    assert commands.run("analyse", ("--file", str(file), "--json")) == 0
    assert printed_before[0] == ""
    assert json.loads(printed_before[1])["match"] == "m0"


@pytest.mark.long
def test_the_same_as_json_tells_what_follows_from_it(
    file: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    lines = printed(capsys, "--file", str(file), "--json").splitlines()
    assert [json.loads(line)["match"] for line in lines] == ["m0", "m1"]
    review = json.loads(lines[0])
    assert review["format"] == "lama-arena/review/1"
    assert len(review["seats"]) == 3


@pytest.mark.long
def test_the_worst_decisions_are_a_bots_own_and_the_worst_first(
    file: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    worst = json.loads(
        printed(capsys, "--file", str(file), "--bot", "Random", "--worst", "4", "--json")
    )
    assert 0 < len(worst) <= 4  # a bot that plays at random makes mistakes
    assert {each["seat"] for each in worst} == {0}
    losses = [each["loss"] for each in worst]
    assert losses == sorted(losses, reverse=True)
    text = printed(capsys, "--file", str(file), "--bot", "Random", "--worst", "4")
    assert "worst decisions in 2 matches" in text


@pytest.mark.long
def test_expected_scores_stand_beside_those_that_came(
    file: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    found = json.loads(printed(capsys, "--file", str(file), "--calibration", "--json"))
    assert sorted(found) == ["by_points", "by_score"]
    for bins in found.values():
        assert all(0 <= each["expected"] <= 1 and 0 <= each["came"] <= 1 for each in bins)
    assert sum(each["choices"] for each in found["by_points"]) == sum(
        each["choices"] for each in found["by_score"]
    )
    assert {each["least"] for each in found["by_points"]} <= {0, 10, 20, 30}
    text = printed(capsys, "--file", str(file), "--calibration")
    assert "score    choices" in text
    assert "points   choices" in text


@pytest.mark.long
def test_marks_of_several_reviews_are_compared(
    file: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    words = ("--file", str(file), "--match", "1", "--agreement", "2")
    found = json.loads(printed(capsys, *words, "--json"))
    assert [each["verdict"] for each in found] == ["blunder", "mistake", "inaccuracy", ""]
    assert all(each["same"] <= each["marked"] for each in found)
    assert "same in all" in printed(capsys, *words)


@pytest.mark.parametrize(
    ("words", "error", "said"),
    [
        ((), InvalidRequest, "Nothing to review"),
        (("m0", "--file", "x"), InvalidRequest, "not both"),
        (("--match", "1", "--bot", "a"), InvalidRequest, "Give both"),
        (("m0", "--leaks"), InvalidRequest, "Name it with --bot"),
        (("m0", "--dashboard", "ftp://x"), InvalidRequest, "not a dashboard URL"),
        (("m0", "--dashboard", "http://127.0.0.1:1"), Unavailable, "does not answer"),
    ],
)
def test_errors_say_how_to_continue(
    words: tuple[str, ...], error: type[Exception], said: str
) -> None:
    with pytest.raises(error, match=said):
        commands.run("analyse", words)


@pytest.fixture(scope="module")
def at_fault(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A match in which a bot raised an exception twice, and one in which it never answered."""
    path = tmp_path_factory.mktemp("faults") / "played.jsonl"
    with path.open("w") as out:
        for match, limit in ("m0", 3), ("m1", 1):
            out.write(json.dumps(record_with_faults(match, limit)) + "\n")
    return path


def record_with_faults(match_id: str, limit: int) -> dict[str, Any]:
    seats = (Seat("mine"), Seat("other"))
    match = Match(MatchSetup(match_id, "lama", bytes(16), seats, {"max_rounds": "2"}, limit))
    while view := match.decision:
        if view.seat == 0 and len(match.faults) < 2:
            match.fail("error", "KeyError: 'llama'")
        else:
            match.answer("draw" if "draw" in view.actions else view.actions[0])
    return export(match)


def test_moves_at_fault_stand_above_the_accuracy_with_their_costs(
    at_fault: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    lines = printed(capsys, "--file", str(at_fault), "--match", "1").splitlines()
    at = lines.index("2 moves not judged: faults")
    rows = lines[at + 4 : at + 6]
    assert [row.split()[1:4] for row in rows] == [["mine", "error", "quit"]] * 2
    assert all(re.search(r" \d+\.\d% +\d+\.\d%  \d+ : \d+ ", row) for row in rows)
    own = lines.index("Accuracy only counts decisions that a bot made itself.")
    assert at < own < next(n for n, line in enumerate(lines) if "accuracy" in line)
    other = printed(capsys, "--file", str(at_fault), "--match", "1", "--bot", "other")
    assert "not judged" not in other


def test_a_forfeit_is_one_line_with_the_moves_that_followed(
    at_fault: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    text = printed(capsys, "--file", str(at_fault), "--match", "2")
    assert "\n2 moves not judged: faults\n" in text
    assert "forfeit, then 1 more by default" in text
    review = json.loads(printed(capsys, "--file", str(at_fault), "--match", "2", "--json"))
    (fault,) = review["faults"]
    assert (fault["fault"], fault["forfeits"], fault["further"]) == ("error", True, 1)
    assert fault["cost"] > 0.1


def test_the_worst_decisions_name_the_faults_of_all_matches_too(
    at_fault: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    text = printed(capsys, "--file", str(at_fault), "--bot", "mine", "--worst", "2")
    lines = text.splitlines()
    assert lines[0] == "4 moves not judged: faults"
    assert lines[4].split()[0] == "m1"  # the forfeit cost most
    assert lines[6] == ""  # two of the three


def test_a_match_that_the_file_does_not_have_is_not_found(file: Path) -> None:
    with pytest.raises(NotFound, match="no such match"):
        commands.run("analyse", ("--file", str(file), "--match", "77"))
