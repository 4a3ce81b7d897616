"""The games as text, with the interface of TextArena's environments.

from arena.learn.text_environment import TextEnvironment

table = TextEnvironment("lama")
table.reset(num_players=3, seed=1)
done = False
while not done:
    player, observation = table.get_observation()
    done, info = table.step("[quit]")
rewards, game_info = table.close()

TextArena's wrappers work, but TextArena need not be installed.
"""

import random
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from enum import Enum, auto
from typing import Any, TypeAlias

from arena.games.guides import prose
from arena.games.match import Match, MatchSetup, Seat
from arena.games.rules import View, game_class
from arena.games.rules.errors import OutOfTurn
from arena.games.rules.shuffles import SEED_BYTES
from arena.learn.rewards import rewards

try:  # its wrappers compare with its own members
    from textarena import ObservationType
except ModuleNotFoundError:

    class ObservationType(Enum):  # type: ignore[no-redef]
        """The kinds of messages, as in TextArena."""

        PROMPT = auto()
        PLAYER_ACTION = auto()
        GAME_ACTION_DESCRIPTION = auto()
        GAME_MESSAGE = auto()
        GAME_BOARD = auto()
        GAME_ADMIN = auto()


__all__ = ["GAME_ID", "Message", "ObservationType", "State", "TextEnvironment"]

GAME_ID = -1  # the sender of the game's own messages

Message: TypeAlias = tuple[int, str, Any]  # sender, text, ObservationType

PROMPT = """You are Player {player}, in seat {player} of a card game. These are its rules:

{rules}
On your turn, answer with one of the legal actions in square brackets, such as [quit]."""


@dataclass
class State:
    """The part of an environment that wrappers read."""

    num_players: int
    role_mapping: dict[int, str] = field(default_factory=dict)
    observations: dict[int, list[Message]] = field(default_factory=dict)  # by player, unread
    logs: list[tuple[int, str]] = field(default_factory=list)
    game_info: dict[int, dict[str, Any]] = field(default_factory=dict)
    rewards: dict[int, float] | None = None
    current_player_id: int = 0
    turn: int = 0
    done: bool = False

    def __post_init__(self) -> None:
        for player in range(self.num_players):
            self.role_mapping[player] = role = f"Player {player}"
            self.observations[player] = []
            self.game_info[player] = {"role": role, "invalid_move": False, "turn_count": 0}
        self.role_mapping[GAME_ID] = "GAME"

    def tell(self, players: Sequence[int], sender: int, text: str, kind: Any) -> None:
        """Adds a message for these players."""
        self.logs.append((sender, text))
        for player in players:
            self.observations[player].append((sender, text, kind))


class TextEnvironment:
    """Matches of one game, one at a time. Players are numbered by seat.

    A player may give one illegal answer in a decision. After the second one the game's default
    action is played, and after `fault_limit` of these the player forfeits, as in the arena.
    Rewards are those of `arena.learn.environment`.
    """

    def __init__(
        self, game: str = "lama", options: Mapping[str, str] | None = None, fault_limit: int = 3
    ) -> None:
        """Raises UnknownGame."""
        self._rules = game_class(game)
        self._options, self._fault_limit = dict(options or {}), fault_limit
        self._match: Match | None = None
        self._warned = False  # whether the last answer was illegal
        self.state = State(0)

    def reset(self, num_players: int, seed: int | None = None) -> None:
        """Starts a match. The same seed deals the same cards. Raises BadSeats, BadOption."""
        cards = random.Random(seed).randbytes(SEED_BYTES)
        seats = tuple(Seat(f"Player {player}") for player in range(num_players))
        self._match = Match(
            MatchSetup("text", self._rules.name, cards, seats, self._options, self._fault_limit)
        )
        self._warned, self.state = False, State(num_players)
        rules = prose(self._rules)
        for player in range(num_players):
            prompt = PROMPT.format(player=player, rules=rules)
            self.state.tell([player], GAME_ID, prompt, ObservationType.PROMPT)
        self._ask()

    def get_observation(self) -> tuple[int, list[Message]]:
        """Returns the deciding player and the messages that it has not seen yet."""
        player = self.state.current_player_id
        unread, self.state.observations[player] = self.state.observations[player], []
        return player, unread

    def step(self, action: str) -> tuple[bool, dict[str, Any]]:
        """Takes the answer of the deciding player. Returns whether the match is over, and the
        reason if the answer is illegal. Raises OutOfTurn before `reset`."""
        match, state = self._match, self.state
        if match is None:
            raise OutOfTurn("There is no match. Start one with `reset`.")
        view = match.decision
        if view is None:
            return True, {}
        said = _said(action, view)
        if said not in view.actions and not self._warned:
            self._warned = True
            problem = f"[{said}] is not legal. Legal actions: {', '.join(view.actions)}"
            state.tell([view.seat], GAME_ID, problem, ObservationType.GAME_ADMIN)
            return False, {"reason": problem}
        self._warned = False
        rounds = len(match.game.rounds)
        fault = match.answer(said)
        state.turn += 1
        info = state.game_info[view.seat]
        info["turn_count"] += 1
        info["invalid_move"] |= fault is not None
        everyone = range(state.num_players)
        played = f"[{fault.instead if fault else said}]"
        state.tell(everyone, view.seat, played, ObservationType.PLAYER_ACTION)
        if len(match.game.rounds) > rounds or match.finished:
            scores = f"Round {view.round} has ended. {_scores(match.game.points)}"
            state.tell(everyone, GAME_ID, scores, ObservationType.GAME_MESSAGE)
        self._ask()
        return state.done, {"reason": fault.reason} if fault else {}

    def close(self) -> tuple[dict[int, float] | None, dict[int, dict[str, Any]]]:
        """Returns the rewards and information by player; no rewards before the end."""
        return self.state.rewards, self.state.game_info

    def get_board_str(self) -> str:
        """Returns the view of the deciding player, for renderers."""
        view = self._match.decision if self._match else None
        return view.text() if view else "The match is over."

    def _ask(self) -> None:
        """Shows the next decision to its player, or ends the match."""
        assert self._match is not None
        if (view := self._match.decision) is not None:
            self.state.current_player_id = view.seat
            self.state.tell([view.seat], GAME_ID, view.text(), ObservationType.GAME_BOARD)
            return
        result = self._match.result
        self.state.done = True
        self.state.rewards = dict(enumerate(rewards(result.ranks)))
        for player, info in self.state.game_info.items():
            info["reason"] = f"Place {result.ranks[player]}. {_scores(list(result.points))}"


def _said(action: str, view: View) -> str:
    """Returns the last text in square brackets, or the whole answer, as the view writes it."""
    said: str = (re.findall(r"\[([^\[\]]*)\]", action) or [action])[-1].strip()
    return next((each for each in view.actions if each.lower() == said.lower()), said[:100])


def _scores(points: Sequence[int]) -> str:
    return ", ".join(f"Player {player} has {held} points" for player, held in enumerate(points))
