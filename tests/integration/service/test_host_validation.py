"""A trial ends at the first fault, and a bot cannot hold it up by waiting or computing."""

from dataclasses import replace
from pathlib import Path

import pytest

from arena.service.host import validation
from tests.integration.hosting.test_hosted_program import ALLOWANCE, interpreted, refused, tried

PROGRAM = """
import json, sys, time

def say(**message):
    print(json.dumps(message), flush=True)

say(protocol=1, games=["lama", "dice"])
for line in sys.stdin:
    message = json.loads(line)
    print("asked", file=sys.stderr)
    {act}
    say(action=message["view"]["actions"][0])
"""


def program(act: str) -> str:
    return PROGRAM.replace("{act}", act)


def test_a_bot_that_sleeps_is_refused_when_its_budget_is_spent(open_folder: Path) -> None:
    sleeping = interpreted(open_folder, program("time.sleep(600)"))

    reason, written = refused(sleeping, replace(ALLOWANCE, waiting_s=0.2))

    assert reason.startswith("A fault at decision 1 of a match of lama (timeout): ")
    assert "waiting for 0.2 s without computing" in reason
    assert written.count("asked") == 1


def test_a_trial_ends_at_the_first_fault(open_folder: Path) -> None:
    wrong = interpreted(open_folder, program('say(action="play 99"); continue'))

    reason, written = refused(wrong)

    assert reason.startswith("A fault at decision 1 of a match of lama (illegal): ")
    assert written.count("asked") == 1


def test_a_bot_that_computes_for_longer_than_a_match_may_take_is_refused(
    open_folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    plain = interpreted(open_folder, program("pass"))
    monkeypatch.setattr(validation, "MATCH_CPU_S", 0.0)

    reason, _ = refused(plain)

    assert reason == (
        "The bot used more than 0 s of CPU time in a match of lama. Make its decisions faster."
    )


def test_a_trial_that_is_looked_at_often_goes_on_to_its_end(
    open_folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(validation, "LOOK_S", 0.001)

    _, lines = tried(interpreted(open_folder, program("pass")))

    assert [line.split(":")[0] for line in lines[:2]] == ["lama", "dice"]
