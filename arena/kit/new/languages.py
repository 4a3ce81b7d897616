"""The bots to start with: a folder of `templates` for each language, and for hosted programs.

Each is a bot that works as it is, called `mybot` and `MyBot`. A new one differs in its name, and in
the addresses of its arena.
"""

import os
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from urllib.parse import urlsplit

from arena import __version__
from arena.base import website
from arena.base.errors import InvalidRequest
from arena.kit.new.names import check_name, class_name
from arena.protocol.contract import contract

TEMPLATES = Path(__file__).with_name("templates")
# What templates have for the addresses of an arena.
WEBSITE, GATEWAY, VERSION = "https://arena.example", "HOST:7420", "VERSION"
GATEWAY_PORT = 7420


@dataclass(frozen=True, slots=True)
class HostedStarter:
    """What an arena's hosts play, with bot.toml and .botignore."""

    template: str  # its folder
    main: str  # the file to change
    begin: tuple[str, ...]  # commands that build and test it
    besides: Mapping[str, str]  # files by name


@dataclass(frozen=True, slots=True)
class Language:
    """A language, and what its author does first."""

    name: str
    title: str
    main: str  # the file to change
    begin: tuple[str, ...]  # commands that build and test it
    start: str  # the command that connects it
    needs_contract: bool = True
    hosted: HostedStarter | None = field(default=None, kw_only=True)


def _besides(manifest: str, *ignored: str) -> Mapping[str, str]:
    lines = ("# Files that `arena bot submit` leaves out.", "*.md", *ignored)
    return {"bot.toml": manifest, ".botignore": "".join(f"{line}\n" for line in lines)}


LANGUAGES = {
    each.name: each
    for each in (
        Language(
            "python",
            "Python",
            "mybot.py",
            ("python -m unittest",),
            "python mybot.py",
            needs_contract=False,
            hosted=HostedStarter(
                "python",
                "mybot.py",
                ("python -m unittest",),
                _besides(
                    'language = "python"\nentry = "mybot.py:MyBot"\nmemory_mb = 256\n',
                    "Dockerfile",
                    "test_mybot.py",
                ),
            ),
        ),
        Language(
            "llm",
            "Python, with a language model",
            "mybot.py",
            ("python -m unittest",),
            "LLM_URL=http://127.0.0.1:11434/v1 LLM_MODEL=NAME python mybot.py",
            needs_contract=False,
        ),
        Language(
            "node",
            "Node.js",
            "mybot.js",
            ("npm install", "npm test"),
            "npm start",
            hosted=HostedStarter(
                "node-hosted",
                "choose.mjs",
                ("node --test",),
                _besides(
                    'language = "node"\ncommand = ["node", "mybot.mjs"]\nmemory_mb = 256\n',
                    "*.test.mjs",
                    "*.py",
                ),
            ),
        ),
        Language(
            "cpp",
            "C++",
            "choose.h",
            (
                "apt install cmake g++ pkg-config libgrpc++-dev protobuf-compiler-grpc",
                "cmake -B build && cmake --build build && ctest --test-dir build",
            ),
            "build/mybot",
            hosted=HostedStarter(
                "cpp-hosted",
                "choose.h",
                ("make test",),
                _besides(
                    'language = "binary"\ncommand = ["./mybot"]\nmemory_mb = 64\n',
                    "*.cc",
                    "*.h",
                    "*.py",
                    "Makefile",
                    "mybot_test",
                ),
            ),
        ),
        Language(
            "go",
            "Go",
            "choose.go",
            (
                "go install google.golang.org/protobuf/cmd/protoc-gen-go@latest",
                "go install google.golang.org/grpc/cmd/protoc-gen-go-grpc@latest",
                "go generate && go mod tidy && go test && go build",
            ),
            "./mybot",
        ),
    )
}


def hosted_of(language: Language) -> HostedStarter:
    """How a hosted bot begins in a language. Raises InvalidRequest if there is no template."""
    if language.hosted is None:
        ready = ", ".join(each.name for each in LANGUAGES.values() if each.hosted)
        if language.name == "llm":
            raise InvalidRequest(
                "--hosted has no template for language models. Hosted bots have no network. Run the"
                " bot on your machine, without --hosted."
            )
        raise InvalidRequest(
            f"--hosted has no template for {language.title}. A hosted program reads and writes"
            f" lines of JSON, which needs no packages: see"
            f" {website.docs('submitting#programs-in-other-languages')}. Templates exist for:"
            f" {ready}."
        )
    return language.hosted


def files(
    language: Language,
    name: str = "mybot",
    *,
    hosted: bool = False,
    site: str = "",
    gateway: str = "",
) -> dict[str, str]:
    """The files of a new bot: text by name.

    `site` is the address of the arena's website, `gateway` the one that bots connect to; by default
    as this machine knows them. Raises InvalidRequest for a name that the language does not allow,
    and for a hosted one in a language without a template.
    """
    template = hosted_of(language).template if hosted else language.name
    besides = dict(hosted_of(language).besides) if hosted else {}
    check_name(name, language.name, language.title)
    if hosted:  # which has a Python file, too
        check_name(name, "python", "Python")
    site = site.rstrip("/") or website.address()
    addresses = {
        WEBSITE: site,
        GATEWAY: gateway or _gateway(site),
        f"lama_arena-{VERSION}-": f"lama_arena-{__version__}-",
    }
    texts = {
        file.name: _addressed(file.read_text(), addresses)
        for file in sorted((TEMPLATES / template).iterdir())
        if file.is_file()
    }
    found = {renamed(file, name): renamed(text, name) for file, text in (texts | besides).items()}
    needs_contract = language.needs_contract and not hosted
    return found | ({"play.proto": contract("play.proto")} if needs_contract else {})


def renamed(text: str, name: str) -> str:
    """The text about a bot of this name: `fast_one` has the class FastOne."""
    if name == "mybot":
        return text
    return text.replace("mybot", name).replace("MyBot", class_name(name))


def _addressed(text: str, addresses: Mapping[str, str]) -> str:
    for placeholder, address in addresses.items():
        text = text.replace(placeholder, address)
    return text


def _gateway(site: str) -> str:
    """`ARENA_URL`, else the gateway of an arena that runs here, else the default port on the
    website's machine."""
    if named := os.environ.get("ARENA_URL"):
        return named
    here = website.running()
    return here.gateway if here else f"{urlsplit(site).hostname or '127.0.0.1'}:{GATEWAY_PORT}"
