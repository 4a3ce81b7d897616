"""The house bots that play with models: `student` and `master`."""

from typing import Any

import numpy as np
import pytest

from arena.base.config import Settings
from arena.base.errors import Unavailable
from arena.bots import BOTS, HOUSE
from arena.bots.learnt import Master, Student
from arena.games.batch import BATCHES, batch_class
from arena.games.decisions import Decisions
from arena.games.rules.lama import Lama
from arena.operations.supervise.house import program_of, wanted_house_bots
from arena.sdk import Bot, play
from arena.value import policy_net
from arena.value.search import action_values
from arena.value.search.halving import Search, Tries
from arena.value.search.rollouts import EndValues
from arena.value.strategies import STYLES
from tests.lab.players import even, player
from tests.unit.value.test_value_search import decisions, last_card


class Quick(Master):
    rounds = 12
    seconds = 60.0


def prepared(bot: Bot) -> Bot:
    bot.prepare()
    return bot


@pytest.mark.long
@pytest.mark.parametrize("seats", [2, 3, 4, 5, 6])
@pytest.mark.parametrize("game", BATCHES)
def test_they_play_without_fault_at_every_table(game: str, seats: int) -> None:
    bots = [Student(), *(HOUSE["five"]() for _ in range(seats - 2)), Quick()]
    record = play(bots, game, seed=seats, options={"max_rounds": "1"})
    assert not [move for r in record["rounds"] for move in r["moves"] if "fault" in move]


@pytest.mark.parametrize("game", BATCHES)
def test_the_student_answers_many_decisions_as_it_answers_each(game: str) -> None:
    views, bot = decisions(game, 4, 50), prepared(Student())
    assert list(bot.choose_batch(Decisions.of(views))) == [bot.choose(view) for view in views]  # type: ignore[arg-type]


def test_the_master_plays_the_same_with_the_same_key() -> None:
    def moves(key: bytes) -> Any:
        bots = [Quick(), Quick()]
        for bot in bots:
            bot.key = key
        return play(bots, "dice", seed=1, match="abc", options={"max_rounds": "2"})["rounds"]

    assert moves(b"one") == moves(b"one")


def test_the_master_goes_out_when_it_can() -> None:
    bot = prepared(Quick())
    chosen = bot.choose(last_card("2 3 4 5 6 llama").view())
    assert Lama.notation[chosen] == "play 1"  # type: ignore[index]


def test_without_time_the_master_plays_as_the_student() -> None:
    class Hurried(Master):
        seconds = -1.0

    views = decisions("lama", 3, 30)
    hurried, student = prepared(Hurried()), prepared(Student())
    given = Decisions.of(views)
    assert list(hurried.choose_batch(given)) == list(student.choose_batch(given))  # type: ignore[arg-type]


def test_without_numpy_the_error_names_the_extra(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("arena.base.extras.find_spec", lambda name: None)
    with pytest.raises(Unavailable, match=r"student needs the extra 'numpy'"):
        Student().prepare()


def test_without_a_model_the_error_says_how_to_train_one(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(policy_net, "find", lambda *_: None)
    with pytest.raises(
        Unavailable, match=r"has no policy model for lama\. Train one .*: python -m tests.lab train"
    ):
        Master().prepare()


def test_all_names_are_known_and_six_of_them_are_the_house_of_an_arena() -> None:
    assert tuple(HOUSE) == STYLES
    assert set(BOTS) - set(HOUSE) == {"student", "master"}


# The search


def test_the_worse_half_is_dropped() -> None:
    tries = Tries(np.zeros((1, 4)), np.zeros((1, 4)))
    tries.add(
        np.array([0, 0, 0, 0]), np.array([0, 1, 1, 3]), np.array([0.9, 0.2, 0.4, 0.5], np.float32)
    )
    left = np.array([[True, True, False, True]])
    assert tries.better_half(np.array([0]), left).tolist() == [[True, False, False, True]]
    assert tries.means().tolist() == [pytest.approx([0.9, 0.3, 0.0, 0.5])]


@pytest.mark.long
def test_more_rounds_find_better_actions() -> None:
    # Given decisions and the values of their actions
    views = decisions("lama", 2, 80)
    values = action_values(views, samples=256, seed=9)
    games = batch_class("lama").resumed(Decisions.of(views), bytes(16))
    net, ends = policy_net.find("lama", 2), EndValues("lama", 2, {})
    assert net

    def loss(rounds: int) -> float:
        search = Search(even, net, ends, rounds)
        chosen = search.best(games.copy(), np.random.default_rng(1))
        lost = [
            one.loss[one.actions.index(action)] for one, action in zip(values, chosen, strict=True)
        ]
        return float(np.mean(lost))

    assert loss(200) < loss(4)


def test_players_in_bulk_have_names() -> None:
    for name in (*STYLES, "student", "master", "newcomer", "clairvoyant"):
        assert callable(player(name, "party", 3, 8))
    with pytest.raises(ValueError, match="unknown player: chess"):
        player("chess", "party", 3, 8)


# In an arena


def test_an_arena_has_them_where_they_are_named_only() -> None:
    assert wanted_house_bots(Settings(house_bots="all")) == tuple(HOUSE)
    named = wanted_house_bots(Settings(house_bots="master, sharp,student"))
    assert named == ("sharp", "student", "master")


@pytest.mark.parametrize(("name", "needs"), [("student", ("numpy",)), ("sharp", ())])
def test_hosted_learnt_bots_declare_their_dependencies(name: str, needs: tuple[str, ...]) -> None:
    source, _, manifest, _ = program_of(name)
    made: dict[str, type[Bot]] = {}
    exec(source, made)  # as a host's process does
    assert issubclass(made[name.capitalize()], BOTS[name])
    assert manifest.dependencies == needs
