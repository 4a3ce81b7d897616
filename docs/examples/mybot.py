"""The bot from the README. Set ARENA_URL and ARENA_TOKEN, then run: python mybot.py"""

from arena.sdk import Bot


class MyBot(Bot):
    def choose(self, view):
        plays = [action for action in view.actions if action.startswith("play")]
        if plays:
            return plays[0]
        # The last action quits, or returns the largest token; the first draws a card.
        return view.actions[-1] if view.penalty <= 6 else view.actions[0]


if __name__ == "__main__":
    MyBot().run()
