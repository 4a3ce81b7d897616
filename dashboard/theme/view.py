"""The theme form at the foot of each page; `theme.js` does the same without a request."""

from urllib.parse import urlsplit

from flask import Blueprint, redirect, request, url_for
from flask.typing import ResponseReturnValue

from arena.base.errors import InvalidRequest
from dashboard.account.guard import harmless
from dashboard.account.session import within
from dashboard.layout.frame import COOKIE, THEMES

page = Blueprint("theme", __name__)

LASTS_S = 365 * 86_400


@page.post("/theme")
@harmless
def choose() -> ResponseReturnValue:
    wanted = request.form.get("theme", "")
    if wanted not in THEMES:
        raise InvalidRequest("Choose one of the themes: system, light or dark.")
    came_from = urlsplit(request.headers.get("Referer", ""))
    back = f"{came_from.path}?{came_from.query}" if came_from.query else came_from.path
    response = redirect(within(back) or url_for("overview.show"), 303)
    secure = request.is_secure
    response.set_cookie(COOKIE, wanted, max_age=LASTS_S, samesite="Lax", secure=secure)
    return response
