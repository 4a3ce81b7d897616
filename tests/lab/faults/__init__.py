"""A whole arena in one process, under a clock and a network that are simulated and seeded.

    clock        `SimClock`: what happens when; time jumps from one event to the next
    network      `Network`: loses, delays, duplicates and reorders what is sent
    bots         `SimBot`: plays honestly and always the same
    redis_model  `RedisModel`: presences, heartbeats, marks and reply lists, with their expiry
    store_model  `StoreModel`: what transactions have stored
    gateway      `SimGateway`: drives `arena.service.gateway.sessions`
    worker       `SimWorker`: drives `workers.schedule`
    world        `World`: all of it, and the faults that are drawn

The schedule of a run and the sessions of a gateway are the real ones. A seed plays the same
history each time, at some thousand decisions a second. This package stands above gateway and
workers, which know nothing of each other, so that it may import both.
"""
