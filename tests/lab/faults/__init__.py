"""An arena in one process, with a simulated clock and network and a seed.

    clock        `SimClock`: jumps from one event to the next
    network      `Network`: loses, delays, duplicates and reorders messages
    bots         `SimBot`: plays honestly and deterministically
    redis_model  `RedisModel`: presences, heartbeats, marks and reply lists, with their expiry
    store_model  `StoreModel`: stored transactions
    gateway      `SimGateway`: drives `arena.service.gateway.sessions`
    worker       `SimWorker`: drives `workers.schedule`
    world        `SimArena`: everything together, with random faults

The schedule of a worker and the sessions of a gateway are the real ones. A seed gives the same
history each time, at about a thousand decisions per second. This package may import both the
gateway and the workers, which do not import each other.
"""
