"""Nets: their files, how they are fitted, which ones there are, and how matches end by them."""

from __future__ import annotations

import json
import os
import re
import signal
import subprocess
import sys
import time
from functools import partial
from itertools import product
from pathlib import Path

import numpy as np
import pytest

from arena.base.errors import InvalidRequest, Unavailable
from arena.games.batch.arrays import Index
from arena.games.rules import GAMES
from arena.games.rules.errors import BadOption, UnknownGame
from arena.kit.commands import run
from arena.value import catalog, outcome
from arena.value.luck import styled, valuing
from arena.value.network import BadNet, Floats, Network
from arena.value.outcome import OutcomeNet
from arena.value.strategies import STYLES
from arena.value.strategies.styles import RANDOM, SHARP
from arena.value.training import outcome as training
from arena.value.training.fit import Plan, fit, new_layers
from arena.value.training.outcome import of_seats, smoothed, states_to_check, train
from arena.value.training.starts import Starts, simulated
from arena.value.training.tasks import Task, done
from tests.outcome_states import SEED, States

SEATS = [2, 3, 4, 5, 6]


@pytest.fixture
def few_matches(monkeypatch: pytest.MonkeyPatch) -> None:
    """Nets are compared with 8 matches from each state instead of 2,000."""
    monkeypatch.setattr(training, "train", partial(train, matches=8))


def made(seed: int, *sizes: int) -> Network:
    return Network.rounded(new_layers(sizes, np.random.default_rng(seed)), {"kind": "a test"})


def test_a_net_is_read_as_it_was_written(tmp_path: Path) -> None:
    net, rows = made(1, 5, 8, 3), np.random.default_rng(2).normal(size=(20_000, 5))
    net.save(tmp_path / "net.npz")

    again = Network.load(tmp_path / "net.npz")

    assert (again.digest, again.about) == (net.digest, net.about)
    assert (again(rows.astype(np.float32)) == net(rows.astype(np.float32))).all()


def test_nets_with_other_weights_or_words_have_another_digest() -> None:
    one, other = made(1, 5, 8, 3), made(2, 5, 8, 3)
    assert len({one.digest, other.digest, Network(one.layers, {}).digest}) == 3


@pytest.mark.parametrize("content", [b"", b"no net", b"PK\x03\x04"])
def test_a_damaged_file_is_refused(tmp_path: Path, content: bytes) -> None:
    (tmp_path / "net.npz").write_bytes(content)
    with pytest.raises(BadNet, match="net.npz is no net"):
        Network.load(tmp_path / "net.npz")


def test_layers_that_do_not_fit_are_refused(tmp_path: Path) -> None:
    first, other = made(1, 5, 8).layers, made(1, 7, 2).layers
    Network(first + other, {}).save(tmp_path / "net.npz")
    with pytest.raises(BadNet, match="do not fit"):
        Network.load(tmp_path / "net.npz")


def fitted(seed: int) -> tuple[Network, float]:
    """A net for the larger of two numbers, and its squared error."""
    rng = np.random.default_rng(seed)
    rows = rng.normal(size=(4000, 2)).astype(np.float32)
    wanted = rows.max(axis=1, keepdims=True)

    def loss(made: Floats, numbers: Index) -> tuple[float, Floats]:
        error = made - wanted[numbers]
        return float((error**2).mean()), (2 * error / error.size).astype(np.float32)

    layers = new_layers((2, 16, 1), rng)
    error = fit(layers, lambda n: rows[n], len(rows), loss, Plan(20, 64, 1e-2), rng)
    return Network.rounded(layers, {}), error


def test_fitting_finds_a_function_and_the_same_one_with_the_same_seed() -> None:
    (net, error), (again, _), (other, _) = fitted(1), fitted(1), fitted(2)
    assert error < 1e-3
    assert net.digest == again.digest != other.digest


# Which nets there are


@pytest.mark.parametrize("kind", [outcome.KIND, styled.STYLED])
@pytest.mark.parametrize("seats", SEATS)
@pytest.mark.parametrize("game", GAMES)
def test_there_is_an_outcome_net_with_a_true_card(game: str, seats: int, kind: str) -> None:
    net = catalog.find(kind, game, seats)
    card = catalog.NETS / f"{kind}-{game}-{seats}.json"

    assert net is not None
    assert json.loads(card.read_text())["sha256"] == net.digest
    if kind == styled.STYLED:
        assert net.about["quality"]["cross entropy"] < net.about["quality"]["if even"]


@pytest.mark.parametrize("seats", SEATS)
@pytest.mark.parametrize("game", GAMES)
def test_what_is_expected_of_a_match_is_what_playing_it_brings(game: str, seats: int) -> None:
    """In 100 states, half of them with 30 points or more in every seat."""
    made, states = outcome.find(game, seats), States.read(game, seats)
    assert made
    off = of_seats(made.scores(states.points, states.starter)) - states.score

    assert np.sqrt((off**2).mean()) <= 0.02
    assert np.abs(off).max() <= 0.05
    assert made.error <= 0.02


def test_the_states_to_compare_with_can_be_played_anew() -> None:
    """The file has the states that its command makes, and a few matches agree with it."""
    kept = States.read("dice", 3)
    starts = Starts("dice", 3, np.random.default_rng([SEED, 3]))
    points, starter = states_to_check(starts)
    score = of_seats(simulated(starts, points, starter, 200))

    assert (points == kept.points).all()
    assert (starter == kept.starter).all()
    assert np.abs(score - kept.score).max() < 5 * 0.5 / 200**0.5
    assert np.abs((score - kept.score).mean()) < 0.01


def test_a_table_is_smoothed_but_for_its_steps() -> None:
    slope = np.add.outer(np.arange(40.0), 2 * np.arange(40.0))
    steps = slope + 5 * np.add.outer(np.arange(40) >= 10, np.arange(40) % 10 == 0)
    noise = np.random.default_rng(1).normal(size=(40, 40))

    assert np.allclose(smoothed(steps), steps)
    assert np.abs(smoothed(steps + noise) - steps).mean() < 0.6 * np.abs(noise).mean()


def test_all_nets_together_are_small() -> None:
    assert sum(file.stat().st_size for file in catalog.NETS.iterdir()) < 5e6


def test_options_that_a_net_was_not_trained_with_have_none() -> None:
    faces = "1 2 3 5 llama llama / 1 2 4 6 llama llama / 3 4 5 6 llama llama"
    assert catalog.find("outcome", "lama", 4, {"max_rounds": "500"})
    assert catalog.find("outcome", "dice", 4, {"dice.faces": faces})
    assert catalog.find("outcome", "lama", 4, {"max_rounds": "9"}) is None
    assert catalog.find("outcome", "kadabra", 4, {"kadabra.specials": "1o:8"}) is None


def test_where_there_is_no_net_none_is_found(tmp_path: Path) -> None:
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
    # The second row is the first with everybody one seat to the right.
    assert np.allclose(scores[1], np.roll(scores[0], (-1, -1), (0, 1)))


@pytest.mark.parametrize("seats", [2, 4])
def test_a_net_of_another_release_is_refused(tmp_path: Path, seats: int) -> None:
    made(3, 6 * seats, 8, 1).save(tmp_path / f"outcome-lama-{seats}.npz")
    with pytest.raises(BadNet, match=f"lama at {seats} seats is not of this release"):
        outcome.find("lama", seats, folder=tmp_path)


def test_a_match_that_is_over_has_its_result() -> None:
    net = outcome.find("lama", 3)
    assert net
    (scores,) = net.scores(np.array([[40, 7, 7]]), np.array([2]))
    assert scores.tolist() == [[0.5, 0, 0], [1, 0.5, 0.5], [1, 0.5, 0.5]]


@pytest.mark.parametrize("game", GAMES)
def test_a_net_that_knows_how_seats_play_tells_good_from_bad(game: str) -> None:
    net = styled.find(game, 4)
    assert net
    styles = np.eye(len(STYLES), dtype=np.float32)[[[RANDOM, SHARP, RANDOM, SHARP]]]
    (scores,) = net.scores(np.full((1, 4), 5), np.array([0]), styles)
    assert scores[1, 0] > 0.6


@pytest.mark.parametrize("game", GAMES)
def test_who_has_fewer_points_is_ahead(game: str) -> None:
    net = outcome.find(game, 4)
    assert net
    points = np.array([[3, 5, 5, 35], [5, 35, 5, 3]])
    scores = net.scores(points, np.array([0, 0]))
    assert scores[0, 0, 3] > 0.75
    assert scores[1, 3, 1] > 0.75


def test_training_is_repeatable() -> None:
    for seats in (2, 3):
        one, other = (train("lama", seats, 5000, 7, matches=8) for _ in range(2))
        assert one.digest == other.digest


@pytest.mark.usefixtures("few_matches")
def test_the_command_writes_nets_and_cards(tmp_path: Path) -> None:
    words = ["outcome", "--game", "dice", "--seats", "2", "--size", "0.01", "--seed", "3", "--to"]

    assert run("train", [*words, str(tmp_path)]) == 0

    card = json.loads((tmp_path / "outcome-dice-2.json").read_text())
    net = catalog.find("outcome", "dice", 2, folder=tmp_path)
    assert net
    assert net.digest == card["sha256"]
    assert card["command"] == "arena train outcome --game dice --seats 2 --size 0.01 --seed 3"


@pytest.mark.long
@pytest.mark.timeout(400)
@pytest.mark.usefixtures("few_matches")
def test_all_nets_are_made_again_as_their_cards_say(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    package, again = tmp_path / "package", str(tmp_path / "again")
    words = ["--game", "dice", "--seats", "2", "--size", "0.001", "--to", str(package)]
    for kind in ("styled", "rounds", "luck", "outcome"):
        assert run("train", [kind, *words]) == 0
    monkeypatch.setattr(catalog, "NETS", package)
    card = (package / "outcome-dice-2.json").read_text()
    capsys.readouterr()

    assert run("train", ["again", "--to", again, "--jobs", "1"]) == 0
    *made, last = capsys.readouterr().out.splitlines()
    assert [line.endswith("  the same") for line in made] == [True] * 4
    assert sorted(line.split(".")[0] for line in made) == sorted(KINDS_OF_DICE)
    assert re.fullmatch(r"4 nets made in .+; 4 of 4 are the package's\.", last)

    # What is there is not made once more, but for what builds on something that is not.
    (tmp_path / "again" / "rounds-dice-2.npz").unlink()
    assert run("train", ["again", "--to", again, "--jobs", "1"]) == 0
    *made, last = capsys.readouterr().out.splitlines()
    left = {line.split(".")[0] for line in made if "was there" not in line}
    assert left == {"rounds-dice-2", "luck-dice-2"}
    assert [line.endswith("  the same") for line in made] == [True] * 4
    assert last.startswith("2 nets made in")
    os.utime(tmp_path / "again" / "luck-dice-2.npz", (0, 0))  # older than what it builds on
    assert run("train", ["again", "--to", again, "--jobs", "1"]) == 0
    assert capsys.readouterr().out.splitlines()[-1].startswith("1 net made in")

    # One that comes out otherwise is told of.
    assert run("train", ["outcome", *words, "--seed", "2"]) == 0
    (package / "outcome-dice-2.json").write_text(card)
    capsys.readouterr()
    (tmp_path / "again" / "outcome-dice-2.npz").unlink()
    assert run("train", ["again", "--to", again, "--jobs", "1"]) == 0
    *made, last = capsys.readouterr().out.splitlines()
    (other,) = [line for line in made if not line.endswith("  the same")]
    assert re.match(r"outcome-dice-2.npz .*another one; the package's: .*rms error", other)
    assert last.endswith("3 of 4 are the package's.")


KINDS_OF_DICE = ("styled-dice-2", "rounds-dice-2", "luck-dice-2", "outcome-dice-2")


@pytest.mark.parametrize(
    ("words", "problem"),
    [
        ("--to nets --seats 4", "leave out what they say"),
        ("--to nets --seed 2", "leave out what they say"),
        ("", "Name a folder"),
        (f"--to {catalog.NETS}", "name another folder"),
    ],
)
def test_nets_are_not_made_again_over_those_they_are_compared_with(
    words: str, problem: str
) -> None:
    with pytest.raises(InvalidRequest, match=problem):
        run("train", ["again", *words.split()])


def test_the_cards_of_the_package_say_how_each_net_is_made() -> None:
    commands = [json.loads(card.read_text())["command"] for card in catalog.NETS.glob("*.json")]
    tasks = [Task.of(command) for command in commands]
    assert [task.command for task in tasks] == commands
    assert {task.name for task in tasks} == {net.name for net in catalog.NETS.glob("*.npz")}

    order = [task for task, _ in done(tasks, 1, lambda task: "")]

    assert set(order) == set(tasks)
    for at, task in enumerate(order):
        assert not any(task.needs(other) for other in order[at:])


def test_an_end_of_a_process_that_trains_is_told() -> None:
    tasks = [Task("outcome", "lama", seats) for seats in (2, 3)]
    with pytest.raises(Unavailable, match="--jobs 1"):
        list(done(tasks, 2, killed))


def test_after_one_that_fails_nobody_waits_for_the_others(tmp_path: Path) -> None:
    tasks = [Task("outcome", "lama", seats) for seats in (2, 3)]
    with pytest.raises(InvalidRequest, match="not 2"):
        list(done(tasks, 2, partial(one_fails, folder=tmp_path)))
    assert [file.name for file in tmp_path.iterdir()] == ["3 began"]


def one_fails(task: Task, folder: Path) -> str:
    """Two seats fail once three have begun, which take long."""
    if task.seats == 2:
        while not (folder / "3 began").exists():
            time.sleep(0.01)
        raise InvalidRequest("It is not 2.")
    (folder / "3 began").touch()
    time.sleep(5)
    (folder / "3 ended").touch()
    return task.name


def test_processes_that_train_end_with_the_one_that_began_them() -> None:
    command = [sys.executable, "-m", "tests.unit.test_value_nets"]
    with subprocess.Popen(command, stdout=subprocess.PIPE) as parent:
        assert parent.stdout
        assert [parent.stdout.readline() for _ in range(2)] == [b"began\n"] * 2
        parent.kill()
        parent.communicate(timeout=30)  # all that may write are gone


def takes_long(task: Task) -> str:
    os.write(1, b"began\n")
    time.sleep(60)
    return task.name


def killed(task: Task) -> str:
    os.kill(os.getpid(), signal.SIGKILL)
    return task.name


# Luck


def with_luck() -> list[tuple[str, int]]:
    """Games and numbers of seats that the package has nets for."""
    return [(g, n) for g in GAMES for n in SEATS if (catalog.NETS / f"luck-{g}-{n}.npz").exists()]


def test_all_tables_have_nets_for_luck() -> None:
    assert set(with_luck()) == set(product(GAMES, SEATS))


@pytest.mark.parametrize(("game", "seats"), with_luck())
def test_a_net_for_luck_saves_matches(game: str, seats: int) -> None:
    net = valuing.find(game, seats)
    assert net is not None
    assert net.luck.about["quality"]["factor of matches saved"] > 1
    assert all(0 <= part <= 1.2 for part in net.shrinkage.values())
    for kind in ("rounds", "luck"):
        card = json.loads((catalog.NETS / f"{kind}-{game}-{seats}.json").read_text())
        assert card["sha256"] == getattr(net, kind).digest


@pytest.mark.long
def test_nets_for_luck_are_made_one_after_the_other(tmp_path: Path) -> None:
    words = ["--game", "lama", "--seats", "2", "--size", "0.001", "--to", str(tmp_path)]
    with pytest.raises(InvalidRequest, match="arena train styled --game lama --seats 2"):
        run("train", ["rounds", *words])
    assert run("train", ["styled", *words]) == 0
    with pytest.raises(InvalidRequest, match="arena train rounds --game lama --seats 2"):
        run("train", ["luck", *words])
    assert run("train", ["rounds", *words]) == 0
    assert run("train", ["luck", *words]) == 0
    first = valuing.find("lama", 2, folder=tmp_path)
    assert first
    assert run("train", ["luck", *words]) == 0
    again = valuing.find("lama", 2, folder=tmp_path)
    assert again
    assert first.version == again.version


@pytest.mark.long
def test_what_luck_saves_is_measured(capsys: pytest.CaptureFixture[str]) -> None:
    words = ["measure", "--game", "dice", "--seats", "2", "--size", "0.001"]
    assert run("train", words) == 0
    first = capsys.readouterr().out
    assert first.startswith("dice 2  all six: ")
    assert "careful, sharp: " in first


@pytest.mark.parametrize(("game", "seats"), with_luck())
def test_the_docs_have_the_figures_of_the_cards(game: str, seats: int) -> None:
    page = (Path(__file__).parents[2] / "docs/luck.md").read_text()
    quality = json.loads((catalog.NETS / f"luck-{game}-{seats}.json").read_text())["quality"]
    found, low, high = (quality[name] for name in ("factor of matches saved", "from", "to"))
    row = f"| {GAMES[game].title} | {seats} | {found:.2f} | {low:.2f} to {high:.2f} |"
    assert row in page


if __name__ == "__main__":  # for the test of a parent that is killed
    list(done([Task("outcome", "lama", seats) for seats in (2, 3)], 2, takes_long))
