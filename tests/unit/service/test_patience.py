"""A server that is frozen does not hold up whoever asks for the arena's health."""

import threading

import pytest

from arena.base.errors import Unavailable
from arena.service.health.state import patiently


def test_an_answer_and_an_error_are_handed_on() -> None:
    def broken() -> None:
        raise KeyError("x")

    assert patiently(lambda: 7) == 7
    with pytest.raises(KeyError):
        patiently(broken)


def test_frozen_server_is_reported_and_not_asked_again() -> None:
    goes_on, asked = threading.Event(), threading.Event()

    with pytest.raises(Unavailable, match="did not answer"):
        patiently(goes_on.wait, seconds=0.01)
    with pytest.raises(Unavailable, match="did not answer"):
        patiently(asked.set)
    assert not asked.is_set()

    goes_on.set()
    for thread in threading.enumerate():
        if thread.name == "health":
            thread.join()
    assert patiently(lambda: 7) == 7
