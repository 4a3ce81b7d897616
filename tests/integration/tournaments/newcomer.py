"""The changes of a newcomer, made in a copy of the sources. Run there, it uses them."""

import os
from pathlib import Path

from werkzeug.datastructures import MultiDict

from arena.base.config import Settings
from arena.cli.new_tournament import new
from arena.protocol.v1 import control_pb2 as pb
from arena.service.bootstrap import environment, load_settings
from arena.service.control import audit
from arena.service.control.messages import read_spec, spec
from arena.store import Store
from arena.store.opening import upgrade_store
from arena.store.registry import bots
from arena.store.tournaments import creation
from arena.tournaments.formats import TournamentSpec, check_spec, exported
from dashboard import create_app
from dashboard.tournaments.create import reading
from dashboard.tournaments.create.form import blank
from tests.integration.people import person
from tests.integration.played import register

# By file: its text, or for a file that exists, a text in it and what is added before that.
Edits = dict[str, str | tuple[str, str]]

FORMAT = '''"""The format Neighbours."""

from __future__ import annotations

from arena.tournaments.formats.cycles import cycles
from arena.tournaments.formats.plan import NOTHING, Format, PlannedMatch, SoFar
from arena.tournaments.formats.spec import TournamentSpec


class Neighbours(Format):
    """Two seats; each block follows from the spec alone."""

    title = "Neighbours"
    about = "Each bot meets the next one entered, in both seats."

    def count(self, spec: TournamentSpec) -> int:
        """Two matches a cycle for each pair of neighbours."""
        return 2 * (len(spec.bots) - 1) * cycles(spec)

    def block(
        self, spec: TournamentSpec, number: int, so_far: SoFar = NOTHING
    ) -> tuple[PlannedMatch, ...]:
        """All of them in the first block."""
        pairs = [(i, i + 1) for i in range(len(spec.bots) - 1)] if not number else []
        seats = [seats for i, j in pairs for seats in ((i, j), (j, i))] * cycles(spec)
        return tuple(PlannedMatch(at, at, each) for at, each in enumerate(seats))
'''
VIEW = '''"""Greets."""

from flask import Blueprint, render_template

page = Blueprint("hello", __name__)


@page.get("/hello/<name>")
def greet(name: str) -> str:
    return render_template("hello/page.html", name=name)
'''
PAGE = """{% extends "layout/frame.html" %}
{% block title %}Hello{% endblock %}
{% block content %}<h1>Hello, {{ name }}</h1>{% endblock %}
"""
TERM = """    Term(
        name="break_s",
        limits=(0, 3_600),
        help="Seconds between two rounds.",
        label="Break between rounds, s",
        heading="Break",
        text=lambda seconds: f"{seconds} s between rounds" if seconds else "",
        exported="planned",
        unexported=0,
    ),
"""
RECIPES: dict[str, Edits] = {
    "a tournament format": {
        "arena/tournaments/formats/neighbours.py": FORMAT,
        "arena/tournaments/formats/formats.py": (
            '    "ladder": Ladder(),\n', '    "neighbours": neighbours.Neighbours(),\n'
        ),
    },
    "a page": {
        "dashboard/hello/__init__.py": "",
        "dashboard/hello/view.py": VIEW,
        "dashboard/hello/page.html": PAGE,
        "dashboard/pages.py": ('        "theme.view.page",\n', '        "hello.view.page",\n'),
    },
    "a setting": {
        "arena/base/config.py": (
            '    host: str = "127.0.0.1"\n',
            '    greeting: str = "hello"\n    """What the arena says first"""\n',
        ),
    },
    "a field of a tournament": {
        "arena/tournaments/formats/spec.py": ("    luck: str", "    break_s: int = 0\n"),
        "arena/tournaments/formats/terms.py": ('    Term(\n        name="salt"', TERM),
        "proto/arena/v1/control.proto": (
            "  string salt = 19;\n", "  // Seconds between rounds.\n  uint32 break_s = 99;\n"
        ),
    },
}  # fmt: skip
# The imports for what is added.
IMPORTS = {
    "arena/tournaments/formats/formats.py": "from arena.tournaments.formats import neighbours\n",
}


def edit(tree: Path, edits: Edits) -> None:
    """Makes the edits of a recipe in a copy of the sources."""
    for name, change in edits.items():
        file = tree / name
        if isinstance(change, str):
            file.parent.mkdir(exist_ok=True)
            file.write_text(change)
            continue
        before, added = change
        text = file.read_text()
        assert text.count(before) == 1, f"{name} does not have once: {before}"
        text = text.replace(before, added + before)
        if name in IMPORTS:
            text = text.replace("\nfrom ", f"\n{IMPORTS[name]}from ", 1)
        file.write_text(text)


def show(store: Store) -> None:
    """Uses all that was added."""
    register(store, "ann", "bob", "cid")
    app = create_app(Settings(secret_key="k"), store, None)
    olga = person(app, store, "olga", organiser=True)

    form = olga.get("/tournaments/new").text
    assert 'value="neighbours"' in form
    assert "Each bot meets the next one entered" in form
    assert "Break between rounds, s" in form

    answer = app.test_client().get("/hello/<b>")
    assert "Hello, &lt;b&gt;</h1>" in answer.text
    assert "<nav" in answer.text
    assert "default-src 'none'" in answer.headers["Content-Security-Policy"]

    os.environ["ARENA_GREETING"] = "good evening"
    assert environment(load_settings())["ARENA_GREETING"] == "good evening"

    assert "break_s" in {option.name for option in new.params}
    show_field(store)
    page, told = olga.get("/tournaments/1/terms").text, olga.get("/api/tournaments/1").json
    assert "<dt>Break</dt><dd>90 s between rounds</dd>" in page
    assert told["spec"]["break_s"] == 90  # type: ignore[index]
    assert "break_s" in olga.get("/api/tournaments.csv").text


def show_field(store: Store) -> None:
    """Gives the field in the form, and follows it through a message, the store and an export."""
    fields = {**blank().values, "format": "neighbours", "seats": "2", "trusted": "yes"}
    with store.read() as conn:
        known = {bot.name: bot for bot in bots.all_bots(conn)}
    sent = MultiDict([*fields.items(), *(("bots", name) for name in known)])
    sent["break_s"] = "90"
    asked = reading.read(sent, known, owner=1).spec
    assert asked is not None, reading.read(sent, known, owner=1).problems
    again = read_spec(pb.TournamentSpec.FromString(spec(asked).SerializeToString()))
    assert again.break_s == 90  # type: ignore[attr-defined]
    with store.write() as conn:
        made = creation.create(conn, check_spec(again))
    message = pb.Tournament(id=made.id, spec=spec(made.spec), entrants=[pb.Entrant()] * 3)
    (header,) = audit.lines(message, ())
    assert header["spec"]["break_s"] == 90
    assert exported.read([header])[0].spec.break_s == 90  # type: ignore[attr-defined]
    header = next(audit.lines(pb.Tournament(spec=spec(TournamentSpec())), ()))
    assert "break_s" not in header["spec"]


if __name__ == "__main__":
    show(upgrade_store(f"sqlite:///{Path.cwd() / 'arena.db'}"))
