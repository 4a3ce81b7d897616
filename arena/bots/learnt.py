"""House bots that play with models: `student` without a search, `master` with one.

They need NumPy and the models of `arena.value`. Both are loaded in `prepare`, so that the other
house bots do not need them.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from arena.base.errors import Unavailable
from arena.base.extras import require
from arena.games.decisions import Decisions
from arena.sdk.bot import Bot

if TYPE_CHECKING:
    from arena.value.policy_net import PolicyNet


class Learnt(Bot):
    """The base class of both, which loads the models."""

    games = ("lama", "party", "dice", "kadabra")

    def prepare(self) -> None:
        """Loads the models. Raises Unavailable without NumPy or without a model."""
        require(f"The house bot {type(self).__name__.lower()}", "numpy")
        import arena.base.blas_threads  # noqa: F401 - before NumPy: its threads would wait for each other

        self.nets = {game: self._net(game) for game in self.games}

    def _net(self, game: str) -> PolicyNet:
        from arena.value import policy_net

        net = policy_net.find(game, self.min_seats)
        if net is None:
            raise Unavailable(
                f"The house bot {type(self).__name__.lower()} has no policy model for {game}. "
                "Train one in a clone of the project: "
                f"python -m tests.lab train policy --game {game}"
            )
        return net


class Student(Learnt):
    """Plays the action that the policy model finds most likely, without a search."""

    max_in_flight = 256

    def choose_batch(self, decisions: Decisions) -> Sequence[Any]:
        """Returns the most likely actions."""
        from arena.games.batch import batch_class

        games = batch_class(decisions.game).seen(decisions)
        return list(self.nets[decisions.game].logits(games).argmax(axis=1))


class Master(Learnt):
    """Searches the actions that the model suggests, in states consistent with the view."""

    max_in_flight = 16
    #: Rounds simulated for a decision; raise it as far as the move time allows.
    rounds = 512
    #: Time limit in seconds for a batch of decisions; then the best action so far is played.
    seconds = 0.5

    def choose_batch(self, decisions: Decisions) -> Sequence[Any]:
        """Returns the best actions found. They depend only on the key, unless time runs out."""
        import numpy as np

        from arena.games.batch import batch_class
        from arena.value.search.halving import Search
        from arena.value.search.inference import Inference
        from arena.value.search.rollouts import EndValues

        rng = np.random.default_rng(decisions[0].rng().getrandbits(64))
        games = batch_class(decisions.game).resumed(decisions, rng.bytes(16), moves=True)
        ends = EndValues(decisions.game, decisions.seats, decisions.options)
        net = self.nets[decisions.game]
        search = Search(net.logits, net, ends, self.rounds, self.seconds, Inference(net))
        return list(search.best(games, rng))
