"""The gRPC server that bots connect to.

server      starts and drains one gateway       auth       authentication
play        the bots' stream                    control    the organisers' calls
submissions uploads of hosted bots              calls      how calls are taken and carried out
throttle, rate_limiter   rates and bans, of which `throttle` is sans-IO     limits   other limits
sessions/   sessions of bots, sans-IO     session_io, stream_writer   the IO around it
inbox       deliveries from the workers         outbox     replies to them
heartbeat   keeps its entries in Redis alive  health     answers health checks
metrics     counters for Prometheus
"""
