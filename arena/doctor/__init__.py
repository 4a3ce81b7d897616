"""`arena doctor`: looks an installation through and says what is fine and what to mend.

    finding    one result
    variables  ARENA_* variables: unknown, contradictory
    tls        certificate and key
    machine    Python, data folder, open files, ports
    jail       which jail for hosted bots works
    database   the database
    redis      Redis
    asking     asks gateways and dashboards how they are
    processes  gateway, dashboard, workers, hosts, beat
    examine    all of it, in order

Nothing is changed, and no finding has a secret in it.
"""

from arena.doctor.examine import examine
from arena.doctor.finding import Finding

__all__ = ["Finding", "examine"]
