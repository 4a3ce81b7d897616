"""Deal seeds and match ids are frozen: other programs recompute them, and stored ones stay."""

from __future__ import annotations

import hashlib

from arena.pairing import deal_seed, match_id


def test_a_deal_seed_is_the_documented_hash() -> None:
    packed = b"lama-arena/deal\0" + (7).to_bytes(8, "big") + (3).to_bytes(8, "big")

    assert deal_seed(7, 3) == hashlib.sha256(packed).digest()[:16]


def test_deal_seeds_differ_by_seed_and_deal() -> None:
    assert len({deal_seed(seed, deal) for seed in range(20) for deal in range(20)}) == 400


def test_match_ids_stay_what_they_were() -> None:
    assert match_id(7, 1, 0) == "1tbt10ydswbchfdp"
    assert match_id(2**64 - 1, 12, 10**9) == "t8s5hz2k1ztx52sa"


def test_match_ids_are_sixteen_letters_and_digits_that_cannot_be_misread() -> None:
    letters = set("".join(match_id(1, 1, position) for position in range(500)))

    assert letters == set("0123456789abcdefghjkmnpqrstvwxyz")
    assert {len(match_id(seed, 1, 0)) for seed in range(50)} == {16}


def test_tournaments_with_one_seed_have_different_match_ids() -> None:
    first, second = ({match_id(7, number, p) for p in range(600)} for number in (1, 2))

    assert len(first) == len(second) == 600
    assert not first & second
