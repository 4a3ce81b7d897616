"""Train a small network by self-play, with NumPy alone, and write policy.npz for policy_bot.py.

    python train_policy.py                      # L.A.M.A. at four seats, a few minutes on one core
    python train_policy.py --game dice --seats 3 --out dice.npz

The method is proximal policy optimisation (PPO). All seats play the same network. The reward of a decision is the
result of its seat in the rest of the round, relative to the other seats.
"""

import argparse
from pathlib import Path

import arena.base.blas_threads  # before NumPy, to limit its threads

import numpy as np
from policy_network import FILE, Network

from arena.games.batch import batch_class

GAMES, STEPS, EPOCHS, PORTION = 512, 256, 3, 8192  # games at once, decisions of each per update
CLIP, ENTROPY, VALUE, RATE = 0.2, 0.01, 0.5, 1e-3


def probabilities(scores, legal):
    masked = np.where(legal, scores, -np.inf)
    odds = np.exp(masked - masked.max(axis=1, keepdims=True))
    return odds / odds.sum(axis=1, keepdims=True)


def play(games, network, steps, rng):
    """Play `steps` steps of all games. Return the decisions of finished rounds, see `judged`."""
    everyone, said = np.arange(len(games)), []
    for _ in range(steps):
        seen, legal, seat = games.observe(), games.legal, games.seat.copy()
        *_, scores, values = network.layers(seen)
        chances = probabilities(scores, legal)
        actions = np.minimum((chances.cumsum(axis=1) < rng.random((len(games), 1))).sum(axis=1), legal.shape[1] - 1)
        actions = np.where(legal[everyone, actions], actions, chances.argmax(axis=1))  # the sum may be below 1
        rounds, points = games.round.copy(), games.points.copy()
        games.step(actions)
        ended = games.finished | (games.round != rounds)
        gained = (points - games.points).astype(np.float32)  # fewer points are better
        others = (gained.sum(axis=1, keepdims=True) - gained) / (games.seats - 1)
        said.append((seen, legal, actions, chances[everyone, actions], values, seat, (gained - others) / 10, ended))
        games.restart()
    return judged(said, games.seats)


def judged(said, seats):
    """Return observations, legal actions, actions, probabilities, values and results of decisions.

    The result is the reward in the rest of the round. Unfinished rounds and forced decisions are left out.
    """
    count = len(said[0][0])
    brought, known, kept = np.zeros((count, seats), np.float32), np.zeros(count, bool), []
    for seen, legal, actions, chance, values, seat, reward, ended in reversed(said):
        brought = reward + np.where(ended[:, None], 0, brought)
        known |= ended
        of_use = known & (legal.sum(axis=1) > 1)
        result = brought[np.arange(count), seat]
        kept.append([part[of_use] for part in (seen, legal, actions, chance, values, result)])
    return [np.concatenate(parts) for parts in zip(*kept)]


def gradients(network, seen, legal, actions, before, advantage, result):
    """Return the gradients of the PPO loss: clipped policy gain, entropy and value error."""
    rows, w = np.arange(len(seen)), network.weights
    inputs, first, second, scores, values = network.layers(seen)
    chances = probabilities(scores, legal)
    ratio = chances[rows, actions] / before
    clipped = ((advantage > 0) & (ratio > 1 + CLIP)) | ((advantage < 0) & (ratio < 1 - CLIP))
    push = np.where(clipped, 0, advantage * ratio)[:, None]
    logs = np.log(np.maximum(chances, 1e-9))
    entropy = -(chances * logs).sum(axis=1, keepdims=True)
    by_score = push * chances + ENTROPY * chances * (logs + entropy)
    by_score[rows, actions] -= push[:, 0]
    by_value = VALUE * (values - result)[:, None]
    by_second = (by_score @ w["w2"].T + by_value @ w["w3"].T) * (second > 0)
    by_first = by_second @ w["w1"].T * (first > 0)
    made = {}
    layers = ((inputs, by_first), (first, by_second), (second, by_score), (second, by_value))
    for layer, (given, wanted) in enumerate(layers):
        made[f"w{layer}"], made[f"b{layer}"] = given.T @ wanted / len(seen), wanted.mean(axis=0)
    return made


class Adam:
    """The Adam optimiser."""

    def __init__(self, weights):
        self.means = {name: np.zeros_like(array) for name, array in weights.items()}
        self.squares = {name: np.zeros_like(array) for name, array in weights.items()}
        self.steps = 0

    def step(self, weights, gradient, rate):
        self.steps += 1
        for name, slope in gradient.items():
            self.means[name] += 0.1 * (slope - self.means[name])
            self.squares[name] += 0.001 * (slope**2 - self.squares[name])
            mean = self.means[name] / (1 - 0.9**self.steps)
            square = self.squares[name] / (1 - 0.999**self.steps)
            weights[name] -= rate * mean / (np.sqrt(square) + 1e-8)


def train(game="lama", seats=4, iterations=150, seed=1, count=GAMES, steps=STEPS, say=print):
    """Return a trained Network. Equal arguments give equal weights on one machine."""
    rng = np.random.default_rng(seed)
    games = batch_class(game)(count, seats, rng.bytes(16))
    looks = []
    for _ in range(100):
        looks.append(games.observe())
        games.step(games.random_actions(rng))
        games.restart()
    network = Network.begin(game, seats, np.concatenate(looks), games.legal.shape[1], rng)
    adam = Adam(network.weights)
    for iteration in range(iterations):
        *decisions, values, result = play(games, network, steps, rng)
        gain = result - values
        gain = (gain - gain.mean()) / (gain.std() + 1e-6)
        rate = RATE * (1 - iteration / iterations)
        for _ in range(EPOCHS):
            for part in np.array_split(rng.permutation(len(gain)), -(-len(gain) // PORTION)):
                portion = [array[part] for array in decisions]
                adam.step(network.weights, gradients(network, *portion, gain[part], result[part]), rate)
        if iteration % 10 == 9:
            say(f"{iteration + 1} of {iterations}: {games.begun} matches started, value error {np.std(result - values):.3f}")
    return network


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--game", default="lama")
    parser.add_argument("--seats", type=int, default=4)
    parser.add_argument("--iterations", type=int, default=150)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--out", type=Path, default=FILE)
    given = parser.parse_args()
    train(given.game, given.seats, given.iterations, given.seed).save(given.out)
    print(f"Wrote {given.out}. Connect it with: POLICY={given.out} arena bot connect policy_bot.py")


if __name__ == "__main__":
    main()
