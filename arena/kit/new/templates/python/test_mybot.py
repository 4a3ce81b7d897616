"""python -m unittest"""

import unittest

from arena.bots import HOUSE
from arena.sdk import play

from mybot import MyBot


class Watched(MyBot):
    """MyBot; it remembers its faults."""

    def __init__(self):
        self.faults = []

    def on_fault(self, fault):
        self.faults.append(fault.reason)


class TestMyBot(unittest.TestCase):
    def test_it_plays_whole_matches_without_a_fault(self):
        for game in MyBot.games:
            for seed in range(20):
                bot = Watched()
                play([bot, HOUSE["random"](), HOUSE["sharp"]()], game, seed)
                self.assertEqual(bot.faults, [], f"{game}, seed {seed}")


if __name__ == "__main__":
    unittest.main()
