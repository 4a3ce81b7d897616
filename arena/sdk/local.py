"""Plays matches between bots in this process, without an arena."""

import asyncio
import secrets
from collections.abc import Mapping, Sequence
from hashlib import sha256
from typing import Any

from arena.games.match import Fault as MatchFault
from arena.games.match import Match, MatchSetup, Seat
from arena.games.record import export
from arena.games.rules.view import View
from arena.protocol import codec
from arena.protocol.v1 import play_pb2 as pb
from arena.sdk.answer import ToldElsewhere, call_hook, describe
from arena.sdk.asking import answer, prepared
from arena.sdk.bot import Bot
from arena.sdk.hooks import Hook, Hooks
from arena.sdk.notices import Fault


def play(
    bots: Sequence[Bot],
    game: str = "lama",
    seed: int | bytes | None = None,
    options: Mapping[str, str] | None = None,
    match: str = "local",
    fault_limit: int = 3,
) -> dict[str, Any]:
    """Plays one match between these bots, by seat. Returns its record ("lama-arena/match/1").

    - `seed`: 16 bytes, or a number below 2**128. It determines the cards and the bots'
      `view.rng()`. Default: random.
    - `options`: options of the game, such as {"max_rounds": "10"}.
    - `match`: the match id that the bots see.
    - `fault_limit`: the number of faults at which a bot forfeits.

    Raises RulesError for an invalid game, number of seats or option.
    """
    return asyncio.run(play_async(bots, game, seed, options, match, fault_limit))


async def play_async(
    bots: Sequence[Bot],
    game: str = "lama",
    seed: int | bytes | None = None,
    options: Mapping[str, str] | None = None,
    match: str = "local",
    fault_limit: int = 3,
) -> dict[str, Any]:
    """Like `play`, for callers in a running event loop."""
    setup = MatchSetup(
        id=match,
        game=game,
        seed=_seed_bytes(seed),
        seats=tuple(Seat(type(bot).__name__) for bot in bots),
        options=options or {},
        fault_limit=fault_limit,
    )
    local = LocalMatch(Match(setup), bots)
    await local.play()
    return export(local.match)


def _seed_bytes(seed: int | bytes | None) -> bytes:
    if seed is None:
        return secrets.token_bytes(16)
    return seed.to_bytes(16, "big") if isinstance(seed, int) else seed


def key_of(seed: bytes, seat: int) -> bytes:
    """Returns the key of the bot in a seat. It is derived from the deal's seed, so that the same
    seed gives the same match."""
    return sha256(b"key %d " % seat + seed).digest()


class LocalMatch:
    """A match with its bots."""

    def __init__(self, match: Match, bots: Sequence[Bot]) -> None:
        self.match = match
        self.bots = bots
        self._hooks = Hooks(match, dict(enumerate(bots)), self.notify)
        self.keys = [key_of(match.setup.seed, seat) for seat in range(len(bots))]

    @property
    def rounds(self) -> int:
        """Number of rounds started."""
        return len(self.match.game.rounds)

    async def play(self) -> None:
        """Plays the match to its end. Exceptions of `prepare` propagate."""
        for bot in self.bots:
            await prepared(bot)
        await self._hooks.started()
        while (view := self.match.decision) is not None:
            fault = await self.ask(view._replace(key=self.keys[view.seat]))
            if fault is not None:
                await self._send_fault(fault)
            await self._hooks.rounds_ended()
        await self._hooks.ended()

    async def ask(self, view: View) -> MatchFault | None:
        """Asks the bot whose decision it is. Returns the fault, if any."""
        try:
            return self.match.answer(await answer(self.bots[view.seat], view))
        except Exception as error:
            # Exceptions of the bot are its faults, as in the arena.
            kind = error.kind if isinstance(error, ToldElsewhere) else "error"
            return self.match.fail(kind, describe(error))

    async def notify(self, seat: int, hook: Hook, notice: object) -> None:
        """Calls a hook of the bot in a seat."""
        await call_hook(hook, notice)

    async def _send_fault(self, fault: MatchFault) -> None:
        message = pb.Fault.FromString(codec.encode_fault(self.match.setup.id, fault))
        await self.notify(fault.seat, self.bots[fault.seat].on_fault, Fault.decode(message))
