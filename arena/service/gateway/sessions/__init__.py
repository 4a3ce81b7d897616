"""The sessions of one gateway, sans-IO: events and the time in, messages and commands out.

    registry        `SessionRegistry`: the sessions by player, and their deliveries
    stalls          `StallDetector`: times in which the gateway was slow or cut off
    overload        `Overload`: whether bots run out of time because the machine is overloaded
    player_session  `PlayerSession`: the decisions, notices and stream of one player
    hosted_session  `HostedSession`: the same for a hosted player, whose host has the clock
    answers         `Answers`: a bot's message, matched to the decisions that it holds
    allowance       `AbsenceAllowance`: how long a bot may be away
    load            `SessionLoad`: how many decisions a bot has, and how fast it answers
    open_decisions  `OpenDecisions`: decisions that wait, those that the bot holds, and clocks
    batches         decisions on their way to a bot, which came together, and their clock
    notices         notices on their way to a bot
    stream          `Stream`: one stream to a bot, its queue and its end
    outputs         what the caller carries out after each event, and replies to workers

Nothing in here reads a clock, waits, or talks to bots or Redis. `arena.service.gateway.session_io`
and `arena.service.gateway.stream_writer` do. A simulation drives the same code with its own clock.
"""

from arena.service.gateway.sessions.player_session import PlayerSession
from arena.service.gateway.sessions.registry import SessionRegistry
from arena.service.gateway.sessions.stream import Login, Stream

__all__ = ["Login", "PlayerSession", "SessionRegistry", "Stream"]
