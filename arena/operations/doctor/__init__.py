"""`arena doctor`: find problems in an installation.

    variables  ARENA_* variables: unknown, contradictory
    tls        certificate and key
    python     the interpreter
    sandbox    the sandbox for hosted bots
    redis      the configuration of Redis
    servers    the gateway and the dashboard of this machine
    role       the process of one role, for `arena healthcheck`
    examine    all of them, in order, with those of `arena.service.health`

Nothing is changed, and findings contain no secrets.
"""

from arena.operations.doctor.examine import examine

__all__ = ["examine"]
