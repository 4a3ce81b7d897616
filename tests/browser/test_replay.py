"""The replay in a real browser: stepping, keys, views of one seat, playing, verifying."""

import hashlib
import json
import re
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Browser, BrowserContext, Page, Response, expect

from arena.base.config import Settings
from arena.games.packed_log import replay
from arena.games.rules import GAMES
from arena.games.rules.dice import ROLL
from arena.store import Store, upgrade_store
from arena.store.matches import bot_notes, matches
from arena.store.matches.matches import StoredMatch
from arena.store.registry import bots
from dashboard import create_app
from tests.browser.served import served
from tests.browser.watch import watched
from tests.integration.noted import decisions_of
from tests.integration.played import play, register
from tests.integration.reviewed import store_review, stored_matches

NAMES = ("ada", "bob", "cyd")


@pytest.fixture(scope="module")
def store(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Store]:
    """A store with a tournament of each game."""
    file: Path = tmp_path_factory.mktemp("replay") / "arena.db"
    made = upgrade_store(f"sqlite:///{file}")
    register(made, *NAMES)
    for game in GAMES:
        play(made, *NAMES, seats=3, game=game)
    yield made
    made.dispose()


@pytest.fixture(scope="module")
def address(store: Store) -> Iterator[str]:
    """The dashboard, served."""
    with served(create_app(Settings(), store, None)) as found:
        yield found


@pytest.fixture(scope="module")
def window(chromium: Browser, address: str) -> Iterator[BrowserContext]:
    with closing(chromium.new_context(base_url=address, reduced_motion="reduce")) as opened:
        yield opened


@pytest.fixture
def page(window: BrowserContext) -> Iterator[Page]:
    """A watched page."""
    with closing(window.new_page()) as opened, watched(opened):
        yield opened
        opened.evaluate("localStorage.clear()")


def a_match(store: Store, game: str) -> StoredMatch:
    """A match with a fault in it."""
    with store.read() as conn:
        return next(m for m in matches.iterate_matches(conn) if m.game == game and m.notes)


def lengths(match: StoredMatch) -> list[int]:
    """The number of moves in each round."""
    return [len(log.moves) for log in replay(match.setup, match.log).game.rounds]


def open_replay(page: Page, match: StoredMatch, query: str = "") -> None:
    page.goto(f"/matches/{match.id}/replay{query}")
    expect(page.locator("#play")).to_be_visible()


def said(page: Page, sentence: str) -> None:
    expect(page.locator("#said")).to_have_text(re.compile(sentence))


@pytest.mark.parametrize("game", GAMES)
def test_stepping_leads_through_all_moves_and_scorings(page: Page, store: Store, game: str) -> None:
    match = a_match(store, game)
    open_replay(page, match)

    number = 0
    for round_number, moves in enumerate(lengths(match), 1):
        for _ in range(moves):
            number += 1
            said(page, rf"^Move {number}\.")
            expect(page.locator(".offers .chosen")).to_have_count(1)
            page.locator("#forward").click()
        said(page, rf"^End of round {round_number}\.")
        if round_number < len(lengths(match)):
            page.locator("#forward").click()

    said(page, "The match is over")
    assert page.locator("#forward").get_attribute("href") is None


def test_a_step_needs_no_new_page_and_changes_the_address(page: Page, store: Store) -> None:
    open_replay(page, a_match(store, "lama"))
    page.evaluate("window.same = true")

    page.locator("#forward").click()
    page.locator("#forward").click()

    said(page, r"^Move 3\.")
    expect(page).to_have_url(re.compile(r"\?move=3$"))
    expect(page.locator("#moves [aria-current]")).to_have_attribute("data-key", "move-3")
    assert page.evaluate("window.same")


def test_stepping_goes_on_while_the_browser_refuses_addresses(page: Page, store: Store) -> None:
    page.goto(f"/matches/{a_match(store, 'lama').id}/replay?move=1")
    expect(page.locator("#play")).to_be_visible()
    page.evaluate(
        """() => {
          let left = 2;
          history.replaceState = (...told) => {
            if (left--) throw new DOMException("more than 100 times", "SecurityError");
            History.prototype.replaceState.apply(history, told);
          };
        }"""
    )

    page.keyboard.press("ArrowRight")

    expect(page.locator("#said")).to_contain_text("Move 2.")
    page.wait_for_url("**/replay?move=2")


def test_the_note_of_a_bot_follows_the_step(page: Page, store: Store) -> None:
    match = a_match(store, "kadabra")
    with store.write() as conn:
        for seat, each in enumerate(match.seats[:2]):
            bot = bots.get(conn, each.bot).id
            texts = {n: f"Note {n}.\nMore." for n in decisions_of(match, seat)}
            bot_notes.add(conn, bot, match.id, seat, texts, 1.0)
            bot_notes.set_public(conn, bot, public=True)
    noted = sorted(n for seat in (0, 1) for n in decisions_of(match, seat))
    open_replay(page, match)

    text = page.locator(".bot-note-text")
    for number in range(1, lengths(match)[0] + 1):
        said(page, rf"^Move {number}\.")
        if number in noted:
            expect(text.locator("p")).to_have_text([f"Note {number}.", "More."])
        else:
            expect(text).to_have_count(0)
        page.locator("#forward").click()


def test_the_keyboard_goes_everywhere(page: Page, store: Store) -> None:
    match = a_match(store, "party")
    first, *_ = lengths(match)
    open_replay(page, match)

    for key, sentence in [
        ("ArrowRight", r"^Move 2\."),
        ("ArrowLeft", r"^Move 1\."),
        ("PageDown", rf"^Move {first + 1}\."),
        ("PageUp", r"^Move 1\."),
        ("End", "The match is over"),
        ("Home", r"^Move 1\."),
        ("f", "Fault: timeout") if match.notes[0].number > 1 else ("Home", "Fault: timeout"),
    ]:
        page.keyboard.press(key)
        said(page, sentence)

    page.keyboard.press("2")
    expect(page).to_have_url(re.compile("seat=1"))
    expect(page.locator(".through [aria-current]")).to_have_text(match.seats[1].bot)
    expect(page.locator("#play")).to_be_visible()
    page.keyboard.press("0")
    expect(page.locator(".through [aria-current]")).to_have_text("All-seeing")


def test_controls_and_lists_with_the_focus_keep_their_own_keys(page: Page, store: Store) -> None:
    match = a_match(store, "lama")
    page.set_viewport_size({"width": 320, "height": 600})
    open_replay(page, match)
    said(page, r"^Move 1\.")

    page.locator("#keyboard summary").press(" ")
    expect(page.locator("#keys-on")).to_be_visible()
    expect(page.locator("#play .word")).to_have_text("Play")

    points = page.get_by_role("group", name="Points")
    points.evaluate("one => one.firstElementChild.style.width = '900px'")
    points.press("ArrowRight")
    page.wait_for_function("one => one.scrollLeft > 0", arg=points.element_handle())
    said(page, r"^Move 1\.")


def test_the_focus_follows_the_match_through_the_list_of_moves(page: Page, store: Store) -> None:
    match = a_match(store, "lama")
    open_replay(page, match, f"?move={lengths(match)[0]}")
    current = page.locator("#moves [aria-current]")
    current.focus()

    page.keyboard.press("ArrowRight")
    page.keyboard.press("ArrowRight")

    expect(page.locator("#round-number")).to_have_text("2")
    expect(current).to_be_focused()


def test_the_slider_and_the_line_do_not_both_tell_the_move(page: Page, store: Store) -> None:
    open_replay(page, a_match(store, "lama"))
    line = page.locator("#said")
    page.locator("#scrub").focus()
    expect(line).to_have_attribute("aria-live", "off")
    page.locator("#forward").focus()
    expect(line).to_have_attribute("aria-live", "polite")


def test_forced_colours_show_what_is_chosen(chromium: Browser, address: str, store: Store) -> None:
    with closing(chromium.new_context(base_url=address, forced_colors="active")) as context:
        page = context.new_page()
        open_replay(page, a_match(store, "lama"), "?move=2")
        for chosen, other in (
            ("#moves a[aria-current]", "#moves a:not([aria-current])"),
            (".offers .chosen", ".decision"),
            (".rounds a[aria-current]", ".rounds a:not([aria-current])"),
        ):
            looks = [
                page.locator(one).first.evaluate("one => getComputedStyle(one).backgroundColor")
                for one in (chosen, other)
            ]
            assert looks[0] != looks[1], chosen


def test_no_focused_link_is_behind_the_controls_of_a_low_window(page: Page, store: Store) -> None:
    page.set_viewport_size({"width": 320, "height": 256})
    open_replay(page, a_match(store, "lama"))
    assert page.locator(".deck").evaluate("one => getComputedStyle(one).position") == "static"


def test_keys_can_be_turned_off(page: Page, store: Store) -> None:
    open_replay(page, a_match(store, "lama"))

    page.locator("#keyboard summary").click()
    page.locator("#keys-on").uncheck()
    page.keyboard.press("ArrowRight")
    page.locator("#forward").click()

    said(page, r"^Move 2\.")  # from the click only


def test_focus_stays_on_the_used_button(page: Page, store: Store) -> None:
    match = a_match(store, "lama")
    open_replay(page, match)

    page.locator("#last").focus()
    page.keyboard.press("Enter")

    said(page, "The match is over")
    expect(page.locator("#last")).to_be_focused()


def test_playing_goes_on_by_itself_until_it_is_stopped(page: Page, store: Store) -> None:
    open_replay(page, a_match(store, "dice"))

    page.keyboard.press(" ")
    expect(page.locator("#play")).to_have_text("Pause")
    said(page, r"^Move 2\.")
    page.keyboard.press(" ")

    expect(page.locator("#play")).to_have_text("Play")


def test_playing_ends_at_the_end(page: Page, store: Store) -> None:
    match = a_match(store, "lama")
    open_replay(page, match, f"?move={sum(lengths(match))}")
    page.locator("#speed").select_option("8")

    page.locator("#play").click()

    said(page, "The match is over")
    expect(page.locator("#play")).to_have_text("Play")


@pytest.mark.parametrize("form", ["?move=5", "#move-5"])
def test_a_link_leads_to_an_exact_move(page: Page, store: Store, form: str) -> None:
    open_replay(page, a_match(store, "kadabra"), form)

    said(page, r"^Move 5\.")
    expect(page.locator("#in-sheet")).to_have_attribute("href", re.compile("#move-5$"))


def test_view_of_one_seat_gets_no_hidden_card(page: Page, store: Store) -> None:
    match = a_match(store, "lama")
    answers: list[Response] = []
    page.on("response", lambda answer: answers.append(answer))
    open_replay(page, match, "?seat=1")
    page.locator("#forward").click()
    said(page, r"^Move 2\.")

    sent = [answer.json() for answer in answers if "/frames" in answer.url]
    assert sent
    for told in sent:
        for frame in told["frames"][:-1]:
            drawn = dict(zip(told["where"], frame["drawn"], strict=True))
            for seat in (0, 2):
                piece = told["pieces"][drawn[f"seat-{seat}"]]
                hand = piece.partition("hand-line")[2].partition("</p>")[0]
                assert not re.search(r"card-\w", hand)
            assert "coming" not in told["pieces"][drawn["middle"]]
        assert match.seed.hex() not in json.dumps(told)
    shown = page.locator('[data-piece="seat-0"] .hand-line .card')
    backs = page.locator('[data-piece="seat-0"] .hand-line .card.back')
    assert shown.count() == backs.count() > 0
    expect(page.locator('[data-piece="seat-1"]')).to_have_class(re.compile("at-0"))


@pytest.mark.parametrize("game", GAMES)
def test_the_browser_finds_the_same_cards_and_dice(page: Page, store: Store, game: str) -> None:
    match = a_match(store, game)
    open_replay(page, match)

    page.locator("#shuffle").click()

    expect(page.locator("#browser-verdict .verdict.good")).to_be_visible()
    expect(page.locator(".checked-rounds li")).to_have_count(len(lengths(match)))
    expect(page.locator("#shuffle")).to_be_focused()


def test_browser_reports_a_deal_that_does_not_match_the_seed(page: Page, store: Store) -> None:
    match = a_match(store, "dice")

    rolled = next(
        index
        for index, log in enumerate(replay(match.setup, match.log).game.rounds)
        if any(action == ROLL for _, action in log.moves)
    )
    wrong = 0 if rolled else len(lengths(match)) - 1

    def forge(route: Any) -> None:
        record = route.fetch().json()
        move = [move for move in record["rounds"][rolled]["moves"] if "dice" in move][-1]
        move["dice"] = ["1", "1", "1"]
        record["rounds"][wrong]["rows"].reverse()
        route.fulfill(json=record)

    page.route(f"**/api/matches/{match.id}", forge)
    open_replay(page, match)
    page.locator("#shuffle").click()

    expect(page.locator("#browser-verdict .verdict.bad")).to_be_visible()
    assert rolled != wrong
    expect(page.locator(".checked-rounds li").nth(rolled)).to_contain_text("dice differ")
    expect(page.locator(".checked-rounds li").nth(wrong)).to_contain_text("cards differ")


def test_browsers_shake_256_matches_the_standard(page: Page, store: Store) -> None:
    open_replay(page, a_match(store, "lama"))

    for size, length in [(0, 32), (24, 220), (135, 136), (136, 137), (300, 500)]:
        message = bytes(i % 251 for i in range(size))
        made = page.evaluate(
            "async ([message, length]) => Array.from("
            "(await import('/static/replay.shuffle.js'))"
            ".shake256(Uint8Array.from(message), length))",
            [list(message), length],
        )
        assert bytes(made) == hashlib.shake_256(message).digest(length)


@pytest.mark.parametrize("game", GAMES)
def test_nothing_is_wider_than_the_screen(page: Page, store: Store, game: str) -> None:
    page.set_viewport_size({"width": 360, "height": 800})
    open_replay(page, a_match(store, game), "?move=6")

    assert page.evaluate("document.documentElement.scrollWidth") == 360
    page.set_viewport_size({"width": 2560, "height": 800})
    assert page.evaluate("document.documentElement.scrollWidth") == 2560


def test_buttons_share_a_row_and_do_not_cover_the_table(page: Page, store: Store) -> None:
    open_replay(page, a_match(store, "lama"), "?move=6")

    for width, height in ((360, 740), (1280, 720)):
        page.set_viewport_size({"width": width, "height": height})
        tops = page.locator(".steps > :is(a, span, button)").evaluate_all(
            "(all) => all.map((one) => one.getBoundingClientRect().top)"
        )
        assert len(tops) == 5
        assert max(tops) - min(tops) < 2
        assert page.locator(".deck").evaluate("(one) => one.clientHeight") < height / 3


def test_at_the_end_the_winner_has_as_much_room_as_the_others(page: Page, store: Store) -> None:
    open_replay(page, a_match(store, "lama"))
    page.locator("#last").click()
    said(page, "The match is over")

    room = page.locator(".board .seat").evaluate_all(
        "(all) => all.map((one) => one.clientWidth - one.querySelector('.before').offsetWidth)"
    )
    assert len(room) > 1
    assert set(room) == {0}


def test_the_replay_can_be_read_without_javascript(
    chromium: Browser, address: str, store: Store
) -> None:
    match = a_match(store, "dice")
    context = chromium.new_context(base_url=address, java_script_enabled=False)
    page = context.new_page()
    page.goto(f"/matches/{match.id}/replay")

    page.locator("#forward").click()

    assert page.locator("#said").inner_text().startswith("Move 2.")
    assert not page.locator("#play").is_visible()
    context.close()


def test_a_review_leads_from_mistake_to_mistake_and_to_the_luckiest_card(
    page: Page, store: Store
) -> None:
    tournament = play(store, *NAMES, seats=3, game="lama")
    match = stored_matches(store, tournament)[0]
    review = store_review(store, match)
    wrong = [each.number for each in review.decisions if each.verdict]
    assert len(wrong) > 1

    page.goto(f"/matches/{match.id}/replay?move={wrong[0]}")
    expect(page.locator(".options tr.best")).to_have_count(1)
    expect(page.locator(".options tr.chosen .glyph")).to_be_visible()
    page.locator("#next-mistake").click()
    expect(page).to_have_url(re.compile(rf"move={wrong[1]}\b"))
    page.keyboard.press("Shift+M")
    expect(page).to_have_url(re.compile(rf"move={wrong[0]}\b"))
    page.locator(f'.review-chart a[href="?move={wrong[-1]}"]').click()
    expect(page).to_have_url(re.compile(rf"move={wrong[-1]}\b"))

    lucky = page.locator(".lucky tbody tr").first
    expect(lucky).to_contain_text("%")
    number = lucky.locator("a").inner_text()
    lucky.locator("a").click()
    expect(page).to_have_url(re.compile(rf"move={number}\b"))
