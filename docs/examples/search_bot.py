"""A bot that searches. Run python search_bot.py with ARENA_TOKEN set, or arena play search_bot.py sharp five

It draws games that fit its view and tries all actions in the same games. A house bot plays every seat on to the end of
the round. The worse half of the actions is dropped after each stage (sequential halving), so close ones get more games.
"""

from math import ceil, log2

from arena.bots import HOUSE
from arena.sdk import Bot


class SearchBot(Bot):
    games = HOUSE["sharp"].games
    player = HOUSE["sharp"]()  # plays on, in all seats
    playouts = 240  # rounds played on for a decision; increase it as far as the move time allows

    def choose(self, view):
        left, stages, rng = list(view.indices), ceil(log2(len(view.indices))), view.rng()
        cost = dict.fromkeys(left, 0.0)
        for _ in range(stages):
            count = max(1, self.playouts // (stages * len(left)))
            for state in view.sample_states(count, rng):
                for action in left:
                    cost[action] += self.cost(state, action, view)
            # All remaining actions were tried in the same games, so their sums are comparable.
            left = sorted(left, key=cost.get)[: (len(left) + 1) // 2]
        return left[0]

    def cost(self, state, action, view):
        """Return our points at the end of the round, less the others' average."""
        game = state.clone()
        game.apply(action)
        while game.round == view.round and not game.finished:
            game.apply(game.parse(self.player.choose(game.view())))
        own = game.points[view.seat]
        return own - (sum(game.points) - own) / (view.seats - 1)


if __name__ == "__main__":
    SearchBot().run()
