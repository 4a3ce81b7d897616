"""The games with TextArena's interface; tests/integration/learn has them in TextArena itself."""

import json
import subprocess
import sys
from types import ModuleType

import pytest

from arena.base.errors import InvalidRequest


@pytest.fixture
def learn() -> ModuleType:
    """The module, imported late: it imports TextArena, which takes seconds, if there is one."""
    from arena.learn import text_environment

    return text_environment


def test_players_are_told_moves_and_scores_once(learn: ModuleType) -> None:
    table = learn.TextEnvironment()
    table.reset(2, seed=1)
    first, (prompt, board) = table.get_observation()
    assert (prompt[0], prompt[2]) == (learn.GAME_ID, learn.ObservationType.PROMPT)
    assert board[2] == learn.ObservationType.GAME_BOARD
    assert table.get_observation() == (first, [])

    table.step("[quit]")

    _, (prompt, move, _) = table.get_observation()
    assert move == (first, "[quit]", learn.ObservationType.PLAYER_ACTION)
    table.step("[quit]")
    told = [text for _, text, _ in table.get_observation()[1]]
    assert any(text.startswith("Round 1 has ended. Player 0 has ") for text in told)


def test_no_player_is_told_the_hand_of_another(learn: ModuleType) -> None:
    table = learn.TextEnvironment()
    table.reset(3, seed=2)
    boards = {}
    for _ in range(3):
        player, messages = table.get_observation()
        boards[player] = messages[-1][1]
        table.step("[draw]")
    assert len({board.split("Your hand: ")[1] for board in boards.values()}) == 3
    for player, messages in table.state.observations.items():
        for sender, text, kind in messages:
            mine = kind == learn.ObservationType.GAME_BOARD and f"Seat {player} (you)" in text
            assert mine or "Your hand" not in text
            assert sender in (learn.GAME_ID, 0, 1, 2)


def test_an_illegal_answer_may_be_corrected_once(learn: ModuleType) -> None:
    table = learn.TextEnvironment()
    table.reset(2, seed=1)
    player, _ = table.get_observation()

    done, info = table.step("[fold]")

    assert not done
    assert info["reason"].startswith("[fold] is not legal. Legal actions: ")
    again, (problem,) = table.get_observation()
    assert (again, problem[2]) == (player, learn.ObservationType.GAME_ADMIN)
    table.step("[draw]")
    assert table.state.current_player_id != player
    assert not table.close()[1][player]["invalid_move"]


def test_a_player_that_only_gives_illegal_answers_comes_last(learn: ModuleType) -> None:
    table = learn.TextEnvironment(fault_limit=1)
    table.reset(2, seed=1)
    done = False
    while not done:
        player, _ = table.get_observation()
        done, _ = table.step("no idea" if player == 0 else "[quit]")
    rewards, game_info = table.close()

    assert rewards == {0: -1.0, 1: 1.0}
    assert game_info[0]["invalid_move"]
    assert game_info[0]["turn_count"] == 1, "then it has forfeited"


def test_a_seed_deals_the_same_cards(learn: ModuleType) -> None:
    def board(seed: int | None) -> str:
        table = learn.TextEnvironment("party")
        table.reset(3, seed)
        return str(table.get_board_str())

    assert board(5) == board(5) != board(6)
    assert board(None) != board(None)


def test_misuse_is_told(learn: ModuleType) -> None:
    table = learn.TextEnvironment(options={"max_rounds": "many"})
    with pytest.raises(InvalidRequest, match="Start one with `reset`"):
        table.step("[quit]")
    with pytest.raises(InvalidRequest, match="max_rounds"):
        table.reset(3)
    with pytest.raises(InvalidRequest, match="seats"):
        learn.TextEnvironment().reset(7)


def test_it_needs_no_package_but_the_arenas() -> None:
    code = (
        "import sys, json; sys.modules['textarena'] = None;"
        "import arena.learn.text_environment; print(json.dumps([*sys.modules]))"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert not {"numpy", "pettingzoo", "gymnasium"} & set(json.loads(done.stdout))
