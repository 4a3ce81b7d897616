"""Puzzles in the store: which matches make them, who sees them, answers and ratings."""

import threading

import pytest
from sqlalchemy import Connection, func, select, update

from arena.base.errors import InvalidRequest, NotFound
from arena.store import Store
from arena.store.matches.matches import StoredMatch
from arena.store.registry import accounts
from arena.store.reports import people
from arena.store.reports.own_data import own_data
from arena.store.reviews import puzzles
from arena.store.reviews.puzzles import PuzzleRating, StoredPuzzle
from arena.store.tables import puzzle_attempts, puzzle_ratings, tournaments
from arena.store.tables import puzzles as rows
from arena.store.tournaments.departure import delete_account
from arena.store.tournaments.tournaments import get as get_tournament
from tests.integration.played import play, register
from tests.integration.puzzled import choices, puzzle_at, store_puzzles
from tests.integration.reviewed import some_matches, store_review, stored_matches


@pytest.fixture
def match(store: Store) -> StoredMatch:
    return some_matches(store)[0]


@pytest.fixture
def puzzle(store: Store, match: StoredMatch) -> StoredPuzzle:
    (found,) = store_puzzles(store, match)
    return found


def sign_up(store: Store, name: str = "ann") -> int:
    with store.write() as conn:
        account = accounts.sign_up(conn, name, "hashed")
        accounts.set_listed(conn, account, True)
        return account.id


def answer(
    store: Store, puzzle: StoredPuzzle, account: int, place: int = 0
) -> puzzles.PuzzleAttempt:
    action = puzzle.alternatives[place].action
    with store.write() as conn:
        return puzzles.answer(conn, puzzle.id, account, action, 1e9)


def rating(store: Store, account: int) -> PuzzleRating:
    with store.read() as conn:
        return puzzles.rating_of(conn, account, "lama")


def test_test_matches_and_locked_matches_make_no_puzzles(store: Store) -> None:
    register(store, "one", "two")
    test = stored_matches(store, play(store, "one", "two", kind="test"))[0]
    open_deal = stored_matches(store, play(store, "one", "two", only=1))[0]
    assert open_deal.locked
    assert not test.locked
    assert store_puzzles(store, test) == store_puzzles(store, open_deal) == []
    with store.read() as conn:
        assert conn.scalar(select(func.count()).select_from(rows)) == 0


@pytest.mark.parametrize("state", ["waiting", "running", "cancelled"])
def test_puzzles_of_unfinished_tournaments_are_hidden(
    store: Store, puzzle: StoredPuzzle, state: str
) -> None:
    account = sign_up(store)
    with store.write() as conn:
        conn.execute(update(tournaments).values(state=state))
    with store.write() as conn:
        assert puzzles.page(conn, None, 10, 0) == []
        assert puzzles.choose(conn, "lama") == []
        for call in (
            lambda: puzzles.get(conn, puzzle.id),
            lambda: puzzles.take_hint(conn, puzzle.id, account, 1e9),
            lambda: puzzles.answer(conn, puzzle.id, account, puzzle.best, 1e9),
        ):
            with pytest.raises(NotFound, match="There is no puzzle"):
                call()


def test_a_match_makes_puzzles_once_and_only_up_to_the_limit(
    store: Store, match: StoredMatch, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert len(store_puzzles(store, match, 2)) == 2
    assert len(store_puzzles(store, match, 3)) == 2
    monkeypatch.setattr(puzzles, "KEPT", 2)
    other = another(store, match)
    assert store_puzzles(store, other) == []


def another(store: Store, match: StoredMatch) -> StoredMatch:
    """Another match of the same tournament."""
    with store.read() as conn:
        tournament = get_tournament(conn, match.tournament)
    return next(each for each in stored_matches(store, tournament) if each.id != match.id)


def test_the_first_answer_is_rated_and_later_ones_change_nothing(
    store: Store, puzzle: StoredPuzzle
) -> None:
    ann, bea = sign_up(store), sign_up(store, "bea")
    first = answer(store, puzzle, ann)
    assert (first.solved, first.change) == (True, 32)
    assert answer(store, puzzle, ann, 1) == first
    assert rating(store, ann) == PuzzleRating(1532, 1, 1)
    with store.read() as conn:
        found = puzzles.get(conn, puzzle.id)
    assert (found.rating, found.attempts, found.solved) == (1468, 1, 1)

    wrong = answer(store, puzzle, bea, 1)
    assert not wrong.solved
    assert wrong.change == pytest.approx(-64 / (1 + 10 ** (-32 / 400)))
    with pytest.raises(InvalidRequest, match="not an action"), store.write() as conn:
        puzzles.answer(conn, puzzle.id, ann, "play 99", 1e9)


def test_an_answer_after_a_hint_is_not_rated(store: Store, puzzle: StoredPuzzle) -> None:
    ann = sign_up(store)
    with store.write() as conn:
        puzzles.take_hint(conn, puzzle.id, ann, 1e9)
        puzzles.take_hint(conn, puzzle.id, ann, 1e9)
    found = answer(store, puzzle, ann)
    assert (found.hinted, found.solved, found.change) == (True, True, None)
    assert rating(store, ann) == PuzzleRating()
    with store.write() as conn:
        assert puzzles.get(conn, puzzle.id).attempts == 0
        puzzles.take_hint(conn, puzzle.id, ann, 2e9)  # too late to matter
        assert puzzles.attempt(conn, puzzle.id, ann) == found


def test_a_hint_strikes_out_at_most_half_and_never_the_best(
    store: Store, puzzle: StoredPuzzle
) -> None:
    every = [each.action for each in puzzle.alternatives]
    assert puzzle.best not in puzzle.worse_half
    assert puzzle.worse_half == set(every[len(every) - len(every) // 2 :])


def test_answers_at_once_count_once(store: Store, puzzle: StoredPuzzle) -> None:
    ann = sign_up(store)
    threads = [threading.Thread(target=answer, args=(store, puzzle, ann)) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert rating(store, ann) == PuzzleRating(1532, 1, 1)


def chosen(conn: Connection, game: str, account: int | None = None, besides: int = 0) -> list[int]:
    return [each.id for each in puzzles.choose(conn, game, account, besides)]


def test_the_next_puzzle_is_near_the_rating_and_not_answered(
    store: Store, match: StoredMatch, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(puzzles, "NEAR", 1)
    one, two, three = store_puzzles(store, match, 3)
    ann = sign_up(store)
    with store.write() as conn:
        for each, elo in ((one, 1000), (two, 1800), (three, 1400)):
            conn.execute(update(rows).where(rows.c.id == each.id).values(rating=elo))
        assert chosen(conn, "lama", ann) == [three.id]
        assert chosen(conn, "lama", ann, three.id) == [two.id]
        assert chosen(conn, "dice", ann) == []
        (found,) = chosen(conn, "lama")
        assert found in {one.id, two.id, three.id}
        puzzles.take_hint(conn, three.id, ann, 1e9)
        assert chosen(conn, "lama", ann) == [three.id]
    for each in (three, two, one):
        answer(store, each, ann)
    with store.read() as conn:
        assert chosen(conn, "lama", ann) == []


def test_the_table_lists_people_who_agreed_after_ten_rated_answers(store: Store) -> None:
    listed, hidden, new = (sign_up(store, name) for name in ("ann", "bea", "cat"))
    with store.write() as conn:
        accounts.set_listed(conn, accounts.get(conn, hidden), False)
        for account, count in ((listed, 10), (hidden, 10), (new, 9)):
            row = {"account": account, "game": "lama", "rating": 1600.0, "solved": 7}
            conn.execute(puzzle_ratings.insert().values(**row, attempts=count))
        assert people.puzzle_table(conn, "lama") == [people.PuzzleRank(1, "ann", 1600.0, 10, 7)]
        assert people.puzzle_table(conn, "dice") == []


def test_an_account_takes_its_answers_along(store: Store, puzzle: StoredPuzzle) -> None:
    ann = sign_up(store)
    answer(store, puzzle, ann)
    with store.write() as conn:
        (given,) = own_data(conn, accounts.get(conn, ann))["puzzles"]
        assert (given["puzzle"], given["action"], given["change"]) == (puzzle.id, puzzle.best, 32)
        delete_account(conn, ann, 1e9)
        for table in (puzzle_attempts, puzzle_ratings):
            assert conn.scalar(select(func.count()).select_from(table)) == 0
        assert puzzles.get(conn, puzzle.id).attempts == 1


def test_a_deleted_account_cannot_answer(store: Store, puzzle: StoredPuzzle) -> None:
    ann = sign_up(store)
    with store.write() as conn:
        delete_account(conn, ann, 1e9)
    with pytest.raises(NotFound, match="account"):
        answer(store, puzzle, ann)
    with store.write() as conn, pytest.raises(NotFound, match="account"):
        puzzles.take_hint(conn, puzzle.id, ann, 1e9)


def test_matches_to_review_are_of_finished_tournaments_and_have_no_review(
    store: Store, match: StoredMatch, monkeypatch: pytest.MonkeyPatch
) -> None:
    def found(game: str = "lama") -> set[str]:
        with store.read() as conn:
            return set(puzzles.unreviewed(conn, game, 100))

    with store.read() as conn:
        every = {each.id for each in stored_matches(store, get_tournament(conn, match.tournament))}
    register(store, "one", "two")
    running = play(store, "one", "two", seats=2)
    with store.write() as conn:
        conn.execute(
            update(tournaments).where(tournaments.c.id == running.id).values(state="running")
        )
    assert found() == every
    assert found("dice") == set()
    store_review(store, match)
    assert found() == every - {match.id}
    monkeypatch.setattr(puzzles, "KEPT", 0)
    assert found() == set()


def test_values_survive_storing(store: Store, match: StoredMatch) -> None:
    (stored,) = store_puzzles(store, match)
    made = puzzle_at(choices(match)[-1])
    assert (stored.number, stored.seat) == (made.number, made.seat)
    assert [each.action for each in stored.alternatives] == [
        each.action for each in made.alternatives
    ]
    assert stored.alternatives[1].behind == pytest.approx(made.alternatives[1].behind, abs=1e-4)
