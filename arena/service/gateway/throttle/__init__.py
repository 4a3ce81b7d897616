"""Rate limits and bans, sans-IO: the time in, permissions and refusals out.

    token_bucket  `TokenBucket`: a burst, then a steady rate
    throttle      `Throttle`: the buckets and bans of many addresses or tokens
    peers         addresses as limits count them

`arena.service.gateway.rate_limiter` reads the clock and uses them.
"""

from arena.service.gateway.throttle.peers import Peer, parse_peer
from arena.service.gateway.throttle.throttle import Refusal, Throttle
from arena.service.gateway.throttle.token_bucket import TokenBucket

__all__ = [
    "Peer",
    "Refusal",
    "Throttle",
    "TokenBucket",
    "parse_peer",
]
