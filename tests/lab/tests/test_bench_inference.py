"""`bench inference`: how much others' moves say about their hands."""

import json
from functools import partial

import pytest
from click.testing import CliRunner

from arena.value.search.inference import Inference
from tests.lab.bench import inference as bench
from tests.lab.bench.inference import measure
from tests.lab.commands.bench_inference import inference as bench_inference

pytestmark = pytest.mark.lab


@pytest.fixture
def quickly(monkeypatch: pytest.MonkeyPatch) -> None:
    """Fewer matches, and fewer hands to compare."""
    monkeypatch.setattr(bench, "TABLES", 40)
    monkeypatch.setattr(bench, "TRUTHS", 4)
    monkeypatch.setattr(bench, "Inference", partial(Inference, candidates=64))


@pytest.mark.usefixtures("quickly")
@pytest.mark.parametrize("name", ["lama", "party", "kadabra"])
def test_the_hands_that_others_hold_become_likelier(name: str) -> None:
    (found,) = measure([name], [3], ["sharp"], decisions=60, seed=1)
    assert found.nats - found.error > 0.2
    assert 0.01 < found.share < 0.9
    assert found.decisions == 60


@pytest.mark.usefixtures("quickly")
def test_the_command_shows_what_is_gained() -> None:
    options = ["--game", "lama", "--seats", "2", "--players", "sharp", "--decisions", "100"]
    table = CliRunner().invoke(bench_inference, options)
    as_json = CliRunner().invoke(bench_inference, [*options, "--json"])
    (found,) = json.loads(as_json.output)["inference"]
    assert f"{found['nats']:+.2f} ± {found['error']:.2f}" in table.output


def test_nothing_can_be_gained_in_a_game_without_hidden_hands() -> None:
    with pytest.raises(TypeError, match="No hands are hidden in LAMA Dice"):
        next(measure(["dice"], [3], ["sharp"], 100, 1))
