"""Deal seeds are frozen, since other programs recompute them; how match ids look."""

import hashlib

from arena.tournaments.formats import FromSecret, OnSharedDeal, deal_seed


def test_a_deal_seed_is_the_documented_hash() -> None:
    packed = b"lama-arena/deal\0" + (7).to_bytes(8, "big") + (3).to_bytes(8, "big")

    assert deal_seed(7, 3) == hashlib.sha256(packed).digest()[:16]


def test_deal_seeds_differ_by_seed_and_deal() -> None:
    assert len({deal_seed(seed, deal) for seed in range(20) for deal in range(20)}) == 400


def test_match_ids_are_sixteen_letters_and_digits_that_cannot_be_misread() -> None:
    ids = [FromSecret(bytes(32), 1).match_id(position) for position in range(500)]

    assert set("".join(ids)) == set("0123456789abcdefghjkmnpqrstvwxyz")
    assert {len(each) for each in ids} == {16}


def test_tournaments_with_one_secret_have_different_match_ids() -> None:
    sources = [FromSecret(bytes(32), number) for number in (1, 2)]
    first, second = ({source.match_id(p) for p in range(600)} for source in sources)

    assert len(first) == len(second) == 600
    assert not first & second


def test_matches_on_a_shared_deal_have_its_cards_and_their_own_ids() -> None:
    cards = FromSecret(bytes(range(32)), 5)
    matches = [OnSharedDeal(bytes([number]) * 32, number, cards) for number in (1, 2)]

    assert {match.deal_seed(0) for match in matches} == {cards.deal_seed(0)}
    assert len({match.match_id(0) for match in matches}) == 2
    assert matches[0].match_id(0) == FromSecret(bytes([1]) * 32, 1).match_id(0)
    assert "secret" not in repr(matches[0])
