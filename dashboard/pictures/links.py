"""Which picture belongs to the present page: said in its head, for sites that show links."""

from __future__ import annotations

from typing import Any

from flask import request, url_for

# The pages of a bot, a match, a tournament, and what in their addresses says of which.
OF_BOT = ("bot", "bot_reviews")
OF_MATCH = ("match", "replay", "review")
OF_TOURNAMENT = ("tournament", "watch")


def picture_address() -> str:
    """Its whole address, as others need it."""
    blueprint = (request.endpoint or "").partition(".")[0]
    parts: dict[str, Any] = request.view_args or {}
    if blueprint in OF_BOT and "name" in parts:
        return url_for("pictures.bot", name=parts["name"], _external=True)
    if blueprint in OF_MATCH and "match" in parts:
        return url_for("pictures.match", match=parts["match"], _external=True)
    if blueprint in OF_TOURNAMENT and "number" in parts:
        return url_for("pictures.tournament", number=parts["number"], _external=True)
    return url_for("pictures.site", _external=True)
