"""The author's kit: the package, the protocol files, and a starter bot in each language."""

from urllib.parse import urlsplit

from flask import Blueprint, Response, render_template, url_for

from arena import __version__
from arena.base import website
from arena.base.config import Settings
from arena.base.errors import NotFound
from arena.kit.new.languages import LANGUAGES, Language, files
from arena.protocol.contract import NAMES, contract
from dashboard.sdk.wheel import NAME, PROJECT, REQUIRES_PYTHON, STEM, served, zipped
from dashboard.site import address, home, link
from dashboard.sources import sources

page = Blueprint("sdk", __name__)

EVERYWHERE = ("", "0.0.0.0", "::")  # noqa: S104  addresses a gateway listens on, not connects to

NOT_SHOWN = {"README.md", "package.json", "play.proto", "requirements.txt"}


@page.get("/sdk")
def index() -> str:
    return render_template("sdk/page.html", wheel=NAME, contracts=NAMES, **_common())


@page.get("/sdk/<language>")
def show(language: str) -> str:
    chosen = known(language)
    texts = first_files(chosen)
    # The main file comes first.
    names = sorted(set(texts) - NOT_SHOWN, key=lambda name: (name != chosen.main, name))
    shown = [(name, texts[name]) for name in names]
    begin = chosen.begin if chosen.needs_contract else (install_line(), *chosen.begin)
    return render_template(
        "sdk/language.html", chosen=chosen, begin=begin, shown=shown, **_common()
    )


@page.get("/sdk/mybot-<language>.zip")
def first_bot(language: str) -> Response:
    contents = first_files(known(language)).items()
    archive = zipped({f"mybot/{name}": text.encode() for name, text in contents})
    return Response(archive, mimetype="application/zip")


@page.get("/sdk/<wheel>.whl")
def package(wheel: str) -> Response:
    if f"{wheel}.whl" != NAME:
        raise NotFound(f"There is no {wheel[:80]}.whl here. This arena's package is {NAME}.")
    return Response(served().content, mimetype="application/zip")


@page.get("/sdk/SHA256SUMS")
def digests() -> Response:
    """The digest of the package, in the format of `sha256sum --check`."""
    return Response(f"{served().sha256}  {NAME}\n", mimetype="text/plain")


@page.get("/sdk/<proto>.proto")
def proto_file(proto: str) -> Response:
    if f"{proto}.proto" not in NAMES:
        raise NotFound(f"There is no {proto[:80]}.proto. The files are {', '.join(NAMES)}.")
    return Response(contract(f"{proto}.proto"), mimetype="text/plain")


@page.get("/sdk/simple")
def projects() -> Response:
    return _links([(f"{url_for('sdk.projects')}/{PROJECT}/", PROJECT)])


@page.get("/sdk/simple/<project>")
def releases(project: str) -> Response:
    if project != PROJECT:
        raise NotFound(f"This index only has {PROJECT}.")
    address = url_for("sdk.package", wheel=STEM)
    return _links([(f"{address}#sha256={served().sha256}", NAME)], REQUIRES_PYTHON)


def known(language: str) -> Language:
    """Return the language of this name. Raises NotFound."""
    if language not in LANGUAGES:
        raise NotFound(
            f"There is no page for {language[:40]!r}. Languages: {', '.join(LANGUAGES)}. You can"
            " use any other language with gRPC: play.proto is the whole protocol."
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
    """Return a page of the simple index; `python` are the supported versions."""
    shown = render_template("sdk/links.html", links=links, python=python)
    return Response(shown, mimetype="text/html")


def gateway_url(settings: Settings) -> str:
    """Return HOST:PORT, with grpcs:// if the gateway uses TLS. If the gateway listens on all
    addresses, the host of the website is used."""
    if settings.gateway_url:
        return settings.gateway_url
    host = settings.host
    if host in EVERYWHERE:
        host = urlsplit(address()).hostname or "127.0.0.1"
    bracketed = f"[{host}]" if ":" in host else host
    return f"{'grpcs://' if settings.tls_cert else ''}{bracketed}:{settings.port}"


def first_files(language: Language) -> dict[str, str]:
    return files(language, site=home(), gateway=gateway_url(sources().settings))


def install_line(extra: str = "") -> str:
    return website.install(extra, home())


def index_line() -> str:
    """Return the command that installs the package from this arena's index. Over plain HTTP, pip
    needs --trusted-host."""
    index = f"{link('sdk.projects')}/"
    found = urlsplit(index)
    trust = f" --trusted-host {found.hostname}" if found.scheme == "http" else ""
    return f"pip install --extra-index-url {index}{trust} {PROJECT}"
