"""Hosts, their tokens, and the versions that they play."""

import pytest
from sqlalchemy import select

from arena.base.errors import NotFound
from arena.store import Store
from arena.store.registry import bots, hosts
from arena.store.tables import hosts as hosts_table
from arena.store.tournaments import creation, hosted, tournaments
from arena.tournaments.formats import TournamentSpec
from arena.tournaments.formats.checks import check_spec

DAY = 86_400.0


def test_a_host_is_found_by_its_token_until_it_is_removed(store: Store) -> None:
    with store.write() as conn:
        host, token = hosts.register(conn, "rack-3", now=100.0)
        other, second = hosts.register(conn, "rack-3", now=101.0)

    with store.write() as conn:
        assert hosts.by_token(conn, token) == host
        assert hosts.by_tokens(conn, [token, second, "host_x"]) == {token: host, second: other}
        hosts.remove(conn, host.id)
        hosts.remove(conn, host.id)

        assert hosts.by_token(conn, token) is None
        assert hosts.by_token(conn, second) == other
    assert token.startswith("host_")
    assert (host.name, host.started) == ("rack-3", 100.0)


def test_of_a_hosts_token_only_the_digest_is_stored(store: Store) -> None:
    with store.write() as conn:
        _, token = hosts.register(conn, "rack-3")

        row = conn.execute(select(hosts_table)).one()

    assert not any(token[5:] in str(field) for field in row)


def test_hosts_that_died_are_forgotten_a_day_after_they_were_seen(store: Store) -> None:
    with store.write() as conn:
        dead, _ = hosts.register(conn, "dead", now=0.0)
        runs, token = hosts.register(conn, "runs", now=0.0)
        hosts.keep(conn, runs.id, now=DAY)
        hosts.register(conn, "new", now=DAY + 1)

        assert hosts.by_token(conn, token) == runs
        with pytest.raises(NotFound, match="Start it again"):
            hosts.keep(conn, dead.id)


def test_whether_it_is_hosted_is_said_of_each_version(store: Store) -> None:
    with store.write() as conn:
        first, token = bots.register(conn, "ada")
        second = bots.new_version(conn, "ada", hosted=True)

        assert (first.hosted, second.hosted) == (False, True)
        assert bots.by_token(conn, token) == second
        assert [one.hosted for one in bots.versions(conn, first.id)] == [True, False]

        bots.set_hosted(conn, first.player, hosted=True)
        bots.set_hosted(conn, second.player, hosted=False)

        assert [one.hosted for one in bots.versions(conn, first.id)] == [False, True]
        with pytest.raises(NotFound):
            bots.set_hosted(conn, 9999, hosted=True)


def test_hosts_are_to_connect_the_newest_versions_and_those_that_play(store: Store) -> None:
    with store.write() as conn:
        for name in ("Ada", "bob", "cleo", "dan"):
            bots.register(conn, name)
            bots.new_version(conn, name, hosted=True)
        spec = TournamentSpec(bots=("bob", "cleo"), seats=2, matches=2)
        tournament = creation.create(conn, check_spec(spec))
        bots.new_version(conn, "bob", hosted=True)
        bots.new_version(conn, "cleo")  # which is not hosted
        bots.retire(conn, "dan")

        wanted = [bot.label for bot in hosted.wanted(conn)]
        tournaments.set_state(conn, tournament.id, "cancelled", now=1.0)
        afterwards = [bot.label for bot in hosted.wanted(conn)]

    assert wanted == ["Ada@2", "bob@3", "bob@2", "cleo@2"]
    assert afterwards == ["Ada@2", "bob@3"]
