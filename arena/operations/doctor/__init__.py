"""`arena doctor`: find problems in an installation.

    variables  ARENA_* variables: unknown, contradictory; certificate and key
    servers    Redis, and the gateway and the dashboard of this machine
    role       the process of one role, for `arena healthcheck`
    examine    all of them, in order, with Python, the sandbox and `arena.service.health`

Nothing is changed, and findings contain no secrets.
"""

from arena.operations.doctor.examine import examine

__all__ = ["examine"]
