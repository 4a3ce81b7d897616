"""Models: their files, their catalog, and the results of matches that they predict."""

import json
from itertools import product
from pathlib import Path

import numpy as np
import pytest

from arena.games.rules import GAMES
from arena.games.rules.errors import BadOption, UnknownGame
from arena.value import catalog, outcome
from arena.value.luck import styled, valuing
from arena.value.network import BadNet, Network
from arena.value.outcome import OutcomeNet
from arena.value.strategies import STYLES
from arena.value.strategies.styles import RANDOM, SHARP
from tests.lab.training.fit import new_layers
from tests.lab.training.outcome import of_seats
from tests.lab.training.states import States

SEATS = [2, 3, 4, 5, 6]


def made(seed: int, *sizes: int) -> Network:
    return Network.rounded(new_layers(sizes, np.random.default_rng(seed)), {"kind": "a test"})


def test_network_is_read_as_it_was_written(tmp_path: Path) -> None:
    net, rows = made(1, 5, 8, 3), np.random.default_rng(2).normal(size=(20_000, 5))
    net.save(tmp_path / "net.npz")

    again = Network.load(tmp_path / "net.npz")

    assert (again.digest, again.about) == (net.digest, net.about)
    assert (again(rows.astype(np.float32)) == net(rows.astype(np.float32))).all()


def test_networks_with_other_weights_or_cards_have_another_digest() -> None:
    one, other = made(1, 5, 8, 3), made(2, 5, 8, 3)
    assert len({one.digest, other.digest, Network(one.layers, {}).digest}) == 3


@pytest.mark.parametrize("content", [b"", b"no net", b"PK\x03\x04"])
def test_a_damaged_file_is_refused(tmp_path: Path, content: bytes) -> None:
    (tmp_path / "net.npz").write_bytes(content)
    with pytest.raises(BadNet, match="net.npz is not a valid model"):
        Network.load(tmp_path / "net.npz")


def test_layers_that_do_not_fit_are_refused(tmp_path: Path) -> None:
    first, other = made(1, 5, 8).layers, made(1, 7, 2).layers
    Network(first + other, {}).save(tmp_path / "net.npz")
    with pytest.raises(BadNet, match="do not fit"):
        Network.load(tmp_path / "net.npz")


# The catalog


@pytest.mark.parametrize("kind", [outcome.KIND, styled.STYLED])
@pytest.mark.parametrize("seats", SEATS)
@pytest.mark.parametrize("game", GAMES)
def test_there_is_an_outcome_model_with_a_correct_card(game: str, seats: int, kind: str) -> None:
    net = catalog.find(kind, game, seats)
    card = catalog.NETS / f"{kind}-{game}-{seats}.json"

    assert net is not None
    assert json.loads(card.read_text())["sha256"] == net.digest
    if kind == styled.STYLED:
        assert net.about["quality"]["cross entropy"] < net.about["quality"]["if even"]


@pytest.mark.parametrize("seats", SEATS)
@pytest.mark.parametrize("game", GAMES)
def test_expected_scores_match_played_results(game: str, seats: int) -> None:
    """In 100 states, half of them with 30 points or more in every seat."""
    made, states = outcome.find(game, seats), States.read(game, seats)
    assert made
    off = of_seats(made.scores(states.points, states.starter)) - states.score

    assert np.sqrt((off**2).mean()) <= 0.02
    assert np.abs(off).max() <= 0.05
    assert made.error <= 0.02


def test_all_models_together_are_small() -> None:
    assert sum(file.stat().st_size for file in catalog.NETS.iterdir()) < 5e6


def test_untrained_options_have_no_model() -> None:
    faces = "1 2 3 5 llama llama / 1 2 4 6 llama llama / 3 4 5 6 llama llama"
    assert catalog.find("outcome", "lama", 4, {"max_rounds": "500"})
    assert catalog.find("outcome", "dice", 4, {"dice.faces": faces})
    assert catalog.find("outcome", "lama", 4, {"max_rounds": "9"}) is None
    assert catalog.find("outcome", "kadabra", 4, {"kadabra.specials": "1o:8"}) is None


def test_missing_model_is_none(tmp_path: Path) -> None:
    assert outcome.find("lama", 4, folder=tmp_path) is None
    with pytest.raises(UnknownGame):
        catalog.find("outcome", "chess", 4)
    with pytest.raises(BadOption):
        catalog.find("outcome", "lama", 4, {"owls": "9"})


# How matches end


def test_the_scores_of_a_pair_add_up_and_follow_the_seats() -> None:
    net = OutcomeNet(made(3, outcome.inputs(3), 8, 3), 3)
    points, starter = np.array([[0, 12, 30], [12, 30, 0]]), np.array([1, 0])

    scores = net.scores(points, starter)

    assert np.allclose(scores + scores.transpose(0, 2, 1), 1)
    # The second row is the first with all players one seat to the right.
    assert np.allclose(scores[1], np.roll(scores[0], (-1, -1), (0, 1)))


@pytest.mark.parametrize("seats", [2, 4])
def test_model_of_another_release_is_refused(tmp_path: Path, seats: int) -> None:
    made(3, 6 * seats, 8, 1).save(tmp_path / f"outcome-lama-{seats}.npz")
    with pytest.raises(BadNet, match=f"lama at {seats} seats is not of this release"):
        outcome.find("lama", seats, folder=tmp_path)


def test_a_match_that_is_over_has_its_result() -> None:
    net = outcome.find("lama", 3)
    assert net
    (scores,) = net.scores(np.array([[40, 7, 7]]), np.array([2]))
    assert scores.tolist() == [[0.5, 0, 0], [1, 0.5, 0.5], [1, 0.5, 0.5]]


@pytest.mark.parametrize("game", GAMES)
def test_model_with_styles_rates_good_players_higher(game: str) -> None:
    net = styled.find(game, 4)
    assert net
    styles = np.eye(len(STYLES), dtype=np.float32)[[[RANDOM, SHARP, RANDOM, SHARP]]]
    (scores,) = net.scores(np.full((1, 4), 5), np.array([0]), styles)
    assert scores[1, 0] > 0.6


@pytest.mark.parametrize("game", GAMES)
def test_seat_with_fewer_points_is_ahead(game: str) -> None:
    net = outcome.find(game, 4)
    assert net
    points = np.array([[3, 5, 5, 35], [5, 35, 5, 3]])
    scores = net.scores(points, np.array([0, 0]))
    assert scores[0, 0, 3] > 0.75
    assert scores[1, 3, 1] > 0.75


# Luck


def with_luck() -> list[tuple[str, int]]:
    """Games and numbers of seats with luck models in the package."""
    return [(g, n) for g in GAMES for n in SEATS if (catalog.NETS / f"luck-{g}-{n}.npz").exists()]


def test_all_games_and_seats_have_luck_models() -> None:
    assert set(with_luck()) == set(product(GAMES, SEATS))


@pytest.mark.parametrize(("game", "seats"), with_luck())
def test_luck_model_saves_matches(game: str, seats: int) -> None:
    net = valuing.find(game, seats)
    assert net is not None
    assert net.luck.about["quality"]["factor of matches saved"] > 1
    assert all(0 <= part <= 1.2 for part in net.shrinkage.values())
    for kind in ("rounds", "luck"):
        card = json.loads((catalog.NETS / f"{kind}-{game}-{seats}.json").read_text())
        assert card["sha256"] == getattr(net, kind).digest


@pytest.mark.parametrize(("game", "seats"), with_luck())
def test_the_benchmarks_have_the_figures_of_the_model_cards(game: str, seats: int) -> None:
    page = (Path(__file__).parents[3] / "docs/contributing/benchmarks.md").read_text()
    quality = json.loads((catalog.NETS / f"luck-{game}-{seats}.json").read_text())["quality"]
    found, low, high = (quality[name] for name in ("factor of matches saved", "from", "to"))
    row = f"| {GAMES[game].title} | {seats} | {found:.2f} | {low:.2f} to {high:.2f} |"
    assert row in page
