"""An author without a clone: all recommended commands work with just the arena's package.

The machine has an empty environment and an empty folder. It reaches a running arena over HTTP and
gRPC only.
"""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
import sys
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from urllib.parse import urljoin, urlsplit

import pytest

from arena.bots import HOUSE
from arena.kit.new.languages import LANGUAGES
from tests.author.newcomer import Machine, Newcomer, Website, snippets, wait
from tests.author.reader import Reader
from tests.author.recommended import PAGES, mentioned, words_and_options
from tests.authors_machine import (
    copy_packages,
    environment_with_pip,
    needed_by,
    site_packages,
)
from tests.browser.arena import Arena, arena_up
from tests.docs.blocks import blocks, name
from tests.docs.shell import lines

pytestmark = [pytest.mark.long, pytest.mark.timeout(900)]

OLDEST = "3.11"
INSTALLS = ("pip install ", "apt install ", "go install ")
# Tools that hosted bots and connecting starters need besides Python.
TOOLS = {"node": ("node",), "cpp": ("g++", "make")}
TOOLS_OF_STARTERS = {
    "python": (),
    "llm": (),
    "node": ("node", "npm"),
    "cpp": ("cmake", "protoc", "grpc_cpp_plugin"),
    "go": ("go", "protoc", "protoc-gen-go"),
}
INSTALL = re.compile(r"Install it with: (pip install .*\[(.+)\].+)")
QUICK = "--deals 1 --seed 1 --jobs 1"
OF_A_NEW_VENV = ("pip", "setuptools", "pkg_resources", "_distutils_hack")
LIMIT = 30e6  # bytes of an installation without extras and bytecode


@dataclass(frozen=True)
class Author:
    """An author's machine."""

    machine: Machine
    website: Website
    arena: Arena


def newest() -> str:
    """The newest supported Python on this machine. Tests that need extra packages use the current
    Python, because its packages can be copied."""
    running = f"{sys.version_info.major}.{sys.version_info.minor}"
    for version in ("3.14", "3.13", "3.12"):
        places = [shutil.which(f"python{version}")]
        places += map(str, Path("~/.pyenv/versions").expanduser().glob(f"{version}.*/bin/python"))
        if python := next((place for place in places if place and starts(place)), None):
            return sys.executable if version == running else python
    return sys.executable


def starts(python: str) -> bool:
    """Whether an interpreter works and can create virtual environments."""
    command = [python, "-c", "import ensurepip, ssl"]
    return subprocess.run(command, capture_output=True, check=False).returncode == 0


@pytest.fixture(scope="module")
def arena(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Arena]:
    folder = tmp_path_factory.mktemp("arena")
    os.chmod(folder, 0o711)  # hosted bots may run as other users
    with arena_up(folder) as up:
        yield up


@pytest.fixture(scope="module")
def website(arena: Arena) -> Website:
    site = Website(arena.dashboard)
    site.sign_up()
    return site


@pytest.fixture(scope="module")
def authors(
    arena: Arena, website: Website, tmp_path_factory: pytest.TempPathFactory
) -> Callable[[str], Author]:
    """An author's machine with the package, installed as the page describes."""

    @cache
    def author(python: str) -> Author:
        folder = tmp_path_factory.mktemp("author")
        if python == sys.executable:  # its pip and packages can be copied
            environment_with_pip(folder / "environment")
        machine = Machine(folder, python)
        machine.run(website.snippets("/sdk")[0])
        return Author(machine, website, arena)

    return author


@pytest.fixture(scope="module")
def author(authors: Callable[[str], Author]) -> Author:
    return authors(newest())


@pytest.fixture(scope="module")
def complete(authors: Callable[[str], Author]) -> Author:
    """The same machine after every install command that errors recommend.

    To save time, the packages of an extra are copied from this environment, so that pip finds them
    installed. Packages that the extra does not name stay missing.
    """
    author = authors(sys.executable)
    student = f"arena play five student --seats 2 {QUICK}"
    for command in (student, "arena match list", "arena selfplay five --matches 2 --out x.parquet"):
        while found := INSTALL.search(author.machine.run(f"{command} || true")):
            install, extra = found.groups()
            copy_packages(needed_by(extra), site_packages(author.machine.environment))
            author.machine.run(install)
    return author


# The package


def test_package_is_complete_and_small(author: Author) -> None:
    where = author.machine.run("python -c 'import arena; print(arena.__file__)'").strip()
    assert where.startswith(str(author.machine.environment))
    packages = Path(where).parents[1]
    files = [file for file in packages.rglob("*") if file.is_file() and file.suffix != ".pyc"]
    theirs = [file for file in files if file.relative_to(packages).parts[0] not in OF_A_NEW_VENV]
    assert sum(file.stat().st_size for file in theirs) < LIMIT
    assert not (packages / "numpy").exists()


def test_every_command_has_help(author: Author) -> None:
    helps = explained(author.machine)

    assert {"", "new", "bot", "bot submit", "play", "analyse", "check"} <= helps.keys()
    assert "tournament" not in helps, "The server is not installed yet."
    check_options(helps, mentioned())


def explained(machine: Machine) -> dict[str, str]:
    """The help of every installed command."""
    script = Path(__file__).with_name("help_of_all.py").read_text()
    (machine.home / "help_of_all.py").write_text(script)
    helps: dict[str, str] = json.loads(machine.run("python help_of_all.py").splitlines()[-1])
    for words, said in helps.items():
        assert "sage: arena" in said, words
    return helps


def check_options(helps: Mapping[str, str], commands: Mapping[str, str]) -> None:
    """Asserts that mentioned commands have the options mentioned with them."""
    for command, place in commands.items():
        words, options = words_and_options(command)
        known = [helps[prefix] for prefix in prefixes(words) if prefix in helps]
        if known:
            assert not [each for each in options if each not in known[0]], f"{command} in {place}"


def prefixes(words: list[str]) -> list[str]:
    """Possible commands for these words, longest first."""
    return [" ".join(words[:count]) for count in range(len(words), 0, -1)]


# Playing without an arena


def test_every_house_bot_plays_or_names_the_missing_package(author: Author) -> None:
    played = author.machine.run(f"arena play {' '.join(HOUSE)} --seats 6 {QUICK}")
    assert all(bot in played for bot in HOUSE)

    said = author.machine.run(f"arena play five student --seats 2 {QUICK}", fails=True)
    ((command, _),) = INSTALL.findall(said)
    assert f"lama-arena[numpy] @ {author.arena.dashboard}/sdk/" in command


def test_models_play_once_their_packages_are_installed(complete: Author) -> None:
    played = complete.machine.run(f"arena play student master --seats 2 {QUICK}")
    assert "student" in played
    assert "master" in played


def test_python_bot_goes_from_new_folder_to_hosting(author: Author) -> None:
    follow("python", author)


@pytest.mark.parametrize("language", ["node", "cpp"])
def test_bot_in_another_language_is_connected_and_hosted(
    language: str, authors: Callable[[str], Author]
) -> None:
    if present(TOOLS[language]):
        follow(language, authors(sys.executable))


def follow(language: str, author: Author) -> None:
    newcomer = Newcomer(author.machine, author.website, language)
    newcomer.write()
    newcomer.measure()
    newcomer.connect()
    newcomer.host()


@pytest.mark.parametrize("language", LANGUAGES)
def test_the_commands_of_a_languages_page_work(
    language: str, authors: Callable[[str], Author]
) -> None:
    """Its starter connects by gRPC and needs the packages of its language."""
    author = authors(sys.executable)
    begin, build, connect, *_ = author.website.snippets(f"/sdk/{language}")
    folder = author.machine.home / language
    folder.mkdir()
    author.machine.run(begin, str(folder))
    lines = [line for line in build.splitlines() if not line.startswith(INSTALLS)]
    if present(TOOLS_OF_STARTERS[language]):
        for line in lines:
            author.machine.run(line, str(folder / "mybot"))
        start = connect.splitlines()[-1]
        token = author.website.create_bot(f"{language}-{author.machine.home.parent.name}")
        variables = {"ARENA_URL": author.arena.gateway, "ARENA_TOKEN": token}
        with author.machine.running(start, str(folder / "mybot"), variables) as log:
            wait(lambda: "onnected" in log.read_text(), f"{start} has not connected")


def test_the_commands_of_the_page_for_authors_work(complete: Author) -> None:
    machine = complete.machine
    reader = Reader(machine, complete.website, complete.arena, machine.home / "sdk")
    install, begin, connect, *others = complete.website.snippets("/sdk")

    for line in (install, *others):
        reader.type(line)
    reader.type(begin.replace("\n", " && "))
    reader.folder /= "mybot"
    for line in connect.splitlines():
        reader.type(line)


def test_commands_on_a_new_bots_page_connect_it(authors: Callable[[str], Author]) -> None:
    author = authors(sys.executable)
    name = f"shown-{author.machine.home.parent.name}"
    shown = snippets(author.website.new_bot(name))
    program = next(each for each in shown if "class MyBot" in each)
    commands = next(each for each in shown if each.startswith("export ARENA_URL="))
    (author.machine.home / "mybot.py").write_text(program)

    with author.machine.running("\n".join(commands.splitlines())) as log:
        wait(lambda: "onnected" in log.read_text(), f"{name} has not connected")


def test_the_lines_of_a_new_bots_readme_work(authors: Callable[[str], Author]) -> None:
    author = authors(sys.executable)
    machine = author.machine
    reader = Reader(machine, author.website, author.arena, machine.home / "readme")
    reader.type("arena new mybot --hosted")
    reader.folder /= "mybot"
    readme = (reader.folder / "README.md").read_text()

    shown = re.findall(r"^    (.+)$", readme, re.MULTILINE)
    assert len(shown) > 5
    for line in shown:
        reader.type(line)


def present(tools: tuple[str, ...]) -> bool:
    """Whether this machine can build bots of a language."""
    return all(shutil.which(tool) for tool in tools)


# The documentation for authors


def test_every_command_that_is_mentioned_exists(complete: Author) -> None:
    helps = explained(complete.machine)

    for command, place in mentioned().items():
        words, _ = words_and_options(command)
        assert not words or words[0] in helps, f"{command} in {place}"
        group = f"{words[0]} " if words else "-"
        if len(words) > 1 and any(each.startswith(group) for each in helps):
            assert f"{group}{words[1]}" in helps, f"{command} in {place}"
    check_options(helps, mentioned())


@pytest.mark.parametrize("page", PAGES, ids=name)
def test_the_lines_of_a_page_work(page: Path, complete: Author) -> None:
    """Types the lines in order, in a separate folder, with the files that the page writes."""
    machine = complete.machine
    reader = Reader(machine, complete.website, complete.arena, machine.home / f"page-{page.stem}")
    for block in blocks(page):
        if block.mark == "file":
            block.save(reader.folder)
        elif block.language == "sh":
            for line in lines(block.text):
                reader.type(line)


# Links


def test_authors_pages_have_no_dead_links(website: Website) -> None:
    seen: set[str] = set()
    waiting = ["/sdk", "/docs/"]
    while waiting:
        path = waiting.pop()
        page = website.page(path)
        for link in re.findall(r'href="([^"#?]+)', page):
            target = urlsplit(urljoin(website.address + path, link))
            ours = f"{target.scheme}://{target.netloc}" == website.address
            if ours and target.path not in seen:
                seen.add(target.path)
                if target.path.startswith(("/sdk", "/docs")) and "." not in target.path:
                    waiting.append(target.path)
                else:
                    website.page(target.path)
    assert len(seen) > 10
