"""Training of nets: fitting, the commands, several at a time."""

import json
import os
import re
import signal
import subprocess
import sys
import time
from functools import partial
from pathlib import Path

import numpy as np
import pytest

from arena.base.errors import InvalidRequest, Unavailable
from arena.games.batch.arrays import Index
from arena.value import catalog
from arena.value.luck import valuing
from arena.value.network import Floats, Network
from tests.lab.commands.root import lab
from tests.lab.training import outcome as training
from tests.lab.training.fit import Plan, fit, new_layers
from tests.lab.training.outcome import of_seats, smoothed, states_to_check, train
from tests.lab.training.starts import Starts, simulated
from tests.lab.training.states import SEED, States
from tests.lab.training.tasks import Task, done

pytestmark = pytest.mark.lab


@pytest.fixture
def few_matches(monkeypatch: pytest.MonkeyPatch) -> None:
    """Nets are compared with 8 matches from each state instead of 2,000."""
    monkeypatch.setattr(training, "train", partial(train, matches=8))


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


def test_training_is_repeatable() -> None:
    for seats in (2, 3):
        one, other = (train("lama", seats, 5000, 7, matches=8) for _ in range(2))
        assert one.digest == other.digest


@pytest.mark.usefixtures("few_matches")
def test_the_command_writes_nets_and_cards(tmp_path: Path) -> None:
    words = ["outcome", "--game", "dice", "--seats", "2", "--size", "0.01", "--seed", "3", "--to"]

    lab(["train", *words, str(tmp_path)], standalone_mode=False)

    card = json.loads((tmp_path / "outcome-dice-2.json").read_text())
    net = catalog.find("outcome", "dice", 2, folder=tmp_path)
    assert net
    assert net.digest == card["sha256"]
    assert (
        card["command"]
        == "python -m tests.lab train outcome --game dice --seats 2 --size 0.01 --seed 3"
    )


@pytest.mark.timeout(400)
@pytest.mark.usefixtures("few_matches")
def test_all_models_are_trained_again_as_their_cards_say(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    package, again = tmp_path / "package", str(tmp_path / "again")
    words = ["--game", "dice", "--seats", "2", "--size", "0.001", "--to", str(package)]
    for kind in ("styled", "rounds", "luck", "outcome"):
        lab(["train", kind, *words], standalone_mode=False)
    monkeypatch.setattr(catalog, "NETS", package)
    card = (package / "outcome-dice-2.json").read_text()
    capsys.readouterr()

    lab(["train", "again", "--to", again, "--jobs", "1"], standalone_mode=False)
    *made, last = capsys.readouterr().out.splitlines()
    assert [line.endswith("  the same") for line in made] == [True] * 4
    assert sorted(line.split(".")[0] for line in made) == sorted(KINDS_OF_DICE)
    assert re.fullmatch(r"4 models trained in .+; 4 of 4 are the same\.", last)

    # Existing models are not trained again, except those that build on a missing one.
    (tmp_path / "again" / "rounds-dice-2.npz").unlink()
    lab(["train", "again", "--to", again, "--jobs", "1"], standalone_mode=False)
    *made, last = capsys.readouterr().out.splitlines()
    left = {line.split(".")[0] for line in made if "  exists  " not in line}
    assert left == {"rounds-dice-2", "luck-dice-2"}
    assert [line.endswith("  the same") for line in made] == [True] * 4
    assert last.startswith("2 models trained in")
    os.utime(tmp_path / "again" / "luck-dice-2.npz", (0, 0))  # older than its dependencies
    lab(["train", "again", "--to", again, "--jobs", "1"], standalone_mode=False)
    assert capsys.readouterr().out.splitlines()[-1].startswith("1 model trained in")

    # A model that comes out differently is reported.
    lab(["train", "outcome", *words, "--seed", "2"], standalone_mode=False)
    (package / "outcome-dice-2.json").write_text(card)
    capsys.readouterr()
    (tmp_path / "again" / "outcome-dice-2.npz").unlink()
    lab(["train", "again", "--to", again, "--jobs", "1"], standalone_mode=False)
    *made, last = capsys.readouterr().out.splitlines()
    (other,) = [line for line in made if not line.endswith("  the same")]
    assert re.match(r"outcome-dice-2.npz .*different; the bundled one: .*rms error", other)
    assert last.endswith("3 of 4 are the same.")


KINDS_OF_DICE = ("styled-dice-2", "rounds-dice-2", "luck-dice-2", "outcome-dice-2")


@pytest.mark.parametrize(
    ("words", "problem"),
    [
        ("--to nets --seats 4", "Remove --seats, --size and --seed"),
        ("--to nets --seed 2", "Remove --seats, --size and --seed"),
        ("", "needs a folder"),
        (f"--to {catalog.NETS}", "Choose another folder"),
    ],
)
def test_nets_are_not_made_again_over_those_they_are_compared_with(
    words: str, problem: str
) -> None:
    with pytest.raises(InvalidRequest, match=problem):
        lab(["train", "again", *words.split()], standalone_mode=False)


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
    command = [sys.executable, "-m", "tests.lab.tests.test_training"]
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


def test_nets_for_luck_are_made_one_after_the_other(tmp_path: Path) -> None:
    words = ["--game", "lama", "--seats", "2", "--size", "0.001", "--to", str(tmp_path)]
    with pytest.raises(
        InvalidRequest, match="python -m tests.lab train styled --game lama --seats 2"
    ):
        lab(["train", "rounds", *words], standalone_mode=False)
    lab(["train", "styled", *words], standalone_mode=False)
    with pytest.raises(
        InvalidRequest, match="python -m tests.lab train rounds --game lama --seats 2"
    ):
        lab(["train", "luck", *words], standalone_mode=False)
    lab(["train", "rounds", *words], standalone_mode=False)
    lab(["train", "luck", *words], standalone_mode=False)
    first = valuing.find("lama", 2, folder=tmp_path)
    assert first
    lab(["train", "luck", *words], standalone_mode=False)
    again = valuing.find("lama", 2, folder=tmp_path)
    assert again
    assert first.version == again.version


def test_what_luck_saves_is_measured(capsys: pytest.CaptureFixture[str]) -> None:
    words = ["measure", "--game", "dice", "--seats", "2", "--size", "0.001"]
    lab(["train", *words], standalone_mode=False)
    first = capsys.readouterr().out
    assert first.startswith("dice 2  all six: ")
    assert "careful, sharp: " in first


if __name__ == "__main__":  # for the test of a parent that is killed
    list(done([Task("outcome", "lama", seats) for seats in (2, 3)], 2, takes_long))
