"""A bot that looks ahead: python search_bot.py with ARENA_TOKEN set, or arena play search_bot.py sharp five

It draws whole games that look like what it sees, tries each action in the same ones and lets a house bot play every seat on
to the end of the round. Actions that do badly get no more games (sequential halving), so that the close ones get many.
"""

from math import ceil, log2

from arena.bots import HOUSE
from arena.sdk import Bot


class SearchBot(Bot):
    games = HOUSE["sharp"].games
    player = HOUSE["sharp"]()  # plays on, in all seats
    playouts = 240  # rounds played on for a decision; raise it as far as the move time allows

    def choose(self, view):
        left, stages, rng = list(view.indices), ceil(log2(len(view.indices))), view.rng()
        cost = dict.fromkeys(left, 0.0)
        for _ in range(stages):
            count = max(1, self.playouts // (stages * len(left)))
            for state in view.sample_states(count, rng):
                for action in left:
                    cost[action] += self.cost(state, action, view)
            # All that are left were tried in the same games, so their sums can be compared.
            left = sorted(left, key=cost.get)[: (len(left) + 1) // 2]
        return left[0]

    def cost(self, state, action, view):
        """Our points beside the others' when the round has been played on."""
        game = state.clone()
        game.apply(action)
        while game.round == view.round and not game.finished:
            game.apply(game.parse(self.player.choose(game.view())))
        own = game.points[view.seat]
        return own - (sum(game.points) - own) / (view.seats - 1)


if __name__ == "__main__":
    SearchBot().run()
