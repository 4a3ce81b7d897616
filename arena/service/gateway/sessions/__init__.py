"""The sessions of one gateway, sans-IO: events and the time in, messages and commands out.

    registry        `SessionRegistry`: who is connected here, whose delivery it is
    player_session  `PlayerSession`: what one player has open, and the move clock
    hosted_session  `HostedSession`: the same for a hosted player, whose host has the clock
    open_decisions  `OpenDecisions`: those that wait, those that the bot holds
    batches         decisions on their way to a bot, which came together, and their clock
    notices         notices on their way to a bot
    stream          `Stream`: one stream to a bot, what is queued on it and how it ends
    replies         `ReplyBuffer`: what is held for how long, so that one push carries many
    outputs         what the caller carries out after each event

Nothing in here reads a clock, waits, or talks to bots or Redis. `arena.service.gateway.session_io`
and `arena.service.gateway.stream_writer` do; a simulation drives the same code with a clock of its
own.
"""

from arena.service.gateway.sessions.player_session import PlayerSession
from arena.service.gateway.sessions.registry import SessionRegistry
from arena.service.gateway.sessions.stream import Login, Stream

__all__ = ["Login", "PlayerSession", "SessionRegistry", "Stream"]
