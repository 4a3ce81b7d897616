"""A bot that plays with the network from train_policy.py: arena bot connect policy_bot.py

It reads policy.npz next to this file, or the file in POLICY. It plays the game and number of seats of that network.
"""

import numpy as np
from policy_network import FILE, Network

from arena.games.batch import observe
from arena.sdk import Bot


class PolicyBot(Bot):
    network = Network.load(FILE)
    games = (network.game,)
    min_seats = max_seats = network.seats
    max_in_flight = 1024

    def choose_batch(self, decisions):
        *_, scores, _ = self.network.layers(observe(decisions))
        return np.where(decisions.legal(), scores, -np.inf).argmax(axis=1)


if __name__ == "__main__":
    PolicyBot().run()
