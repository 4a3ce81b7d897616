"""The versions that the arena's hosts connect."""

from collections.abc import Collection
from functools import cache
from typing import Any

from sqlalchemy import Connection, Select, select

from arena.base.errors import InvalidRequest
from arena.store.registry import bots, built
from arena.store.registry.bots import RegisteredBot
from arena.store.registry.building import NEWEST, is_played
from arena.store.registry.submissions import FILES
from arena.store.tables import bots as bots_table
from arena.store.tables import players, submission_files, submissions


def wanted(conn: Connection) -> list[RegisteredBot]:
    """The hosted versions to connect, by name: the newest of each bot that is not retired, and
    entrants of tournaments under way."""
    listed = [bot for bot in bots.read(conn, _wanted()) if bot.waits_for_host]
    return sorted(listed, key=lambda bot: (bot.name.lower(), -bot.player))


@cache  # building the query takes longer than running it
def _wanted() -> Select[Any]:
    return bots.ALL_VERSIONS.where(players.c.hosted, is_played(players.c.id, NEWEST))


def check_stored(conn: Connection, entered: Collection[RegisteredBot]) -> None:
    """Raises InvalidRequest for versions that no host can play, because the upload is no longer
    stored or cannot be built again."""
    by_player = {bot.player: bot for bot in entered if bot.waits_for_host}
    query = select(submissions.c.player).where(
        submissions.c.player.in_(by_player),
        FILES.not_in(select(submission_files.c.submission)),
    )
    if gone := sorted(by_player[player].label for player in conn.scalars(query)):
        raise InvalidRequest(
            f"{', '.join(gone)} cannot be hosted. The upload is no longer stored. Enter a newer "
            "version, or submit it again."
        )
    if failing := built.given_up(conn, by_player):
        lost = [f"{by_player[each].label} cannot be hosted. {failing[each]}" for each in failing]
        raise InvalidRequest(" ".join(sorted(lost)))


def among(conn: Connection, player_ids: Collection[int]) -> set[int]:
    """The players among these that hosts have to connect: the hosted ones, without retired bots and
    without versions that cannot be built again."""
    query = select(players.c.id).join(bots_table, bots_table.c.id == players.c.bot)
    query = query.where(players.c.hosted, bots_table.c.retired.is_(None))
    found = set(conn.scalars(query.where(players.c.id.in_(player_ids))))
    return found - built.given_up(conn, found).keys()
