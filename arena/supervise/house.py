"""The house's bots: they come with the arena and connect to it as anybody's do."""

from __future__ import annotations

from arena.errors import AlreadyExists
from arena.store import bots, open_store
from arena.supervise import stack
from arena.supervise.machine import Machine


def start_house_bots(arena: Machine, *, all_ours: bool = False) -> list[str]:
    """Registers the house's bots, unless they are, and starts a process for each.

    Returns the names of those that were started. Somebody else's bot of the same name is left
    alone, unless `all_ours` says that nobody else can have registered one.
    """
    from arena.bots import HOUSE  # gRPC, which a folder's other commands need not load

    tokens = _tokens(arena.settings.database, tuple(HOUSE), all_ours)
    for name, token in tokens.items():
        arena.supervisor.start(stack.house_bot(name, arena.running.gateway, token))
    return list(tokens)


def _tokens(database: str, names: tuple[str, ...], all_ours: bool) -> dict[str, str]:
    """A fresh token for each of the house's bots that may connect."""
    store, tokens = open_store(database), {}
    try:
        for name in names:
            # One transaction each: what is refused in one of them stays without consequence.
            with store.write() as conn:
                try:
                    tokens[name] = bots.register(conn, name, kind="house")[1]
                except AlreadyExists:
                    known = bots.get(conn, name)
                    if (known.kind == "house" or all_ours) and known.retired is None:
                        tokens[name] = bots.rotate_token(conn, name)
    finally:
        store.dispose()
    return tokens
