"""Times to detect silently broken connections, in seconds.

If a machine loses power or its network, the other side only notices unanswered pings. These times
depend on each other; `tests/unit/base/test_keepalive.py` compares them.
"""

# A bot pings its gateway.
BOT_PING_S = 10.0
BOT_PING_TIMEOUT_S = 5.0
# The slowest pings that docs/protocol.md allows to bots without our SDK.
SLOWEST_PING_S = 30.0
SLOWEST_PING_TIMEOUT_S = 10.0
# A gateway treats more frequent pings as an attack.
LEAST_PING_S = 5.0

# A gateway pings its bots.
GATEWAY_PING_S = 20.0
GATEWAY_PING_TIMEOUT_S = 10.0

# From the loss of a stream until a bot has reconnected, possibly to another gateway.
RECONNECT_S = 5.0

# A gateway refreshes its keys in Redis. A timeout counts only after Redis has answered since, so
# it is noticed up to one refresh interval late.
REFRESH_GATEWAY_S, GATEWAY_TTL_S = 0.25, 3
# After a longer gap, the gateway may also have lost its bots, so move clocks are extended.
CUT_OFF_S = 1.0
REFRESH_PRESENCE_S, PRESENCE_TTL_S = 3.0, 10

# The longest time that a bot needs to notice a silent gateway and reconnect. Its grace time starts
# after that.
NOTICE_S = SLOWEST_PING_S + SLOWEST_PING_TIMEOUT_S + RECONNECT_S
HELD_TTL_S = round(NOTICE_S + REFRESH_PRESENCE_S)

# What the grace time of a bot pays for: at least so long for a move after it has reconnected. An
# answer gives back a share of the time for the move.
LEAST_AFTER_ABSENCE_S, REGAINED = 1.0, 0.01
