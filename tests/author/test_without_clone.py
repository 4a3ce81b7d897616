"""An author without a clone: all recommended commands work with just the arena's package.

The machine has an empty environment and an empty folder. It reaches a running arena over HTTP and
gRPC only.
"""

import json
import re
import shutil
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from urllib.parse import urljoin, urlsplit

import pytest

from arena.bots import HOUSE
from arena.kit.new.languages import LANGUAGES
from tests.author.newcomer import Machine, Newcomer, Website, snippets, wait
from tests.author.reader import Reader, smaller
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


@pytest.fixture(scope="module")
def arena() -> Iterator[Arena]:
    with arena_up() as up:
        yield up


@pytest.fixture(scope="module")
def website(arena: Arena) -> Website:
    site = Website(arena.dashboard)
    site.sign_up()
    return site


@pytest.fixture(scope="module")
def author(arena: Arena, website: Website, tmp_path_factory: pytest.TempPathFactory) -> Author:
    """An author's machine with the package, installed as the page describes."""
    folder = tmp_path_factory.mktemp("author")
    environment_with_pip(folder / "environment")
    machine = Machine(folder)
    install(machine, website.snippets("/sdk")[0])
    return Author(machine, website, arena)


@pytest.fixture(scope="module")
def complete(author: Author) -> Author:
    """The same machine after every install command that errors recommend.

    To save time, the packages of an extra are copied from this environment, so that pip finds them
    installed. Packages that the extra does not name stay missing.
    """
    student = f"arena play five student --seats 2 {QUICK}"
    for line in (student, "arena match list", "arena selfplay five --matches 2 --out x.parquet"):
        while found := INSTALL.search(author.machine.run(f"{line} || true")):
            command, extra = found.groups()
            copy_packages(needed_by(extra), site_packages(author.machine.environment))
            install(author.machine, command)
    return author


def install(machine: Machine, line: str) -> None:
    """Runs an install command, which a reader then need not repeat."""
    machine.typed[line,] = machine.run(line)


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


def test_python_bot_goes_from_new_folder_to_hosting(author: Author) -> None:
    follow("python", author)


@pytest.mark.parametrize("language", ["node", "cpp"])
def test_bot_in_another_language_is_connected_and_hosted(language: str, author: Author) -> None:
    if present(TOOLS[language]):
        follow(language, author)


def follow(language: str, author: Author) -> None:
    newcomer = Newcomer(author.machine, author.website, language)
    newcomer.write()
    newcomer.measure()
    newcomer.connect()
    newcomer.host()


@pytest.mark.parametrize("language", LANGUAGES)
def test_the_commands_of_a_languages_page_work(language: str, author: Author) -> None:
    """Its starter connects by gRPC and needs the packages of its language."""
    begin, build, connect, *_ = author.website.snippets(f"/sdk/{language}")
    folder = author.machine.home / language
    folder.mkdir()
    author.machine.run(begin, str(folder))
    lines = [line for line in build.splitlines() if not line.startswith(INSTALLS)]
    if present(TOOLS_OF_STARTERS[language]):
        for line in lines:
            author.machine.run(smaller(line), str(folder / "mybot"))
        start = connect.splitlines()[-1]
        token = author.website.create_bot(f"{language}-{author.machine.home.parent.name}")
        variables = {"ARENA_URL": author.arena.gateway, "ARENA_TOKEN": token}
        with author.machine.running(start, str(folder / "mybot"), variables) as log:
            wait(lambda: "onnected" in log.read_text(), f"{start} has not connected")


def test_commands_on_a_new_bots_page_connect_it(author: Author) -> None:
    name = f"shown-{author.machine.home.parent.name}"
    shown = snippets(author.website.new_bot(name))
    program = next(each for each in shown if "class MyBot" in each)
    commands = next(each for each in shown if each.startswith("export ARENA_URL="))
    (author.machine.home / "mybot.py").write_text(program)

    with author.machine.running("\n".join(commands.splitlines())) as log:
        wait(lambda: "onnected" in log.read_text(), f"{name} has not connected")


def test_the_lines_of_a_new_bots_readme_work(author: Author) -> None:
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


# The documentation for authors, with all extras. The tests above need only the package.


def test_models_play_once_their_packages_are_installed(complete: Author) -> None:
    played = complete.machine.run(f"arena play student master --seats 2 {QUICK}")
    assert "student" in played
    assert "master" in played


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
