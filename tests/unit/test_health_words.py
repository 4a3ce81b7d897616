"""What is wrong with the arena, in sentences that say what to do."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from arena.health.facts import Health
from arena.health.words import STUCK_S, hints, numbers, problems
from dashboard.layout.ticks import ticked

NOW = 1_000_000.0
WELL = Health(
    database="ok", redis=True, gateways=1, workers=1, prompt_workers=1, hanging=0, sweeping=True,
    queued=0, played=0, bots=6, connected=6, running=1, waiting=0, matches=100,
    matches_per_second=80.0, last_match=NOW - 1, unrated=0,
)  # fmt: skip
SILENT = replace(
    WELL, redis=False, gateways=None, workers=None, prompt_workers=None, hanging=None,
    sweeping=None, queued=None, played=None, connected=None,
)  # fmt: skip


def test_an_arena_that_is_well_has_no_problems() -> None:
    assert problems(WELL, NOW) == []
    assert hints(replace(WELL, running=0)) == []


@pytest.mark.parametrize(
    ("changed", "said"),
    [
        ({"gateways": 0}, ["No gateway is running"]),
        ({"workers": 0}, ["No worker is running"]),
        ({"workers": 0, "sweeping": False}, ["No worker is running"]),
        ({"sweeping": False}, ["`arena beat`"]),
        ({"gateways": 0, "workers": 0}, ["No gateway is running", "No worker is running"]),
        ({"last_match": NOW - STUCK_S - 1}, ["no match has ended for minutes"]),
        ({"last_match": NOW - STUCK_S - 1, "running": 0}, []),
        ({"last_match": None}, []),
        ({"database": "full"}, ["make room"]),
        ({"database": "read-only"}, ["can be read only"]),
        ({"database": "broken"}, ["check the disk"]),
        ({"database": None}, []),
        ({"hanging": 1}, ["A worker hangs"]),
        ({"hosted": 1, "hosted_connected": 0}, ["nobody plays the hosted bot and"]),
        ({"hosted": 12, "hosted_connected": 0}, ["the 12 hosted bots and their matches wait"]),
        ({"hosted": 1, "hosted_connected": 0, "hosts": 0}, ["`arena host` starts one"]),
        ({"hosted": 1, "hosted_connected": 0, "hosts": 1}, ["look at its log"]),
        ({"hosts": 0, "uploads_waiting": 1}, ["An upload waits to be built, and no host"]),
        ({"hosts": 0, "uploads_waiting": 1200}, ["1,200 uploads wait"]),
        ({"hosts": 1, "uploads_waiting": 2}, []),
        ({"hosts": None, "uploads_waiting": 2}, []),
        (
            {"hosts": 0, "uploads_waiting": 2, "hosted": 1, "hosted_connected": 0},
            ["No host is connected"],
        ),
        ({"hosted": 12, "hosted_connected": 1}, []),
        ({"hosted": 12, "hosted_connected": None}, []),
        (
            {"hosted": 12, "hosted_connected": 0, "last_match": NOW - STUCK_S - 1},
            ["No host is connected"],
        ),
        ({"hanging": 2, "database": "full"}, ["make room", "2 workers hang"]),
    ],
)
def test_each_problem_is_a_sentence_that_says_what_to_do(
    changed: dict[str, Any], said: list[str]
) -> None:
    found = problems(replace(WELL, **changed), NOW)

    assert len(found) == len(said)
    for sentence, part in zip(found, said, strict=True):
        assert part in sentence
        assert sentence.endswith(".")


def test_without_redis_only_that_is_said() -> None:
    (sentence,) = problems(SILENT, NOW)
    (not_running,) = problems(SILENT, NOW, runs=False)

    assert "Redis does not answer" in sentence
    assert "no running arena" in not_running
    assert "`arena up`" in not_running


def test_a_full_disk_is_said_also_without_redis() -> None:
    full, silent = problems(replace(SILENT, database="full"), NOW)

    assert "make room" in full
    assert "Redis does not answer" in silent


def test_tournaments_that_cannot_go_on_are_named_with_the_reason() -> None:
    found = problems(WELL, NOW, troubled={7: "ZeroDivisionError", 3: "There is no bot x."})
    many = problems(WELL, NOW, troubled=dict.fromkeys(range(1, 10), "KeyError"))

    assert [sentence.partition(").")[0] for sentence in found] == [
        "Tournament 3 cannot go on (There is no bot x",
        "Tournament 7 cannot go on (ZeroDivisionError",
    ]
    assert "`arena tournament cancel 7`" in found[1]
    assert len(many) == 6
    assert many[-1].startswith("4 more tournaments")


def test_what_may_make_a_reader_wonder_is_explained() -> None:
    (nobody,) = hints(replace(WELL, connected=0, running=0))
    (late,) = hints(WELL)

    assert "`arena bot connect FILE:CLASS`" in nobody
    assert "Elo follows the schedule" in late


def test_commands_in_sentences_are_code_and_all_else_is_text() -> None:
    assert ticked("Say `arena up`, not <b>.") == "Say <code>arena up</code>, not &lt;b&gt;."


def test_the_numbers_are_words_and_say_what_is_unknown() -> None:
    well, silent = dict(numbers(WELL, NOW)), dict(numbers(SILENT, NOW))

    assert well["Bots connected"] == "6 of 6"
    assert well["Last match ended"] == "1 s ago"
    assert well["Database takes results"] == "yes"
    assert silent["Workers"] == silent["Hanging workers"] == "unknown"
    assert silent["Redis answers"] == "no"
    assert list(well) == list(silent)


def test_before_the_first_match_that_is_said() -> None:
    empty = replace(WELL, last_match=None, matches_per_second=0.0, database=None)

    assert dict(numbers(empty, NOW))["Last match ended"] == "none yet"
    assert dict(numbers(empty, NOW))["Database takes results"] == "unknown"
