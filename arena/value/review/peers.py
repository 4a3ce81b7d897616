"""Choices of the house bots `sharp`, `student` and `master` in decisions of others."""

from collections.abc import Sequence
from typing import Final

from arena.base.errors import NotFound
from arena.games.decisions import Decisions
from arena.games.match import Match
from arena.games.replay import steps
from arena.games.rules import View

FAST: Final = ("sharp", "student")  # no search
SLOW: Final = "master"  # plays rounds on for each decision
ROUNDS: Final = 512  # played on by `master`, as by the house bot


def views_of(match: Match, numbers: Sequence[int]) -> list[View]:
    """Return the views of these decisions of a match, in order."""
    wanted = set(numbers)
    return [step.view for step in steps(match.game, match.setup.id) if step.view.number in wanted]


def choices(
    views: Sequence[View], names: Sequence[str] = FAST, seed: int = 0
) -> list[dict[str, str]]:
    """Return the choice of each bot, in notation, for each view.

    All views have the same game, options and number of seats. Bots without a model for them are
    left out. Raises ModuleNotFoundError without NumPy.
    """
    if not views:
        return []
    import numpy as np

    from arena.games.batch import batch_class
    from arena.value.search.players import player

    seen = Decisions.of(views)
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
    """Return the choices of the fast bots in decisions of a match, by decision number."""
    views = views_of(match, numbers)
    return dict(zip([view.number for view in views], choices(views), strict=True))
