"""What a part of an address may look like; anything else is a page that does not exist."""

from __future__ import annotations

from typing import Any, ClassVar

from flask import request
from werkzeug.routing import BaseConverter, IntegerConverter, Map

from arena.base.errors import InvalidRequest
from arena.store.registry.names import check_name

LARGEST = 2**31 - 1  # what every database takes for a number
LARGEST_RUN = 2**63 - 1  # of which there may be more than of anything else


class BotName(BaseConverter):
    """The name of a bot."""

    regex = r"[A-Za-z0-9][A-Za-z0-9._-]{0,39}"
    schema: ClassVar[dict[str, Any]] = {"type": "string", "pattern": f"^{regex}$"}


class MatchId(BaseConverter):
    """The id of a match."""

    regex = r"[A-Za-z0-9-]{1,64}"
    schema: ClassVar[dict[str, Any]] = {"type": "string", "pattern": f"^{regex}$"}


class NumberConverter(IntegerConverter):
    """The number of a tournament."""

    schema: ClassVar[dict[str, Any]] = {"type": "integer", "minimum": 0, "maximum": LARGEST}

    def __init__(self, map: Map) -> None:
        super().__init__(map, max=LARGEST)


class RunNumber(IntegerConverter):
    """The number of a run."""

    schema: ClassVar[dict[str, Any]] = {"type": "integer", "minimum": 0, "maximum": LARGEST_RUN}

    def __init__(self, map: Map) -> None:
        super().__init__(map, max=LARGEST_RUN)


CONVERTERS: dict[str, type[BaseConverter]] = {
    "bot": BotName,
    "match": MatchId,
    "number": NumberConverter,
    "run": RunNumber,
}


def requested_number(
    name: str, default: int | None, lowest: int = 0, largest: int = LARGEST
) -> int | None:
    """A whole number in the query string. Raises InvalidRequest."""
    text = request.args.get(name, "").strip()
    if not text:
        return default
    if not (text.isascii() and text.isdigit() and lowest <= int(text[:20]) <= largest):
        raise InvalidRequest(
            f'"{text[:40]}" is not a valid {name}: give a whole number of at least {lowest}.'
        )
    return int(text)


def requested_bot(parameter: str = "bot") -> str | None:
    """The bot's name in the query string. Raises InvalidRequest."""
    name = request.args.get(parameter, "").strip()
    return check_name(name) if name else None


def requested_flag(name: str) -> bool:
    """A truth value in the query string; false where there is none. Raises InvalidRequest."""
    text = request.args.get(name, "").strip()
    if text not in ("", "true", "false"):
        raise InvalidRequest(f'"{text[:40]}" is not a valid {name}: give true or false.')
    return text == "true"
