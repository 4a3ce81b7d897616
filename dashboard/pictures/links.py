"""Which picture belongs to the present page: said in its head, for sites that show links."""

from __future__ import annotations

from typing import Any

from flask import request

from dashboard.site import link

# The pages of a bot, a match, a tournament, and what in their addresses says of which.
OF_BOT = ("bot", "bot_reviews")
OF_MATCH = ("match", "replay", "review")
OF_TOURNAMENT = ("tournament", "watch")


def picture_address() -> str:
    """Its whole address, as others need it."""
    blueprint = (request.endpoint or "").partition(".")[0]
    parts: dict[str, Any] = request.view_args or {}
    if blueprint in OF_BOT and "name" in parts:
        return link("pictures.bot", name=parts["name"])
    if blueprint in OF_MATCH and "match" in parts:
        return link("pictures.match", match=parts["match"])
    if blueprint in OF_TOURNAMENT and "number" in parts:
        return link("pictures.tournament", number=parts["number"])
    return link("pictures.site")
