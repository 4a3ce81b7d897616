"""Whether a tournament's numbers can be trusted."""

from collections import Counter

import pytest

from arena.store.reports.standings import Standing
from arena.store.reports.verdict import verdict

DECISIONS = 27.0  # of a bot in a match


def line(player: int, faults: int = 0, *, matches: int = 100, forfeits: int = 0) -> Standing:
    return Standing(
        player, player, f"bot-{player}", "1", f"bot-{player}", 1500.0, matches, 0, 0, 0.0, 0.5,
        faults, forfeits,
    )  # fmt: skip


ALL_WELL = "All bots answered every decision in time, with a legal action."


def test_without_faults_the_numbers_can_be_trusted() -> None:
    found = verdict([line(1), line(2)], [1, 2], {}, DECISIONS)

    assert found.trusted
    assert found.cause == "none"
    assert (found.decisions, found.faults, found.bots) == (5400, 0, ())
    assert found.sentence == ALL_WELL


def test_a_few_faults_change_no_rating() -> None:
    kinds = {1: Counter(timeout=5)}

    found = verdict([line(1, 5), line(2), line(3)], [1, 2, 3], kinds, DECISIONS)

    assert found.trusted
    assert found.cause == "none"
    assert found.kinds == {"timeout": 5}
    assert found.sentence == (
        "0.062% of about 8,100 decisions were at fault (5 timeouts), too few to change the results."
    )


def test_a_bot_with_many_faults_is_named_and_the_others_are_trusted() -> None:
    kinds = {1: Counter(illegal=100, timeout=1)}

    found = verdict([line(1, 101, forfeits=30), line(2), line(3)], [1, 2, 3], kinds, DECISIONS)

    assert found.trusted
    assert found.cause == "bots"
    (bot,) = found.bots
    assert (bot.bot, bot.faults, bot.forfeits) == ("bot-1", 101, 30)
    assert bot.kinds == {"illegal": 100, "timeout": 1}
    assert found.sentence == (
        "1.2% of about 8,100 decisions were at fault (100 illegal moves, 1 timeout), most of them "
        "by bot-1. Its results show its faults, not its strength. The others can be trusted."
    )


def test_forfeited_matches_count_although_they_ask_for_few_decisions() -> None:
    kinds = {1: Counter(disconnect=4)}

    found = verdict([line(1, 4, forfeits=4), line(2), line(3)], [1, 2, 3], kinds, DECISIONS)

    assert [bot.bot for bot in found.bots] == ["bot-1"]


def test_if_most_bots_of_most_authors_run_out_of_time_no_bot_is_blamed() -> None:
    found = verdict(
        [line(n, 600, matches=364) for n in range(29)],
        list(range(29)),
        {n: Counter(timeout=600) for n in range(29)},
        DECISIONS,
    )

    assert not found.trusted
    assert found.cause == "shared"
    assert len(found.bots) == 29
    assert found.sentence == (
        "Do not trust these results. 6.1% of about 285,000 decisions were at fault (17,400 "
        "timeouts), by 29 of 29 bots. The likely cause is an overloaded machine, the network or "
        "too short a move time, not each bot. Play the tournament again with fewer bots on a "
        "machine or with a longer move time."
    )


def test_an_arenas_bots_of_one_author_run_out_of_time_together() -> None:
    found = verdict(
        [line(n, 600, matches=364) for n in range(3)],
        [],
        {n: Counter(timeout=600) for n in range(3)},
        DECISIONS,
    )

    assert found.cause == "shared"


def test_many_bots_of_one_author_do_not_look_like_the_machine() -> None:
    lines = [line(n, 600, matches=364) for n in range(20)] + [line(20 + n) for n in range(3)]
    authors = [0] * 20 + [1, 2, 3]

    found = verdict(lines, authors, {n: Counter(timeout=600) for n in range(20)}, DECISIONS)

    assert found.cause == "bots"


def test_illegal_moves_are_never_the_machines() -> None:
    lines = [line(n, 600, matches=364) for n in range(5)]

    found = verdict(lines, list(range(5)), {n: Counter(illegal=600) for n in range(5)}, DECISIONS)

    assert found.cause == "bots"
    assert "The others" not in found.sentence


def test_two_slow_bots_alone_do_not_look_like_the_machine() -> None:
    lines = [line(n, 600, matches=364) for n in range(2)]

    found = verdict(lines, [0, 1], {n: Counter(timeout=600) for n in range(2)}, DECISIONS)

    assert found.cause == "bots"


def test_faults_of_archived_matches_have_no_known_cause() -> None:
    found = verdict([line(1, 50), line(2)], [1, 2], {1: Counter(timeout=20)}, DECISIONS)

    assert found.kinds == {"timeout": 20, "unknown": 30}


@pytest.mark.parametrize(
    ("matches", "faults", "share"),
    [
        (40_000, 1, "Less than 0.01%"),
        (400, 1, "0.013%"),
        (20, 14, "3.7%"),
        (20, 376, "99%"),
        (20, 379, "100%"),
    ],
)
def test_shares_are_written_without_exponents(matches: int, faults: int, share: str) -> None:
    lines = [line(1, faults, matches=matches), *[line(n, matches=0) for n in range(2, 5)]]
    found = verdict(lines, [1, 2, 3, 4], {1: Counter(timeout=faults)}, 19.0)

    assert found.sentence.startswith(f"{share} of about ")


def test_more_faults_than_estimated_decisions_are_all_of_them() -> None:
    lines = [line(n, 30, matches=10, forfeits=10) for n in range(4)]

    found = verdict(lines, [1, 2, 3, 4], {n: Counter(timeout=30) for n in range(4)}, 2.9)

    assert found.share == 1.0
    assert [bot.share for bot in found.bots] == [1.0] * 4
    assert found.sentence.startswith("Do not trust these results. 100% of about 116 decisions ")


def test_nothing_is_said_before_the_first_match() -> None:
    assert verdict([line(1, matches=0)], [1], {}, DECISIONS).sentence == "No match is stored yet."
