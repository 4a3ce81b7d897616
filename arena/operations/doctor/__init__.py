"""`arena doctor`: checks an installation, and says what is fine and what to fix.

    variables  ARENA_* variables: unknown, contradictory
    tls        certificate and key
    python     the interpreter
    sandbox       which sandbox for hosted bots works
    redis      how Redis is set up
    servers    the gateway and the dashboard of this machine
    role       the process of one role: for `arena healthcheck`
    examine    all of it, in order, with the arena's own checks (`arena.service.health`)

Nothing is changed, and no finding has a secret in it.
"""

from arena.operations.doctor.examine import examine

__all__ = ["examine"]
