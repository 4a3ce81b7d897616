"""Numbers and options as pages write them."""

import pytest

from dashboard.layout.numbers import exact, option, percent, signed


@pytest.mark.parametrize(
    ("number", "places", "written"),
    [(0.1, 2, "+0.10"), (-0.061, 3, "\N{MINUS SIGN}0.061"), (-0.004, 2, "0.00"), (3, 0, "+3")],
)
def test_a_number_has_its_sign_unless_it_is_nothing_but_zeros(
    number: float, places: int, written: str
) -> None:
    assert signed(number, places) == written


@pytest.mark.parametrize(
    ("number", "written"), [(1.5, "1.50"), (-0.061, "\N{MINUS SIGN}0.06"), (-0.004, "0.00")]
)
def test_a_number_to_two_places_has_a_minus_unless_it_is_nothing_but_zeros(
    number: float, written: str
) -> None:
    assert exact(number) == written


@pytest.mark.parametrize(
    ("share", "places", "written"),
    [(0.583, 1, "58.3%"), (-0.035, 1, "\N{MINUS SIGN}3.5%"), (-0.0001, 1, "0.0%"), (1, 0, "100%")],
)
def test_a_share_is_in_percent(share: float, places: int, written: str) -> None:
    assert percent(share, places) == written


@pytest.mark.parametrize(
    ("name", "value", "of", "written"),
    [
        ("max_rounds", "10000", "lama", "Round limit: 10,000"),
        ("elo0", "-5", "versus", "Lower bound, Elo: -5"),
        ("withdraw_after", "20", "swiss", "Withdraw after: 20"),
        ("kadabra.specials", "1o:8", "kadabra", "Special cards: 1o:8"),
        ("no_more", "\N{SUPERSCRIPT TWO}", "gone", "No more: \N{SUPERSCRIPT TWO}"),
    ],
)
def test_an_option_has_a_title_and_its_value(name: str, value: str, of: str, written: str) -> None:
    assert option(name, value, of) == written
