"""The author's kit: a package to install, the contract, and a first bot in each language."""

from __future__ import annotations

from flask import Blueprint, Response, render_template, url_for

from arena import __version__
from arena.base.errors import NotFound
from arena.kit.new.languages import LANGUAGES, Language
from arena.protocol.contract import NAMES, contract
from dashboard.sdk.place import first_files, gateway_url, index_line, install_line
from dashboard.sdk.wheel import NAME, PROJECT, REQUIRES_PYTHON, STEM, served, zipped
from dashboard.sources import sources

page = Blueprint("sdk", __name__)

NOT_SHOWN = {"README.md", "package.json", "play.proto", "requirements.txt"}


@page.get("/sdk")
def index() -> str:
    """What there is."""
    return render_template("sdk/page.html", wheel=NAME, contracts=NAMES, **_common())


@page.get("/sdk/<language>")
def show(language: str) -> str:
    """How a bot is written in a language, from nothing to connected."""
    chosen = known(language)
    texts = first_files(chosen)
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
    contents = first_files(known(language)).items()
    archive = zipped({f"mybot/{name}": text.encode() for name, text in contents})
    return Response(archive, mimetype="application/zip")


@page.get("/sdk/<wheel>.whl")
def package(wheel: str) -> Response:
    """The package."""
    if f"{wheel}.whl" != NAME:
        raise NotFound(f"There is no {wheel[:80]}.whl here. This arena's package is {NAME}.")
    return Response(served().content, mimetype="application/zip")


@page.get("/sdk/SHA256SUMS")
def digests() -> Response:
    """The digest of the package, in the format of `sha256sum --check`."""
    return Response(f"{served().sha256}  {NAME}\n", mimetype="text/plain")


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
    address = url_for("sdk.package", wheel=STEM)
    return _links([(f"{address}#sha256={served().sha256}", NAME)], REQUIRES_PYTHON)


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
        "install_numpy": install_line("numpy"),
        "install_from_index": index_line(),
        "gateway": gateway_url(sources().settings),
        "languages": LANGUAGES.values(),
        "version": __version__,
    }


def _links(links: list[tuple[str, str]], python: str = "") -> Response:
    """A page of the simple index; `python` are the versions that the files are for."""
    shown = render_template("sdk/links.html", links=links, python=python)
    return Response(shown, mimetype="text/html")
