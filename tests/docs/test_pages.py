"""The documentation: its list of pages, their links, and the generated pages."""

import re
import tokenize
import tomllib
from collections.abc import Iterator
from itertools import pairwise
from pathlib import Path

import pytest

from arena.kit.commands import COMMANDS as KIT
from arena.kit.commands import SERVER
from dashboard.docs.contents import ENTRIES, FILES, FOLDER, GROUPS, group_of, leads_to, neighbours
from dashboard.docs.markdown import LinkTarget, render
from tests.docs.blocks import PAGES, ROOT, name
from tests.docs.generators import generator

GENERATED = [ROOT / "docs/reference/commands.md", ROOT / "docs/reference/messages.md"]
OTHERS = [ROOT / "deploy/README.md", *sorted((ROOT / "deploy").glob("*/README.md"))]
STARTS = (tokenize.INDENT, tokenize.NEWLINE, tokenize.NL, tokenize.ENCODING)
# Since Python 3.12, the parts of an f-string are separate tokens.
STRINGS = (tokenize.STRING, getattr(tokenize, "FSTRING_MIDDLE", tokenize.STRING))
SITE = "https://arena.example"
OPTION = re.compile(r"(?<![\w-])--[a-z][a-z0-9-]+")
OF_OTHER_PROGRAMS = {"--scale", "--rm", "--depth", "--generate-hashes"}


def test_contents_list_every_page_once() -> None:
    files = [file.relative_to(FOLDER).as_posix() for file in FOLDER.rglob("*.md")]
    files = [file for file in files if not file.startswith("contributing/")]
    listed = [entry.name for group in GROUPS for entry in group.entries]

    assert sorted(f"{each}.md" for each in listed) == sorted(files)
    assert GROUPS[1] is group_of("bots")


def test_pages_link_to_the_next_page() -> None:
    first, *_, last = ENTRIES.values()

    assert neighbours(first.name)[0] is None
    assert neighbours(last.name)[1] is None
    assert neighbours("bots") == (ENTRIES["first-tournament"], ENTRIES["testing"])


def test_package_has_all_served_files() -> None:
    settings = tomllib.loads((ROOT / "pyproject.toml").read_text())
    patterns = settings["tool"]["setuptools"]["package-data"]["dashboard"]
    packaged = {file for pattern in patterns for file in (ROOT / "dashboard").glob(pattern)}

    served = {FOLDER / f"{name}.md" for name in ENTRIES}
    served |= {file for pattern in FILES for file in FOLDER.glob(pattern)}

    assert len(served) > len(ENTRIES)
    assert served | {FOLDER.with_name("llms.txt")} <= packaged


def test_options_in_sentences_exist() -> None:
    known = set(OPTION.findall(GENERATED[0].read_text())) | OF_OTHER_PROGRAMS
    for file in PAGES:
        if "contributing" in str(file).lower():
            continue  # also about options of the laboratory and of style sheets
        told = re.findall(r"`([^`\n]*)`", re.sub(r"```.*?```", "", file.read_text(), flags=re.S))
        assert {option for code in told for option in OPTION.findall(code)} <= known, file


# Links


def anchors(page: Path) -> set[str]:
    text = page.read_text()
    given = set(re.findall(r'<a id="([^"]+)">', text))
    return given | {section.anchor for section in render(text, LinkTarget).sections}


@pytest.mark.parametrize("page", [*PAGES, *GENERATED, *OTHERS], ids=name)
def test_every_link_in_the_repository_works(page: Path) -> None:
    links: list[str] = []

    def collect(href: str) -> LinkTarget:
        links.append(href)
        return LinkTarget(href)

    render(page.read_text(), collect)
    dead = [link for link in links if "://" not in link and not there(page, link)]

    assert dead == []


def there(page: Path, link: str) -> bool:
    path, _, anchor = link.partition("#")
    file = (page.parent / path).resolve() if path else page
    return file.is_file() and (not anchor or anchor in anchors(file))


@pytest.mark.parametrize(
    ("page", "link", "target"),
    [
        ("bots", "limits.md", LinkTarget(f"{SITE}/docs/limits", "Limits")),
        ("bots", "rules.md#notation", LinkTarget(f"{SITE}/docs/rules#notation", "Game rules")),
        ("releases/0.1.0", "../luck.md", LinkTarget(f"{SITE}/docs/luck", "Luck and reviews")),
        ("bots", "../proto/arena/v1/play.proto", LinkTarget(f"{SITE}/sdk/play.proto")),
        ("learning", "examples/search_bot.py", LinkTarget(f"{SITE}/docs/examples/search_bot.py")),
        ("bots", "../README.md", LinkTarget(f"{SITE}/docs")),
        ("bots", "#in-python", LinkTarget("#in-python")),
        ("bots", "https://example.org/a.md", LinkTarget("https://example.org/a.md")),
        ("bots", "../deploy/README.md", None),
        ("bots", "images/overview.png", None),
        ("bots", "screenshots.py", None),
        ("bots", "gone.md", None),
    ],
)  # fmt: skip
def test_link_leads_to_a_served_page(page: str, link: str, target: LinkTarget | None) -> None:
    assert leads_to(link, page, SITE) == target


def test_link_to_a_file_that_is_not_served_becomes_text() -> None:
    text = "See [a `deploy` guide](../deploy/README.md) and [limits.md](limits.md)."

    body = render(f"# Page\n\n{text}\n", lambda href: leads_to(href, "bots", SITE)).body

    assert body == (
        "<p>See a <code>deploy</code> guide and "
        f'<a href="{SITE}/docs/limits">Limits</a>.</p>\n'
    )  # fmt: skip


@pytest.mark.parametrize(
    ("heading", "anchor"),
    [
        ("Does it keep to the contract?", "does-it-keep-to-the-contract"),
        ("`arena up` and `arena down`", "arena-up-and-arena-down"),
        ("max_in_flight", "max_in_flight"),
        ("Backups / archives", "backups--archives"),
        ("A [link](rules.md)", "a-link"),
    ],
)
def test_heading_has_the_same_anchor_as_on_github(heading: str, anchor: str) -> None:
    _, section = render(f"# Page\n\n## {heading}\n", LinkTarget).sections

    assert section.anchor == anchor


def test_headings_with_one_title_have_different_anchors() -> None:
    sections = render("# Page\n\n## Time\n\n## Time\n\n## Time\n", LinkTarget).sections

    assert [section.anchor for section in sections[1:]] == ["time", "time-1", "time-2"]


def test_comments_do_not_reach_the_website() -> None:
    page = "# Page\n\n<!-- not run: slow -->\n```sh\nls <A>\n```\n"

    body = render(page, LinkTarget).body

    assert "not run" not in body
    assert "<code>ls &lt;A&gt;\n</code>" in body


def test_cell_without_text_is_not_a_header() -> None:
    body = render("# Page\n\n| | b |\n|---|---|\n| 1 | 2 |\n", LinkTarget).body

    assert "<tr>\n<td></td>\n<th>b</th>\n</tr>" in body


# Generated


def test_the_reference_of_commands_is_up_to_date() -> None:
    """Compares words only, because Python versions wrap lines differently."""
    commands = generator("command_reference")

    assert commands.PAGE.read_text().split() == commands.reference().split(), "run: make docs"


def test_every_command_is_in_the_reference_with_its_options() -> None:
    page = GENERATED[0].read_text()
    sections = dict(re.findall(r"### (arena [^\n]+)\n\n```text\n(.*?)\n```\n", page, re.DOTALL))

    assert all(f"sage: {words}" in text for words, text in sections.items())
    assert {f"arena {name}" for name in [*KIT, *SERVER]} <= set(sections)
    assert "--matches" in sections["arena check"]
    assert "--trusted" in sections["arena tournament new"]
    assert max(map(len, page.splitlines())) <= 120


def test_the_reference_of_messages_is_up_to_date() -> None:
    page = GENERATED[1].read_text()

    assert page == generator("proto_tables").reference(), "run: make docs"
    assert "| `CreateTournament` | `TournamentSpec → Tournament` | Creates a tournament" in page


# Linked from elsewhere

LINKED = re.compile(
    r"""(?:url_for\(["']docs\.show["'], entry=|website\.docs\(|\bdocs\()["']([\w/.-]+)"""
    r"""(?:#|["'], _anchor=["'])?([\w-]*)["']"""
)


def linked() -> set[tuple[str, str, str]]:
    """The pages and anchors that code and templates link to, each with a linking file."""
    sources = [*ROOT.glob("arena/**/*.py"), *ROOT.glob("dashboard/**/*.py")]
    return {
        (page, anchor, name(source))
        for source in [*sources, *ROOT.glob("dashboard/**/*.html")]
        for page, anchor in LINKED.findall(source.read_text())
    }


def test_links_in_messages_and_on_other_pages_work() -> None:
    dead = [
        (page, anchor, source)
        for page, anchor, source in linked()
        if page not in ENTRIES or (anchor and anchor not in anchors(FOLDER / f"{page}.md"))
    ]

    assert dead == []
    assert {page for page, *_ in linked()} >= {"bots", "submitting", "protocol", "configuration"}


def strings(source: Path) -> Iterator[str]:
    """The strings of a module, without docstrings other than those of commands."""
    with source.open("rb") as file:
        for before, token in pairwise(tokenize.tokenize(file.readline)):
            is_docstring = before.type in STARTS and "arena/cli/" not in source.as_posix()
            if token.type in STRINGS and not is_docstring:
                yield token.string


def test_messages_do_not_name_files_of_a_clone() -> None:
    named = re.compile(r"\bdocs/[\w/]+\.md\b|\bsee proto/")
    sources = [*ROOT.glob("arena/**/*.py"), *ROOT.glob("dashboard/**/*.py")]
    found = [
        f"{name(source)}: {string[:80]}"
        for source in sources
        if named.search(source.read_text())
        for string in strings(source)
        if named.search(string)
    ]

    assert found == []
