"""Converters of URL parts, and simple query parameters. Other values give 404."""

from typing import Any, ClassVar

from flask import request
from werkzeug.routing import BaseConverter, IntegerConverter, Map

from arena.base.errors import InvalidRequest
from arena.store.registry.names import check_name

LARGEST = 2**31 - 1  # fits the integers of all databases
LARGEST_RUN = 2**63 - 1  # run numbers are 64-bit


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
    """Return a whole number in the query string. Raises InvalidRequest."""
    text = request.args.get(name, "").strip()
    if not text:
        return default
    if not (text.isascii() and text.isdigit() and lowest <= int(text[:20]) <= largest):
        raise InvalidRequest(
            f'"{text[:40]}" is not a valid {name}. Give a whole number of at least {lowest}.'
        )
    return int(text)


def requested_bot(parameter: str = "bot") -> str | None:
    """Return the bot's name in the query string. Raises InvalidRequest."""
    name = request.args.get(parameter, "").strip()
    return check_name(name) if name else None


def requested_flag(name: str) -> bool:
    """Return a boolean in the query string, by default False. Raises InvalidRequest."""
    text = request.args.get(name, "").strip()
    if text not in ("", "true", "false"):
        raise InvalidRequest(f'"{text[:40]}" is not a valid {name}. Give true or false.')
    return text == "true"
