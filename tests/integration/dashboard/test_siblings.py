"""Bots of one account in stored tournaments: who is one, what is counted, what is shown."""

import csv
import io
import json
import re
from collections.abc import Sequence
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

import pytest
import sqlalchemy as sa
from flask.testing import FlaskClient

from arena.base.config import Settings
from arena.bots import STRATEGIES
from arena.games.rules.view import View
from arena.store import Store, rebuild, tables
from arena.store.projections import sibling_totals
from arena.store.registry import accounts, bots
from arena.store.reports import standings
from arena.store.save import save_results
from arena.store.tournaments import creation, tournaments
from arena.store.tournaments.tournaments import Tournament
from arena.tournaments.formats import FORMATS, PlannedMatch, TournamentSpec, check_spec, format_of
from dashboard import create_app
from tests.integration.api_world import browser_on, data
from tests.integration.conftest import Run
from tests.integration.people import HASHED, csrf, person
from tests.integration.played import played
from tests.made_results import entered, result, results, save, schedule

OWNED = {"ann-1": "ann", "ann-2": "ann", "bob-1": "bob", "bob-2": "bob", "cyd": "cyd", "dan": None}


def own(store: Store, owned: dict[str, str | None] | None = None) -> None:
    """Registers bots with their accounts."""
    for bot, account in (OWNED if owned is None else owned).items():
        with store.write() as conn:
            holder = accounts.find(conn, account) if account else None
            if account and holder is None:
                holder = accounts.sign_up(conn, account, HASHED)
            bots.register(conn, bot, owner=holder.id if holder else None)


def made(store: Store, names: Sequence[str] = tuple(OWNED), **asked: Any) -> Tournament:
    return entered(store, names, **{"matches": 3, **asked})


@pytest.fixture
def owned(store: Store) -> Store:
    """A store with bots of accounts."""
    own(store)
    return store


@pytest.fixture
def sqlite_owned(sqlite_store: Store) -> Store:
    own(sqlite_store)
    return sqlite_store


def authors(store: Store, number: int) -> tuple[int, ...]:
    with store.read() as conn:
        return tournaments.get(conn, number).spec.authors


def lines(store: Store, number: int) -> dict[str, standings.Standing]:
    with store.read() as conn:
        return {line.bot: line for line in standings.standings(conn, number)}


# Who is a sibling


def test_bots_of_one_account_have_one_number(owned: Store) -> None:
    made(owned)

    assert authors(owned, 1) == (0, 0, 1, 1, 2, 3)


def test_house_bots_and_those_of_no_account_are_nobodys_siblings(store: Store) -> None:
    own(store, {"ann-1": "ann", "one": None, "other": None})
    with store.write() as conn:
        account = accounts.by_name(conn, "ann").id
        for name in ("house-1", "house-2"):
            bots.register(conn, name, kind="house", owner=account)

    made(store, ("house-1", "one", "ann-1", "other", "house-2"))

    assert authors(store, 1) == (0, 1, 2, 3, 4)


def test_the_numbers_are_those_of_entrants_in_the_order_of_their_elo(owned: Store) -> None:
    save(owned, results(made(owned, ("bob-1", "ann-1", "cyd"))))

    found = made(owned, format="knockout", seats=2, format_options={"seeding": "elo"})

    numbers = dict(zip(found.spec.bots, found.spec.authors, strict=True))
    assert numbers["ann-1"] == numbers["ann-2"] != numbers["bob-1"] == numbers["bob-2"]
    assert found.spec.bots != tuple(OWNED)


def test_they_are_frozen_when_a_bot_is_given_away(owned: Store) -> None:
    made(owned)
    with owned.write() as conn:
        bots.set_owner(conn, "ann-2", accounts.by_name(conn, "cyd").id)

    assert authors(owned, 1) == (0, 0, 1, 1, 2, 3)


def test_bot_that_joins_a_ladder_has_its_authors_number(owned: Store) -> None:
    own(owned, {"ann-3": "ann", "eve": "eve", "eve-2": "eve"})
    ladder = made(owned, ("ann-1", "bob-1", "cyd", "dan"), format="ladder", matches=3)
    with owned.write() as conn:
        bots.new_version(conn, "bob-1")
        bots.new_version(conn, "dan")
        for name in ("ann-3", "bob-1", "eve", "dan", "eve-2"):
            creation.enter(conn, tournaments.lock(conn, ladder.id), name)

    assert authors(owned, ladder.id) == (0, 1, 2, 3, 0, 1, 4, 3, 4)


def test_a_new_version_stays_with_the_old_one_also_when_it_was_given_away(owned: Store) -> None:
    ladder = made(owned, ("ann-1", "ann-2", "bob-1", "cyd"), format="ladder")
    with owned.write() as conn:
        bots.set_owner(conn, "ann-2", accounts.by_name(conn, "bob").id)
        bots.new_version(conn, "ann-2")
        creation.enter(conn, tournaments.lock(conn, ladder.id), "ann-2")

    assert authors(owned, ladder.id) == (0, 0, 1, 2, 0)


def test_a_table_with_a_person_knows_no_siblings(owned: Store) -> None:
    asked = TournamentSpec(bots=("ann-1", "ann-2"), seats=2, format="sitting", deals=1)
    with owned.write() as conn:
        found = creation.create(conn, check_spec(asked, sitting=True), kind="table")

    assert found.spec.authors == ()
    assert len(schedule(found)) == 1


# What is counted


def points_of(tournament: Tournament, planned: PlannedMatch) -> list[int]:
    """The better the later in the list of bots; but who has a sibling there wins."""
    spec = tournament.spec
    at = [spec.authors[entrant] for entrant in planned.seats]
    return [
        0 if at.count(author) > 1 else 20 - entrant
        for author, entrant in zip(at, planned.seats, strict=True)
    ]


def play(store: Store, tournament: Tournament, parts: int = 3) -> None:
    """All its matches, stored in some parts and not in their order."""
    every = [result(tournament, one, points_of(tournament, one)) for one in schedule(tournament)]
    for part in reversed(range(parts)):
        save(store, every[part::parts])


def test_scores_with_and_without_siblings_are_counted(owned: Store) -> None:
    tournament = made(owned, format_options={"siblings": "allowed"})
    play(owned, tournament)

    found = lines(owned, tournament.id)

    # Six bots at tables of three: ten tables each, four of them with the one sibling.
    assert [found[bot].sibling_matches for bot in OWNED] == [12, 12, 12, 12, 0, 0]
    assert found["ann-1"].score_with_siblings == 0.75  # a win against one, a tie with the other
    assert found["ann-1"].score_without_siblings == 0.0
    assert found["dan"].score_with_siblings is None
    assert found["dan"].score_without_siblings == found["dan"].score
    for line in found.values():
        others = line.matches - line.sibling_matches
        both = (line.score_with_siblings or 0) * line.sibling_matches
        both += (line.score_without_siblings or 0) * others
        assert both / line.matches == pytest.approx(line.score)


def test_kept_apart_there_is_nothing_to_compare(owned: Store) -> None:
    tournament = made(owned)
    play(owned, tournament)

    found = lines(owned, tournament.id)

    assert {line.sibling_matches for line in found.values()} == {0}
    assert all(line.score_with_siblings is None for line in found.values())


def test_test_matches_are_counted_in_their_own_standings(owned: Store) -> None:
    spec = TournamentSpec(
        bots=("ann-1", "ann-2", "cyd"), seats=3, matches=3, repeats=7, trusted=True
    )
    with owned.write() as conn:
        tournament = creation.create(conn, check_spec(spec), kind="test")
    play(owned, tournament)

    found = lines(owned, tournament.id)

    assert [found[bot].sibling_matches for bot in spec.bots] == [3, 3, 0]


def test_a_recount_finds_and_mends_what_is_wrong(owned: Store) -> None:
    tournament = made(owned, format_options={"siblings": "allowed"})
    play(owned, tournament)
    right = lines(owned, tournament.id)
    with owned.read() as conn:
        assert rebuild.compare(conn, "lama").differences == ()
    with owned.write() as conn:
        row = tables.entrants.c
        wrong = sa.update(tables.entrants).where(row.entrant.in_([0, 4]))
        conn.execute(wrong.values(sibling_halves=row.sibling_halves + 1))

    with owned.read() as conn:
        told = rebuild.compare(conn, "lama").differences
    with owned.write() as conn:
        rebuild.rebuild(conn, "lama")

    assert told == ("the results against bots of the same owner of 2 entrants differ",)
    assert lines(owned, tournament.id) == right
    with owned.read() as conn:
        assert rebuild.compare(conn, "lama").differences == ()


def test_all_is_read_in_parts(owned: Store, monkeypatch: pytest.MonkeyPatch) -> None:
    tournament = made(owned, format_options={"siblings": "allowed"})
    play(owned, tournament)
    monkeypatch.setattr("arena.store.matches.read_columns.CHUNK", 7)

    with owned.read() as conn:
        projection = sibling_totals.SiblingTotalsProjection()
        assert not list(projection.differences(conn, "lama"))


# The schedule of what is stored


@pytest.mark.parametrize("name", FORMATS)
def test_a_new_tournament_keeps_siblings_apart(owned: Store, name: str) -> None:
    names = ("ann-1", "bob-1", "ann-2", "cyd", "dan") if name == "versus" else tuple(OWNED)
    tournament = made(owned, names, format=name)
    spec = tournament.spec

    block = format_of(name).block(spec, 0)

    assert spec.format_options["siblings"] == "apart"
    assert tournament.planned == format_of(name).count(spec)
    for match in block:
        beside = [entrant for entrant in match.seats if name != "gauntlet" or entrant]
        assert len({spec.authors[entrant] for entrant in beside}) == len(beside)


# The attack


@dataclass
class Ring:
    """Two siblings that show each other their hands: the second throws its matches for the first.

    `shown` are hands by match and seat; `known` counts decisions at which a bot knew another
    one's hand.
    """

    tournament: Tournament
    cheats: bool
    shown: dict[tuple[int, int], tuple[str, ...]] = field(default_factory=dict)
    known: int = 0

    def choose(self, view: View, planned: PlannedMatch) -> str:
        names = [self.tournament.spec.bots[entrant] for entrant in planned.seats]
        honest = STRATEGIES["lama"]["five"].choose(view)
        mine = names[view.seat]
        sibling = {"ann-1": "ann-2", "ann-2": "ann-1"}.get(mine)
        if not self.cheats or sibling is None:
            return honest
        self.shown[planned.position, view.seat] = view.hand
        hand = None
        if sibling in names:
            hand = self.shown.get((planned.position, names.index(sibling)))
        if hand is None:
            return honest
        self.known += 1
        if (
            mine == "ann-2"
        ):  # quits with all its cards, unless the other can follow on what it plays
            helps = [a for a in view.actions if a.removeprefix("play ") in hand]
            return helps[0] if helps else view.actions[-1]
        return honest


def attacked(store: Store, name: str, choice: str, *, cheats: bool) -> Ring:
    """A tournament of which all matches are played and stored."""
    asked = {"name": name, "matches": 12, "format_options": {"siblings": choice}}
    tournament = made(store, ("ann-1", "ann-2", "bob-1", "cyd", "dan"), **asked)
    ring = Ring(tournament, cheats)
    with store.write() as conn:
        save_results(conn, [played(tournament, one, ring.choose) for one in schedule(tournament)])
    return ring


def test_siblings_that_show_each_other_their_hands_gain_nothing_when_kept_apart(
    sqlite_owned: Store,
) -> None:
    allowed = attacked(sqlite_owned, "allowed", "allowed", cheats=True)
    apart = attacked(sqlite_owned, "apart", "apart", cheats=True)

    rows = sa.select(tables.match_seats.c.match, tables.match_seats.c.player).join_from(
        tables.match_seats, tables.matches
    )
    own_players = set(apart.tournament.players[:2])
    with sqlite_owned.read() as conn:
        for ring, meet in ((allowed, True), (apart, False)):
            seated: dict[int, set[int]] = {}
            of_it = rows.where(tables.matches.c.tournament == ring.tournament.id)
            for match, player in conn.execute(of_it):
                seated.setdefault(match, set()).add(player)
            assert len(seated) == ring.tournament.planned
            assert any(own_players <= players for players in seated.values()) == meet

    assert allowed.known > 500, "or the attack could not work"
    assert apart.known == 0
    # Where they may meet it shows, in the match and in the column.
    first, second = (lines(sqlite_owned, allowed.tournament.id)[bot] for bot in ("ann-1", "ann-2"))
    assert first.score_with_siblings is not None
    assert second.score_with_siblings is not None
    assert first.score_with_siblings > (first.score_without_siblings or 0) + 0.1
    assert second.score_with_siblings < (second.score_without_siblings or 0) - 0.1
    assert lines(sqlite_owned, apart.tournament.id)["ann-1"].score_with_siblings is None


def test_kept_apart_the_cheats_play_like_honest_bots(sqlite_owned: Store) -> None:
    """The same secret, so the same cards: not one result differs."""
    cheating = attacked(sqlite_owned, "cheats", "apart", cheats=True)
    honest = Ring(cheating.tournament, cheats=False)

    again = [
        played(cheating.tournament, one, honest.choose) for one in schedule(cheating.tournament)
    ]

    with sqlite_owned.read() as conn:
        logs = dict(conn.execute(sa.select(tables.matches.c.id, tables.matches.c.log)).all())
    assert {one.id: one.log for one in again} == logs


# What is shown


@pytest.fixture
def browser(sqlite_owned: Store) -> FlaskClient:
    return browser_on(sqlite_owned)


def words(text: str) -> str:
    return re.sub(r"\s+", " ", re.sub(r"<[^>]+>", " ", text)).replace(" %", "%")


@pytest.fixture
def met(sqlite_owned: Store) -> Tournament:
    """A tournament in which siblings met."""
    tournament = made(sqlite_owned, format_options={"siblings": "allowed"})
    play(sqlite_owned, tournament)
    return tournament


def test_the_page_says_that_siblings_meet_and_compares_their_scores(
    browser: FlaskClient, met: Tournament
) -> None:
    page = words(browser.get(f"/tournaments/{met.id}").text)

    assert "Bots of the same owner may meet, because siblings=allowed." in page
    assert "Siblings: allowed" in words(browser.get(f"/tournaments/{met.id}/terms").text)
    assert "With same owner Without" in page
    assert re.search(r"ann-1 .*? 75\.0% 12 0\.0% 18 ", page)
    assert re.search(r" dan .*? \N{EN DASH} [\d.]+% 30 ", page)


def test_the_page_is_silent_where_they_are_kept_apart(
    browser: FlaskClient, sqlite_owned: Store
) -> None:
    tournament = made(sqlite_owned)
    play(sqlite_owned, tournament)

    page = words(browser.get("/tournaments/1").text)

    assert "Siblings: apart" in words(browser.get("/tournaments/1/terms").text)
    assert (
        "Schedule: all tables, same-owner bots kept apart; every other pair of bots meets in"
        in page
    )
    assert "With same owner" not in page
    assert "meet:" not in page


def test_the_page_of_a_test_says_so_beside_its_verdict(
    browser: FlaskClient, sqlite_owned: Store
) -> None:
    made(sqlite_owned, ("ann-1", "ann-2"), format="versus", seats=2)

    page = words(browser.get("/tournaments/1").text)

    assert "Bots of the same owner: ann-1 and ann-2 have the same owner, and meet." in page
    assert "Not decided yet." in page


def test_programs_are_told(browser: FlaskClient, met: Tournament, sqlite_owned: Store) -> None:
    told = data(browser, f"/api/tournaments/{met.id}")

    assert told["spec"]["authors"] == [0, 0, 1, 1, 2, 3]
    assert told["spec"]["format_options"]["siblings"] == "allowed"
    assert told["remarks"][0].startswith("Bots of the same owner may meet")
    found = {line["bot"]: line for line in told["standings"]}
    assert (found["ann-1"]["sibling_matches"], found["ann-1"]["score_with_siblings"]) == (12, 0.75)
    assert found["dan"]["score_with_siblings"] is None
    sheet = browser.get(f"/api/tournaments/{met.id}/standings.csv").text
    rows = {row["bot"]: row for row in csv.DictReader(io.StringIO(sheet))}
    assert (rows["ann-1"]["sibling_matches"], rows["dan"]["score_with_siblings"]) == ("12", "")
    assert rows["ann-1"]["score_without_siblings"] == "0.0"


def test_the_command_line_shows_and_exports_them(run: Run, met: Tournament, tmp_path: Path) -> None:
    shown = run("tournament", "show", str(met.id)).out
    sheet = run("tournament", "export", str(met.id)).out

    assert "Bots of the same owner may meet, because siblings=allowed." in shown
    header = next(line for line in shown.splitlines() if line.startswith("rank"))
    assert header.split("forfeits")[1].split() == ["with", "siblings", "without"]
    (ann,) = (line for line in shown.splitlines() if " ann-1 " in line)
    assert ann.split()[-6:] == ["0.750", "in", "12", "0.000", "in", "18"]
    (dan,) = (line for line in shown.splitlines() if " dan " in line)
    assert dan.split()[-4] == "\N{EN DASH}"
    rows = {row["bot"]: row for row in csv.DictReader(io.StringIO(sheet))}
    assert rows["ann-1"]["score_with_siblings"] == "0.75"
    assert rows["dan"]["score_with_siblings"] == ""
    assert "siblings=apart" in run("tournament", "formats").out


def test_without_meetings_the_columns_are_left_out(run: Run, sqlite_owned: Store) -> None:
    play(sqlite_owned, made(sqlite_owned))

    shown = run("tournament", "show", "1").out

    assert "with siblings" not in shown
    assert "same-owner bots kept apart; every other pair" in shown


def test_a_stranger_makes_the_schedule_again_from_the_export(
    run: Run, sqlite_owned: Store, tmp_path: Path
) -> None:
    tournament = made(sqlite_owned, matches=3)
    with sqlite_owned.write() as conn:
        save_results(conn, [played(tournament, one) for one in schedule(tournament)])
        tournaments.set_state(conn, tournament.id, "running")
        tournaments.set_state(conn, tournament.id, "finished")
    audit, records = tmp_path / "audit.jsonl", tmp_path / "records.jsonl"
    run("tournament", "export", "1", "--what", "audit", "--out", str(audit))
    run("match", "export", "--tournament", "1", "--out", str(records))

    right = run("tournament", "verify", str(audit), str(records))
    first, *others = audit.read_text().splitlines()
    told = json.loads(first)
    numbers = [entrant["author"] for entrant in told["entrants"]]
    told["entrants"][3]["author"] = 9
    audit.write_text("\n".join([json.dumps(told), *others]))
    wrong = run("tournament", "verify", str(audit), str(records))

    assert right.status == 0, right.err
    assert numbers == [0, 0, 1, 1, 2, 3]
    assert wrong.status == 1
    assert "schedule" in wrong.err


def test_the_form_says_before_where_siblings_would_meet(sqlite_owned: Store) -> None:
    app = create_app(Settings(), sqlite_owned, None)
    olga = person(app, sqlite_owned, "olga", organiser=True)

    def preview(*names: str, **changed: str) -> str:
        from dashboard.tournaments.create.form import blank

        fields = {**blank().values, "seats": "3", "table_matches": "3", "bots": list(names)}
        fields |= {**changed, "csrf_token": csrf(olga)}
        answer = olga.post("/tournaments/new/preview", data=fields, headers={"HX-Request": "true"})
        return words(answer.text)

    apart = preview(*OWNED)
    few = preview("ann-1", "ann-2", "bob-1", "bob-2")
    allowed = preview(*OWNED, **{"format.round-robin.siblings": "allowed"})

    assert "all tables, same-owner bots kept apart; every other pair of bots meets in 6 to" in apart
    assert "Bots of the same owner" not in apart
    assert "Bots of the same owner meet: 3 seats, but only 2 owners." in few
    assert "Bots of the same owner may meet, because siblings=allowed." in allowed


def test_what_is_stored_of_the_spec_can_be_read(sqlite_owned: Store) -> None:
    tournament = made(sqlite_owned)
    text = json.dumps(asdict(tournament.spec))

    assert tournaments.decode_spec(text) == tournament.spec
