"""Bots: names, tokens, versions."""

import pytest
from sqlalchemy import insert, select

from arena.base.errors import AlreadyExists, InvalidRequest, NotFound
from arena.store import Store
from arena.store.registry import bot_lists, bots, tokens
from arena.store.tables import bots as bots_table
from arena.store.tables import players
from tests.made_results import entered, results, save


def test_a_registered_bot_is_found_by_its_token_and_name(store: Store) -> None:
    with store.write() as conn:
        bot, token = bots.register(conn, "Ada-1.0", now=123.5)

    with store.read() as conn:
        assert bots.by_token(conn, token) == bot == bots.get(conn, "ada-1.0")
    assert (bot.name, bot.version, bot.created) == ("Ada-1.0", "1", 123.5)
    assert token.startswith("lama_")
    assert len(token) == 37


def test_of_a_token_only_the_digest_is_stored(store: Store) -> None:
    with store.write() as conn:
        _, token = bots.register(conn, "ada")

        row = conn.execute(select(bots_table)).one()

    assert bytes(row.token_digest) == tokens.digest(token)
    assert not any(token[5:] in str(field) for field in row)


def test_a_rotated_token_replaces_the_old_one(store: Store) -> None:
    with store.write() as conn:
        bot, old = bots.register(conn, "ada")
        new = bots.rotate_token(conn, "ADA")

    with store.read() as conn:
        assert bots.by_token(conn, old) is None
        assert bots.by_token(conn, new) == bot


@pytest.mark.parametrize("token", ["", "lama_", "lama_wrong", "naïve ☃", "\ud800"])
def test_a_wrong_token_finds_no_bot(store: Store, token: str) -> None:
    with store.write() as conn:
        bots.register(conn, "ada")

        assert bots.by_token(conn, token) is None


def test_names_differ_in_more_than_capitals_and_the_transaction_goes_on(store: Store) -> None:
    with store.write() as conn:
        bots.register(conn, "Ada")
        with pytest.raises(AlreadyExists, match='"ADA"'):
            bots.register(conn, "ADA")
        bots.register(conn, "bob")

    with store.read() as conn:
        assert [bot.name for bot in bots.all_bots(conn)] == ["Ada", "bob"]


@pytest.mark.parametrize(
    "name", ["", "-ada", ".ada", "a b", "a" * 41, "ada\n", "äda", "<b>", "a/b", "٣"]
)
def test_names_that_bots_cannot_have(store: Store, name: str) -> None:
    with store.write() as conn, pytest.raises(InvalidRequest, match="1 to 40 letters"):
        bots.register(conn, name)


@pytest.mark.parametrize("name", ["a", "7th", "A.b_c-d", "a" * 40])
def test_names_that_bots_can_have(store: Store, name: str) -> None:
    with store.write() as conn:
        assert bots.register(conn, name)[0].name == name


def test_bots_that_are_missing_are_named(store: Store) -> None:
    with store.write() as conn:
        bots.register(conn, "ada")

        with pytest.raises(NotFound, match='"bob"'):
            bots.get(conn, "bob")
        with pytest.raises(NotFound, match="bob, cyd"):
            bots.get_all(conn, ["bob", "ada", "cyd"])
        with pytest.raises(NotFound, match='"bob"'):
            bots.rotate_token(conn, "bob")


def test_a_new_version_is_a_new_player_and_the_one_that_connects(store: Store) -> None:
    with store.write() as conn:
        old, token = bots.register(conn, "ada")
        conn.execute(insert(players).values(bot=old.id, version="2", created=0.0))

        new = bots.by_token(conn, token)

        assert new is not None
        assert (new.id, new.version) == (old.id, "2")
        assert bots.all_bots(conn) == [new]
        assert bots.by_players(conn, [old.player, new.player, 99]) == {
            old.player: old,
            new.player: new,
        }


def test_a_version_is_named_behind_the_bot(store: Store) -> None:
    with store.write() as conn:
        old, _ = bots.register(conn, "Ada")
        new = bots.new_version(conn, "Ada", "2.0")

        assert bots.get_all(conn, ["ada@1", "ADA", "ada@2.0"]) == [old, new, new]
        assert [bot.label for bot in (old, new)] == ["Ada@1", "Ada@2.0"]
        assert bot_lists.older_versions(conn, 1) == [old]
        assert bot_lists.older_versions(conn, 0) == []
        with pytest.raises(NotFound, match=r'Ada has no version "3"\. Its newest versions: 2.0, 1'):
            bots.get_all(conn, ["ada@3"])
        with pytest.raises(NotFound, match="no bot named zoe"):
            bots.get_all(conn, ["zoe@1"])


def test_finished_matches_are_counted_for_each_bot(store: Store) -> None:
    tournament = entered(store)
    with store.write() as conn:
        idle, _ = bots.register(conn, "idle")
    save(store, results(tournament))

    with store.read() as conn:
        played = {bots.get(conn, name).id for name in tournament.spec.bots}
        assert bot_lists.match_counts(conn, {*played, idle.id}) == dict.fromkeys(played, 36)
        assert bot_lists.match_counts(conn, {idle.id}) == {}


def test_many_tokens_are_looked_up_at_once(store: Store, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(tokens, "AT_A_TIME", 2)
    with store.write() as conn:
        made = {token: bot for bot, token in (bots.register(conn, f"bot{n}") for n in range(5))}
        newer = bots.new_version(conn, "bot3", "2.0")
        bots.retire(conn, "bot4")
        found = bots.by_tokens(conn, [*made, "lama_unknown"])

        assert found == {token: bots.by_token(conn, token) for token in made}
        assert found[next(t for t, bot in made.items() if bot.name == "bot3")] == newer
        assert bots.by_tokens(conn, []) == {}
