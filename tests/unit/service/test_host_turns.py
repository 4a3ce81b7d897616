"""Authors take turns at a host's builds."""

from arena.service.host.builds import Turns


def test_the_author_served_longest_ago_is_first() -> None:
    turns = Turns()
    for author in (1, 2, 3, 1):
        turns.took(author)

    assert turns.in_order([1, 2, 3]) == [2, 3, 1]
    assert turns.in_order([1, 4, 3, 5]) == [4, 5, 3, 1], "new authors keep their order"


def test_an_author_who_comes_back_again_and_again_does_not_jump_the_queue() -> None:
    turns = Turns()
    turns.took(2)
    for _ in range(3):  # author 1 has a single upload each time, author 2 waits with several
        turns.took(1)
        assert turns.in_order([1, 2]) == [2, 1]


def test_the_authors_served_longest_ago_are_forgotten() -> None:
    turns = Turns(most=2)
    for author in (1, 2, 3):
        turns.took(author)

    assert turns.in_order([3, 2, 1]) == [1, 2, 3], "1 counts as new"
