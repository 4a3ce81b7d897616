"""A fifth game is one class and one line: here is one, and all that it can do from that."""

import json
import random
from collections import Counter
from math import inf

import pytest
import redis
from flask.testing import FlaskClient

from arena.base.config import Settings
from arena.bots import strategies
from arena.bots.house import house_bot
from arena.games.guides import guide
from arena.games.match import Match, MatchSetup, Seat
from arena.games.packed_log import pack, replay
from arena.games.record import RecordError, export, verify
from arena.games.rules import EARLIER, GAMES, View, game_class
from arena.games.rules.errors import BadOption, NotSampled, UnknownGame
from arena.games.rules.game import MAX_ROUNDS, Game
from arena.games.rules.lama import CARDS, Lama
from arena.games.rules.options import Option, whole_number
from arena.games.rules.shedding import SheddingGame
from arena.protocol import decisions
from arena.protocol.v1 import play_pb2 as pb
from arena.sdk import Bot
from arena.sdk import play as play_locally
from arena.store import Store
from arena.store.matches import matches
from arena.store.reports import leaderboard
from arena.store.reports.match_luck import match_luck
from arena.tournaments.formats import TournamentSpec, check_spec
from arena.value.review import review_match
from dashboard import create_app
from tests.integration.people import person
from tests.integration.played import play, register
from workers.analysis.luck import calculate, catch_up

OWL = 7
SEATS = (Seat("ann"), Seat("bob"), Seat("cid"))


class Owls(SheddingGame):
    """LAMA with owls: an owl goes on any card, takes any card on it, and gives another turn."""

    name = "owls"
    title = "LAMA with Owls"
    ruleset = "owls/1"
    known_options = {  # noqa: RUF012 - never changed
        "max_rounds": MAX_ROUNDS,
        "owls.number": Option("4", "Owls in the deck", whole_number(0, 8)),
    }

    kinds = (*CARDS, "owl")
    deck = (*Lama.deck, *[OWL] * 4)
    values = (*Lama.values, 15)
    follows = (*[(*kinds, OWL) for kinds in Lama.follows], tuple(range(8)))
    returns = (1, 5, 10)

    __slots__ = ()

    def make_deck(self) -> tuple[int, ...]:
        """With as many owls as asked for."""
        return (*Lama.deck, *[OWL] * int(self.options["owls.number"]))

    def turn_after(self, kind: int) -> int:
        """Who played an owl goes on."""
        return self.seat if kind == OWL else self.next_active()


class WiseOwls(Owls):
    """The next edition, in which owls score 20."""

    ruleset = "owls/2"
    values = (*Lama.values, 20)

    __slots__ = ()


@pytest.fixture(autouse=True)
def registered(monkeypatch: pytest.MonkeyPatch) -> None:
    """The one line of registration, for a test."""
    monkeypatch.setitem(GAMES, "owls", Owls)


def played(seed: int = 1, **options: str) -> Match:
    """A match of three whose every decision goes over the wire and back."""
    rng = random.Random(seed)
    match = Match(MatchSetup(f"o{seed}", "owls", rng.randbytes(16), SEATS, options))
    while match.decision:
        sent = decisions.encode_decision(match.decision, ticket=1, time_ms=100)
        view = decisions.decode_view(pb.Decision.FromString(sent).view)
        assert view == match.decision
        patient = [action for action in view.actions if action != "quit"]
        match.answer(rng.choice(patient if rng.random() < 0.9 else view.actions))
    return match


def test_it_is_played_and_has_its_own_cards_and_tokens() -> None:
    moves = Counter[str]()
    for seed in range(100):
        for log in played(seed).game.rounds:
            moves.update(Owls.notation[action] for _, action in log.moves)
    assert {"play owl", "play llama", "draw", "quit", "return 5"} <= set(moves)


def test_its_record_is_verified_and_its_log_replayed() -> None:
    match = played(3)
    told = json.loads(json.dumps(export(match)))
    verify(told)
    assert (told["game"], told["ruleset"]) == ("owls", "owls/1")
    assert replay(match.setup, pack(match)).result == match.result


def test_its_option_travels_with_the_match() -> None:
    match = played(3, **{"owls.number": "8"})
    told = export(match)
    verify(told)
    assert told["options"]["owls.number"] == "8"
    opening = told["rounds"][0]
    dealt = [
        *[card for hand in opening["hands"] for card in hand],
        opening["top"],
        *opening["pile"],
    ]
    assert dealt.count("owl") == 8
    with pytest.raises(BadOption, match=r"owls\.number of LAMA with Owls takes a whole number"):
        check_spec(
            TournamentSpec(game="owls", bots=("a", "b"), seats=2, options={"owls.number": "9"})
        )


class AnyCard(Bot):
    """Plays any game: one of the actions offered."""

    def choose(self, view: View) -> str:
        return view.rng().choice(view.actions)


def test_bots_play_it() -> None:
    told = play_locally([AnyCard(), AnyCard()], game="owls", seed=5)
    verify(told)
    assert not any("fault" in move for played in told["rounds"] for move in played["moves"])


def test_states_are_sampled_from_its_views() -> None:
    rng, game = random.Random(2), Owls(3, bytes(16), {"owls.number": "8"})
    while not game.finished:
        view = game.view("m", 1)
        for state in view.sample_states(2, rng):
            assert state.view("m", 1) == view
            assert sorted(state.log.deck) == sorted(game.make_deck())
        game.apply(rng.choice(game.legal_actions))


def test_a_game_that_cannot_be_set_up_from_a_view_says_so(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(Owls, "restore_cards", Game.restore_cards)
    with pytest.raises(NotSampled, match="States of LAMA with Owls cannot be sampled"):
        Owls(3, bytes(16)).view().sample_states(1)


def test_a_tournament_of_it_is_stored_rated_and_replayed(store: Store) -> None:
    register(store, "ann", "bob", "cid")
    tournament = play(store, "ann", "bob", "cid", seats=3, deals=2, game="owls")
    with store.read() as conn:
        rows, _ = matches.list_matches(conn, tournament=tournament.id)
        assert len(rows) == 6
        for row in rows:
            stored = matches.get_match(conn, row.id)
            again = replay(stored.setup, stored.log)
            assert again.game.title == "LAMA with Owls"
            assert again.result.points == tuple(seat.points for seat in stored.seats)
            verify(export(again))
        rated = leaderboard.table(conn, "owls")
    assert {row.bot for row in rated} == {"ann", "bob", "cid"}


def test_its_next_ruleset_leaves_old_records_what_they_were(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    old = played(3)
    told, log = export(old), pack(old)
    setup = MatchSetup(old.setup.id, "owls", old.setup.seed, SEATS, ruleset="owls/1")

    monkeypatch.setitem(GAMES, "owls", WiseOwls)
    with pytest.raises(RecordError, match="has no ruleset 'owls/1'. The newest is 'owls/2'"):
        verify(told)
    with pytest.raises(UnknownGame, match="has no ruleset"):
        replay(setup, log)

    monkeypatch.setattr("arena.games.rules.EARLIER", [*EARLIER, Owls])
    verify(told)
    assert replay(setup, log).result == old.result
    assert game_class("owls") is WiseOwls
    assert played(3).game.ruleset == "owls/2"


# Pages


PAGES = (
    "/", "/rules", "/rules/owls", "/play?game=owls", "/ratings?game=owls", "/matches?game=owls",
    "/ratings/pairs?game=owls", "/bots", "/bots/ann?game=owls", "/bots/ann/reviews?game=owls",
    "/tournaments", "/tournaments/1", "/tournaments/1/terms", "/tournaments/1/analysis",
    "/tournaments/new", "/tournaments/new?like=1", "/search?q=owls", "/help/reviews", "/docs/rules",
    "/docs/llms-full.txt", "/embed/ratings?game=owls", "/embed/tournaments/1", "/api/rules/owls",
    "/api/ratings?game=owls", "/api/tournaments/1", "/api/bots/ann", "/api/bots/ann/reviews",
    "/matches/{}", "/matches/{}/replay", "/embed/matches/{}", "/api/matches/{}",
    "/api/matches/{}/replay", "/api/matches/{}/review",
)  # fmt: skip


@pytest.fixture
def olga(sqlite_store: Store, redis_client: redis.Redis, redis_url: str) -> FlaskClient:
    """An organiser, in an arena that has a tournament of it."""
    register(sqlite_store, "ann", "bob", "cid")
    play(sqlite_store, "ann", "bob", "cid", seats=3, deals=2, game="owls")
    app = create_app(Settings(redis_url=redis_url), sqlite_store, redis_client)
    return person(app, sqlite_store, "olga", organiser=True)


def test_every_page_has_it(olga: FlaskClient, sqlite_store: Store) -> None:
    with sqlite_store.read() as conn:
        (row, *_), _ = matches.list_matches(conn)
    answers = {page: olga.get(page.format(row.id)) for page in PAGES}
    assert {page: each.status_code for page, each in answers.items()} == dict.fromkeys(PAGES, 200)
    rules = answers["/rules/owls"].text
    assert "an owl goes on any card" in rules  # the docstring of its class
    assert "Owls in the deck" in rules.partition("For bot authors")[2]
    assert "so you cannot play now" in answers["/play?game=owls"].text
    for page in ("/tournaments/new", "/matches?game=owls", "/play?game=owls"):
        assert "LAMA with Owls" in answers[page].text
    assert 'class="card card-other' in answers["/matches/{}/replay"].text  # an owl, as text


# Bots and models


def test_only_one_house_bot_plays_it() -> None:
    (random_bot,) = strategies(["owls"]).values()
    assert list(random_bot) == ["random"]
    told = play_locally(
        [house_bot("random", {"owls": random_bot})() for _ in range(2)], game="owls", seed=5
    )
    verify(told)


def test_its_guide_has_its_options_and_actions() -> None:
    assert "| `owls.number` | `4` | Owls in the deck |" in guide("owls")
    assert "play owl" in guide("owls")


def test_a_review_says_what_it_lacks_and_its_luck_stays_unknown(sqlite_store: Store) -> None:
    with pytest.raises(UnknownGame, match="LAMA with Owls has no batch class"):
        review_match(played(3))
    register(sqlite_store, "ann", "bob")
    tournament = play(sqlite_store, "ann", "bob", game="owls")
    catch_up(sqlite_store, calculate, inf)
    with sqlite_store.read() as conn:
        known = match_luck(conn, tournament.id)
    assert (known.matches, known.looked_at) == (0, 2)
