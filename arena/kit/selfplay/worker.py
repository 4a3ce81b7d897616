"""A process that plays some of the matches and returns their decisions as arrays."""

import asyncio

import arena.base.blas_threads  # noqa: F401 - before NumPy; there is one process per core
from arena.games.match import MatchSetup, Seat
from arena.kit.play.job import Job
from arena.kit.play.worker import Team
from arena.kit.seeding import seed_generators
from arena.learn.selfplay import Lockstep, Played, Table

_team: Team | None = None


def play(job: Job, numbers: range) -> Played:
    """Play the matches with these numbers together, by new bots. Raises InvalidRequest."""
    return asyncio.run(_play(job, numbers))


async def _play(job: Job, numbers: range) -> Played:
    global _team
    if _team is None:
        loaded = Team(job)
        await loaded.prepare()
        _team = loaded
    tables = [table(job, number) for number in numbers]
    seated = _team.made(tables[0].setup.id)

    def enter(bot: int, key: bytes, call: str) -> None:
        home = seated[bot].home
        if home is not None:
            home.enter()
            seed_generators(key, call)

    return await Lockstep(tables, [each.bot for each in seated], enter).play()


def table(job: Job, number: int) -> Table:
    """Return a match. Players sit in order, each one seat further in the next match."""
    count = len(job.players)
    bots = tuple((seat + number) % job.seats % count for seat in range(job.seats))
    seats = tuple(Seat(job.players[bot].name) for bot in bots)
    match_id, seed = job.source.match_id(number), job.source.deal_seed(number)
    return Table(number, MatchSetup(match_id, job.game, seed, seats, job.options), bots)
