"""The secrets of a bot: its token for an arena, and the key from which `view.rng()` is derived."""

from __future__ import annotations

import os
import re
from hashlib import sha256
from typing import TYPE_CHECKING

from arena.base import extras, website
from arena.base.errors import InvalidRequest

if TYPE_CHECKING:
    from arena.sdk.bot import Bot

# gRPC metadata allows only these characters. Bot tokens are "lama_" and 32 letters, digits, "-"
# and "_". Admin tokens are chosen by the operator.
LONGEST = 512
POSSIBLE = re.compile(rf"[ -~]{{1,{LONGEST}}}")


def token_of(given: str | None = None) -> str:
    """Returns the bot's token: `given`, else ARENA_TOKEN.

    Raises InvalidRequest if it is missing or contains invalid characters.
    """
    token = given or os.environ.get("ARENA_TOKEN") or ""
    if not token.strip():
        raise InvalidRequest(
            f"The bot needs a token. Set ARENA_TOKEN to the token of your bot. {_how_to_get_one()}"
        )
    return checked(token, "The token" if given else "ARENA_TOKEN")


def checked(token: str, source: str) -> str:
    """Returns a token without surrounding white space. `source` names its origin for messages.

    Raises InvalidRequest, without the token in its message, if it is invalid.
    """
    token = token.strip()
    if not POSSIBLE.fullmatch(token):
        raise InvalidRequest(
            f"{source} is not valid. A token is one line of at most {LONGEST} ASCII characters. "
            "Copy the token again."
        )
    return token


def _how_to_get_one() -> str:
    on_the_website = f"Get one at {website.address()}/my/bots"
    if not extras.has_server():
        return f"{on_the_website}."
    return f"{on_the_website}, or with `arena bot add NAME` where the arena runs."


def take_key(bot: Bot, key: str | None = None) -> None:
    """Sets the bot's key from a text, else from ARENA_BOT_KEY. Without either, it stays random."""
    if text := key or os.environ.get("ARENA_BOT_KEY"):
        bot.key = sha256(text.encode()).digest()
