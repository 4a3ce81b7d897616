"""The filters of the list of matches, as in its URL."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, date, datetime, time
from typing import Any

from flask import request
from werkzeug.datastructures import MultiDict

from dashboard.api.parameters import (
    AFTER_MATCH,
    ANY_GAME,
    BOT,
    FAULT,
    FAULTS,
    LOST,
    MARGIN,
    OPPONENT,
    SINCE,
    TOURNAMENT,
    UNTIL,
    WORST,
    Parameter,
    limit,
    read,
)

PAGE = 50
SHOWN = 25  # on a page for people
NARROW = (BOT, OPPONENT, TOURNAMENT, ANY_GAME, FAULT, FAULTS, MARGIN, SINCE, UNTIL, LOST)
PARAMETERS: Sequence[Parameter] = (*NARROW, WORST, limit(PAGE), AFTER_MATCH)
DAY_S = 86_400.0
LAST_DAY = datetime(9999, 1, 1, tzinfo=UTC).timestamp()


@dataclass(frozen=True)
class Asked:
    """The values of `PARAMETERS` by name."""

    values: dict[str, Any]

    def __getattr__(self, name: str) -> Any:
        try:
            return self.values[name]
        except KeyError:
            raise AttributeError(name) from None

    @classmethod
    def of(cls, values: Mapping[str, Any]) -> Asked:
        """Return the filters; an opponent without a bot becomes the bot."""
        if values["bot"] is None:
            values = {**values, "bot": values["opponent"], "opponent": None}
        return cls(dict(values))

    @property
    def narrow(self) -> dict[str, Any]:
        """The arguments of `list_matches`."""
        wanted = {each.name: self.values[each.name] for each in (*NARROW, WORST)}
        if wanted["fault"] == "any":
            wanted |= {"fault": None, "faults": True}
        since, until = wanted["since"], wanted["until"]
        return {
            **wanted,
            "since": None if since is None else _begins(since),
            "until": None if until is None else _begins(until) + DAY_S,
        }

    @property
    def narrowed(self) -> bool:
        """Whether any filter is set."""
        return any(_is_asked(self.values[each.name]) for each in (*NARROW, WORST))

    def page(self, after: str | None) -> dict[str, Any]:
        """Return the URL parameters of another page of the same list."""
        values = {name: value for name, value in self.values.items() if _is_asked(value)}
        del values["limit"]
        flags = {name: "true" for name, value in values.items() if value is True}
        return {**values, **flags, "after": after}


def asked_for() -> Asked:
    """Return the filters of the current request, ignoring empty ones. Raises InvalidRequest."""
    known = {each.name for each in PARAMETERS}
    given = {name: value.strip() for name, value in request.args.items() if name in known}
    given = {"limit": str(SHOWN)} | {name: value for name, value in given.items() if value}
    return Asked.of(read(PARAMETERS, MultiDict(given)))


def _begins(day: date) -> float:
    moment = datetime.combine(day, time.min, UTC)
    return min(moment.timestamp(), LAST_DAY)  # the last representable day has no next one


def _is_asked(value: object) -> bool:
    return value is not None and value is not False  # 0 points is a valid margin
