"""One match."""

from __future__ import annotations

from typing import Any

from flask import Blueprint, render_template

from arena.control.records import record_of
from arena.errors import NotNow
from arena.record import replay
from arena.rules import game_class
from arena.store.matches.matches import StoredMatch
from dashboard.api.answer import answers
from dashboard.api.record import MatchRecord
from dashboard.matches.detail.sheet import sheet
from dashboard.matches.shown import shown

page = Blueprint("match", __name__)

LOCKED = "This match is locked until every match of this deal is played."


@page.get("/matches/<match:match>")
def show(match: str) -> str:
    """The page."""
    stored, tournament = shown().with_tournament(match)
    context = {"match": stored, "tournament": tournament, "options": _changed_options(stored)}
    if stored.locked:
        return render_template("matches/detail/locked.html", **context, sentence=LOCKED)
    reasons = {note.number: note.reason for note in stored.notes}
    played = replay(stored.setup, stored.log, reasons)
    return render_template(
        "matches/detail/page.html", **context, played=played, rounds=sheet(played)
    )


@page.get("/api/matches/<match:match>")
@answers(MatchRecord, refuses=(409,))
def as_json(match: str) -> dict[str, Any]:
    """The record of a match ("lama-arena/match/1"), once all matches of its deal are played."""
    stored = shown().match(match)
    if stored.locked:
        raise NotNow(LOCKED)
    return record_of(stored)


def _changed_options(stored: StoredMatch) -> dict[str, str]:
    """The options that are not the game's defaults."""
    usual = game_class(stored.game).check_options({})
    return {name: value for name, value in stored.options.items() if value != usual.get(name)}
