"""Play all matches in several processes and write their decisions, in the order of matches."""

import multiprocessing
from collections import Counter
from collections.abc import Iterator
from concurrent.futures import ProcessPoolExecutor
from concurrent.futures.process import BrokenProcessPool
from multiprocessing.process import BaseProcess
from pathlib import Path

from arena.base.errors import BotDied
from arena.base.text import plural
from arena.kit.play.bar import Bar
from arena.kit.play.job import Job
from arena.kit.play.worker import begin
from arena.kit.reaper import Reaper
from arena.kit.seeding import fixed_hashes
from arena.kit.selfplay import worker
from arena.learn.parquet import DecisionFile
from arena.learn.selfplay import Played

# Matches played at the same time, and per row group. Independent of --jobs, because bots see it.
PORTION = 128


def run(job: Job, matches: int, jobs: int, out: Path, seed: int) -> int:
    """Play, write and print a summary. Returns the exit status. Raises ArenaError."""
    names = [player.name for player in job.players]
    decisions, faults, first = 0, Counter[int](), dict[int, str]()
    about = {"seed": seed, "matches": matches, "players": {p.name: p.source for p in job.players}}
    with (
        DecisionFile(out, job.game, job.seats, job.options, names, about) as file,
        Bar(matches) as bar,
    ):
        for played, size in _all_played(job, matches, jobs):
            file.write(played.rows)
            decisions += len(played.rows.match)
            for bot, reason in played.faults:
                faults[bot] += 1
                first.setdefault(bot, reason)
            for _ in bar.over(range(size)):
                pass
    for bot, count in sorted(faults.items()):
        print(f"{names[bot]} had {plural(count, 'fault')}, which are not written: {first[bot]}")
    print(
        f"{out}: {plural(decisions, 'decision')} of {plural(matches, 'match', 'matches')} "
        f"at {job.seats} seats; repeat with --seed {seed}."
    )
    return 0


def _all_played(job: Job, matches: int, jobs: int) -> Iterator[tuple[Played, int]]:
    """Yield the portions in order, each with its number of matches."""
    portions = [range(first, min(first + PORTION, matches)) for first in range(0, matches, PORTION)]
    context = multiprocessing.get_context("spawn")
    with fixed_hashes(), Reaper() as reaper:
        pool = ProcessPoolExecutor(min(jobs, len(portions)), context, begin)
        children: list[BaseProcess] = []
        try:
            waiting = [pool.submit(worker.play, job, portion) for portion in portions]
            waiting.reverse()
            children = multiprocessing.active_children()
            for child in children:
                reaper.watch(child.pid or 0)
            for portion in portions:
                yield waiting.pop().result(), len(portion)
        except BrokenProcessPool:
            raise BotDied("A bot ended its process.") from None
        finally:
            # Not as a context manager: a second shutdown would play the cancelled matches.
            pool.shutdown(cancel_futures=True)
            for child in children:
                reaper.forget(child.pid or 0)
