"""What the log of a submission has of what its bot wrote."""

from arena.service.host.builder import MOST_OUTPUT, shortened


def test_what_is_short_stands_there_whole() -> None:
    assert shortened("x" * MOST_OUTPUT) == "x" * MOST_OUTPUT


def test_of_what_is_long_the_beginning_and_the_end_stand_there() -> None:
    written = "imported\n" + "x" * 2 * MOST_OUTPUT + "\nValueError: no\n"

    told = shortened(written)

    assert told.startswith("imported\n")
    assert told.endswith("\nValueError: no\n")
    assert f"[{len(written) - MOST_OUTPUT:,} characters left out]" in told
    assert len(told) < MOST_OUTPUT + 100
