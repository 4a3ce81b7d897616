"""Exporting an account's data, and deleting the account."""

import io
import json
import zipfile
from typing import Any

from flask import Blueprint, Response, render_template, request
from flask.typing import ResponseReturnValue

from arena.base import instant
from arena.store.registry import audit_log, bots
from arena.store.reports.own_data import own_data
from arena.store.tournaments.departure import delete_account
from dashboard.account import session
from dashboard.account.guard import limited
from dashboard.account.rights import acting, doubt, signed_in, the_account
from dashboard.sources import sources

page = Blueprint("leaving", __name__)

ANOTHER_NAME = "Type the account's name to confirm."


@page.get("/account/export")
@signed_in
@limited("10 per hour", reading=True)
def export() -> Response:
    account = the_account()
    with sources().read() as conn:
        files = own_data(conn, account)
    response = Response(_zipped(files), mimetype="application/zip")
    name = f"lama-arena-{account.name}.zip"
    response.headers["Content-Disposition"] = f'attachment; filename="{name}"'
    response.headers["Cache-Control"] = "private, no-store"
    return response


@page.get("/account/delete")
@signed_in
def ask(wrong: str = "", problem: str = "") -> str:
    with sources().read() as conn:
        own = bots.owned_by(conn, the_account().id)
    return render_template("account/leaving/page.html", own=own, wrong=wrong, problem=problem)


@page.post("/account/delete")
@signed_in
@limited("10 per hour")
def delete() -> ResponseReturnValue:
    account = the_account()
    if request.form.get("name", "").strip().lower() != account.name.lower():
        return ask("name", ANOTHER_NAME), 400
    if wrong := doubt(account):
        return ask("password", wrong), 400
    actor = acting()
    with sources().store.write() as conn:
        delete_account(conn, account.id, instant.now())
        audit_log.note(conn, actor, "deleted", f"account {account.name}")
    session.forget()
    return render_template("account/leaving/gone.html")


def _zipped(files: dict[str, Any]) -> bytes:
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, content in files.items():
            archive.writestr(f"{name}.json", json.dumps(content, indent=2) + "\n")
    return packed.getvalue()
