"""The review on a replay's page and under /api: requests, display, secrecy and limits."""

import json
import re
from typing import Any

import pytest
from flask.testing import FlaskClient

from arena.store import Store, archiving
from arena.store.matches import months
from arena.store.matches.matches import StoredMatch
from arena.store.reviews import requests
from arena.value.review import Judged, Option, Review
from arena.value.review.model import by_seat
from arena.value.review.values import reviewer
from tests.integration.people import csrf
from tests.integration.reviewed import review_of, some_matches
from tests.integration.store.test_store_months import of_month
from tests.made_results import entered, results, save


@pytest.fixture
def match(sqlite_store: Store) -> StoredMatch:
    return some_matches(sqlite_store)[0]


def page(browser: FlaskClient, path: str, status: int = 200) -> str:
    answer = browser.get(path)
    assert answer.status_code == status, answer.text
    return answer.text


def told(browser: FlaskClient, match: StoredMatch, status: int = 200) -> dict[str, Any]:
    answer = browser.get(f"/api/matches/{match.id}/review")
    assert answer.status_code == status, answer.text
    found = answer.get_json()
    assert isinstance(found, dict)
    return found


def ask(browser: FlaskClient, match: StoredMatch) -> Any:
    form = {"csrf_token": csrf(browser, f"/matches/{match.id}/replay"), "move": "4"}
    return browser.post(f"/matches/{match.id}/review", data=form)


def make(store: Store, match: StoredMatch, review: Review | None = None) -> Review:
    """Makes the waiting review, like a worker."""
    made = review or review_of(match)
    with store.write() as conn:
        task = requests.take(conn, 9e9)
        assert task is not None
        requests.finish(conn, task, made, 9e9)
    return made


def with_a_blunder(match: StoredMatch) -> Review:
    """A review in which only the first decision is a blunder."""
    first = review_of(match).decisions[0]
    other = next(one.action for one in first.options if one.action != first.chosen)
    options = (Option(other, 0.625, 4.5, 0.01), Option(first.chosen, 0.375, 9.0, 0.01))
    blunder = first._replace(options=options, loss=0.25, error=0.01, stake=0.25, verdict="blunder")
    decisions: tuple[Judged, ...] = (blunder,)
    return Review(match.id, match.game, reviewer().name, decisions, by_seat(decisions, 3))


def test_a_review_is_asked_for_with_a_button_and_comes_back_to_the_move(
    browser: FlaskClient, match: StoredMatch
) -> None:
    assert "Review this match" in page(browser, f"/matches/{match.id}/replay")
    assert told(browser, match)["state"] == "none"
    answer = ask(browser, match)
    assert answer.status_code == 303
    assert answer.location.endswith(f"/matches/{match.id}/replay?move=4#review")
    assert told(browser, match)["state"] == "waiting"
    waits = page(browser, f"/matches/{match.id}/replay")
    assert "This match is being reviewed." in waits
    assert "http-equiv" in waits  # refreshes without JavaScript


def test_review_shows_the_value_of_each_action_and_the_mistakes(
    browser: FlaskClient, match: StoredMatch, sqlite_store: Store
) -> None:
    ask(browser, match)
    review = make(sqlite_store, match, with_a_blunder(match))
    (blunder,) = review.decisions
    html = page(browser, f"/matches/{match.id}/replay?move={blunder.number}")
    options = re.search(r'<table class="options">.*?</table>', html, re.DOTALL)
    assert options is not None
    rows = re.findall(r'<tr class="([^"]*)">', options[0])
    assert rows == [" best", "chosen"]
    assert "62.5%" in options[0]
    assert "blunder" in options[0]
    listed = re.search(r'<table class="mistakes">.*?</table>', html, re.DOTALL)
    assert listed is not None
    assert f">{blunder.number}</a>" in listed[0]
    assert "25.0%" in listed[0]
    assert 'class="review-chart"' in html
    assert f'href="?move={blunder.number}#review"' in html  # the next mistake, without JavaScript


def test_luck_is_listed_by_size_and_only_for_the_viewing_seat(
    browser: FlaskClient, match: StoredMatch, sqlite_store: Store
) -> None:
    ask(browser, match)
    review = make(sqlite_store, match)
    assert told(browser, match)["chances"][0]["kind"] == "deal"

    def listed(query: str) -> list[tuple[int, str, str]]:
        html = page(browser, f"/matches/{match.id}/replay?{query}")
        (table,) = re.findall(r'<table class="lucky">.*?</table>', html, re.DOTALL)
        row = r'>(\d+)</a></td>\s*<th scope="row">(\w+)</th><td>([^<]*)</td>'
        assert re.search(r"(\+|\u2212)\d+\.\d%", table)
        return [(int(number), who, what) for number, who, what in re.findall(row, table)]

    rows = listed("move=1")
    assert 1 <= len(rows) <= 8
    most = max(review.chances, key=lambda each: max(map(abs, each.luck)))
    assert rows[0][0] == most.number
    assert all(what.startswith(("deal of round", "draw")) for _, _, what in rows)
    assert {who for _, who, _ in listed("move=1&seat=1")} == {match.seats[1].bot}


def test_review_does_not_reveal_hands_to_another_seat(
    browser: FlaskClient, match: StoredMatch, sqlite_store: Store
) -> None:
    ask(browser, match)
    (blunder,) = make(sqlite_store, match, with_a_blunder(match)).decisions
    other = (blunder.seat + 1) % 3
    html = page(browser, f"/matches/{match.id}/replay?move={blunder.number}&seat={other}")
    assert 'class="options"' not in html
    assert "No mistakes found." in html
    address = f"/api/matches/{match.id}/replay?drawn=1&seat={other}"
    drawn = browser.get(address).text
    assert "blunder" not in drawn
    own = f"/api/matches/{match.id}/replay?drawn=1&seat={blunder.seat}"
    assert "blunder" in browser.get(own).text


@pytest.fixture
def at_fault(sqlite_store: Store) -> StoredMatch:
    """A match with a fault."""
    return next(one for one in some_matches(sqlite_store) if one.notes)


def test_faulty_moves_are_listed_above_the_accuracy_with_their_costs(
    browser: FlaskClient, at_fault: StoredMatch, sqlite_store: Store
) -> None:
    ask(browser, at_fault)
    (fault,) = make(sqlite_store, at_fault).faults
    assert fault.cost is not None
    html = page(browser, f"/matches/{at_fault.id}/replay")
    above, _, below = html.partition("Accuracy of own decisions")
    assert "1 move not judged: faults" in above
    assert 'class="review-seats"' in below
    row = re.search(r'<table class="mistakes at-fault">.*?<tbody>(.*?)</tbody>', above, re.DOTALL)
    assert row is not None
    assert f'data-key="move-{fault.number}"' in row[1]
    assert "timeout" in row[1]
    assert f"{max(0, fault.cost):.1%}" in row[1]
    assert "No answer within 2000 ms." in row[1]
    other = page(browser, f"/matches/{at_fault.id}/replay?seat={(fault.seat + 1) % 3}")
    assert "not judged" not in other.partition('id="review"')[2]


def test_the_api_has_moves_at_fault(
    browser: FlaskClient, at_fault: StoredMatch, sqlite_store: Store
) -> None:
    ask(browser, at_fault)
    (fault,) = make(sqlite_store, at_fault).faults
    (listed,) = told(browser, at_fault)["faults"]
    assert listed == {
        **fault._asdict(), "cost": pytest.approx(fault.cost, abs=1e-4),
        "error": pytest.approx(fault.error, abs=1e-4),
        "situation": json.loads(json.dumps(fault.situation._asdict())),
    }  # fmt: skip


def test_a_bots_page_of_reviews_counts_its_moves_at_fault(
    browser: FlaskClient, at_fault: StoredMatch, sqlite_store: Store
) -> None:
    ask(browser, at_fault)
    (fault,) = make(sqlite_store, at_fault).faults
    name = at_fault.seats[fault.seat].bot
    html = page(browser, f"/bots/{name}/reviews")
    assert "<b>1 move not judged: faults</b>, in 1 of 1 match." in html
    assert html.index("not judged") < html.index('class="review-chart accuracy"')
    found = browser.get(f"/api/bots/{name}/reviews").get_json()
    assert (found["faults"], found["forfeits"]) == (1, 0)
    assert found["matches"][0]["faults"] == 1
    csv = browser.get(f"/api/bots/{name}/reviews.csv").text.splitlines()
    assert "faults" in csv[0].split(",")
    other = at_fault.seats[(fault.seat + 1) % 3].bot
    assert "not judged" not in page(browser, f"/bots/{other}/reviews")

    save(sqlite_store, of_month(results(entered(sqlite_store))[:1], 2))
    archiving.save_month(sqlite_store, months.at(at_fault.finished), None)

    assert browser.get(f"/api/bots/{name}/reviews").get_json() == found
    assert page(browser, f"/bots/{name}/reviews") == html


def test_api_has_the_whole_review(
    browser: FlaskClient, match: StoredMatch, sqlite_store: Store
) -> None:
    ask(browser, match)
    review = make(sqlite_store, match)
    found = told(browser, match)
    assert found["state"] == "done"
    assert [each["number"] for each in found["decisions"]] == [
        each.number for each in review.decisions
    ]
    assert [seat["decisions"] for seat in found["seats"]] == [
        seat.decisions for seat in review.seats
    ]


def test_sealed_match_is_not_reviewed(browser: FlaskClient, sqlite_store: Store) -> None:
    locked = next(one for one in some_matches(sqlite_store, only=2) if one.locked)
    form = {"csrf_token": csrf(browser)}
    refused = browser.post(f"/matches/{locked.id}/review", data=form)
    assert refused.status_code == 409
    assert "sealed until every match of its deal" in refused.text
    assert "sealed until" in told(browser, locked, 409)["error"]
    assert "Review this match" not in page(browser, f"/matches/{locked.id}/replay")


def test_waiting_reviews_of_one_person_are_limited(
    browser: FlaskClient, match: StoredMatch, sqlite_store: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(requests.ReviewLimits, "waiting_each", 0)
    monkeypatch.setattr(requests.ask, "__defaults__", (requests.ReviewLimits(waiting_each=0),))
    refused = ask(browser, match)
    assert refused.status_code == 429
    assert "You are waiting for" in refused.text


def test_failed_review_shows_its_reason_and_can_be_repeated(
    browser: FlaskClient, match: StoredMatch, sqlite_store: Store
) -> None:
    ask(browser, match)
    with sqlite_store.write() as conn:
        task = requests.take(conn, 9e9)
        assert task is not None
        requests.fail(conn, task, "It is too long.")
    html = page(browser, f"/matches/{match.id}/replay")
    assert "could not be reviewed. It is too long." in html
    assert "Review this match" in html


def test_bot_has_a_page_about_its_reviews(
    browser: FlaskClient, match: StoredMatch, sqlite_store: Store
) -> None:
    assert "has been reviewed yet" in page(browser, "/bots/ada/reviews")
    ask(browser, match)
    (blunder,) = make(sqlite_store, match, with_a_blunder(match)).decisions
    name = match.seats[blunder.seat].bot
    html = page(browser, f"/bots/{name}/reviews")
    assert "1 reviewed match with 1 decision" in html
    assert f"/matches/{match.id}/replay?move={blunder.number}" in html
    assert "25.0%" in html
    assert f"/bots/{name}/reviews" in page(browser, f"/bots/{name}")
    assert "has been reviewed" in page(browser, f"/bots/{name}/reviews?game=dice", 400)


def test_api_has_a_bots_reviews_as_json_and_csv(
    browser: FlaskClient, match: StoredMatch, sqlite_store: Store
) -> None:
    none = browser.get("/api/bots/ada/reviews").get_json()
    assert (none["game"], none["games"], none["matches"]) == (None, {}, [])
    assert browser.get("/api/bots/ada/reviews?game=dice").get_json() == none
    ask(browser, match)
    (blunder,) = make(sqlite_store, match, with_a_blunder(match)).decisions
    name = match.seats[blunder.seat].bot

    found = browser.get(f"/api/bots/{name}/reviews").get_json()
    csv = browser.get(f"/api/bots/{name}/reviews.csv").text.splitlines()

    assert (found["bot"], found["game"], found["games"]) == (name, "lama", {"lama": 1})
    assert found["decisions"] == 1
    assert found["lost"] == pytest.approx(0.25)
    assert found["phases"][blunder.phase]["decisions"] == 1
    (worst,) = found["worst"]
    assert (worst["match"], worst["number"]) == (match.id, blunder.number)
    assert worst["chosen"] == blunder.chosen
    (only,) = found["matches"]
    assert only["match"] == match.id
    assert only["accuracy"] == found["accuracy"]
    assert len(csv) == 2
    assert csv[1].startswith(f"{match.id},")
    refused = browser.get(f"/api/bots/{name}/reviews?game=dice")
    assert refused.status_code == 400
    assert "has been reviewed" in refused.get_json()["error"]
    assert browser.get("/api/bots/nobody/reviews").status_code == 404
    assert f"/api/bots/{name}/reviews" in page(browser, f"/bots/{name}/reviews")
