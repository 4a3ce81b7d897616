"""The token with which a program comes to an arena."""

from __future__ import annotations

import os
import re

from arena.base import extras, website
from arena.base.errors import InvalidRequest

# A call can carry no other characters. Bots' tokens are "lama_" and 32 letters, digits, "-" and
# "_"; an administrator chooses any.
LONGEST = 512
POSSIBLE = re.compile(rf"[ -~]{{1,{LONGEST}}}")


def token_of(given: str | None = None) -> str:
    """The bot's token as given, else that in ARENA_TOKEN.

    Raises InvalidRequest if there is none, or none that a call can carry.
    """
    token = given or os.environ.get("ARENA_TOKEN") or ""
    if not token.strip():
        raise InvalidRequest(
            f"The bot needs a token. Set ARENA_TOKEN to the token of your bot. {_how_to_get_one()}"
        )
    return checked(token, "The token" if given else "ARENA_TOKEN")


def checked(token: str, source: str) -> str:
    """A token without the white space around it. `source` says where it comes from.

    Raises InvalidRequest, without the token in its message, if no call can carry it.
    """
    token = token.strip()
    if not POSSIBLE.fullmatch(token):
        raise InvalidRequest(
            f"{source} is not valid. A token is one line of at most {LONGEST} ASCII characters. "
            "Copy the token again."
        )
    return token


def _how_to_get_one() -> str:
    on_the_website = f"You get one at {website.address()}/my/bots"
    if not extras.has_server():
        return f"{on_the_website}."
    return f"{on_the_website}, or with `arena bot add NAME` where the arena runs."
