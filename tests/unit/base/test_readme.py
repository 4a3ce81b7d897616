"""README and docs agree with the code."""

import re
from pathlib import Path

import pytest

from arena.bots import HOUSE
from arena.sdk import Bot, load_bot, play

ROOT = Path(__file__).parents[3]
EXAMPLE = ROOT / "docs" / "examples" / "mybot.py"
PAGES = [ROOT / "README.md", *sorted((ROOT / "docs").rglob("*.md"))]


def test_the_example_bot_plays_without_a_fault() -> None:
    bot = load_bot(f"{EXAMPLE}:MyBot")
    record = play([bot(), HOUSE["sharp"](), HOUSE["random"]()], seed=1)
    assert record["result"]["faults"] == [None, None, None]
    assert not any("fault" in move for told in record["rounds"] for move in told["moves"])


@pytest.mark.parametrize("page", ["README.md", "docs/bots.md"])
def test_the_bot_shown_is_the_example(page: str) -> None:
    shown = re.search(
        r"```python\n(from arena\.sdk import Bot\n.*?)```", (ROOT / page).read_text(), re.S
    )
    assert shown
    code = EXAMPLE.read_text().partition('"""\n\n')[2]
    assert shown.group(1) == code


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_links_between_pages_work(page: Path) -> None:
    for target in re.findall(r"\]\(([^)#:]+)\)", page.read_text()):
        assert (page.parent / target).exists(), target


def test_every_attribute_of_a_bot_is_listed_with_its_default() -> None:
    page = (ROOT / "docs/sdk.md").read_text()
    told = dict(re.findall(r"^\| `(\w+)` \| `([^`]+)` \|", page, re.M))

    said = {name for name, kind in Bot.__annotations__.items() if "ClassVar" in str(kind)}

    assert told.keys() == said
    assert {name: repr(getattr(Bot, name)).replace("'", '"') for name in said} == told


def test_every_house_bot_is_described() -> None:
    told = re.findall(r"^\| `(\w+)` \|", (ROOT / "docs/testing.md").read_text(), re.M)
    assert told[-len(HOUSE) :] == list(HOUSE)
