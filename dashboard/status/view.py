"""The status page, with the same sentences and numbers as `arena status`."""

from flask import Blueprint

from arena.base import instant
from arena.service.health.sentences import hints, inner_numbers, numbers
from dashboard.events.topics import LivePart, live_part, page_or_part
from dashboard.system.health.view import current_state, is_organiser, problems

page = Blueprint("status", __name__)

TOPIC = "home"


@page.get("/status", endpoint="show")
@page.get("/status/live", endpoint="live")
def show() -> str:
    arena = current_state()
    away = arena.health.database == "away"
    return page_or_part(
        "status",
        # Without a mark, the page fetches the fragment again as soon as there is one.
        part=LivePart(TOPIC, "") if away else live_part(TOPIC),
        problems=problems(arena),
        numbers=numbers(arena.health, instant.now()),
        inner_numbers=inner_numbers(arena.health) if is_organiser(arena) else (),
        hints=hints(arena.health),
    )
