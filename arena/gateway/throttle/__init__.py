"""How often somebody may do something, sans-IO: the time in, permissions and refusals out.

    token_bucket  `TokenBucket`: so many at once, and so many a second after that
    throttle      `Throttle`: the buckets and bans of many addresses, or of many tokens
    peers         addresses as limits count them

`arena.gateway.rate_limiter` reads the clock and asks them.
"""

from arena.gateway.throttle.peers import Peer, networks, parse_peer
from arena.gateway.throttle.throttle import Refusal, Throttle
from arena.gateway.throttle.token_bucket import TokenBucket

__all__ = [
    "Peer",
    "Refusal",
    "Throttle",
    "TokenBucket",
    "networks",
    "parse_peer",
]
