"""Which bot a tournament waits for, by where its open decisions are.

Each match in flight has one open decision. By Little's law a bot's mean queue is its rate times
the time that a decision stays there. All bots of a tournament are asked at related rates, and the
matches in flight are limited. So the decisions gather at the bot that cannot keep up, however long
others take for an answer. If they gather at no bot, it is the arena that cannot keep up.
"""

from __future__ import annotations

from arena.service.forecast.measured import Measured
from arena.service.forecast.seen import LivePace

AT_BOTS = 0.1  # of the matches in flight wait for bots, if bots are what slows it down
SHARE = 1 / 3  # of all open decisions are in the longest queue
TIMES = 2.0  # the mean of the other queues


def bottleneck(measured: Measured, live: LivePace, flying: int) -> tuple[bool, int | None]:
    """Whether queues show the bottleneck of a tournament with `flying` matches in flight, and the
    player with the queue; None if the arena itself is the bottleneck."""
    queues = {player: live.here[player].queue for player, _ in measured.of if player in live.here}
    total = sum(queues.values())
    if not queues or total < AT_BOTS * flying:
        return bool(queues), None
    player = max(queues, key=queues.__getitem__)
    longest = queues[player]
    others = (total - longest) / max(len(queues) - 1, 1)
    named = longest >= SHARE * total and longest >= TIMES * others
    return True, player if named else None
