"""How a bot comes back when its stream breaks: pauses that grow, with jitter, up to a limit."""

import asyncio
from collections.abc import Iterator

import pytest

from arena.games.rules import View
from arena.sdk import Bot, client
from arena.sdk.client import FIRST_PAUSE_S, LONGEST_PAUSE_S, STABLE_AFTER_S, stay_connected


class Last(Bot):
    def choose(self, view: View) -> str:
        return view.actions[-1]


class Enough(Exception):
    """The test has seen what it needs."""


def pauses(monkeypatch: pytest.MonkeyPatch, sessions: list[float], jitter: float) -> list[float]:
    """The pauses after sessions of these durations, with the jitter always at one end."""
    now, slept = [0.0], list[float]()
    left: Iterator[float] = iter(sessions)

    async def one_session(*_: object) -> None:
        try:
            now[0] += next(left)
        except StopIteration:
            raise Enough from None

    async def sleep(seconds: float) -> None:
        slept.append(seconds)

    drawn = list[tuple[float, float]]()

    def uniform(low: float, high: float) -> float:
        drawn.append((low, high))
        return low + jitter * (high - low)

    monkeypatch.setattr(client, "_one_session", one_session)
    monkeypatch.setattr("arena.sdk.client.time.monotonic", lambda: now[0])
    monkeypatch.setattr("arena.sdk.client.asyncio.sleep", sleep)
    monkeypatch.setattr("arena.sdk.client.random.uniform", uniform)
    with pytest.raises(Enough):
        asyncio.run(stay_connected(Last(), "127.0.0.1:1", "token"))
    assert len(drawn) == len(slept)
    return slept


def test_pauses_double_up_to_a_limit(monkeypatch: pytest.MonkeyPatch) -> None:
    slept = pauses(monkeypatch, [0.0] * 8, jitter=1.0)

    doubled = [FIRST_PAUSE_S * 2**number for number in range(8)]
    assert slept == pytest.approx([min(each, LONGEST_PAUSE_S) for each in doubled])
    assert slept[-1] == LONGEST_PAUSE_S < doubled[-1]


def test_jitter_shortens_a_pause_to_a_half_at_most(monkeypatch: pytest.MonkeyPatch) -> None:
    assert pauses(monkeypatch, [0.0] * 2, jitter=0.0) == pytest.approx(
        [FIRST_PAUSE_S / 2, FIRST_PAUSE_S]
    )


def test_after_a_session_that_lasted_the_first_pause_is_short_again(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    lasted = STABLE_AFTER_S + 1

    slept = pauses(monkeypatch, [0.0, 0.0, lasted, 0.0], jitter=1.0)

    assert slept == pytest.approx([FIRST_PAUSE_S * times for times in (1, 2, 1, 2)])
