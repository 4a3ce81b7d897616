"""Uploads, wheels and indexes that are made to harm the builder, in each kind of
sandbox, as root and as an ordinary user."""

import json
from pathlib import Path
from typing import Any

import pytest

from tests.attacks.users import output_of, users
from tests.integration.hosting.test_sandbox import KINDS

# By what was tried, what the author reads.
SAID = {
    "what is no attack": "Compiled: 4 of 4 Python files.\nplays dice, kadabra",
    "a bomb of memory for the compiler": "a.py has no byte code: MemoryError",
    "nesting for the compiler": "a.py has no byte code: ",
    "a bomb in a wheel": "The files together are larger than 16 MB, the limit. 3 of them are in",
    "names above the folder": '"../../../mybot.py" is not a valid file name',
    "lured elsewhere": "Such redirects are not followed.",
    "lured into this machine": "is neither the arena's package index nor a public server with",
}


@pytest.fixture(scope="module", params=[(kind, user) for kind in KINDS for user in users()])
def outcomes(request: pytest.FixtureRequest, open_folder: Path) -> Any:
    kind, user = request.param
    return json.loads(output_of("tests.attacks.building", [kind], user, open_folder / "python"))


@pytest.mark.parametrize("attack", SAID)
def test_the_author_reads_what_became_of_it(outcomes: dict[str, str], attack: str) -> None:
    assert SAID[attack] in outcomes[attack]


def test_only_the_index_was_contacted(outcomes: dict[str, str]) -> None:
    assert outcomes["asked"] == ""
