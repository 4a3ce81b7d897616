"""Delivery of decisions to the processes of a hosted bot, with fake processes."""

from dataclasses import dataclass

from arena.games.rules.rows import VERSION, match_bytes
from arena.hosting.hosted.dispatcher import TOGETHER, Dispatcher
from arena.hosting.hosted.judge import Judge
from arena.hosting.hosted.pool import ProcessPool
from arena.hosting.hosted.program import Allowance, Program
from arena.hosting.hosted.room import Room
from arena.hosting.hosted.split import tickets_of
from arena.protocol.v1 import play_pb2 as pb
from tests.attacks.playing import decision
from tests.unit.hosting.fakes import FakeProcess, FakeStarter

ONE, TWO, THREE = "onexonexonexonex", "twotwotwotwotwot", "threethreethreet"
HELLO = pb.Hello(max_in_flight=2, notices=True, packed=VERSION)


@dataclass
class Bot:
    """A dispatcher, and what it works with."""

    dispatcher: Dispatcher
    pool: ProcessPool
    judge: Judge
    processes: list[FakeProcess]
    answered: list[pb.Choices]

    def ask(self, ticket: int, match: str, group: int = 0, *, again: bool = False) -> None:
        batch = decision(ticket, match)
        batch.packed[0].group = group
        self.dispatcher.deliver(batch, again=again)

    def playing(self, match: str) -> FakeProcess:
        pooled = self.pool.playing(match_bytes(match))
        assert pooled is not None
        return self.processes[pooled.process.number - 1]

    def make_room(self, match: str) -> None:
        """Ends the process of a match."""
        pooled = self.pool.playing(match_bytes(match))
        assert pooled is not None
        self.pool.remove(pooled)
        self.pool.freed()


def bot(
    hello: pb.Hello | None = HELLO,
    most: int = 9,
    *,
    together: bool = False,
    reads_lines: bool = False,
) -> Bot:
    starter, answered = FakeStarter(), list[pb.Choices]()
    program, allowance = Program(folder=None), Allowance()  # type: ignore[arg-type]
    pool = ProcessPool(starter, Room(most, later=lambda seconds, what: None), 60.0)
    judge = Judge(program, allowance, 0.0)
    dispatcher = Dispatcher(
        pool,
        judge,
        answered.append,
        lambda when: None,
        hello,
        together=together,
        reads_lines=reads_lines,
    )
    return Bot(dispatcher, pool, judge, starter.started, answered)


def tickets(process: FakeProcess) -> list[list[int]]:
    """The tickets of each message with decisions that was sent."""
    sent = [[ticket for ticket, _ in tickets_of(batch)] for batch in process.sent]
    return [found for found in sent if found]


def test_each_match_has_its_process() -> None:
    one = bot()
    one.ask(1, ONE)
    one.ask(2, TWO)
    assert tickets(one.playing(ONE)) == [[1]]
    assert tickets(one.playing(TWO)) == [[2]]


def test_matches_of_a_group_share_a_process_that_ends_with_the_last() -> None:
    one = bot()
    started = [pb.MatchStarted(match=match, group=5) for match in (ONE, TWO)]
    one.dispatcher.deliver(pb.Batch(started=started))
    pooled = one.pool.playing(5)
    assert pooled is not None

    one.dispatcher.deliver(pb.Batch(ended=[pb.MatchEnded(match=ONE)]))
    assert one.pool.playing(5) is pooled
    one.dispatcher.deliver(pb.Batch(ended=[pb.MatchEnded(match=TWO)]))
    assert one.processes[0].finished


def test_bot_with_a_single_process_plays_all_matches_in_it() -> None:
    one = bot(together=True)
    one.ask(1, ONE)
    one.ask(2, TWO, group=7)
    pooled = one.pool.playing(TOGETHER)
    assert pooled is not None
    assert tickets(one.processes[0]) == [[1], [2]]


def test_process_gets_no_more_decisions_than_its_bot_takes() -> None:
    one = bot()
    for ticket in range(4):
        one.ask(ticket, f"match{ticket}".ljust(16, "x"), group=5)
    pooled, process = one.pool.playing(5), one.processes[0]
    assert pooled is not None
    assert tickets(process) == [[0], [1]]

    process.clock.answered([0, 1], 0.1, 0.1)
    one.dispatcher.send_queued(pooled)
    assert tickets(process) == [[0], [1], [2, 3]]


def test_bot_that_has_not_said_hello_gets_one_decision_at_a_time() -> None:
    one = bot(hello=None)
    one.ask(1, ONE, group=5)
    one.ask(2, TWO, group=5)
    assert tickets(one.processes[0]) == [[1]]


def test_bot_that_reads_no_packed_decisions_gets_them_one_by_one() -> None:
    one = bot(hello=pb.Hello(max_in_flight=1))
    one.ask(1, ONE)
    [batch] = one.playing(ONE).sent
    assert (len(batch.packed), len(batch.decisions)) == (0, 1)


def test_program_that_wants_no_notices_gets_none_and_other_bots_get_faults() -> None:
    batch = decision(1, ONE)
    batch.faults.add(match=ONE)
    batch.started.add(match=ONE)
    for reads_lines, faults in ((True, 0), (False, 1)):
        one = bot(pb.Hello(max_in_flight=1, packed=VERSION), reads_lines=reads_lines)
        one.dispatcher.deliver(batch)
        sent = one.playing(ONE).sent
        assert sum(len(each.faults) for each in sent) == faults
        assert not any(each.started for each in sent)


def test_decision_that_is_still_open_is_not_sent_again() -> None:
    one = bot()
    one.ask(1, ONE)
    one.ask(1, ONE, again=True)
    one.ask(2, ONE, again=True)
    assert tickets(one.playing(ONE)) == [[1], [2]]


def test_decision_that_is_queued_is_not_queued_again() -> None:
    one = bot()
    for again in (False, True):
        for ticket in range(4):
            one.ask(ticket, f"match{ticket}".ljust(16, "x"), group=5, again=again)
    pooled, process = one.pool.playing(5), one.processes[0]
    assert pooled is not None
    process.clock.answered([0, 1], 0.1, 0.1)
    one.dispatcher.send_queued(pooled)
    process.clock.answered([2, 3], 0.2, 0.2)
    one.dispatcher.send_queued(pooled)
    assert tickets(process) == [[0], [1], [2, 3]]


def test_decision_that_waits_for_room_is_asked_once() -> None:
    one = bot(most=1)
    one.ask(1, ONE)
    one.ask(2, TWO)
    one.ask(2, TWO, again=True)
    one.make_room(ONE)
    assert tickets(one.playing(TWO)) == [[2]]


def test_match_that_ends_while_it_waits_for_room_gets_no_process() -> None:
    one = bot(most=1)
    one.ask(1, ONE)
    one.ask(2, TWO)
    one.dispatcher.deliver(pb.Batch(ended=[pb.MatchEnded(match=TWO)]))
    one.make_room(ONE)
    assert len(one.processes) == 1


def test_notice_about_a_match_without_a_process_starts_none() -> None:
    one = bot()
    one.dispatcher.deliver(pb.Batch(ended=[pb.MatchEnded(match=ONE)]))
    assert one.processes == []


def test_match_that_has_spent_its_waiting_budget_is_refused_until_it_ends() -> None:
    one = bot()
    one.judge.waiting.charge([ONE], 100.0)
    one.ask(1, ONE)
    assert one.answered[0].choices[0].forfeits
    assert one.processes == []

    one.dispatcher.deliver(pb.Batch(ended=[pb.MatchEnded(match=ONE)]))
    one.ask(2, ONE)
    assert tickets(one.playing(ONE)) == [[2]]


def test_match_without_room_is_played_when_a_process_is_gone() -> None:
    one = bot(most=1)
    one.ask(1, ONE)
    one.ask(2, TWO)
    assert len(one.processes) == 1

    one.make_room(ONE)
    assert tickets(one.playing(TWO)) == [[2]]


def test_nothing_is_handed_to_a_closed_pool() -> None:
    one = bot()
    one.pool.close()
    one.ask(1, ONE)
    assert one.processes == []
