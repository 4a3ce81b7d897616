"""Splitting a gateway's batch by process of a hosted bot."""

from arena.games.match import Match, MatchSetup, Seat
from arena.games.rules import game_class
from arena.games.rules.packed import layout_of
from arena.games.rules.rows import match_bytes
from arena.games.rules.view import View
from arena.hosting.hosted.split import by_purpose, singly, tickets_of, with_decisions
from arena.protocol.decisions import encode_decision
from arena.protocol.v1 import play_pb2 as pb

ONE, TWO, THREE = "onexonexonexonex", "twotwotwotwotwot", "threethreethreet"


def view(match: str) -> View:
    setup = MatchSetup(match, "lama", bytes(16), (Seat("a"), Seat("b")))
    decided = Match(setup)
    decided.answer("draw")  # so that there are moves to be split, too
    found = decided.decision
    assert found is not None
    return found


def packed(batch: pb.Batch, *matches: str, group: int = 0) -> pb.Batch:
    """Adds a decision of each match, with its place as the ticket."""
    rows = [layout_of(game_class("lama"), 2).pack(view(match)) for match in matches]
    batch.packed.add(
        game="lama",
        seats=2,
        time_ms=1500,
        tickets=range(1, len(matches) + 1),
        rows=b"".join(row for row, _ in rows),
        moves=b"".join(moves for _, moves in rows),
        options={"max_rounds": "3"},
        group=group,
    )
    return batch


def test_each_match_has_what_is_about_it() -> None:
    batch = packed(pb.Batch(), ONE, TWO)
    batch.decisions.append(pb.Decision.FromString(encode_decision(view(THREE), 9, 700)))
    batch.started.add(match=TWO)
    batch.rounds.add(match=ONE)
    batch.faults.add(match=ONE)
    batch.ended.add(match=THREE)

    parts = by_purpose(batch, {})

    assert parts.keys() == {match_bytes(match) for match in (ONE, TWO, THREE)}
    one, two, three = (parts[match_bytes(match)] for match in (ONE, TWO, THREE))
    assert [list(tickets_of(part)) for part in (one, two, three)] == [
        [(1, 1.5)],
        [(2, 1.5)],
        [(9, 0.7)],
    ]
    assert (len(one.rounds), len(one.faults), len(two.started), len(three.ended)) == (1, 1, 1, 1)
    alone = packed(pb.Batch(), TWO).packed[0]
    assert (two.packed[0].rows, two.packed[0].moves) == (alone.rows, alone.moves)
    assert two.packed[0].options == {"max_rounds": "3"}


def test_matches_of_a_group_stay_together() -> None:
    batch = packed(pb.Batch(), ONE, TWO, group=77)
    batch.started.add(match=THREE, group=77)
    batch.ended.add(match=THREE)
    batch.faults.add(match=ONE)

    parts = by_purpose(batch, {match_bytes(ONE): 77})

    assert parts.keys() == {77}
    assert list(parts[77].packed[0].tickets) == [1, 2]
    assert len(parts[77].ended) == len(parts[77].faults) == 1


def test_decisions_by_themselves_are_the_same_together() -> None:
    batch = packed(pb.Batch(), ONE, TWO, group=5)

    parts = list(singly(batch))

    assert [list(tickets_of(part)) for part in parts] == [[(1, 1.5)], [(2, 1.5)]]
    assert [part.packed[0].group for part in parts] == [5, 5]


def test_some_decisions_are_taken_out_and_notices_stay() -> None:
    batch = packed(pb.Batch(), ONE, TWO, THREE)
    batch.faults.add(match=ONE)

    rest = with_decisions(batch, {2})

    assert [ticket for ticket, _ in tickets_of(rest)] == [2]
    assert len(rest.faults) == 1
