"""MyBot plays L.A.M.A.

python mybot.py      connects to the arena at ARENA_URL with ARENA_TOKEN
"""

from arena.sdk import Bot


class MyBot(Bot):
    """Plays what it can; quits when its hand is cheap."""

    # `arena rules party` and so on explain the other games: "party", "dice", "kadabra".
    games = ("lama",)
    # It answers at once, so it may be asked much at a time. A bot that thinks leaves this at 1.
    max_in_flight = 64

    def choose(self, view):
        """Returns one of view.actions; see https://arena.example/docs/sdk."""
        plays = [action for action in view.actions if action.startswith("play")]
        if plays:
            return plays[0]
        if "quit" in view.actions and view.penalty <= 6:
            return "quit"
        # To draw; or, after going out, which token to give back: the last is worth most.
        return "draw" if "draw" in view.actions else view.actions[-1]


if __name__ == "__main__":
    MyBot().run()
