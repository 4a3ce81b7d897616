"""How soon a connection that died in silence is noticed, and what follows from that.

A machine that loses power or its network says nothing: the other side finds out by pings that
nobody answers. All times that depend on one another are here, in seconds;
`tests/unit/base/test_keepalive.py` compares them.
"""

from __future__ import annotations

# A bot pings its gateway.
BOT_PING_S = 10.0
BOT_PING_TIMEOUT_S = 5.0
# What docs/protocol.md asks of bots that do not use our SDK: ping at least so often.
SLOWEST_PING_S = 30.0
SLOWEST_PING_TIMEOUT_S = 10.0
# A gateway takes pings that come more often for an attack.
LEAST_PING_S = 5.0

# A gateway pings its bots.
GATEWAY_PING_S = 20.0
GATEWAY_PING_TIMEOUT_S = 10.0

# From the loss of a stream until a bot is connected again, elsewhere if need be.
RECONNECT_S = 5.0

# A gateway keeps what it says in Redis from expiring. A decision ends only when Redis was reached
# after its time was up, so a timeout is known so much later at most.
REFRESH_GATEWAY_S, GATEWAY_TTL_S = 0.25, 3
# What keeps a gateway from Redis for longer may keep it from its bots: clocks get the time back.
CUT_OFF_S = 1.0
REFRESH_PRESENCE_S, PRESENCE_TTL_S = 3.0, 10

# After its gateway fell silent a bot may need so long to notice and to come back; only then does
# its grace time begin.
NOTICE_S = SLOWEST_PING_S + SLOWEST_PING_TIMEOUT_S + RECONNECT_S
HELD_TTL_S = round(NOTICE_S + REFRESH_PRESENCE_S)
