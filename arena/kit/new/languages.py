"""The bots to begin with: a folder of `templates` for each language.

Each is a bot that works as it is, called `mybot` and `MyBot`; a new one differs in its name only.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from pathlib import Path

from arena.errors import InvalidRequest
from arena.protocol.contract import contract

TEMPLATES = Path(__file__).with_name("templates")


@dataclass(frozen=True, slots=True)
class Language:
    """A language, and what its author does first."""

    name: str
    title: str
    main: str  # the file to change
    begin: tuple[str, ...]  # commands that build and test it
    start: str  # the command that connects it
    needs_contract: bool = True


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
        ),
        Language("node", "Node.js", "mybot.js", ("npm install", "npm test"), "npm start"),
        Language(
            "cpp",
            "C++",
            "choose.h",
            (
                "apt install cmake g++ pkg-config libgrpc++-dev protobuf-compiler-grpc",
                "cmake -B build && cmake --build build && ctest --test-dir build",
            ),
            "build/mybot",
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


# What a Python bot has besides, where an arena's hosts are to play it.
HOSTED = {
    "bot.toml": 'language = "python"\nentry = "mybot.py:MyBot"\nmemory_mb = 256\n',
    ".botignore": "# What stays here when the bot is submitted.\n*.md\nDockerfile\ntest_*\n",
}


def files(language: Language, name: str = "mybot", *, hosted: bool = False) -> dict[str, str]:
    """The files of a new bot: text by name. Raises InvalidRequest for a name that is none, and for
    a hosted one in a language for which nothing is ready."""
    if hosted and language.name != "python":
        raise InvalidRequest(
            f"For a hosted bot in {language.title} no bot.toml is ready: leave out --hosted, and "
            "write one."
        )
    if not re.fullmatch(r"[A-Za-z][A-Za-z0-9_]{0,39}", name):
        raise InvalidRequest(
            f"{name!r} cannot be a program's name: take up to 40 letters, digits and underscores,"
            " a letter first."
        )
    found = {
        renamed(file.name, name): renamed(file.read_text(), name)
        for file in sorted((TEMPLATES / language.name).iterdir())
        if file.is_file()
    }
    besides = HOSTED if hosted else {}
    found |= {file: renamed(text, name) for file, text in besides.items()}
    return found | ({"play.proto": contract("play.proto")} if language.needs_contract else {})


def renamed(text: str, name: str) -> str:
    """The text about a bot of this name: `fast_one` has the class FastOne."""
    if name == "mybot":
        return text
    parts = [part[0].upper() + part[1:] for part in name.split("_") if part]
    return text.replace("mybot", name).replace("MyBot", "".join(parts))
