"""Error responses: a page, or `{"error": ...}` under /api."""

import structlog
from flask import Flask, Response, jsonify, render_template, request
from flask.typing import ResponseReturnValue
from werkzeug.exceptions import HTTPException

from arena.base import errors

log = structlog.get_logger(__name__)

RETRY_AFTER_S = 5  # for temporary errors

STATUS = {
    errors.InvalidRequest: 400,
    errors.NotFound: 404,
    errors.AlreadyExists: 409,
    errors.NotNow: 409,
    errors.LimitReached: 409,
    errors.Unavailable: 503,
}
TITLES = {
    400: "Bad request",
    401: "Sign in required",
    403: "You don't have permission",
    404: "Page not found",
    405: "Method not allowed",
    409: "Not possible right now",
    413: "Too large",
    429: "Too many requests",
    500: "Something went wrong",
    503: "The arena is unavailable",
}
SENTENCES = {
    404: "There is no page at this address. Check the spelling, or search.",
    405: "This address does not accept this request.",
    413: "The form is too large for this site.",
    500: "This is our mistake, and it has been logged. Matches are not affected. Try again soon.",
}


def register(app: Flask) -> None:
    app.register_error_handler(errors.ArenaError, _refused)
    app.register_error_handler(HTTPException, _http)
    app.register_error_handler(Exception, _broken)

    @app.after_request
    def when_to_come_back(response: Response) -> Response:
        if response.status_code == 503:
            response.headers.setdefault("Retry-After", str(RETRY_AFTER_S))
        return response


def status_of(error: errors.ArenaError) -> int:
    return next((code for kind, code in STATUS.items() if isinstance(error, kind)), 500)


def sentence_of(error: errors.ArenaError) -> str:
    return error.public if isinstance(error, errors.Unavailable) else str(error)


def _refused(error: errors.ArenaError) -> ResponseReturnValue:
    status = status_of(error)
    if status >= 500:
        log.error("cannot answer", path=request.path, error=str(error))
    return answer(status, sentence_of(error))


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
    """Return an error as a page, or as JSON under /api."""
    if request.path == "/api" or request.path.startswith("/api/"):
        return jsonify(error=sentence), status
    title = TITLES.get(status, "Something went wrong")
    return render_template("system/errors/page.html", title=title, sentence=sentence), status
