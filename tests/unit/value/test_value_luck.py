"""Luck in matches: exact replays, and no bias even with random models."""

from pathlib import Path

import numpy as np
import pytest

from arena.games.batch import batch_class
from arena.games.batch.dice import DiceGames
from arena.games.batch.lama import LamaGames
from arena.games.match import Match, MatchSetup, Seat
from arena.games.packed_log import pack, replay
from arena.games.replay import steps
from arena.games.rules import GAMES
from arena.value.luck import UNIT, FinishedMatch, MatchLuck, luck_of, styled, version_of
from arena.value.luck.chances import branches, chance_decides, deals
from arena.value.luck.features import chains, width
from arena.value.luck.styled import StyledNet
from arena.value.luck.valuing import LUCK, ROUNDS, STATS, LuckNet
from arena.value.luck.watching import luck_in
from arena.value.network import BadNet, Network
from arena.value.strategies import STYLES
from tests.lab.training.fit import new_layers

SEED = bytes(range(16))


def random_net(game: str, seats: int, seed: int = 1, scale: float = 3) -> LuckNet:
    """V with random weights."""
    rng = np.random.default_rng(seed)
    count = seats * (seats - 1) // 2
    sizes = {
        ROUNDS: (width(game, seats), 16, STATS),
        LUCK: (seats * (STATS + styled.FEATURES + len(STYLES)) + count, 16, count),
        styled.STYLED: (seats * (styled.FEATURES + len(STYLES)), 16, count),
    }
    made = []
    for kind, widths in sizes.items():
        layers = new_layers(widths, rng)
        layers[-1] = (layers[-1][0] * scale, layers[-1][1])
        made.append(Network.rounded(layers, {"kind": kind}))
    return LuckNet(made[0], made[1], StyledNet(made[2], seats))


def save(net: LuckNet, game: str, folder: Path) -> None:
    networks = {ROUNDS: net.rounds, LUCK: net.luck, styled.STYLED: net.outcome.network}
    for kind, network in networks.items():
        network.save(folder / f"{kind}-{game}-{net.seats}.npz")


def played(game: str, seats: int, number: int, faults: float = 0.0) -> FinishedMatch:
    """A match of bots that play at random, with some missing answers."""
    rng = np.random.default_rng([number, seats])
    setup = MatchSetup(f"m{number}", game, rng.bytes(16), (Seat("one"),) * seats)
    match = Match(setup)
    while match.decision:
        if rng.random() < faults:
            match.fail("timeout", "Too slow.")
        else:
            legal = match.decision.actions
            match.answer(legal[rng.integers(len(legal) + 2) % len(legal)])
    return FinishedMatch(setup.id, setup.seed, pack(match))


def test_inputs_include_how_far_a_hand_reaches() -> None:
    # From the top card on: two of the same, one of the next, none, and one that is out of reach
    near = np.array([[[1, 0.5, 0, 0.5, 0, 0, 0], [0, 0, 1, 0, 0, 0, 0]]], np.float32)
    can, cards, steps_up = chains(near)[0].T
    assert can.tolist() == [1, 0]
    assert np.allclose(cards * 6, [3, 0])
    assert np.allclose(steps_up * 6, [1, 0])


# Luck is unbiased for any fixed V


@pytest.mark.long
@pytest.mark.parametrize("seats", [2, 4])
@pytest.mark.parametrize("game", GAMES)
def test_luck_has_mean_zero_over_all_outcomes(game: str, seats: int) -> None:
    """The luck of all outcomes of a state adds up to zero, with a random V."""
    games, rng = batch_class(game)(300, seats, SEED), np.random.default_rng(2)
    for _ in range(9):
        games.step(games.random_actions(rng))
    games = games.select(np.flatnonzero(~games.finished))
    net, actions = random_net(game, seats), np.full(len(games), 1, np.uint8)  # draw, or roll
    games = games.select(np.flatnonzero(games.legal[:, 1]))
    styles = rng.dirichlet(np.ones(len(STYLES)), (len(games), seats)).astype(np.float32)
    actions = actions[: len(games)]
    assert chance_decides(games, actions).all()
    assert len(games) > 50

    made = branches(games, actions, np.zeros((len(games), 3), np.intp))
    sums = np.zeros((len(games), seats * (seats - 1) // 2))
    for place in range(int(np.bincount(made.origin).max())):
        starts = np.searchsorted(made.origin, np.arange(len(games)))
        ends = np.append(starts[1:], len(made.origin))
        came = np.minimum(starts + place, ends - 1)
        weight = np.where(starts + place < ends, made.weight[came], 0)
        again = branches(games, actions, np.zeros((len(games), 3), np.intp))
        sums += luck_in(net, again._replace(came=came), games.round, styles) * weight[:, None]

    assert np.abs(sums).max() < 1e-5


def test_draws_are_as_likely_as_cards_are_left() -> None:
    games = LamaGames(2000, 2, SEED)
    made = branches(games, np.ones(2000, np.uint8), np.zeros((2000, 3), np.intp))
    kinds = games.decks[np.arange(2000), games.drawn]
    expected = np.zeros((2000, 7))
    after = made.games
    assert isinstance(after, LamaGames)
    drawn = after.decks[np.arange(len(after)), after.drawn - 1]
    np.add.at(expected, (made.origin, drawn), made.weight)
    share = np.bincount(kinds, minlength=7) / 2000
    assert np.allclose(expected.mean(axis=0), share, atol=0.03)
    assert (drawn[made.came] == kinds).all()


def test_rolls_are_as_likely_as_dice_show_them() -> None:
    games = DiceGames(3000, 3, SEED)
    faces = games.chance.faces(games.seeds, games.round, games.rolls + 1)
    made = branches(games, np.ones(3000, np.uint8), faces)
    rolled = games.copy()
    rolled.step(np.ones(3000, np.uint8))
    # The actual branch allows the same actions as the real roll.
    came = made.games.select(made.came)
    assert (came.phase == rolled.phase).all()
    assert (came.legal[came.phase > 0] == rolled.legal[came.phase > 0]).all()
    assert np.allclose(np.bincount(made.origin, made.weight), 1)
    discards = np.bincount(made.origin, made.weight * (made.games.phase == 2))
    assert abs(discards.mean() - (rolled.phase == 2).mean()) < 0.03


def test_other_deals_are_those_of_the_seed_and_no_other() -> None:
    games = LamaGames(5, 3, SEED)
    seeds = np.arange(10, dtype=np.uint64).reshape(5, 2)
    one, again = deals(games, seeds), deals(games.select(np.array([3, 1])), seeds[[3, 1]])
    assert isinstance(one.games, LamaGames)
    assert isinstance(again.games, LamaGames)
    hands = one.games.hands
    assert (hands[3 * 17 : 4 * 17] == again.games.hands[:17]).all()
    assert (hands[one.came] == games.hands).all()
    assert len(np.unique(hands.reshape(len(hands), -1), axis=0)) == 5 * 17


@pytest.mark.parametrize("game", ["lama", "dice"])
def test_scores_less_luck_have_the_same_mean_with_a_wrong_v(game: str, tmp_path: Path) -> None:
    """The mean luck of many matches is zero within its error, although luck is not small."""
    save(random_net(game, 2), game, tmp_path)
    matches = [played(game, 2, number) for number in range(300)]
    luck = np.array(
        [each.total[0, 1] for each in known(luck_of(game, 2, matches, folder=tmp_path))]
    )
    assert luck.std() > 0.02 * UNIT
    assert abs(luck.mean()) < 3.5 * luck.std() / np.sqrt(len(luck))


# Replaying


def known(luck: list[MatchLuck | None]) -> list[MatchLuck]:
    found = [each for each in luck if each is not None]
    assert len(found) == len(luck)
    return found


@pytest.mark.parametrize("seats", [2, 3, 6])
@pytest.mark.parametrize("game", GAMES)
def test_every_event_of_a_match_is_found(game: str, seats: int, tmp_path: Path) -> None:
    """Deals, draws and rolls agree with the match's record, including forfeits and forced moves."""
    save(random_net(game, seats), game, tmp_path)
    matches = [played(game, seats, number, faults=0.05) for number in range(6)]
    luck = known(luck_of(game, seats, matches, folder=tmp_path))
    for match, each in zip(matches, luck, strict=True):
        expected = events_of(game, seats, match)
        assert [(e.round, e.decision, e.kind, e.seat) for e in each.events] == expected
        assert (np.sum([e.pairs for e in each.events], axis=0) == each.total).all()
        assert (each.total == -each.total.T).all()


def events_of(game: str, seats: int, match: FinishedMatch) -> list[tuple[object, ...]]:
    """The same events from a replay of the single match."""
    setup = MatchSetup(match.id, game, match.seed, (Seat("one"),) * seats)
    found: list[tuple[object, ...]] = []
    number = 0
    for step in steps(replay(setup, match.log).game):
        if step.view.round != number:
            number = step.view.round
            found.append((number, step.view.number, "deal", None))
        if step.action == "roll":
            found.append((number, step.view.number, "roll", step.view.seat))
        if step.drawn:
            drawer = step.view.seat
            if step.action != "draw":
                left = [(drawer + k) % seats for k in range(1, seats)]
                drawer = next((seat for seat in left if step.view.active[seat]), drawer)
            found.append((number, step.view.number, "draw", drawer))
    return found


def test_the_luck_of_a_match_does_not_depend_on_the_others(tmp_path: Path) -> None:
    save(random_net("kadabra", 3), "kadabra", tmp_path)
    matches = [played("kadabra", 3, number) for number in range(5)]
    together = known(luck_of("kadabra", 3, matches, folder=tmp_path))
    for number, match in enumerate(matches):
        [alone] = known(luck_of("kadabra", 3, [match], folder=tmp_path))
        assert np.abs(alone.total - together[number].total).max() <= 10  # millionths


def test_a_damaged_or_wrong_log_has_no_luck_and_harms_no_other(tmp_path: Path) -> None:
    save(random_net("lama", 3), "lama", tmp_path)
    good, other = played("lama", 3, 1), played("lama", 3, 2)
    bad = [good._replace(log=b"?"), good._replace(seed=b""), good._replace(log=other.log)]
    luck = luck_of("lama", 3, [good, *bad, other], folder=tmp_path)
    assert [each is None for each in luck] == [False, True, True, True, False]


def test_without_a_model_there_is_no_luck(tmp_path: Path) -> None:
    match = played("lama", 3, 1)
    assert luck_of("lama", 3, [match], folder=tmp_path) == [None]
    assert version_of("lama", 3, folder=tmp_path) is None
    save(random_net("lama", 3), "lama", tmp_path)
    assert luck_of("lama", 3, [match], {"max_rounds": "9"}, folder=tmp_path) == [None]
    assert luck_of("lama", 3, [match], ruleset="lama/0", folder=tmp_path) == [None]
    assert luck_of("lama", 3, [], folder=tmp_path) == []


def test_luck_models_of_another_release_are_refused(tmp_path: Path) -> None:
    net, other = random_net("lama", 3), random_net("party", 3)
    save(LuckNet(other.rounds, net.luck, net.outcome), "lama", tmp_path)
    with pytest.raises(BadNet, match="not of this release"):
        luck_of("lama", 3, [played("lama", 3, 1)], folder=tmp_path)


def test_other_weights_have_another_version(tmp_path: Path) -> None:
    versions = {random_net("lama", 3, seed).version for seed in (1, 1, 2)}
    assert len(versions) == 2
    assert all(len(version) <= 24 for version in versions)


def test_luck_by_seat_adds_up_to_nothing(tmp_path: Path) -> None:
    save(random_net("party", 4), "party", tmp_path)
    (luck,) = known(luck_of("party", 4, [played("party", 4, 1)], folder=tmp_path))
    assert abs(sum(luck.by_seat)) < 1e-9
    assert max(luck.by_seat) > 0
