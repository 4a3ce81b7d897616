"""What the house bots `sharp`, `student` and `master` choose in decisions of others."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from arena.base.errors import NotFound
from arena.games.match import Match
from arena.games.replay import steps
from arena.games.rules import View

FAST: Final = ("sharp", "student")  # some thousands of decisions a second
SLOW: Final = "master"  # plays rounds on, and takes some hundredths of a second for each
ROUNDS: Final = 512  # that `master` plays on, as the house bot does


def views_of(match: Match, numbers: Sequence[int]) -> list[View]:
    """What the seats saw at these decisions of a match, in order."""
    wanted = set(numbers)
    return [step.view for step in steps(match.game, match.setup.id) if step.view.number in wanted]


def choices(
    views: Sequence[View], names: Sequence[str] = FAST, seed: int = 0
) -> list[dict[str, str]]:
    """For each view of one table's kind: what each of these bots chooses, in notation.

    A bot without a net for the table is left out. Raises ModuleNotFoundError without NumPy.
    """
    if not views:
        return []
    import numpy as np

    from arena.games.batch import batch_class
    from arena.games.batch.packed import PackedViews
    from arena.value.search.players import player

    seen = PackedViews(views)
    rng = np.random.default_rng(seed)
    games = batch_class(seen.game).resumed(seen, rng.bytes(16), moves=True)
    found: list[dict[str, str]] = [{} for _ in views]
    for name in names:
        try:
            policy = player(name, seen.game, seen.seats, ROUNDS)
        except NotFound:
            continue
        actions = games.offered()
        for one, index in zip(found, policy(actions, rng), strict=True):
            one[name] = games.rules.notation[int(index)]
    return found


def others(match: Match, numbers: Sequence[int]) -> dict[int, dict[str, str]]:
    """What the fast ones choose in decisions of a match, by their numbers."""
    views = views_of(match, numbers)
    return dict(zip([view.number for view in views], choices(views), strict=True))
