"""The game guides agree with the code."""

import re

import pytest
from click.testing import CliRunner

from arena.base.errors import InvalidRequest
from arena.cli.app import arena
from arena.games.guides import grouped, guide
from arena.games.rules import GAMES, game_class


@pytest.mark.parametrize("name", GAMES)
def test_a_page_names_every_option_and_every_action(name: str) -> None:
    page, game = guide(name), game_class(name)
    for option, about in game.known_options.items():
        assert f"| `{option}` | `{about.default}` | {about.about} |" in page
    spans = re.findall(r"^\| (\d+)(?: … (\d+))? \| `", page, re.M)
    covered = [i for first, last in spans for i in range(int(first), int(last or first) + 1)]
    assert covered == list(range(len(game.notation)))


@pytest.mark.parametrize("name", GAMES)
def test_page_explains_the_kinds_of_decisions(name: str) -> None:
    asked = guide(name).partition("**Decisions.**")[2].partition("## Options")[0]
    assert {"turn", "return"} <= set(re.findall(r"`(\w+)`", asked))


def test_a_long_list_of_actions_is_cut_in_the_middle() -> None:
    notation = tuple(f"discard {number}" for number in range(50))
    assert list(grouped(notation)) == [
        ("0 … 49", ", ".join(f"`discard {n}`" for n in range(9)) + ", …, `discard 49`")
    ]


def test_an_unknown_game_is_refused() -> None:
    with pytest.raises(InvalidRequest, match="The games are"):
        guide("chess")


def test_the_command_prints_a_page_or_lists_the_games() -> None:
    assert CliRunner().invoke(arena, ["rules", "lama"]).output == guide("lama") + "\n"
    listed = CliRunner().invoke(arena, ["rules"]).output
    assert [line.split()[0] for line in listed.splitlines()] == list(GAMES)
