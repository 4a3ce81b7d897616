"""The limit of build artifacts that all bots of an author may have stored together."""

from __future__ import annotations

from sqlalchemy import Connection, func, or_, select, update

from arena.base.errors import LimitReached
from arena.hosting.submission.files import BUILT, size_text
from arena.store.registry.bots import RegisteredBot
from arena.store.registry.submissions import FILES
from arena.store.tables import bots, entrants, players, submission_files, submissions, tournaments

BUILDS_STORED = 16  # of an author, if each has the largest size
MOST_STORED = BUILDS_STORED * BUILT.total_bytes


def make_room(conn: Connection, bot: RegisteredBot, size: int, most: int) -> None:
    """Makes room for a build artifact of `size` bytes within the `most` bytes of a bot's author.

    Artifacts that hosts do not need are removed, the oldest first. They can be built again. Raises
    LimitReached if the others are too large. The caller holds `submissions.lock`.
    """
    own = bots.c.id == bot.id if bot.owner is None else bots.c.owner == bot.owner
    number, tree = submission_files.c.submission, submission_files.c.tree
    stored = select(number, func.length(tree)).join_from(submission_files, submissions)
    stored = stored.join(bots, bots.c.id == submissions.c.bot).where(own, tree.is_not(None))
    sizes = dict(conn.execute(stored.order_by(number)).all())
    left = most - size - sum(sizes.values())
    if left >= 0:
        return
    newest = select(func.max(players.c.id)).join_from(players, bots, bots.c.id == players.c.bot)
    newest = newest.where(own, bots.c.retired.is_(None)).group_by(players.c.bot)
    playing = select(entrants.c.player).join(tournaments, tournaments.c.id == entrants.c.tournament)
    playing = playing.where(tournaments.c.state.in_(("waiting", "running")))
    hosted = or_(submissions.c.player.in_(newest), submissions.c.player.in_(playing))
    needed = set(conn.scalars(select(FILES).where(hosted, FILES.in_(sizes))))
    removed = list[int]()
    for each in sizes:
        if left < 0 and each not in needed:
            removed.append(each)
            left += sizes[each]
    if left < 0:
        raise LimitReached(
            f"The builds of {bot.name}'s author that hosts play would be larger than"
            f" {size_text(most)} together, the maximum. Retire a bot, or submit a smaller one."
        )
    conn.execute(update(submission_files).where(number.in_(removed)).values(tree=None))
