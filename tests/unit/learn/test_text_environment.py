"""The games with TextArena's interface.

TextArena itself is not installed here. The wrapper below does what its wrappers do.
"""

from __future__ import annotations

import json
import subprocess
import sys
from random import Random
from typing import Any

import pytest

from arena.base.errors import InvalidRequest
from arena.games.rules import GAMES
from arena.learn.text_environment import GAME_ID, ObservationType, TextEnvironment


class CurrentBoard:
    """The prompt and the newest board as text, like TextArena's GameBoardObservationWrapper."""

    def __init__(self, env: TextEnvironment) -> None:
        self.env, self.seen = env, dict[int, list[Any]]()

    def __getattr__(self, name: str) -> Any:
        return getattr(self.env, name)

    def get_observation(self) -> tuple[int, str]:
        player, messages = self.env.get_observation()
        seen = self.seen.setdefault(player, [])
        seen.extend(messages)
        (prompt,) = [text for _, text, kind in seen if kind == ObservationType.PROMPT]
        board = [text for _, text, kind in seen if kind == ObservationType.GAME_BOARD][-1]
        return player, f"{prompt}\n\n{board}"


def legal(text: str) -> list[str]:
    return text.rpartition("Legal actions: ")[2].split(", ")


@pytest.mark.parametrize("game", GAMES)
def test_a_match_is_played_through_a_wrapper(game: str) -> None:
    table, rng = CurrentBoard(TextEnvironment(game)), Random(1)
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


def test_players_are_told_moves_and_scores_once() -> None:
    table = TextEnvironment()
    table.reset(2, seed=1)
    first, (prompt, board) = table.get_observation()
    assert (prompt[0], prompt[2]) == (GAME_ID, ObservationType.PROMPT)
    assert board[2] == ObservationType.GAME_BOARD
    assert table.get_observation() == (first, [])

    table.step("[quit]")

    _, (prompt, move, _) = table.get_observation()
    assert move == (first, "[quit]", ObservationType.PLAYER_ACTION)
    table.step("[quit]")
    told = [text for _, text, _ in table.get_observation()[1]]
    assert any(text.startswith("Round 1 has ended. Player 0 has ") for text in told)


def test_no_player_is_told_the_hand_of_another() -> None:
    table = TextEnvironment()
    table.reset(3, seed=2)
    boards = {}
    for _ in range(3):
        player, messages = table.get_observation()
        boards[player] = messages[-1][1]
        table.step("[draw]")
    assert len({board.split("Your hand: ")[1] for board in boards.values()}) == 3
    for player, messages in table.state.observations.items():
        for sender, text, kind in messages:
            mine = kind == ObservationType.GAME_BOARD and f"Seat {player} (you)" in text
            assert mine or "Your hand" not in text
            assert sender in (GAME_ID, 0, 1, 2)


def test_an_illegal_answer_may_be_corrected_once() -> None:
    table = TextEnvironment()
    table.reset(2, seed=1)
    player, _ = table.get_observation()

    done, info = table.step("[fold]")

    assert not done
    assert info["reason"].startswith("[fold] is not legal. Legal actions: ")
    again, (problem,) = table.get_observation()
    assert (again, problem[2]) == (player, ObservationType.GAME_ADMIN)
    table.step("[draw]")
    assert table.state.current_player_id != player
    assert not table.close()[1][player]["invalid_move"]


def test_a_player_that_only_gives_illegal_answers_comes_last() -> None:
    table = TextEnvironment(fault_limit=1)
    table.reset(2, seed=1)
    done = False
    while not done:
        player, _ = table.get_observation()
        done, _ = table.step("no idea" if player == 0 else "[quit]")
    rewards, game_info = table.close()

    assert rewards == {0: -1.0, 1: 1.0}
    assert game_info[0]["invalid_move"]
    assert game_info[0]["turn_count"] == 1, "then it has forfeited"


def test_a_seed_deals_the_same_cards() -> None:
    def board(seed: int | None) -> str:
        table = TextEnvironment("party")
        table.reset(3, seed)
        return table.get_board_str()

    assert board(5) == board(5) != board(6)
    assert board(None) != board(None)


def test_misuse_is_told() -> None:
    table = TextEnvironment(options={"max_rounds": "many"})
    with pytest.raises(InvalidRequest, match="Start one with `reset`"):
        table.step("[quit]")
    with pytest.raises(InvalidRequest, match="max_rounds"):
        table.reset(3)
    with pytest.raises(InvalidRequest, match="seats"):
        TextEnvironment().reset(7)


def test_it_needs_no_package_but_the_arenas() -> None:
    code = "import arena.learn.text_environment, sys, json; print(json.dumps([*sys.modules]))"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert not {"numpy", "pettingzoo", "gymnasium", "textarena"} & set(json.loads(done.stdout))
