"""What the checks find: each fault has one cause, a sentence and something to do."""

import time
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
import redis

from arena.base.errors import SchemaMismatch, Unavailable
from arena.service.bootstrap import load_settings
from arena.service.health.facts import NOTHING, Blocker, Facts, Health, Stored
from arena.service.health.finding import Finding
from arena.service.health.processes import STUCK_S
from arena.service.health.sentences import hints, inner_numbers, numbers, problems
from arena.service.health.state import findings
from arena.service.live.clocks import MachineClock
from arena.service.live.hosting import HostFailure
from arena.service.live.incidents import Incident
from arena.service.live.queues import QUEUES
from arena.service.live.vitals import Silent, Vitals
from dashboard.layout.markup import ticked
from tests.certificates import self_signed

NOW = 1_000_000.0
HEALTH = Health(
    database="ok", redis=True, gateways=1, workers=1, prompt_workers=1, hanging=0, sweeping=True,
    queued=0, played=0, bots=6, connected=6, running=1, waiting=0, matches=100,
    matches_per_second=80.0, last_match=NOW - 1, unrated=0, hosted=0, hosts=0, uploads_waiting=0,
)  # fmt: skip
SILENT = Health(database="ok", bots=6, running=1, waiting=0, matches=100, last_match=NOW - 1)
VITALS = Vitals(
    gateways=1, workers=dict.fromkeys(QUEUES, 1), hanging=0, sweeping=True, queued={}, played=0,
    beats=1,
)  # fmt: skip
WELL = Facts(health=HEALTH, now=NOW, place="10.0.0.9:6379", vitals=VITALS)
AWAY = Unavailable(
    "The database postgresql://arena@10.0.0.7/arena cannot be used.", "It does not answer."
)
REFUSED = redis.ConnectionError("Error 111 connecting to 10.0.0.9:6379. Connection refused.")
FULL = redis.OutOfMemoryError("command not allowed when used memory > 'maxmemory'.")
PASSWORD = redis.AuthenticationError("invalid username-password pair or user is disabled.")


def all_numbers(health: Health) -> dict[str, str]:
    return dict([*numbers(health, NOW), *inner_numbers(health)])


def wrong(seen: Facts) -> list[Finding]:
    return [each for each in findings(seen) if each.state == "wrong"]


def told(seen: Facts, *, public: bool = False) -> list[str]:
    return problems(wrong(seen), public=public)


def of(silence: float = 0.0, **changed: Any) -> Facts:
    """An arena whose numbers differ so from the numbers of `WELL`."""
    stored = replace(NOTHING, silence=silence)
    return replace(WELL, health=replace(HEALTH, **changed), stored=stored)


def silent(kind: str, name: str = "arena-7@node3", *, gone: bool = False, beats: int = 1) -> Facts:
    found = replace(VITALS, silent=(Silent(kind, name, 12, gone),), beats=beats)
    return replace(WELL, vitals=found)


def recent(matches: dict[int, int]) -> Stored:
    return replace(NOTHING, recent=matches)


def numbered(seen: Facts, **changed: Any) -> Facts:
    return replace(seen, health=replace(seen.health, **changed))


def test_an_overloaded_machine_is_named() -> None:
    (overload,) = wrong(replace(WELL, share=0.25))
    assert "overloaded" in overload.sentence
    assert "25%" in overload.sentence
    assert "%" not in overload.public


def test_an_arena_that_is_well_has_no_problems() -> None:
    assert told(WELL) == []
    assert {each.about for each in findings(WELL) if each.state == "fine"} >= {
        "database", "Redis", "gateways", "workers", "beat",
    }  # fmt: skip
    assert hints(replace(HEALTH, running=0)) == []


@pytest.mark.parametrize(
    ("changed", "said"),
    [
        ({"gateways": 0}, ["No gateway is running, so no bot can connect. Start one with"]),
        ({"workers": 0}, ["No worker is running, so no tournament is played. Start one"]),
        ({"workers": 0, "sweeping": False}, ["No worker is running"]),
        ({"sweeping": False}, ["Workers do not run the tasks of beat"]),
        ({"gateways": 0, "workers": 0}, ["No gateway is running", "No worker is running"]),
        ({"silence": STUCK_S + 1}, ["no match has ended for over 3 minutes"]),
        ({"silence": STUCK_S + 1, "last_match": None}, ["no match has ended for over 3 minutes"]),
        ({"last_match": NOW - STUCK_S - 1}, []),
        ({"database": "full"}, ["Free some space there"]),
        ({"database": "read-only"}, ["is read-only, so nothing can be stored. Make its file"]),
        ({"database": "broken"}, ["Check its disk"]),
        ({"database": None}, []),
        ({"workers": 2, "hanging": 1}, ["A worker hangs"]),
        ({"workers": 2, "hanging": 2}, ["All workers hang, so no tournament is played"]),
        ({"hosted": 1, "hosted_connected": 0}, ["No host has connected the hosted bot"]),
        ({"hosted": 12, "hosted_connected": 0}, ["the 12 hosted bots, so their matches wait"]),
        ({"hosted": 1, "hosted_connected": 0, "hosts": 0}, ["Start one with `arena host`"]),
        ({"hosted": 1, "hosted_connected": 0, "hosts": 1}, ["Read the log of the host"]),
        ({"hosts": 0, "uploads_waiting": 1}, ["An upload waits to be built, and no host"]),
        ({"hosts": 0, "uploads_waiting": 1200}, ["1,200 uploads wait"]),
        ({"hosts": 1, "uploads_waiting": 2}, []),
        ({"hosted": 12, "hosted_connected": 1, "hosts": 1}, []),
        ({"hosted": 12, "hosted_connected": None, "hosts": 1}, []),
        ({"hosted": 12, "hosted_connected": 12}, ["No host is running, so the 12 hosted bots"]),
        (
            {"hosted": 12, "hosted_connected": 0, "silence": STUCK_S + 1},
            ["No host has connected"],
        ),
        ({"workers": 3, "hanging": 2, "database": "full"}, ["Free some space"]),
    ],
)
def test_each_problem_is_a_sentence_that_says_what_to_do(
    changed: dict[str, Any], said: list[str]
) -> None:
    found = told(of(**changed))

    assert len(found) == len(said), found
    for sentence, part in zip(found, said, strict=True):
        assert part in sentence
        assert sentence.endswith(".")


def test_an_arena_that_was_not_started_says_only_that() -> None:
    (sentence,) = told(replace(WELL, health=SILENT, vitals=None, runs=False))

    assert sentence == "No arena is running here. Start one with `arena up`."


# The database


def test_without_the_database_all_else_that_fails_is_its_consequence() -> None:
    seen = replace(WELL, database=AWAY, health=replace(HEALTH, database="away", sweeping=False))
    (cause,) = wrong(seen)
    consequences = {each.about: each for each in findings(seen) if each.because}

    assert cause.about == "database"
    assert consequences["beat"].because == "database"
    assert consequences["beat"].state == "unknown"


def test_visitors_do_not_learn_where_the_database_is() -> None:
    seen = replace(WELL, database=AWAY, health=replace(HEALTH, database="away"))

    assert "arena@10.0.0.7" in told(seen)[0]
    assert told(seen, public=True)[0].startswith("It does not answer. ")


def test_a_database_of_another_release_is_not_said_to_be_away() -> None:
    mismatch = SchemaMismatch("The database is of version 0007.")

    assert "version 0007" in told(replace(WELL, database=mismatch))[0]


def test_a_session_that_holds_a_lock_is_named() -> None:
    (sentence,) = told(replace(WELL, stored=replace(NOTHING, blockers=(Blocker(4711, 2, 12.4),))))

    assert "(PostgreSQL process 4711) has blocked 2 other sessions for 12 s" in sentence
    assert "pg_terminate_backend(4711)" in sentence


# Redis


@pytest.mark.parametrize(
    ("error", "said"),
    [
        (REFUSED, "Redis at 10.0.0.9:6379 cannot be reached"),
        (FULL, "refuses writes: its memory is full"),
        (PASSWORD, "rejects the password"),
    ],
)
def test_without_redis_only_that_is_said(error: Exception, said: str) -> None:
    health = replace(HEALTH, gateways=0, workers=0, sweeping=False, redis=error is not REFUSED)
    seen = replace(WELL, redis=error, health=health, vitals=replace(VITALS, beats=0))
    (sentence,) = told(seen)
    (public,) = told(seen, public=True)

    assert said in sentence
    assert "10.0.0.9" not in public


def test_a_full_disk_is_said_also_without_redis() -> None:
    health = replace(SILENT, database="full")
    full, away = told(replace(WELL, redis=REFUSED, health=health, vitals=None))

    assert "Free some space" in full
    assert "Redis at" in away


def test_after_a_restart_of_redis_missing_processes_are_on_their_way() -> None:
    health = replace(HEALTH, gateways=0, workers=0, sweeping=False)
    just_now = replace(VITALS, up_s=3, beats=0)
    (sentence,) = told(replace(WELL, health=health, vitals=just_now))

    assert sentence.startswith("Redis was started 3 s ago")
    assert told(replace(WELL, vitals=just_now)) == []


# Machines


def test_a_clock_that_is_wrong_is_said(tmp_path: Path) -> None:
    ahead = MachineClock("worker", "node3", 3600.0)

    assert "node3" in told(replace(WELL, clocks=(ahead,)))[0]
    assert "node3" not in told(replace(WELL, clocks=(ahead,)), public=True)[0]


def test_a_disk_and_a_certificate_of_this_machine_are_said(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    pair = self_signed(tmp_path, "arena.example", days=0)
    settings = load_settings(data=tmp_path, tls_cert=pair.certificate, tls_key=pair.key)
    monkeypatch.setattr("arena.service.health.storage.LEAST_BYTES", 10**18)

    abouts = [each.about for each in wrong(replace(WELL, now=time.time(), settings=settings))]

    assert set(abouts) == {"disk", "certificate"}


# Processes


def test_a_process_whose_heartbeats_stopped_does_not_answer() -> None:
    one_of_two = told(silent("worker"))
    only_one = told(numbered(silent("worker"), workers=0))
    gateway = told(numbered(silent("gateway"), gateways=0))

    assert one_of_two[0].startswith("The worker arena-7@node3 has not answered for 12 s. ")
    assert "for 12 s, so no tournament is played" in only_one[0]
    assert "for 12 s, so no bot can connect" in gateway[0]
    assert [len(each) for each in (one_of_two, only_one, gateway)] == [1, 1, 1]
    assert told(silent("worker"), public=True)[0].startswith("A worker does not answer. ")


def test_a_process_that_no_longer_exists_is_not_running() -> None:
    assert told(silent("worker", gone=True)) == []  # another one plays
    assert "No worker is running" in told(numbered(silent("worker", gone=True), workers=0))[0]


def test_beat_does_not_answer_or_is_not_running_or_is_there_twice() -> None:
    frozen = told(silent("beat", beats=0))
    killed = told(silent("beat", gone=True, beats=0))
    stopped = told(numbered(replace(WELL, vitals=replace(VITALS, beats=0)), sweeping=False))
    twice = told(replace(WELL, vitals=replace(VITALS, beats=2)))

    assert "The beat arena-7@node3 has not answered for 12 s" in frozen[0]
    assert [each[0].partition(",")[0] for each in (killed, stopped)] == ["Beat is not running"] * 2
    assert "2 beats are running" in twice[0]
    assert told(replace(WELL, vitals=replace(VITALS, beats=0))) == []  # it has not said so yet


def test_a_frozen_host_is_named() -> None:
    alone = told(numbered(silent("host"), hosted=6, hosted_connected=6, hosts=0))
    others = told(numbered(silent("host"), hosted=6, hosted_connected=6, hosts=1))
    killed = told(numbered(silent("host", gone=True), hosted=6, hosted_connected=6, hosts=1))

    assert [sentence.partition(" It")[0] for sentence in (*alone, *others)] == [
        "The host arena-7@node3 has not answered for 12 s, so hosted bots do not play.",
        "The host arena-7@node3 has not answered for 12 s.",
    ]
    assert killed == []


def test_what_a_host_fails_to_do_is_named_with_the_reason() -> None:
    full = replace(WELL, host_failures=(HostFailure("node3", "ada@2 cannot be hosted", "Full."),))
    (inside,), (outside,) = told(full), told(full, public=True)

    assert inside.startswith("ada@2 cannot be hosted by the host node3 (Full). Read its log. ")
    assert outside.startswith("ada@2 cannot be hosted by a host. ")
    assert wrong(replace(full, database=AWAY))[0].about == "database"


# Tournaments


def test_cancelling_is_not_recommended_while_matches_are_stored() -> None:
    broken = Incident("ZeroDivisionError", "arena-7@node3")
    (sentence,) = told(
        replace(WELL, incidents={1: broken, 2: broken}, stored=recent({1: 40, 2: 9}))
    )
    (unnamed,) = told(replace(WELL, incidents={1: Incident("KeyError")}, stored=recent({1: 1})))

    assert sentence.startswith(
        "The worker arena-7@node3 failed on tournaments 1, 2 (ZeroDivisionError). Other workers "
    )
    assert unnamed.startswith("A worker failed on tournament 1 (KeyError).")
    assert "cancel" not in sentence + unnamed


def test_tournaments_that_cannot_go_on_are_named_with_the_reason() -> None:
    errors = {7: Incident("ZeroDivisionError"), 3: Incident("There is no bot x.")}
    found = told(replace(WELL, incidents=errors))
    many = told(replace(WELL, incidents=dict.fromkeys(range(1, 10), Incident("KeyError"))))

    assert [sentence.partition(". ")[0] for sentence in found] == [
        "Tournament 3 cannot progress (There is no bot x)",
        "Tournament 7 cannot progress (ZeroDivisionError)",
    ]
    assert "`arena tournament cancel 7`" in found[1]
    assert len(many) == 6
    assert many[-1].startswith("4 more tournaments")


def test_database_errors_are_not_blamed_on_a_tournament() -> None:
    seen = replace(of(database="read-only"), incidents={1: Incident("InternalError")})

    assert [each.about for each in wrong(seen)] == ["database"]


# Words


def test_surprising_states_are_explained() -> None:
    (nobody,) = hints(replace(HEALTH, connected=0, running=0))
    (late,) = hints(HEALTH)

    assert "`arena bot connect FILE:CLASS`" in nobody
    assert "Elo is updated in schedule order" in late


def test_commands_in_sentences_are_code_and_all_else_is_text() -> None:
    assert ticked("Say `arena up`, not <b>.") == "Say <code>arena up</code>, not &lt;b&gt;."


def test_the_numbers_are_words_and_say_what_is_unknown() -> None:
    well, silent, away = map(all_numbers, (HEALTH, SILENT, Health(database="away")))

    assert well["Bots connected"] == "6 of 6"
    assert well["Last match ended"] == "1 s ago"
    assert well["Database takes results"] == "yes"
    assert silent["Workers"] == silent["Hanging workers"] == "unknown"
    assert silent["Redis answers"] == "no"
    assert away["Last match ended"] == away["Matches per second"] == "unknown"
    assert away["Database takes results"] == "no, it does not answer"
    assert list(well) == list(silent) == list(away)


def test_before_the_first_match_that_is_said() -> None:
    empty = replace(HEALTH, last_match=None, matches_per_second=0.0, database=None)

    assert all_numbers(empty)["Last match ended"] == "none yet"
    assert all_numbers(empty)["Database takes results"] == "unknown"
