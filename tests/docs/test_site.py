"""The documentation as a site: what `make docs` relies on, without MkDocs."""

from __future__ import annotations

import re

import pytest

from arena.cli.app import arena
from arena.kit.commands import COMMANDS as KIT
from tests.docs.blocks import PAGES, ROOT, name
from tests.docs.site import site_hooks

hooks = site_hooks()
CONFIG = (ROOT / "docs" / "site" / "mkdocs.yml").read_text()


def test_every_page_is_in_the_navigation_once() -> None:
    listed = re.findall(r"^ +- .+: (\S+\.md)$", CONFIG, re.MULTILINE)

    assert sorted(listed) == sorted([*(hooks.place(name(page)) for page in PAGES), *hooks.MADE])


def test_every_command_is_in_the_reference_with_its_options() -> None:
    page = hooks.MADE["reference/commands.md"]()
    sections = dict(re.findall(r"### (arena [^\n]+)\n\n```text\n(.*?)\n```\n", page, re.DOTALL))

    told = {words: text for words, text in sections.items() if f"sage: {words}" in text}

    assert told == sections
    assert {f"arena {name}" for name in [*KIT, *arena.COMMANDS]} <= set(told)
    assert "--matches" in told["arena check"]
    assert "--trusted" in told["arena tournament new"]
    assert max(map(len, page.splitlines())) <= 120


def test_every_message_is_in_the_reference() -> None:
    page = hooks.MADE["reference/messages.md"]()

    assert {"## play.proto", "### Batch", "## control.proto", "### Control"} <= set(
        page.split("\n")
    )
    assert "| `CreateTournament` | `TournamentSpec → Tournament` | Creates a tournament" in page


def test_the_folder_it_is_built_in_is_ignored() -> None:
    assert "site_dir: ../../build/docs\n" in CONFIG
    assert "build/" in (ROOT / ".gitignore").read_text().splitlines()


@pytest.mark.parametrize(
    ("page", "link", "becomes"),
    [
        ("index.md", "docs/bots.md", "bots.md"),
        ("index.md", "docs/configuration.md#redis", "configuration.md#redis"),
        ("index.md", "docs/images/overview.png", "images/overview.png"),
        ("index.md", "LICENSE", "source/LICENSE.md"),
        ("contributing.md", "../CHANGELOG.md", "changelog.md"),
        ("contributing.md", "SECURITY.md", "security.md"),
        ("bots.md", "../proto/arena/v1/play.proto", "source/proto/arena/v1/play.proto.md"),
        ("bots.md", "limits.md", "limits.md"),
        ("bots.md", "gone.md", "gone.md"),
        ("bots.md", "https://example.org/a.md", "https://example.org/a.md"),
    ],
)
def test_links_lead_within_the_site(page: str, link: str, becomes: str) -> None:
    assert hooks.within_site(f"See [it]({link}).", page) == f"See [it]({becomes})."


def test_files_that_pages_link_to_are_shown() -> None:
    assert {"LICENSE", "proto/arena/v1/play.proto"} <= hooks.linked()
    assert "```protobuf\n" in hooks.shown("proto/arena/v1/play.proto")


@pytest.mark.parametrize(
    "html",
    [
        '<script src="https://unpkg.com/a.js"></script>',
        "<link href=//fonts.example/a.css rel=stylesheet>",
        '<link rel="preconnect" href="https://fonts.example" crossorigin>',
        "<img alt=x src='http://a.example/b.png'>",
        "body { background: url(https://a.example/b.png) }",
    ],
)
def test_what_a_page_fetches_from_elsewhere_is_noticed(html: str) -> None:
    assert len(hooks.fetched(html)) == 1


@pytest.mark.parametrize(
    "html",
    [
        '<script src="assets/a.js"></script>',
        '<a href="https://example.org">out</a>',
        '<link href="assets/a.css" rel="stylesheet">',
        '<link rel="canonical" href="https://example.org/">',
        "body { background: url(data:image/png;base64,AAAA) }",
    ],
)
def test_what_it_brings_along_or_links_to_is_not(html: str) -> None:
    assert hooks.fetched(html) == []
