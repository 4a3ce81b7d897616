"""The cards of the package's nets."""

import json

from arena.value import catalog
from tests.lab.training.tasks import Task, done


def test_the_cards_of_the_package_say_how_each_net_is_made() -> None:
    commands = [json.loads(card.read_text())["command"] for card in catalog.NETS.glob("*.json")]
    tasks = [Task.of(command) for command in commands]
    assert [task.command for task in tasks] == commands
    assert {task.name for task in tasks} == {net.name for net in catalog.NETS.glob("*.npz")}

    order = [task for task, _ in done(tasks, 1, lambda task: "")]

    assert set(order) == set(tasks)
    for at, task in enumerate(order):
        assert not any(task.needs(other) for other in order[at:])
