"""No grace time runs before a bot could have noticed that its gateway is gone."""

from arena.base import keepalive as k
from arena.base.config import Settings
from arena.sdk.client import LONGEST_PAUSE_S, OPTIONS
from arena.service.gateway.limits import server_options


def test_our_own_bots_notice_sooner_than_any_is_asked_to() -> None:
    assert k.BOT_PING_S + k.BOT_PING_TIMEOUT_S < k.SLOWEST_PING_S + k.SLOWEST_PING_TIMEOUT_S


def test_a_bot_is_waited_for_until_it_can_be_back() -> None:
    noticed = k.SLOWEST_PING_S + k.SLOWEST_PING_TIMEOUT_S
    # The gateway may have refreshed right before it fell silent, or almost a period earlier.
    assert noticed + k.RECONNECT_S <= k.HELD_TTL_S - k.REFRESH_PRESENCE_S
    assert k.HELD_TTL_S > k.PRESENCE_TTL_S


def test_our_own_bots_try_often_enough_to_be_back_in_that_time() -> None:
    assert LONGEST_PAUSE_S < k.RECONNECT_S


def test_keys_do_not_expire_between_two_refreshes() -> None:
    assert k.GATEWAY_TTL_S > 2 * k.REFRESH_GATEWAY_S
    assert k.CUT_OFF_S > 2 * k.REFRESH_GATEWAY_S
    assert k.PRESENCE_TTL_S > 2 * k.REFRESH_PRESENCE_S


def test_pings_are_sent_and_allowed_as_said() -> None:
    bot, gateway = dict(OPTIONS), dict(server_options(Settings()))

    assert bot["grpc.keepalive_time_ms"] == 1000 * k.BOT_PING_S
    assert bot["grpc.keepalive_timeout_ms"] == 1000 * k.BOT_PING_TIMEOUT_S
    assert bot["grpc.http2.max_pings_without_data"] == 0
    assert gateway["grpc.http2.min_ping_interval_without_data_ms"] == 1000 * k.LEAST_PING_S
    assert k.LEAST_PING_S <= k.BOT_PING_S / 2
