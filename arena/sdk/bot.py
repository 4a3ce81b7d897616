"""The class a bot is derived from."""

from __future__ import annotations

import secrets
import sys
from collections.abc import Awaitable
from typing import ClassVar, Self

from arena.rules.view import View
from arena.sdk.notices import Fault, MatchEnded, MatchStarted, RoundEnded


class Bot:
    """A player. Override `choose`; everything else is optional.

    Every method may be a plain function or `async`. Plain ones are called one at a time; of an
    async `choose`, up to `max_in_flight` calls run at once.
    """

    #: Games it plays.
    games: ClassVar[tuple[str, ...]] = ("lama",)
    #: Smallest and largest table it sits at.
    min_seats: ClassVar[int] = 2
    max_seats: ClassVar[int] = 6
    #: Questions it takes before it has answered the first. Each has its own clock, which runs
    #: from the moment it is sent: raise this for a fast bot, leave it for one that thinks.
    max_in_flight: ClassVar[int] = 1

    #: What only this bot has, and `view.rng()` comes from: drawn, unless `run` is given one.
    key: bytes

    def __new__(cls, *args: object, **options: object) -> Self:
        """Draws the key, so that a class with an __init__ of its own has one too."""
        bot = super().__new__(cls)
        bot.key = secrets.token_bytes(32)
        return bot

    def choose(self, view: View) -> str | int | Awaitable[str | int]:
        """One of `view.actions`, or its index from `view.indices`."""
        raise NotImplementedError(f"{type(self).__name__} has no choose(self, view)")

    def on_match_started(self, started: MatchStarted) -> Awaitable[None] | None:
        """A match begins."""

    def on_round_ended(self, ended: RoundEnded) -> Awaitable[None] | None:
        """A round was scored."""

    def on_match_ended(self, ended: MatchEnded) -> Awaitable[None] | None:
        """A match is over."""

    def on_fault(self, fault: Fault) -> Awaitable[None] | None:
        """A fault was charged to this bot; by default it is reported on stderr."""
        sys.stderr.write(
            f"Fault ({fault.kind}) in match {fault.match}, decision {fault.number}:"
            f" {fault.reason} Played instead: {fault.instead}."
            f"{' The match is forfeited.' if fault.forfeited else ''}\n"
        )
        return None

    def wants_notices(self) -> bool:
        """Whether it overrides a hook that the arena has to send something for."""
        hooks = ("on_match_started", "on_round_ended", "on_match_ended")
        return any(getattr(type(self), hook) is not getattr(Bot, hook) for hook in hooks)

    def run(self, url: str | None = None, token: str | None = None, key: str | None = None) -> None:
        """Connects and plays until interrupted.

        `url` is HOST:PORT, grpc://HOST:PORT or, for TLS, grpcs://HOST:PORT; without it and
        `token`, ARENA_URL (127.0.0.1:7420 if unset) and ARENA_TOKEN say. ARENA_TLS_CA names the
        root certificates (PEM) to trust instead of the public ones. With the same `key`, any text,
        `view.rng()` gives the same chance in the same decision again; without it ARENA_BOT_KEY
        says, or it is drawn. Whoever knows the key knows what the bot will draw. Raises SystemExit
        with a sentence when the arena refuses the bot.
        """
        # Imported late: a bot that only plays in this process needs no gRPC.
        from arena.sdk.client import run

        run(self, url, token, key)
