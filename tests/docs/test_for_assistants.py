"""llms-full.txt: one file from which an assistant can write a bot."""

import re
from pathlib import Path

import pytest

from arena import sdk
from arena.games.rules import GAMES, game_class
from arena.sdk import load_bot, play
from dashboard.docs import assistants
from tests.docs.blocks import ROOT

SITE = "https://arena.example"
RULE = "=" * 78


@pytest.fixture(scope="module")
def text() -> str:
    """The file."""
    return assistants.full_text(SITE)


def parts(text: str) -> dict[str, str]:
    _, *found = text.split(f"{RULE}\n")
    return {title.strip(): part for title, part in zip(found[::2], found[1::2], strict=True)}


def test_file_has_all_announced_sections(text: str) -> None:
    announced = re.findall(r"^- (.+)$", text.partition(RULE)[0], re.MULTILINE)
    assert list(parts(text)) == announced
    assert announced == [
        "Your first bot",
        "Connect a bot",
        "Test and compare bots",
        "Python SDK",
        "Protocol",
        *(f"arena rules {game}" for game in GAMES),
        "Game rules: Options, Notation",
        "help(View)",
        "arena.sdk",
        "examples/mybot.py",
        "play.proto",
    ]


def test_every_action_of_every_game_is_listed(text: str) -> None:
    for name in GAMES:
        part = parts(text)[f"arena rules {name}"]
        for action in game_class(name).notation[:9]:
            assert f"`{action}`" in part
    assert "| `discard a b c` | Dice |" in parts(text)["Game rules: Options, Notation"]


def test_sdk_is_included_without_its_internals(text: str) -> None:
    part = parts(text)["arena.sdk"]
    for name in sdk.__all__:
        assert re.search(rf"^(class|def|async def) {name}\b", part, re.MULTILINE), name
    assert "max_in_flight: ClassVar[int] = 1" in part
    assert "Connects the bot to an arena and plays until interrupted." in part
    assert "from arena.sdk.client import run" not in part  # an internal import
    assert "def _" not in part.replace("def __init__", "")


def test_bot_in_the_file_plays(text: str, tmp_path: Path) -> None:
    file = tmp_path / "mybot.py"
    file.write_text(parts(text)["examples/mybot.py"].strip() + "\n")
    bot = load_bot(str(file))
    assert play([bot(), bot()], seed=1)["result"]["faults"] == [None, None]


def test_protocol_is_included_verbatim(text: str) -> None:
    contract = (ROOT / "proto/arena/v1/play.proto").read_text()
    assert parts(text)["play.proto"].strip() == contract.strip()


def test_file_is_plain_text_with_working_links(text: str) -> None:
    prose = "".join(assistants.FENCED.split(text)[::2])
    assert not re.search(r"\]\((?!https?:)", prose)
    assert "<!--" not in prose
    addresses = {each.rstrip(".") for each in re.findall(rf"{SITE}/([\w/.-]+)", prose)}
    assert "docs/limits" in addresses
    for address in addresses - {"sdk"}:
        assert (ROOT / f"{address}.md").exists() or (ROOT / address).exists(), address


@pytest.mark.parametrize(
    ("link", "words"),
    [
        ("[it](#packed-decisions)", 'it (Connect a bot, "packed decisions", in this file)'),
        ("[all](limits.md)", f"all ({SITE}/docs/limits)"),
        ("[all\nof it](protocol.md)", "all\nof it (Protocol, in this file)"),
        ("[both](../deploy/README.md)", "both"),
        ("[`a[0]`](https://a.example)", "`a[0]` (https://a.example)"),
        ("![a picture](images/a.png)", ""),
        ("```python\na[0](1)\n```\n", "```python\na[0](1)\n```\n"),
        ("<!-- output -->\n```text\n1\n```\n", "```text\n1\n```\n"),
    ],
)
def test_a_link_becomes_words(link: str, words: str) -> None:
    assert assistants.plain(link, "bots", SITE) == words


def test_missing_section_is_reported() -> None:
    with pytest.raises(ValueError, match="no section 'Gone'"):
        assistants.section("# Page\n\n## Here\n", "Gone")
