"""Hosted bots that try to get out, in each kind of sandbox, as root and as an ordinary user."""

import json
from functools import cache
from pathlib import Path
from typing import Any

import pytest

from tests.attacks.bots import BY_PROGRAMS, BY_VARIABLES, CHARGED, CONTAINED
from tests.attacks.users import output_of, users

KINDS = ("bubblewrap", "landlock")

# By what a bot did, what its author reads.
REASONS = {
    "exit": "error: The process ended with status 0.",
    "what others have open": "error: The process ended with status 0.",
    "SystemExit": "error: The process ended with status 0.",
    "abort": "error: The process was ended by SIG",
    "a wild pointer": "error: The process was ended by SIGSEGV.",
    "a recursion in C": "error: RecursionError",
    "thinking for ever": "s of CPU time. The limit is 0.3 s.",
    "sleeping for ever": "timeout: It kept its match waiting for 4 s without computing, the limit",
    "a flood of output": "It wrote more than 1,048,576 bytes",
    "bytes that are no message": "error: It sent bytes that are not a BotMessage.",
    "a message without end": "error: It sent bytes that are not the length of a message.",
    "a second Hello": "error: It sent an unexpected message. Send one Hello first, then choices.",
    "an answer in its own name": "s of CPU time. The limit is 0.3 s.",
    "an exception": "error: ValueError: as you wish",
    "a bomb of memory": "error: MemoryError",
}


@pytest.fixture(scope="module", params=[(kind, user) for kind in KINDS for user in users()])
def outcomes(request: pytest.FixtureRequest, open_folder: Path) -> Any:
    kind, user = request.param
    return _played(kind, user, open_folder / "python")


@pytest.fixture(scope="module", params=KINDS)
def charged(request: pytest.FixtureRequest, open_folder: Path) -> Any:
    """As an ordinary user only: it is the host that ends these, whatever the kernel permits."""
    return _played(request.param, "ordinary", open_folder / "python")


@cache
def _played(kind: str, user: str, folder: Path) -> dict[str, dict[str, Any]]:
    words = [kind] if user == "ordinary" else [kind, "contained"]
    outcomes: dict[str, dict[str, Any]] = json.loads(
        output_of("tests.attacks", words, user, folder)
    )
    return outcomes


@pytest.mark.parametrize("attack", [*CONTAINED, *BY_VARIABLES])
def test_the_kernel_refuses_the_attack_and_the_bot_plays_on(
    outcomes: dict[str, Any], attack: str
) -> None:
    outcome = outcomes[attack]
    assert outcome["output"].startswith("contained")
    assert "THROUGH" not in outcome["output"]
    assert outcome["answers"] == ["played", "played"]


def test_processes_of_a_bot_have_no_file_in_common_that_one_could_write_and_another_read(
    charged: dict[str, Any],
) -> None:
    said = charged["what others have open"]["output"].split("\n")
    pipes = [line for line in said if line.startswith("pipe ")]
    assert len(pipes) == len(set(pipes)) == 2, "a process for each decision, since it ends itself"


@pytest.mark.parametrize("attack", BY_PROGRAMS)
def test_the_kernel_refuses_it_to_programs_as_well(outcomes: dict[str, Any], attack: str) -> None:
    output = outcomes[f"a program: {attack}"]["output"]
    assert output.startswith("contained")
    assert "THROUGH" not in output


@pytest.mark.parametrize("attack", CHARGED)
def test_bot_that_breaks_its_process_gets_the_reason_and_another(
    charged: dict[str, Any], attack: str
) -> None:
    outcome = charged[attack]
    assert REASONS[attack] in outcome["answers"][0]
    # In a new process the bot is asked for the first time again; in the same one it plays.
    assert outcome["answers"][1] == "played" or REASONS[attack] in outcome["answers"][1]
