"""The base class of bots."""

from __future__ import annotations

import inspect
import secrets
import sys
from collections.abc import Awaitable, Sequence
from typing import Any, ClassVar, Self

from arena.games.rules.view import View
from arena.sdk.answer import only_answer
from arena.sdk.decisions import Decisions
from arena.sdk.notices import Fault, MatchEnded, MatchStarted, RoundEnded


class Bot:
    """A bot. Override `choose`, or `choose_batch`; everything else is optional.

        class MyBot(Bot):
            games = ("lama", "dice")

            def choose(self, view):
                return view.actions[-1]

        MyBot().run()

    `help(View)` describes the view. A class can also set:

        games           the games that the bot plays; default: ("lama",)
        min_seats       the smallest number of seats; default: 2
        max_seats       the largest number of seats; default: 6
        max_in_flight   the most decisions that it holds unanswered; default: 1
        max_matches     the most matches that each worker of the arena plays with it at once;
                        default: 0, which means no limit

    Every method may be a plain function or `async`. Plain ones are called one at a time; an async
    `choose` can have up to `max_in_flight` calls running at once.
    """

    #: The games it plays. A single name is fine, too; subclasses always have a tuple.
    games: ClassVar[Sequence[str]] = ("lama",)
    #: The smallest and largest number of seats it plays at.
    min_seats: ClassVar[int] = 2
    max_seats: ClassVar[int] = 6
    #: The most decisions it holds unanswered. Each has its own clock, which starts when the
    #: decision is sent: raise this for a fast bot, leave it at 1 for one that thinks.
    max_in_flight: ClassVar[int] = 1
    #: The most matches that each worker process of the arena has under way with it at once, for a
    #: bot that keeps much in memory for each; 0: no limit.
    max_matches: ClassVar[int] = 0

    #: This bot's secret, from which `view.rng()` is derived; random unless `run` gets one.
    key: bytes
    #: Whether `prepare` is done.
    is_prepared = False

    def __init_subclass__(cls, **options: object) -> None:
        """Makes a single name in `games` a tuple, so that a loop over it gets the game."""
        super().__init_subclass__(**options)
        if isinstance(cls.games, str):
            cls.games = (cls.games,)

    def __new__(cls, *args: object, **options: object) -> Self:
        """Draws the key here, so that a subclass with its own __init__ has one too."""
        bot = super().__new__(cls)
        bot.key = secrets.token_bytes(32)
        return bot

    def prepare(self) -> Awaitable[None] | None:
        """Whatever takes long, such as loading a network or compiling. It is done before the bot
        connects, when no clock runs."""

    def choose(self, view: View) -> str | int | Awaitable[str | int]:
        """Returns one of `view.actions`, or an entry of `view.indices`: `view.indices[i]` stands
        for `view.actions[i]`. Any other number is an error."""
        if not self.answers_batches():
            raise NotImplementedError(f"{type(self).__name__} has no choose(self, view)")
        chosen = self.choose_batch(Decisions.of([view]))
        return _first_of(chosen) if inspect.isawaitable(chosen) else only_answer(chosen)

    def choose_batch(self, decisions: Decisions) -> Sequence[Any] | Awaitable[Sequence[Any]]:
        """Returns an answer to each of many decisions, in order: instead of `choose`, for a bot
        that is faster so. An array of indices is a good answer. Raise `max_in_flight` with it."""
        raise NotImplementedError(f"{type(self).__name__} has no choose_batch(self, decisions)")

    def answers_batches(self) -> bool:
        """Whether it overrides `choose_batch`."""
        return type(self).choose_batch is not Bot.choose_batch

    def on_match_started(self, started: MatchStarted) -> Awaitable[None] | None:
        """A match has started."""

    def on_round_ended(self, ended: RoundEnded) -> Awaitable[None] | None:
        """A round has been scored."""

    def on_match_ended(self, ended: MatchEnded) -> Awaitable[None] | None:
        """A match has ended."""

    def on_fault(self, fault: Fault) -> Awaitable[None] | None:
        """A fault was charged to this bot; by default it is printed on stderr."""
        sys.stderr.write(
            f"Fault ({fault.kind}) in match {fault.match}, decision {fault.number}:"
            f" {fault.reason} Played instead: {fault.instead}."
            f"{' The match is forfeited.' if fault.forfeited else ''}\n"
        )
        return None

    def wants_notices(self) -> bool:
        """Whether it overrides a hook for which the arena must send notices."""
        hooks = ("on_match_started", "on_round_ended", "on_match_ended")
        return any(getattr(type(self), hook) is not getattr(Bot, hook) for hook in hooks)

    def run(
        self,
        url: str | None = None,
        token: str | None = None,
        key: str | None = None,
        version: str | None = None,
    ) -> None:
        """Connects and plays until interrupted.

        `url` is HOST:PORT, grpc://HOST:PORT or, for TLS, grpcs://HOST:PORT; it defaults to
        ARENA_URL, else to the arena in the folder ARENA_DATA (.arena), else to 127.0.0.1:7420.
        `token` defaults to ARENA_TOKEN. ARENA_TLS_CA names a file
        of root certificates (PEM) to trust instead of the public ones. `key` is any text and
        defaults to ARENA_BOT_KEY, else to a random one; with the same key, `view.rng()` gives the
        same numbers in the same decision. Anybody who knows the key can predict them.
        `version` defaults to ARENA_BOT_VERSION, else to the bot's newest: several versions, each
        its own program with its version named, play side by side with one token. Raises
        SystemExit with a message when the arena refuses the bot.
        """
        # Imported here because a bot that plays only in this process needs no gRPC.
        from arena.sdk.client import run

        run(self, url, token, key, version)


async def _first_of(chosen: Awaitable[Sequence[Any]]) -> str | int:
    return only_answer(await chosen)
