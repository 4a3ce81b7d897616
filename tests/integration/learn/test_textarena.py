"""The games in TextArena itself: made by its registry, and played through its own wrappers."""

from __future__ import annotations

from random import Random
from typing import TYPE_CHECKING

import pytest

from arena.games.rules import GAMES

if TYPE_CHECKING:
    import textarena

# Those that give a whole text, and leave the answer as it is or clip it.
OBSERVERS = (
    "GameBoardObservationWrapper",
    "GameMessagesAndCurrentBoardObservationWrapper",
    "LLMObservationWrapper",
)


def made(game: str, wrapper: str) -> textarena.Env:
    """Makes an environment as a user of TextArena does."""
    import textarena  # takes seconds, which every process would spend for its collection
    from textarena import wrappers

    name = f"lama-{game}-{wrapper}"
    if name not in textarena.envs.registration.ENV_REGISTRY:
        textarena.register(
            name,
            "arena.learn.text_environment:TextEnvironment",
            default_wrappers=[getattr(wrappers, wrapper)],
            game=game,
        )
    return textarena.make(name)


def legal(text: str) -> list[str]:
    return text.rpartition("Legal actions: ")[2].splitlines()[0].rstrip("] ").split(", ")


@pytest.mark.parametrize("wrapper", OBSERVERS)
@pytest.mark.parametrize("game", GAMES)
def test_a_match_is_played_through_a_wrapper(game: str, wrapper: str) -> None:
    table, rng = made(game, wrapper), Random(1)
    table.reset(num_players=4, seed=1)
    done, turns = False, 0
    while not done:
        player, text = table.get_observation()
        assert player == table.state.current_player_id
        assert f"You are Player {player}" in text
        assert f"Seat {player} (you)" in text
        assert table.get_board_str() in text
        done, info = table.step(f"I think about [quit].\n[{rng.choice(legal(text)).upper()}]")
        turns += 1
        assert info == {}
    rewards, game_info = table.close()

    assert turns == table.state.turn == sum(each["turn_count"] for each in game_info.values())
    assert sum(rewards.values()) == pytest.approx(0)
    assert max(rewards.values()) > 0
    best = max(rewards, key=rewards.__getitem__)
    assert game_info[best]["reason"].startswith("Place 1. Player 0 has ")
    assert game_info[best]["role"] == table.state.role_mapping[best]
    assert not any(each["invalid_move"] for each in game_info.values())
    assert table.step("[quit]") == (True, {})


def test_an_answer_without_brackets_is_formatted_by_its_wrapper() -> None:
    from textarena.wrappers import ActionFormattingWrapper

    table = ActionFormattingWrapper(made("lama", OBSERVERS[0]))
    table.reset(num_players=2, seed=1)
    player, _ = table.get_observation()

    table.step("quit")

    following, text = table.get_observation()
    assert following != player
    assert "quit" in text.partition("Moves of this round")[2].splitlines()[0]
