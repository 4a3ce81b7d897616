"""The author's kit: a package to install, the contract, and a first bot in each language."""

from __future__ import annotations

from flask import Blueprint, Response, render_template, request, url_for

from arena import __version__
from arena.errors import NotFound
from arena.kit.new.languages import LANGUAGES, Language, files
from arena.protocol.contract import NAMES, contract
from dashboard.sdk.place import gateway_url, install_line
from dashboard.sdk.wheel import PROJECT, authors_wheel, zipped
from dashboard.sources import sources

page = Blueprint("sdk", __name__)

NOT_SHOWN = {"README.md", "package.json", "play.proto", "requirements.txt"}


@page.get("/sdk")
def index() -> str:
    """What there is."""
    return render_template("sdk/page.html", wheel=authors_wheel(), contracts=NAMES, **_common())


@page.get("/sdk/<language>")
def show(language: str) -> str:
    """How a bot is written in a language, from nothing to connected."""
    chosen = known(language)
    texts = files(chosen)
    # What there is to read, the file to change first.
    names = sorted(set(texts) - NOT_SHOWN, key=lambda name: (name != chosen.main, name))
    shown = [(name, texts[name]) for name in names]
    begin = chosen.begin if chosen.needs_contract else (install_line(), *chosen.begin)
    return render_template(
        "sdk/language.html", chosen=chosen, begin=begin, shown=shown, **_common()
    )


@page.get("/sdk/mybot-<language>.zip")
def first_bot(language: str) -> Response:
    """What `arena new` writes."""
    contents = files(known(language)).items()
    archive = zipped({f"mybot/{name}": text.encode() for name, text in contents})
    return Response(archive, mimetype="application/zip")


@page.get("/sdk/<wheel>.whl")
def package(wheel: str) -> Response:
    """The package. The name has the version, but not everything that it was made from."""
    made = authors_wheel()
    if f"{wheel}.whl" != made.name:
        raise NotFound(f"There is no {wheel[:80]}.whl here; this arena's package is {made.name}.")
    return Response(made.content, mimetype="application/zip")


@page.get("/sdk/<proto>.proto")
def proto_file(proto: str) -> Response:
    """A file of the contract."""
    if f"{proto}.proto" not in NAMES:
        raise NotFound(f"There is no {proto[:80]}.proto; the contract is in {', '.join(NAMES)}.")
    return Response(contract(f"{proto}.proto"), mimetype="text/plain")


@page.get("/sdk/simple")
def projects() -> Response:
    """The list of projects, as pip asks for it (PEP 503)."""
    return _links([(f"{url_for('sdk.projects')}/{PROJECT}/", PROJECT)])


@page.get("/sdk/simple/<project>")
def releases(project: str) -> Response:
    """The files of a project, as pip asks for them (PEP 503)."""
    if project != PROJECT:
        raise NotFound(f"This index has {PROJECT} only.")
    made = authors_wheel()
    address = url_for("sdk.package", wheel=made.stem)
    return _links([(f"{address}#sha256={made.sha256}", made.name)])


def known(language: str) -> Language:
    """The language of this name. Raises NotFound."""
    if language not in LANGUAGES:
        raise NotFound(
            f"There is no page for {language[:40]!r}; the languages are: {', '.join(LANGUAGES)}."
            " Any other with gRPC can be used, too: play.proto is all of the contract."
        )
    return LANGUAGES[language]


def _common() -> dict[str, object]:
    return {
        "install": install_line(),
        "gateway": gateway_url(sources().settings, request.host_url),
        "languages": LANGUAGES.values(),
        "version": __version__,
    }


def _links(links: list[tuple[str, str]]) -> Response:
    return Response(render_template("sdk/links.html", links=links), mimetype="text/html")
