"""How often somebody may do something, sans-IO: the time in, permissions and refusals out.

    token_bucket  `TokenBucket`: so many at once, and so many a second after that
    throttle      `Throttle`: the buckets and bans of many addresses, or of many tokens
    peers         addresses as limits count them

`arena.service.gateway.rate_limiter` reads the clock and asks them.
"""

from arena.service.gateway.throttle.peers import Peer, networks, parse_peer
from arena.service.gateway.throttle.throttle import Refusal, Throttle
from arena.service.gateway.throttle.token_bucket import TokenBucket

__all__ = [
    "Peer",
    "Refusal",
    "Throttle",
    "TokenBucket",
    "networks",
    "parse_peer",
]
