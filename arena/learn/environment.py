"""The games as PettingZoo AEC environments, with one agent for each seat.

from arena.learn.environment import env

table = env("lama", seats=4, seed=1)
table.reset()
for agent in table.agent_iter():
    seen, reward, terminated, truncated, _ = table.last()
    over = terminated or truncated
    table.step(None if over else int(seen["action_mask"].argmax()))
"""

import operator
import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import numpy as np

from arena.base.errors import InvalidRequest
from arena.base.extras import missing
from arena.games.batch import Games, batch_class
from arena.games.batch.arrays import Int16
from arena.games.batch.chance import AS_IN_ARENA
from arena.games.match import result_of
from arena.games.rules.errors import OutOfTurn
from arena.games.rules.shuffles import SEED_BYTES
from arena.learn.rewards import rewards

try:
    from gymnasium import spaces
    from pettingzoo import AECEnv
    from pettingzoo.utils.wrappers import OrderEnforcingWrapper
except ModuleNotFoundError as error:
    raise missing("arena.learn.environment", error) from error

DEFAULT_SEATS = 4
RENDER_MODES = ("ansi",)
LARGEST = np.iinfo(np.int16).max
PROBE = {"options": 1}  # passed by PettingZoo's tests to check that `reset` takes options


def env(
    game: str = "lama",
    seats: int = DEFAULT_SEATS,
    options: Mapping[str, str] | None = None,
    seed: int | None = None,
    render_mode: str | None = None,
) -> Any:
    """Returns the environment, wrapped in PettingZoo's checks of the order of calls. Raises
    UnknownGame, BadSeats, BadOption, or InvalidRequest for a render mode other than "ansi"."""
    return OrderEnforcingWrapper(Environment(game, seats, options, seed, render_mode))


class Environment(AECEnv):  # type: ignore[misc]  # PettingZoo has no types
    """Matches of one game, one at a time. The agents are "player_0" and so on, by seat.

    An observation is {"observation": the columns of `arena.games.batch` for that seat (C,), int16,
    "action_mask": the legal actions (A,), int8, all 0 while others decide}. An action is its index
    in the game's notation. Decisions with one legal action are carried out without asking, as in
    the arena. Rewards are given at the end of a match: see `rewards`.
    """

    def __init__(
        self,
        game: str = "lama",
        seats: int = DEFAULT_SEATS,
        options: Mapping[str, str] | None = None,
        seed: int | None = None,
        render_mode: str | None = None,
    ) -> None:
        """See `env`. Without a seed, a random one is used."""
        super().__init__()
        if render_mode is not None and render_mode not in RENDER_MODES:
            raise InvalidRequest(f'The render mode must be "ansi" or None, not {render_mode!r}.')
        self.kind, self.seats = batch_class(game), seats
        self.options, self.render_mode = _options(options), render_mode
        self._draws = _generator(seed)
        self._begin(bytes(SEED_BYTES), self.options)
        name = self.kind.rules.ruleset.replace("/", "_v")
        self.metadata = {"name": name, "render_modes": [*RENDER_MODES], "is_parallelizable": False}
        self.possible_agents = [f"player_{seat}" for seat in range(seats)]
        self.agents: list[str] = []
        self._observation_spaces = {agent: self._observation() for agent in self.possible_agents}
        actions = len(self.kind.rules.notation)
        self._action_spaces = {agent: spaces.Discrete(actions) for agent in self.possible_agents}

    def _observation(self) -> Any:
        columns, actions = len(self.columns), len(self.kind.rules.notation)
        seen = spaces.Box(0, LARGEST, (columns,), np.int16)
        return spaces.Dict(
            {"observation": seen, "action_mask": spaces.Box(0, 1, (actions,), np.int8)}
        )

    def observation_space(self, agent: str) -> Any:
        """The same for all agents, except for its random numbers."""
        return self._observation_spaces[agent]

    def action_space(self, agent: str) -> Any:
        """The actions of the game's notation."""
        return self._action_spaces[agent]

    @property
    def columns(self) -> tuple[str, ...]:
        """The names of the columns of an observation, (C,)."""
        return self.games.columns

    @property
    def match_seed(self) -> bytes:
        """The seed of this match. With it, `arena.sdk.play` deals the same cards. It reveals them,
        so do not pass it to a player."""
        return self.games.seed_of(0)

    # Playing

    def reset(self, seed: int | None = None, options: dict[str, Any] | None = None) -> None:
        """Starts a match. Its cards depend on `seed`, or by default on the previous seed and the
        number of matches since. `options` of the game override those of `env` for this match.

        Raises BadOption, and InvalidRequest for a seed that is not a whole number from 0.
        """
        wanted = self.kind.rules.check_options({**self.options, **_options(options)})
        if seed is not None:
            self._draws = _generator(seed)
        self._begin(self._draws.bytes(SEED_BYTES), wanted)
        self.agents = list(self.possible_agents)
        self.rewards = dict.fromkeys(self.agents, 0.0)
        self._cumulative_rewards = dict.fromkeys(self.agents, 0.0)
        self.terminations = dict.fromkeys(self.agents, False)
        self.truncations = dict.fromkeys(self.agents, False)
        self.infos: dict[str, dict[str, Any]] = {agent: {} for agent in self.agents}
        self._skip_agent_selection = None
        self._advance()

    def _begin(self, seed: bytes, options: Mapping[str, str]) -> None:
        self.games = self.kind(1, self.seats, seed, options, AS_IN_ARENA)

    def step(self, action: Any) -> None:
        """Carries out the decision of `agent_selection`. After the match, pass None.

        Raises IllegalAction if it is not legal, and InvalidRequest if it is not a number. The match
        is then unchanged. Raises OutOfTurn before `reset` and when all agents are gone.
        """
        if not self.agents:
            raise OutOfTurn("There is no match. Start one with `reset`.")
        if self.terminations[self.agent_selection]:
            self._was_dead_step(action)
            return
        self.games.step(np.array([self._index(action)]))
        self._cumulative_rewards[self.agent_selection] = 0.0
        self._advance()

    def _index(self, action: Any) -> int:
        try:
            return operator.index(action)
        except TypeError:
            raise InvalidRequest(
                f"{self.agent_selection} gave {action!r}. Pass the number of a legal action."
            ) from None

    def _advance(self) -> None:
        while not self.games.finished[0]:
            legal = self.games.legal[0]
            if legal.sum() > 1:
                self.agent_selection = self.possible_agents[self.games.seat[0]]
                return
            self.games.step(np.array([legal.argmax()]))
        self._end()

    def _end(self) -> None:
        points = self.games.points[0].tolist()
        ranks = result_of(points, [None] * self.seats).ranks
        self.rewards = dict(zip(self.agents, rewards(ranks), strict=True))
        self.terminations = dict.fromkeys(self.agents, True)
        self.agent_selection = self.agents[0]
        self._accumulate_rewards()

    # Observing

    def observe(self, agent: str) -> dict[str, Any]:
        """Returns the agent's information, even while others decide and after the match."""
        seat = self.possible_agents.index(agent)
        mask = np.zeros(len(self.kind.rules.notation), np.int8)
        if self.games.seat[0] == seat:
            mask[:] = self.games.legal[0]
        return {"observation": self._seen_by(seat), "action_mask": mask}

    def _seen_by(self, seat: int) -> Int16:
        games = self.games.copy()
        games.seat[:] = seat  # `observe` shows the deciding seat's view
        seen: Int16 = games.observe()[0]
        return seen

    def render(self) -> str | None:
        """Returns the deciding agent's view of the table as text; None without a render mode."""
        if self.render_mode is None:
            return None
        games = self.games
        seat = max(0, int(games.seat[0]))
        return table_text(games, self._seen_by(seat).tolist(), seat)

    def close(self) -> None:
        """Does nothing: there are no resources to release."""


def _generator(seed: int | None) -> np.random.Generator:
    """Returns a generator for this seed, or for a random one without it. Raises InvalidRequest."""
    number = getattr(seed, "__index__", lambda: -1)()
    if seed is not None and number < 0:
        raise InvalidRequest(
            f"The seed {seed!r} is not a whole number from 0. Pass such a number, or None."
        )
    return np.random.default_rng(seed)


def _options(given: Mapping[str, Any] | None) -> dict[str, str]:
    """Returns the options of a game as text. Raises InvalidRequest if they are not a mapping."""
    if given is None or given == PROBE:
        return {}
    if not isinstance(given, Mapping) or not all(isinstance(name, str) for name in given):
        raise InvalidRequest(
            f'The options {given!r} are not names with values. Pass them like {{"max_rounds": 20}}.'
        )
    return {name: str(value) for name, value in given.items()}


PLACE = re.compile(r" \+(\d)$")  # the end of the names of columns by seat


def table_text(games: Games, seen: Sequence[int], seat: int) -> str:
    """Returns a seat's view of the first game of a batch; `seen` is its observation (C,)."""
    seats: list[dict[str, list[str]]] = [{} for _ in range(games.seats)]
    table: dict[str, list[str]] = {}
    for name, value in zip(games.columns, seen, strict=True):
        place = PLACE.search(name)
        into = seats[(seat + int(place[1])) % games.seats] if place else table
        label, shown = _entry(games.rules.kinds, PLACE.sub("", name), value)
        into.setdefault(label, []).extend(shown)
    return "\n".join(_lines(games, seats, table, seat))


def _entry(kinds: Sequence[str], name: str, value: int) -> tuple[str, list[str]]:
    """Returns a column's label and its value: repeated cards, or a number."""
    for kind in kinds:
        if name.endswith(f" {kind}"):
            return name.removesuffix(f" {kind}"), [kind] * value
    return name, [str(value)]


def _lines(
    games: Games, seats: list[dict[str, list[str]]], table: dict[str, list[str]], seat: int
) -> Iterator[str]:
    over = bool(games.finished[0])
    state = "the match is over" if over else f"{games.rules.phases[games.phase[0]]}"
    yield f"{games.rules.title}, round {games.round[0]}, player_{seat}: {state}"
    for number, entries in enumerate(seats):
        quit_ = " (quit)" if entries.pop("active") == ["0"] else ""
        said = ", ".join(f"{label} {' '.join(shown) or 'none'}" for label, shown in entries.items())
        yield f"  player_{number}{quit_}: {said}"
    for label, shown in table.items():
        if label != "round" and not label.startswith("phase "):
            yield f"  {label}: {' '.join(shown)}".rstrip()
    if not over:
        legal = [games.rules.notation[index] for index in np.flatnonzero(games.legal[0])]
        yield f"  legal: {', '.join(legal)}"
