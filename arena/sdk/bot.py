"""The base class of bots."""

import inspect
import secrets
import sys
from collections.abc import Awaitable, Sequence
from typing import Any, ClassVar, Self

from arena.base.errors import InvalidRequest
from arena.games.decisions import Decisions
from arena.games.rules.view import View
from arena.sdk.answer import only_answer
from arena.sdk.notes import NOT_TAKEN, Notebook, tell_once
from arena.sdk.notices import Fault, MatchEnded, MatchStarted, RoundEnded


class Bot:
    """A bot. Override `choose` or `choose_batch`; everything else is optional.

        class MyBot(Bot):
            games = ("lama", "dice")

            def choose(self, view):
                return view.actions[-1]

        if __name__ == "__main__":
            MyBot().run()

    `help(View)` describes the view. A class can also set:

        games           the games that the bot plays; default: ("lama",)
        min_seats       the smallest number of seats; default: 2
        max_seats       the largest number of seats; default: 6
        max_in_flight   the most unanswered decisions; default: 1
        max_matches     the most matches that each worker of the arena plays with it at once;
                        default: 0 (no limit)
        takes_notes     whether the bot calls `note`; default: False

    Every method may be a plain function or `async`. Plain methods are called one at a time. An
    async `choose` can have up to `max_in_flight` calls running at once.
    """

    #: The games that the bot plays. A single name also works; subclasses always have a tuple.
    games: ClassVar[Sequence[str]] = ("lama",)
    #: The smallest and largest number of seats.
    min_seats: ClassVar[int] = 2
    max_seats: ClassVar[int] = 6
    #: The most unanswered decisions. Each has its own clock, which starts when the decision is
    #: sent. Raise this for a fast bot; leave it at 1 for a slow one.
    max_in_flight: ClassVar[int] = 1
    #: The most matches that each worker process of the arena plays with the bot at once. Use it if
    #: the bot needs much memory for each match; 0 means no limit.
    max_matches: ClassVar[int] = 0
    #: Whether the bot calls `note`.
    takes_notes: ClassVar[bool] = False

    #: The bot's secret, from which `view.rng()` is derived. Random unless `run` gets a key.
    key: bytes
    #: Whether `prepare` has finished.
    is_prepared = False
    #: The name of the program that `load_bot` is loading, or "".
    loading = ""
    #: Set while the bot is connected and takes notes.
    notebook: Notebook | None = None

    def __init_subclass__(cls, **options: object) -> None:
        """Converts a single name in `games` to a tuple."""
        super().__init_subclass__(**options)
        if isinstance(cls.games, str):
            cls.games = (cls.games,)

    def __new__(cls, *args: object, **options: object) -> Self:
        """Draws the key here, so that subclasses with their own __init__ have one."""
        bot = super().__new__(cls)
        bot.key = secrets.token_bytes(32)
        return bot

    def prepare(self) -> Awaitable[None] | None:
        """Override this for slow setup, such as loading a model or compiling.

        It runs before the bot connects, while no clock is running.
        """

    def choose(self, view: View) -> str | int | Awaitable[str | int]:
        """Returns the chosen action: one of `view.actions`, or an entry of `view.indices`.

        `view.indices[i]` is the index of `view.actions[i]`. Any other number is an error.
        """
        if not self.answers_batches():
            raise NotImplementedError(f"{type(self).__name__} has no choose(self, view)")
        chosen = self.choose_batch(Decisions.of([view]))
        return _first_of(chosen) if inspect.isawaitable(chosen) else only_answer(chosen)

    def choose_batch(self, decisions: Decisions) -> Sequence[Any] | Awaitable[Sequence[Any]]:
        """Returns the answers to several decisions, in order.

        Override this instead of `choose` if your bot is faster on batches, and raise
        `max_in_flight`. The result may be an array of action indices.
        """
        raise NotImplementedError(f"{type(self).__name__} has no choose_batch(self, decisions)")

    def note(self, view: View, text: str) -> None:
        """Keeps a note about a decision, such as a reason for the action. Set `takes_notes`.

        Notes stay in this process until the match is over. Then they are sent to the arena, and
        the replay shows them to the bot's author. A note has at most 1,000 characters, and the
        notes of a match have at most 64 kB. Without a connection, notes are ignored.
        """
        if not self.takes_notes:
            tell_once(NOT_TAKEN)
        elif self.notebook is not None:
            self.notebook.add(view, text)

    def answers_batches(self) -> bool:
        """Whether the class overrides `choose_batch`."""
        return type(self).choose_batch is not Bot.choose_batch

    def on_match_started(self, started: MatchStarted) -> Awaitable[None] | None:
        """Called when a match has started."""

    def on_round_ended(self, ended: RoundEnded) -> Awaitable[None] | None:
        """Called when a round has been scored."""

    def on_match_ended(self, ended: MatchEnded) -> Awaitable[None] | None:
        """Called when a match has ended."""

    def on_fault(self, fault: Fault) -> Awaitable[None] | None:
        """Called for each fault of this bot. By default, the fault is printed to stderr."""
        sys.stderr.write(
            f"Fault ({fault.kind}) in match {fault.match}, decision {fault.number}:"
            f" {fault.reason} Played instead: {fault.instead}."
            f"{' The match is forfeited.' if fault.forfeited else ''}\n"
        )
        return None

    def wants_notices(self) -> bool:
        """Whether the arena must send notices: for notes, or for a hook that is overridden."""
        hooks = ("on_match_started", "on_round_ended", "on_match_ended")
        overrides = any(getattr(type(self), hook) is not getattr(Bot, hook) for hook in hooks)
        return self.takes_notes or overrides

    def run(
        self,
        url: str | None = None,
        token: str | None = None,
        key: str | None = None,
        version: str | None = None,
    ) -> None:
        """Connects the bot to an arena and plays until interrupted.

        All arguments are optional:

        - `url`: HOST:PORT, grpc://HOST:PORT, or grpcs://HOST:PORT for TLS. Default: ARENA_URL,
          else the arena in the folder ARENA_DATA (.arena), else 127.0.0.1:7420.
        - `token`: the bot's token. Default: ARENA_TOKEN.
        - `key`: any text. With the same key, `view.rng()` gives the same numbers in the same
          decision. Keep it secret, because it makes them predictable. Default: ARENA_BOT_KEY,
          else random.
        - `version`: the bot version to play as. Several programs with different versions can be
          connected with one token. Default: ARENA_BOT_VERSION, else the newest version.

        ARENA_TLS_CA names a file of root certificates (PEM) to trust instead of the public ones.
        Raises SystemExit with a message if the arena rejects the bot, InvalidRequest while the
        program is only being loaded.
        """
        if Bot.loading:
            raise InvalidRequest(
                f"{Bot.loading} calls run() while it is loaded. Put the call under"
                ' `if __name__ == "__main__":`.'
            )
        # Imported here, because a bot that plays only locally does not need gRPC.
        from arena.sdk.client import run

        run(self, url, token, key, version)


async def _first_of(chosen: Awaitable[Sequence[Any]]) -> str | int:
    return only_answer(await chosen)
