"""docs/rules.md, the engine and the tests speak of the same rules, by their IDs."""

import re
from collections.abc import Iterator
from pathlib import Path

import pytest

from arena.games.rules import GAMES

ROOT = Path(__file__).parents[3]
DOC = (ROOT / "docs" / "rules.md").read_text()

# All IDs. The numbering has gaps.
ALL_IDS = {
    *(f"COM-{number}" for number in range(1, 17)),
    *(f"LAMA-{number}" for number in range(1, 36)),
    *(f"PARTY-{n}" for n in (*range(1, 12), *range(20, 28), *range(30, 37), *range(40, 44))),
    *(f"DICE-{number}" for number in range(1, 34)),
    *(f"KAD-{number}" for number in range(1, 65) if number != 19),
}
LIST = re.compile(r"\b(COM|LAMA|PARTY|DICE|KAD)-\d+(?:(?:,| and| to| …) (?:\1)?-\d+)*")


def ids(text: str) -> Iterator[str]:
    """IDs in a text, including forms like "KAD-1, -2" and "KAD-1 … -3" for several IDs."""
    for found in LIST.finditer(text):
        last = 0
        for link, number in re.findall(r"(to|…)? ?(?:[A-Z]+)?-(\d+)", found[0]):
            first = last + 1 if link else int(number)
            yield from (f"{found[1]}-{n}" for n in range(first, int(number) + 1))
            last = int(number)


def test_lists_of_ids_are_read() -> None:
    text = "as KAD-1, -2 and KAD-4 say (KAD-6 … -8), LAMA-3 to LAMA-5, see DICE-9."
    assert sorted(ids(text)) == sorted(
        [*(f"KAD-{n}" for n in (1, 2, 4, 6, 7, 8)), "LAMA-3", "LAMA-4", "LAMA-5", "DICE-9"]
    )


def test_every_rule_is_in_the_doc() -> None:
    rows = [line.split("|")[1] for line in DOC.splitlines() if line.startswith("| ")]
    told = [rule for row in rows for rule in ids(row)]
    assert sorted(told) == sorted(ALL_IDS)


def test_every_rule_has_its_place_in_the_engine() -> None:
    files = [*(ROOT / "arena/games/rules").glob("*.py"), ROOT / "arena/games/match.py"]
    placed = {rule for file in files for rule in ids(file.read_text())}
    assert placed >= ALL_IDS


def test_every_rule_has_a_test_named_after_it() -> None:
    tested = set()
    for file in [*(ROOT / "tests").rglob("test_*.py")]:
        for name in re.findall(r"def test_(\w+)", file.read_text()):
            found = re.findall(r"(com|lama|party|dice|kad)_(\d+)", name)
            tested |= {f"{game.upper()}-{number}" for game, number in found}
    assert tested >= ALL_IDS


@pytest.mark.parametrize("game", GAMES)
def test_every_option_is_in_the_doc_with_its_default(game: str) -> None:
    for name, option in GAMES[game].known_options.items():
        assert re.search(
            rf"^\| `{re.escape(name)}` \|.*\| `{re.escape(option.default)}` \|$", DOC, re.M
        )


@pytest.mark.parametrize("column", range(len(GAMES)), ids=GAMES)
def test_the_indices_in_the_doc_are_the_engines(column: int) -> None:
    game = list(GAMES.values())[column]
    rows = [
        line.split(" | ") for line in DOC.splitlines() if re.match(r"\| (`keep` at|after it)", line)
    ]
    at, after = (row[column + 1].rstrip(" |") for row in rows)
    assert int(at) == game.keep
    for action in re.findall(r"`([^`]+)`", after):
        assert action in game.notation[game.keep + 1 :]


def test_every_action_of_every_game_begins_as_the_doc_says() -> None:
    table = DOC[DOC.index("| action | games |") : DOC.index("A view's `ask` names the phase")]
    told = {
        word
        for row in table.strip().splitlines()
        for word in re.findall(r"`(\w+)", row.split("|")[1])
    }
    assert told == {action.split()[0] for game in GAMES.values() for action in game.notation}
