"""People at a table of friends."""

import random
import re

from werkzeug.test import TestResponse

from tests.integration.play_world import BOTS, Person, until


class Friend(Person):
    """A person at a table of friends."""

    table = ""  # the address of the table

    def open(self, *with_bots: str, **more: str) -> TestResponse:
        wanted = {"game": "lama", "seats": "2", "length": "1", "move_s": "600", **more}
        answer = self.send("/play/tables", "/play/tables", **wanted, **{"with": list(with_bots)})
        if answer.status_code == 303:
            self.table = answer.location
        return answer

    def join(self, table: str, called: str = "Mia") -> TestResponse:
        self.table = table
        return self.does("join", called=called)

    def does(self, what: str, **fields: object) -> TestResponse:
        return self.send(f"{self.table}/{what}", "/play", **fields)

    def sees(self) -> str:
        answer = self.browser.get(self.table)
        assert answer.status_code == 200, answer.text
        return answer.text

    def is_sent_to_the_game(self) -> None:
        self.number = int(self.browser.get(self.table).location.rpartition("/")[2])


def begin(host: Friend, *friends: Friend, **wish: str) -> None:
    """Starts a game of these people, without bots unless `seats` are left."""
    seats = wish.pop("seats", str(1 + len(friends)))
    assert host.open(*BOTS, called="Hal", seats=seats, **wish).status_code == 303
    for number, each in enumerate(friends):
        assert each.join(host.table, f"Mia{number}").status_code == 303
    for each in (*friends, host):
        each.does("ready", ready="yes")
    if int(seats) > 1 + len(friends):
        assert host.does("start").status_code == 303
    for each in (host, *friends):
        each.is_sent_to_the_game()


def play_on(*people: Friend, chance: random.Random) -> None:
    """Everyone presses random buttons on their turn, to the end."""

    def turn() -> Friend | None:
        looks = {each: each.look() for each in people}
        if set(looks.values()) == {"over"}:
            raise StopIteration
        return next((each for each, seen in looks.items() if seen == "mine"), None)

    def moved() -> bool:
        mover = turn()
        return mover is not None and mover.press(chance.choice(mover.choices)).status_code == 303

    while True:
        try:
            until(moved)
        except StopIteration:
            return


def names_at(text: str) -> list[str]:
    return re.findall(r"<b><bdi>([^<]+)</bdi></b>", text)
