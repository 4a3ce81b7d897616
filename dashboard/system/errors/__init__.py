"""Answers to what goes wrong: a page for people, `{"error": ...}` under /api."""

from __future__ import annotations

import structlog
from flask import Flask, Response, jsonify, render_template, request
from flask.typing import ResponseReturnValue
from werkzeug.exceptions import HTTPException

from arena import errors

log = structlog.get_logger(__name__)

RETRY_AFTER_S = 5  # what cannot be answered now may be answered then

STATUS = {
    errors.InvalidRequest: 400,
    errors.NotFound: 404,
    errors.AlreadyExists: 409,
    errors.NotNow: 409,
    errors.LimitReached: 409,
    errors.Unavailable: 503,
}
TITLES = {
    400: "That cannot be answered",
    401: "Who are you?",
    403: "That is not yours to do",
    404: "There is nothing here",
    405: "That cannot be done here",
    409: "Not at this moment",
    413: "That is too much",
    429: "Not so fast",
    500: "Something broke on our side",
    503: "The arena cannot be reached",
}
SENTENCES = {
    404: "No page has this address.",
    405: "This page can only be read.",
    413: "No form of this dashboard is that large.",
    500: "The dashboard's log says what it was; the matches go on.",
}


def register(app: Flask) -> None:
    """Makes the application answer in this way."""
    app.register_error_handler(errors.ArenaError, _refused)
    app.register_error_handler(HTTPException, _http)
    app.register_error_handler(Exception, _broken)

    @app.after_request
    def when_to_come_back(response: Response) -> Response:
        if response.status_code == 503:
            response.headers.setdefault("Retry-After", str(RETRY_AFTER_S))
        return response


def status_of(error: errors.ArenaError) -> int:
    """The status that says the same."""
    return next((code for kind, code in STATUS.items() if isinstance(error, kind)), 500)


def _refused(error: errors.ArenaError) -> ResponseReturnValue:
    status = status_of(error)
    if status >= 500:
        log.error("cannot answer", path=request.path, error=str(error))
    return answer(status, str(error))


def _http(error: HTTPException) -> ResponseReturnValue:
    if error.code is None or error.code < 400:
        return Response.force_type(error.get_response())
    sentence = SENTENCES.get(error.code, error.description or error.name)
    body, status = answer(error.code, sentence)
    return body, status, [pair for pair in error.get_headers() if pair[0] == "Allow"]


def _broken(error: Exception) -> ResponseReturnValue:
    log.error("page broke", path=request.path, exc_info=error)
    return answer(500, SENTENCES[500])


def answer(status: int, sentence: str) -> tuple[Response | str, int]:
    """The page, or the JSON, that says so."""
    if request.path == "/api" or request.path.startswith("/api/"):
        return jsonify(error=sentence), status
    title = TITLES.get(status, "That did not work")
    return render_template("system/errors/page.html", title=title, sentence=sentence), status
